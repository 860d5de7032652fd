"""The offer to move: each group with the exact places that it can reach, extra movements, and the end of the turn."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from functools import lru_cache
from typing import ClassVar

from services.rules.engine.flow import Flow
from services.rules.engine.offering import offer
from services.rules.engine.play import Play
from services.rules.engine.registry import Registry
from services.rules.phases.groups import under_storm
from services.rules.phases.movement_paths import connected, reachable
from services.rules.phases.movement_quotes import March, march, move_range
from services.rules.phases.presence import only_stay
from shared.dune import facts
from shared.dune.offers import Offer
from shared.dune.settings import Faction
from shared.dune.shapes import Alike, Fields, Json, Off, Source, Target, Transfer, Variant, targets_of
from shared.dune.table import Table

__all__ = [
    "MovementExtra",
    "TurnEnding",
    "move_offer",
    "movement_extra",
    "movement_extras",
    "turn_ending",
    "turn_endings",
]


class MovementExtra(ABC):
    """Base of what gives its player one more movement in its own turn of action. Registered by `movement_extra`."""

    name: ClassVar[str]
    rule: ClassVar[str]
    label: ClassVar[str]

    @abstractmethod
    def fields(self, table: Table, seat: Faction) -> Fields | Off:
        """What the seat may answer, or privately why it may not."""

    @abstractmethod
    def use(self, play: Play, seat: Faction, answer: Json) -> None:
        """Spend it; the flow then gives the movement."""


_extras: Registry[MovementExtra] = Registry("movement extra")


def movement_extra(kind: type[MovementExtra]) -> type[MovementExtra]:
    """Register an extra; its name must be new and its rule given."""
    _extras.add(kind)
    return kind


def movement_extras() -> Mapping[str, MovementExtra]:
    """All extras by name."""
    return _extras.all


class TurnEnding(ABC):
    """Base of what its player may do once it is done with its movement, made or not, in its own turn of action.

    After it only extra movements are left. Registered by `turn_ending`.
    """

    name: ClassVar[str]
    rule: ClassVar[str]
    label: ClassVar[str]

    @abstractmethod
    def fields(self, table: Table, seat: Faction) -> Fields | Off | None:
        """What the seat may answer, or privately why it may not; None if there is nothing to speak of."""

    @abstractmethod
    def flow(self, table: Table, seat: Faction, answer: Json) -> Flow:
        """What is done; its result is true if the turn of action is over with it."""


_endings: Registry[TurnEnding] = Registry("turn ending")


def turn_ending(kind: type[TurnEnding]) -> type[TurnEnding]:
    """Register an ending; its name must be new and its rule given."""
    _endings.add(kind)
    return kind


def turn_endings() -> Mapping[str, TurnEnding]:
    """All endings by name."""
    return _endings.all


def move_offer(table: Table, seat: Faction, left: int) -> Offer:
    """The question of a turn of action: move, play an extra, or end; always asked. [REACT-52, MOVE-20, MOVE-23]"""
    variants: dict[str, Fields] = {}
    labels = {"move": "Move a group", "end": "End your turn of action"}
    off: dict[str, Off] = {}
    transfer = groups(table, seat) if left else Transfer((), ())
    if transfer.open_targets():
        variants["move"] = Fields({"group": transfer}, labels={"group": "Group"})
    elif left:
        off["move"] = Off("None of your forces can go anywhere.", "MOVE-08")
    else:
        off["move"] = Off("You have made your movement.", "MOVE-01")
    game = table.settings.mode, table.settings.modules
    further: list[MovementExtra | TurnEnding] = [*_extras.of(*game), *_endings.of(*game)]
    for more in further:
        found = more.fields(table, seat)
        if found is None:
            continue
        labels[more.name] = more.label
        if isinstance(found, Off):
            off[more.name] = found
        else:
            variants[more.name] = found
    variants["end"] = Fields({})
    return offer(
        seat,
        "move",
        "You may move one group, and end your turn of action."
        if left
        else "You may end your turn of action.",
        Variant(variants, labels, off),
        default={"do": "end"},
        about={"range": move_range(table, seat).value, "movements": left},
        rules=("MOVE-01", "MOVE-08", "MOVE-20"),
        window=True,
    )


def groups(table: Table, seat: Faction) -> Transfer:
    """All forces that may set out, and exactly the places that each can reach; others with the reason.

    [MOVE-01, MOVE-08, MOVE-09, MOVE-11]
    """
    starts = tuple(place for place in sorted(table.places_of(seat)) if not table.in_storm(place))
    sources = tuple(
        Source(place, table.kinds_at(place, seat), facts.name(place), _together(place, table.storm))
        for place in starts
    )
    staying = tuple(source.place for source in sources if only_stay(source.kinds))
    moving = tuple(start for start in starts if start not in staying)
    groups = ((moving, False), (staying, True)) if staying else ((moving, False),)
    marches = tuple((march(table, seat, stays=stays), places) for places, stays in groups if places)
    barred = under_storm(table, seat, sorted(table.places_of(seat)), "MOVE-08")
    return Transfer(sources, _targets(marches, table.storm), rule="MOVE-09", barred=barred)


@lru_cache(maxsize=128)
def _targets(marches: tuple[tuple[March, tuple[str, ...]], ...], storm: int) -> tuple[Target, ...]:
    """The places within reach: those that some forces can get to, and those to which the way is closed."""
    of = dict(sorted((start, march) for march, starts in marches for start in starts))
    arriving = _arriving({start: reachable(start, m.steps, m.barred, m.ends) for start, m in of.items()})
    near = frozenset[str]().union(*(reachable(start, m.steps) for start, m in of.items()))
    closed_way = frozenset[str]().union(*(m.barred for m in of.values()))
    closed = {start: m.closed for start, m in of.items() if m.closed}
    found: dict[Alike, list[str]] = {}
    for place in sorted(near, key=facts.board_order):
        sources, off, rule = arriving.get(place, ()), "", ""
        if not sources:
            off, rule = _why_not(place, closed_way, storm)
        elif stopping := _stopping(closed, sources, place):
            sources = stopping
        else:
            off, rule = "Your ally is there: your movement may pass, but not end there.", "MOVE-15"
        found.setdefault(Alike(sources, off=off, rule=rule), []).append(place)
    return targets_of(found)


def _stopping(closed: dict[str, frozenset[str]], starts: tuple[str, ...], place: str) -> tuple[str, ...]:
    """From which of these starts a movement may end at a place, not `closed` to it. [MOVE-15]"""
    if not closed:
        return starts
    territory = facts.territory_of(place).id
    return tuple(start for start in starts if territory not in closed.get(start, ()))


def _arriving(reached: dict[str, frozenset[str]]) -> dict[str, tuple[str, ...]]:
    """From which starts each place is reached."""
    found: dict[str, list[str]] = {}
    for start, places in reached.items():
        for place in places:
            found.setdefault(place, []).append(start)
    return {place: tuple(starts) for place, starts in found.items()}


def _why_not(place: str, closed_way: frozenset[str], storm: int) -> tuple[str, str]:
    """Why a place within range cannot be reached. [MOVE-08, MOVE-10]"""
    if place in facts.locations_in(storm):
        return "The storm is there.", "MOVE-08"
    if place in closed_way:
        return "Two other players hold this stronghold.", "MOVE-08"
    return "There is no open way within your range.", "MOVE-09"


@lru_cache(maxsize=4096)
def _together(place: str, storm: int) -> str:
    """The group that may set out together: a territory, or the part that storm has cut off. [MOVE-02]"""
    part = connected(place, frozenset(facts.locations_in(storm)))
    whole = facts.territory_of(place)
    return "" if len(part) == len(whole.sectors) else f"{whole.id}/{min(map(facts.sector_of, part))}"
