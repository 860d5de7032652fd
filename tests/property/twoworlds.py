"""Two worlds: what a seat gets does not depend on what it may not know, until the rules reveal the difference."""

from __future__ import annotations

import random
import re
from typing import Any

import msgspec

from services.rules.engine.flow import encode_stack
from services.rules.engine.game import Decision, Game, answer, renewed
from shared.dune.events import visible
from shared.dune.facts import face
from shared.dune.table import BANK, Piece, Table, mark, pay, put
from shared.dune.views import encode_view, view
from shared.dune.worlds import sample_world
from shared.dune.zones import kind_of, owner_of
from tests.property.players import sampled

FOLLOWED = 6
"""Decisions for which two worlds are followed, unless the rules reveal the difference before."""


def check_two_worlds(game: Game, rng: random.Random) -> int:
    """Change what one seat may not know: all that it gets stays the same to the byte. Returns decisions compared."""
    seat = rng.choice(game.table.seats)
    _check_sample(game, seat, rng)
    other = _other_world(game, seat, rng)
    if other is None:
        return 0
    assert _shown(game, seat) == _shown(other, seat), f"the view of {seat} tells what it may not know"
    compared = 1
    one, two = game, other
    for _ in range(FOLLOWED):
        offers = [offer for offer in one.open if offer.committed is None]
        if not offers:
            break
        offer = rng.choice(offers)
        twin = next((o for o in two.open if o.seat == offer.seat and o.kind == offer.kind), None)
        assert twin is not None or offer.seat != seat, f"{seat} is asked {offer.kind} in one world only"
        given = sampled(offer, rng)
        if twin is None or twin.problem(given) is not None:
            break
        first, second = answer(one, offer.seat, offer.id, given), answer(two, twin.seat, twin.id, given)
        assert isinstance(first, Decision) and isinstance(second, Decision)
        if _reveals(first, second, seat):
            break
        one, two = first.game, second.game
        assert _shown(one, seat) == _shown(two, seat), (
            f"{seat} can tell after {offer.kind} of {offer.seat}: {given!r}"
        )
        compared += 1
    return compared


def _check_sample(game: Game, seat: str, rng: random.Random) -> None:
    """A sampled world gives its seat the same view, its open offers aside."""
    seen = view(game.table, game.checkpoint(), seat)
    world = sample_world(seen, rng)
    bare = game.checkpoint()
    again = view(world, bare, seat)
    assert encode_view(again) == encode_view(seen), "a sampled world looks different"


def _shown(game: Game, seat: str) -> bytes:
    """All that a seat is shown, but for the numbers by which it tells its own copies of a card apart."""
    shown = encode_view(view(game.table, game.checkpoint(), seat))
    return re.sub(rb"#\d+", b"", shown) + str(game.sequences.get(seat)).encode()


def _reveals(first: Decision, second: Decision, seat: str) -> bool:
    """Whether what the seat was told differs: then the rules revealed something, and only by a hidden piece or sum."""
    told = [_told(decision, seat) for decision in (first, second)]
    if told[0] == told[1]:
        return False
    kinds = {
        event["event"] for part in told for event in part if event not in told[0] or event not in told[1]
    }
    assert kinds & REVEALING, f"{seat} is told different things by {sorted(kinds)}"
    return True


REVEALING = {
    "CardBought",
    "BattleResolved",
    "CardDiscarded",
    "CardDrawn",
    "CardSeen",
    "CardSold",
    "CharityClaimed",
    "ForcesKilled",
    "GameEnded",
    "LeaderKilled",
    "PlanRevealed",
    "ShipmentDeclared",
    "SpiceCardRevealed",
    "SpicePaid",
    "TraitorCalled",
    "TruthAnswered",
}
"""Events by which the rules show hidden pieces, hidden spice or what follows from them.

A declared shipment is one of them: what its owner lacks is taken from the ally's promise, openly. [SHIP-08]
"""


def _told(decision: Decision, seat: str) -> list[dict[str, Any]]:
    return [part for event in decision.events if (part := visible(event, seat)) is not None]


def _other_world(game: Game, seat: str, rng: random.Random) -> Game | None:
    """The same game with hidden pieces and hidden spice of others changed; None where nothing can be."""
    pinned = encode_stack(game.stack)
    text = bytes(pinned).decode()
    table = _with_other_pieces(game.table, seat, text, rng)
    table = _with_other_spice(table, seat, rng)
    table = _with_other_secrets(table, seat, rng)
    if table == game.table:
        return None
    return renewed(msgspec.structs.replace(game, table=table))


def _with_other_pieces(table: Table, seat: str, pinned: str, rng: random.Random) -> Table:
    """Pieces of one family that the seat sees nowhere change places among zones that it cannot see into."""
    for family in ("treachery", "traitor"):
        hidden = [
            name
            for name in table.zones
            if kind_of(name).family == family
            and not (kind_of(name).visibility == "public" or owner_of(name) == seat)
        ]
        known = {entry.partition("=")[2] for entry in table.memory.get(seat, ())} | _played_openly(table)
        loose = [p for n in hidden for p in table.zones[n] if f'"{p}"' not in pinned and p not in known]
        mixed = loose[:]
        rng.shuffle(mixed)
        table = _swapped(table, dict(zip(loose, mixed, strict=True)))
        table = _with_other_copies(table, hidden, pinned, rng)
    return table


def _played_openly(table: Table) -> set[Piece]:
    """Cards that all have seen played but that are not discarded yet: a Truthtrance being asked. [CARD-10]"""
    return {
        card
        for asker in table.names("truth.askers")
        for card in table.hand(asker)
        if face(card) == "truthtrance"
    }


def _with_other_copies(table: Table, hidden: list[str], pinned: str, rng: random.Random) -> Table:
    """Copies of one card that the seat cannot see now change places, also where it was once shown one of them."""
    faces: dict[str, list[Piece]] = {}
    for piece in (p for name in hidden for p in table.zones.get(name, ()) if f'"{p}"' not in pinned):
        faces.setdefault(face(piece), []).append(piece)
    for copies in faces.values():
        mixed = copies[:]
        rng.shuffle(mixed)
        table = _swapped(table, dict(zip(copies, mixed, strict=True)))
    return table


def _swapped(table: Table, to: dict[Piece, Piece]) -> Table:
    zones = {name: tuple(to.get(p, p) for p in pieces) for name, pieces in table.zones.items()}
    return put(table, zones=zones)


def _with_other_secrets(table: Table, seat: str, rng: random.Random) -> Table:
    """What others remember without this seat: predictions, and what allies promised each other."""
    for name, held in table.marks.items():
        if held.public or seat in held.seen_by:
            continue
        kind, value = name.partition(".")[0], held.value
        if kind == "prediction":
            others = [f for f in table.seats if f != name.partition(".")[2]]
            value = (rng.choice(others), str(rng.randint(1, table.settings.last_turn)))
        elif kind == "promise" and isinstance(value, tuple):
            value = (value[0], str(rng.randint(0, 20)))
        table = mark(table, name, msgspec.structs.replace(held, value=value))
    return table


def _with_other_spice(table: Table, seat: str, rng: random.Random) -> Table:
    for other in table.seats:
        if other != seat and table.ally_of(seat) != other and rng.random() < 0.5:
            table = pay(table, rng.randint(1, 5), BANK, other)
    return table
