"""The shape of a choice of forces that go from one place to another."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from msgspec import Struct

from shared.dune import facts
from shared.dune.problems import Json, Problem

__all__ = ["MANY", "Alike", "Source", "Target", "Transfer", "targets_of"]

MANY = 99
"""More forces than there are: no limit."""


class Source(Struct, frozen=True, omit_defaults=True):
    """Forces at a place (location, `reserves`), and how many of each kind may set out at most.

    `off` and `rule` say why they may not, of those that a transfer shows as barred.
    `together` names the group with which they may set out; without it that is the part of `place` before the colon.
    """

    place: str
    kinds: dict[str, int]
    label: str = ""
    together: str = ""
    off: str = ""
    rule: str = ""

    @property
    def group(self) -> str:
        """The name of the group with which these forces may set out."""
        return self.together or self.place.partition(":")[0]


class Target(Struct, frozen=True, omit_defaults=True):
    """Places forces may go to that are alike: from which sources, at most how many, by which of the tariffs.

    The board has 86 places, and most of them differ in nothing but their name: so they are told together.
    """

    places: tuple[str, ...]
    sources: tuple[str, ...]
    most: int = MANY
    tariff: str = ""
    label: str = ""
    off: str = ""
    rule: str = ""


class Alike(NamedTuple):
    """What a target's places have in common: see there."""

    sources: tuple[str, ...]
    tariff: str = ""
    label: str = ""
    off: str = ""
    rule: str = ""


def targets_of(places: Mapping[Alike, Sequence[str]]) -> tuple[Target, ...]:
    """The targets of places that were sorted by what they have in common."""
    return tuple(
        Target(tuple(found), sources, MANY, tariff, label, off, rule)
        for (sources, tariff, label, off, rule), found in places.items()
        if found
    )


class Transfer(Struct, frozen=True, tag="transfer", tag_field="shape", omit_defaults=True):
    """Forces from one or more sources to one place: `{"from": {place: {kind: n}}, "to": place}`.

    At least one force goes. All sources of one answer belong to one `group`: a territory, or the part of it that
    storm has not cut off from the rest. [MOVE-01, MOVE-02]

    `tariffs`: by name, the prices of 1, 2, 3... forces as far as they can be paid; a target without tariff is free.
    `rule` says why no more forces can go. `barred`: forces that are there but may not set out, with the reason.
    """

    sources: tuple[Source, ...]
    targets: tuple[Target, ...]
    tariffs: dict[str, tuple[int, ...]] = {}
    rule: str = ""
    barred: tuple[Source, ...] = ()

    def open_targets(self) -> list[Target]:
        """The targets that some force can reach now."""
        return [
            target for target in self.targets if not target.off and target.sources and self.most(target) > 0
        ]

    def open_places(self) -> list[str]:
        """The places of the open targets, in board order."""
        places = [place for target in self.open_targets() for place in target.places]
        return sorted(places, key=facts.board_order)

    def target(self, place: str) -> Target | None:
        """The target to which a place belongs; None if the place is none to go to."""
        return next((target for target in self.targets if place in target.places), None)

    def most(self, target: Target) -> int:
        """How many forces can go to a target at most, and be paid."""
        return min(target.most, len(self.tariffs[target.tariff])) if target.tariff else target.most

    def prices(self, target: Target) -> tuple[int, ...]:
        """The prices of 1, 2, 3... forces to a target; empty if it is free."""
        return self.tariffs[target.tariff][: target.most] if target.tariff else ()

    def problem(self, value: Json) -> Problem | None:
        """None if the forces exist, belong together, can reach the target and are not too many for it."""
        if not isinstance(value, dict) or set(value) != {"from", "to"} or not isinstance(value["from"], dict):
            return Problem("", 'an object with "from" and "to" is needed')
        place = value["to"]
        target = self.target(place)
        if target is None:
            return Problem("to", f"{place!r} is not a place to go to")
        if target.off:
            return Problem("to", target.off, target.rule)
        return self._source_problem(value["from"], target, target.label or place)

    def _source_problem(self, chosen: dict[str, Json], target: Target, name: str) -> Problem | None:
        known = {source.place: source for source in self.sources}
        total = 0
        for place, kinds in chosen.items():
            if barred := next((source for source in self.barred if source.place == place), None):
                return Problem(f"from.{place}", barred.off, barred.rule)
            if place not in known or not isinstance(kinds, dict):
                return Problem(f"from.{place}", "has no forces that may set out")
            if place not in target.sources:
                return Problem(f"from.{place}", f"cannot reach {name}", self.rule)
            for kind, number in kinds.items():
                most = known[place].kinds.get(kind, 0)
                if type(number) is not int or not 0 <= number <= most:
                    return Problem(f"from.{place}.{kind}", f"must be from 0 to {most}")
                total += number
        if len({known[place].group for place in chosen}) > 1:
            return Problem("from", "forces must set out together, from one territory", "MOVE-01")
        most = self.most(target)
        if not 1 <= total <= most:
            text = f"from 1 to {most} forces can go to {name}"
            return Problem("from", text, self.rule)
        return None

    def sample(self, rng: random.Random) -> Json:
        """A legal transfer; only to be called when some target is open."""
        goal = rng.choice(self.open_places())
        target = self.target(goal)
        assert target is not None
        known = {source.place: source for source in self.sources}
        group = rng.choice([known[place].group for place in target.sources])
        pool = [
            (place, kind)
            for place in target.sources
            if known[place].group == group
            for kind, number in sorted(known[place].kinds.items())
            for _ in range(number)
        ]
        chosen = rng.sample(pool, rng.randint(1, min(len(pool), self.most(target))))
        result: dict[str, dict[str, int]] = {}
        for place, kind in chosen:
            kinds = result.setdefault(place, {})
            kinds[kind] = kinds.get(kind, 0) + 1
        return {"from": result, "to": goal}

    def sole(self) -> bool:
        """A transfer is never automatic."""
        return False
