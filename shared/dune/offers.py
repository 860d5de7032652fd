"""Offers: the only way in. A question put to one seat, what it may be answered with, and where the game stands."""

from __future__ import annotations

from functools import lru_cache

from msgspec import Raw, Struct

from shared.dune.memo import by_identity
from shared.dune.settings import Faction
from shared.dune.shapes import Fields, Json, Problem, Variant

__all__ = ["Anytime", "Checkpoint", "Choice", "Offer", "Standing", "Waiting", "at_length", "in_short"]

Choice = Fields | Variant


class Offer(Struct, frozen=True, omit_defaults=True):
    """A question to one seat: why it is asked, the legal choices, the default that silence means.

    `about` holds public facts for the form (the territory of a battle, the standing bid). A `window` offer may be
    answered by a standing order, and again until the window closes, unless its answer is `final`
    [WINPOL-08, WINPOL-09, NEXUS-44]; `committed` is the answer given so far, for its seat only.
    `rules` are the rule ids behind the question. `clock` names the clock class; a standing offer has none.
    """

    id: str
    seat: Faction
    kind: str
    why: str
    choice: Choice
    default: Json
    about: dict[str, str | int | bool | list[str] | dict[str, int] | None] = {}
    rules: tuple[str, ...] = ()
    clock: str = "turn"
    window: bool = False
    committed: Json = None
    final: bool = False

    def problem(self, answer: Json) -> Problem | None:
        """None if the answer is legal."""
        return self.choice.problem(answer)


class Standing(Struct, frozen=True, omit_defaults=True):
    """Something that a seat may do at any time now: the offer in short. Its choice is asked for when it is wanted.

    Its id is `<seat>.<kind>.<occasion>`: what is sent in one battle, say, is not taken in the next. [NEXUS-43]
    The choice is left out of views and commits: it is long, follows from the table, and would change with every coin.
    """

    id: str
    seat: Faction
    kind: str
    why: str
    rules: tuple[str, ...] = ()


class Anytime(Struct, frozen=True, omit_defaults=True):
    """All standing offers in short as a commit carries them: each action once, and who may do it.

    `actions`: kind to why and rules; `seats`: each seat with what is open to it, as `<kind>.<occasion>`, in the order
    of the list.
    """

    actions: dict[str, tuple[str, tuple[str, ...]]] = {}
    seats: tuple[tuple[Faction, tuple[str, ...]], ...] = ()


@by_identity
def in_short(rows: tuple[Standing, ...]) -> Anytime:
    """The list of standing offers without what repeats in it."""
    seats: dict[Faction, list[str]] = {}
    for row in rows:
        seats.setdefault(row.seat, []).append(row.id.removeprefix(f"{row.seat}."))
    actions = {row.kind: (row.why, row.rules) for row in rows}
    return Anytime(actions, tuple((seat, tuple(names)) for seat, names in seats.items()))


@by_identity
def at_length(anytime: Anytime) -> tuple[Standing, ...]:
    """The list again, one row for each seat and action."""
    found = ((seat, name, name.partition(".")[0]) for seat, names in anytime.seats for name in names)
    return tuple(_standing(seat, name, kind, *anytime.actions[kind]) for seat, name, kind in found)


@lru_cache(maxsize=4096)
def _standing(seat: Faction, name: str, kind: str, why: str, rules: tuple[str, ...]) -> Standing:
    """The same in every room that it stands in: there are some for each faction and turn, and rooms by the hundred."""
    return Standing(f"{seat}.{name}", seat, kind, why, rules)


class Waiting(Struct, frozen=True):
    """For everybody: which seats the game waits for, and for what; not who has answered. [GEN-11, WINPOL-06]"""

    kind: str
    seats: tuple[Faction, ...]


class Checkpoint(Struct, frozen=True):
    """Where the game stands after a commit, beside the table: flow stack, open offers, chance, sequences.

    `stack` and `chance` are read by rules alone; what is told in `open` is only named in `stack`. `sequences` counts,
    for each audience, the commits in which it was shown something: the number that its views carry.
    """

    stack: Raw
    chance: str
    open: tuple[Offer, ...] = ()
    anytime: Anytime = Anytime()
    waiting: tuple[Waiting, ...] = ()
    asked: dict[Faction, int] = {}
    sequences: dict[str, int] = {}

    @property
    def standing(self) -> tuple[Standing, ...]:
        """The standing offers in short, one for each seat and action."""
        return at_length(self.anytime)
