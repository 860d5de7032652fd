"""Worlds that a seat cannot tell from the true one: the unknown is dealt at random, consistently with its view.

Bots that look ahead search sampled worlds; nothing here reads a true table.
"""

from __future__ import annotations

import random
from collections.abc import Callable

from shared.dune import facts
from shared.dune.decks import spice_pieces, treachery_pieces
from shared.dune.facts.nexus import has_nexus_cards, nexus_cards
from shared.dune.facts.special import specials_of
from shared.dune.facts.storm import has_storm_deck, storm_cards
from shared.dune.settings import Faction
from shared.dune.table import BANK, RESERVES, TANKS, Mark, Piece, Table
from shared.dune.views import SeatView
from shared.dune.zones import kind_of, owner_of, veiled_by, zone_kinds

__all__ = ["sample_world"]

MOST_SPICE = 20
"""Spice dealt to a seat whose amount is unknown is at most this: any whole number could be true."""


def sample_world(seen: SeatView, rng: random.Random) -> Table:
    """A whole table that gives this seat the same view (its open offers aside), everything unknown dealt at random."""
    families = _families(seen)
    zones = _numbered(seen, {piece for pieces in families.values() for piece in pieces})
    known = {piece for held in zones.values() for piece in held}
    for family, pieces in families.items():
        unknown = [piece for piece in pieces if piece not in known]
        rng.shuffle(unknown)
        _deal(zones, seen, family, unknown, rng)
    return Table(
        settings=seen.settings,
        turn=seen.turn,
        phase=seen.phase,
        storm=seen.storm,
        zones={name: held for name, held in zones.items() if held},
        forces=_forces(seen),
        spice=_spice(seen, rng),
        marks=_marks(seen, rng),
        allies={faction: shown.ally for faction, shown in seen.factions.items() if shown.ally},
        order=seen.order,
        memory={seen.seat: seen.memory} if seen.seat and seen.memory else {},
        leader_cycle=seen.leader_cycle,
        result=seen.result,
    )


def _numbered(seen: SeatView, pieces: set[Piece]) -> dict[str, tuple[Piece, ...]]:
    """The zones that are seen, with any copy of a card where only its face is shown."""
    own = {piece for held in seen.zones.values() for piece in held if piece in pieces}
    free: dict[str, list[Piece]] = {}
    for piece in sorted(pieces - own, reverse=True):
        free.setdefault(facts.unnumbered(piece), []).append(piece)
    return {
        name: tuple(piece if piece in pieces else free[piece].pop() for piece in held)
        for name, held in seen.zones.items()
    }


def _families(seen: SeatView) -> dict[str, list[Piece]]:
    """All pieces of the game by family: what may lie in one kind of zone never lies in another's."""
    return {
        "treachery": treachery_pieces(seen.settings.decks),
        "spice": spice_pieces(),
        "traitor": [
            f"traitor:{leader}" for faction in seen.settings.seats for leader in facts.leaders_of(faction)
        ],
        "storm": list(storm_cards()) if has_storm_deck(seen.settings) else [],
        "nexus": list(nexus_cards()) if has_nexus_cards(seen.settings.modules) else [],
        "leader": [
            leader
            for faction in seen.settings.seats
            for leader in (*facts.leaders_of(faction), *specials_of(faction, seen.settings.mode))
        ],
    }


def _deal(
    zones: dict[str, tuple[Piece, ...]], seen: SeatView, family: str, unknown: list[Piece], rng: random.Random
) -> None:
    """First the zones whose size is public, then everybody's unseen hands, as evenly as chance has it."""
    for name, size in seen.counts.items():
        if kind_of(name).family != family or name in zones:
            continue
        if seems := veiled_by(name):
            _unveil(zones, name, seems, size, rng)
        else:
            zones[name] = tuple(unknown.pop() for _ in range(size))
    open_zones = [
        f"{prefix}.{faction}"
        for prefix, kind in zone_kinds().items()
        for faction in seen.settings.seats
        if kind.family == family and kind.counted not in ("always", seen.phase) and kind.visibility == "owner"
    ]
    hidden = [name for name in open_zones if owner_of(name) != seen.seat] or _uncounted(seen, family)
    while unknown and hidden:
        name = rng.choice(hidden)
        zones[name] = (*zones.get(name, ()), unknown.pop())


def _uncounted(seen: SeatView, family: str) -> list[str]:
    """The hidden piles of a family whose size nobody is told. [NEXUS-23]"""
    if family != "nexus":
        return []
    open_pile = seen.settings.rulings.get("nexus.discard_faces") == "public_pile"
    return ["nexus_deck"] if open_pile else ["nexus_deck", "nexus_discard"]


def _unveil(
    zones: dict[str, tuple[Piece, ...]], name: str, seems: str, size: int, rng: random.Random
) -> None:
    """Some of the pieces that seem to lie in a zone really lie in another. [SECRET-09]"""
    shown = list(zones[seems])
    taken = rng.sample(shown, size)
    zones[name] = tuple(taken)
    zones[seems] = tuple(piece for piece in shown if piece not in taken)


def _forces(seen: SeatView) -> dict[str, dict[Faction, dict[str, int]]]:
    found = {place: dict(shown.forces) for place, shown in seen.places.items() if shown.forces}
    for place, pick in ((RESERVES, "reserves"), (TANKS, "tanks")):
        stock = {f: dict(getattr(shown, pick)) for f, shown in seen.factions.items() if getattr(shown, pick)}
        if stock:
            found[place] = stock
    return found


def _spice(seen: SeatView, rng: random.Random) -> dict[str, int]:
    found = {place: shown.spice for place, shown in seen.places.items() if shown.spice}
    for faction, shown in seen.factions.items():
        found[f"bribe.{faction}"] = shown.bribes
        found[faction] = seen.spice.get(faction, rng.randint(0, MOST_SPICE))
    found = {holder: amount for holder, amount in found.items() if amount}
    return {**found, BANK: -sum(found.values())}


def _prediction(seen: SeatView, faction: Faction, rng: random.Random) -> Mark:
    others = [other for other in seen.settings.seats if other != faction]
    return Mark((rng.choice(others), str(rng.randint(1, seen.settings.last_turn))), (faction,))


_SECRET_MARKS: dict[str, tuple[str, Callable[[SeatView, Faction, random.Random], Mark]]] = {
    "has_predicted": ("prediction", _prediction)
}
"""Public marks that tell of a secret one for certain, and how to guess it."""


def _marks(seen: SeatView, rng: random.Random) -> dict[str, Mark]:
    marks = {name: Mark(value, public=True) for name, value in seen.marks.items()}
    for name in seen.marks:
        prefix, _, faction = name.partition(".")
        if prefix in _SECRET_MARKS:
            secret, guess = _SECRET_MARKS[prefix]
            marks.setdefault(f"{secret}.{faction}", guess(seen, faction, rng))
    return marks
