"""What was true at each moment, and who may know it: worked out from the stored events, asking no view of anything.

A piece is known to whoever owns the closed zone that it lies in, to all once it lay openly, and to whoever was lawfully
shown it. What is known stays known.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from msgspec import Struct

from shared.dune.events import decode_event, evolve
from shared.dune.events.sharing import SecretShown
from shared.dune.table import Table, all_pieces
from shared.dune.zones import zone_kinds

SPECTATOR = "spectator"
OPEN = {
    "treachery_discard",
    "treachery_removed",
    "plan",
    "leaders",
    "special_leaders",
    "tanks",
    "storm_shown",
    "captives_shown",
    "nexus_discard_open",
} | {f"spice_{pile}" for pile in ("discard_a", "discard_b", "aside")}
"""Zones that lie open on the table. [SECRET-01]"""
OWN = {"nexus", "hand", "traitors", "traitors_dealt", "traitors_out", "tanks_down", "storm_seen"}
"""Zones that their owner alone looks into. [SECRET-03]"""
PARTIES = {"captives", "tanks_hidden"}
"""Zones that the factions in their name alone look into. [SECRET-09]"""
CLOSED = {
    "treachery_deck",
    "auction_row",
    "auction_card",
    "spice_deck",
    "traitor_deck",
    "storm_deck",
    "storm_next",
    "nexus_deck",
    "nexus_deck_counted",
    "nexus_discard",
    "nexus_discard_counted",
}
"""Zones that nobody looks into."""


Told = tuple[list[bytes], Mapping[str, int]]
"""A commit: its events, and the number of each audience after it."""


class Moment(Struct, frozen=True):
    """After one commit: the number of each audience, the pieces that each has seen, those it could tell apart by their
    copy, and the secret marks with who may see each."""

    sequences: dict[str, int]
    seen: dict[str, frozenset[str]]
    handled: dict[str, frozenset[str]]
    marks: dict[str, tuple[str, ...]]


class Word(Struct, frozen=True):
    """Bytes that only the named audiences may ever be sent; by the named channels alone, where some are named."""

    what: str
    text: bytes
    knowers: frozenset[str] = frozenset()
    channels: frozenset[str] = frozenset()


class Truth:
    """The moments of one game, all its pieces, and words that are secret whatever happens."""

    def __init__(
        self,
        people: Sequence[str],
        bots: Sequence[str],
        commits: Sequence[Told],
        words: Sequence[Word],
    ) -> None:
        self.audiences = (*people, *bots, SPECTATOR)
        self.bots = frozenset(bots)
        self.words = tuple(words)
        self.moments = [Moment({}, {}, {}, {})]
        self.moments.extend(_moments(self.audiences, commits))
        self.shown = frozenset(_shown(commits))
        self.pieces = frozenset().union(*(moment.seen["everything"] for moment in self.moments[1:]))

    def at(self, audience: str, version: int, seq: int | None) -> Moment:
        """The last moment that something may tell of: that of its number, or else that of its coming."""
        if seq is None:
            return self.moments[min(version, len(self.moments) - 1)]
        name = audience if audience in self.audiences else SPECTATOR
        return next(moment for moment in self.moments if moment.sequences.get(name, 0) >= seq)

    def seen(self, audience: str, moment: Moment) -> frozenset[str]:
        """The pieces that an audience has lawfully seen by then; a host without a seat sees what all see."""
        return moment.seen.get(audience, moment.seen.get(SPECTATOR, frozenset()))

    def hidden(self, audience: str, moment: Moment) -> frozenset[str]:
        """The pieces that an audience may not know at a moment."""
        return self.pieces - self.seen(audience, moment)


def _moments(audiences: tuple[str, ...], commits: Sequence[Told]) -> Iterator[Moment]:
    table = Table()
    seen: dict[str, set[str]] = {audience: set() for audience in (*audiences, "everything")}
    handled: dict[str, set[str]] = {audience: set() for audience in audiences}
    for events, sequences in commits:
        for body in events:
            event = decode_event(body)
            table = evolve(table, event)
            _see(table, seen, handled)
            if isinstance(event, SecretShown):
                for faction in event.to:
                    seen[faction].add(event.value)
        yield Moment(
            dict(sequences),
            {name: frozenset(pieces) for name, pieces in seen.items()},
            {name: frozenset(pieces) for name, pieces in handled.items()},
            {name: mark.seen_by for name, mark in table.marks.items() if not mark.public},
        )


def _shown(commits: Sequence[Told]) -> Iterator[tuple[str, str]]:
    """Captives that an event shows to all: its name, and the leader. [SECRET-09]"""
    for events, _ in commits:
        for event in map(decode_event, events):
            if getattr(event, "shown", False):
                yield type(event).__name__, str(getattr(event, "leader", ""))


def _see(table: Table, seen: dict[str, set[str]], handled: dict[str, set[str]]) -> None:
    for piece, zone in all_pieces(table):
        kind, _, owner = zone.partition(".")
        seen["everything"].add(piece)
        for audience in handled:
            mine = (kind in OWN and owner == audience) or (kind in PARTIES and audience in owner.split("."))
            if kind in OPEN or mine:
                seen[audience].add(piece)
            if mine:
                handled[audience].add(piece)
    for faction, shown in table.memory.items():
        seen[faction].update(entry.partition("=")[2] for entry in shown)


def zones_are_all_judged() -> bool:
    """Whether every kind of zone that there is stands in one of the lists above."""
    return set(zone_kinds()) == OPEN | OWN | PARTIES | CLOSED
