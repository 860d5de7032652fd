"""What ties the fields of an answer together."""

from __future__ import annotations

from msgspec import Struct

from shared.dune.problems import Json

__all__ = ["AnyOf", "Condition", "Distinct", "IfThen", "Limit", "Need", "Pairs"]


class Condition(Struct, frozen=True, omit_defaults=True):
    """True when the field holds one of the values."""

    field: str
    values: tuple[str | int | None, ...]

    def holds(self, value: dict[str, Json]) -> bool:
        """Whether it is true of an answer."""
        return value.get(self.field) in self.values


class IfThen(Struct, frozen=True, tag="if_then", tag_field="need", omit_defaults=True):
    """When `cond` holds, `then` must hold."""

    cond: Condition
    then: Condition
    text: str
    rule: str = ""

    def holds(self, value: dict[str, Json]) -> bool:
        """Whether an answer keeps to it."""
        return not self.cond.holds(value) or self.then.holds(value)


class AnyOf(Struct, frozen=True, tag="any_of", tag_field="need", omit_defaults=True):
    """At least one of the conditions must hold."""

    conditions: tuple[Condition, ...]
    text: str
    rule: str = ""

    def holds(self, value: dict[str, Json]) -> bool:
        """Whether an answer keeps to it."""
        return any(condition.holds(value) for condition in self.conditions)


class Distinct(Struct, frozen=True, tag="distinct", tag_field="need", omit_defaults=True):
    """The fields, where they hold anything, hold different things."""

    fields: tuple[str, ...]
    text: str
    rule: str = ""

    def holds(self, value: dict[str, Json]) -> bool:
        """Whether an answer keeps to it."""
        held = [value[field] for field in self.fields if value.get(field) is not None]
        return len(held) == len(set(held))


class Limit(Struct, frozen=True, tag="limit", tag_field="need", omit_defaults=True):
    """The sum of the `plus` fields less the `minus` fields is at most `most` (and at least `least` if given)."""

    plus: tuple[str, ...]
    most: int
    text: str
    minus: tuple[str, ...] = ()
    least: int | None = None
    rule: str = ""

    def holds(self, value: dict[str, Json]) -> bool:
        """Whether an answer keeps to it."""
        total = sum(value[f] for f in self.plus) - sum(value[f] for f in self.minus)
        return total <= self.most and (self.least is None or total >= self.least)


class Pairs(Struct, frozen=True, tag="pairs", tag_field="need", omit_defaults=True):
    """Two whole numbers go together: each span is a value of `first`, and the lowest and highest that `second` may be.

    A value of `first` without a span fits nothing; one with several spans fits each of them.
    """

    first: str
    second: str
    spans: tuple[tuple[int, int, int], ...]
    text: str
    rule: str = ""

    def holds(self, value: dict[str, Json]) -> bool:
        """Whether an answer keeps to it."""
        first, second = value[self.first], value[self.second]
        return any(first == one and low <= second <= high for one, low, high in self.spans)

    def fitting(self, first: int) -> list[int]:
        """The values of the second field that go with a value of the first."""
        return [n for one, low, high in self.spans if one == first for n in range(low, high + 1)]


Need = IfThen | AnyOf | Distinct | Limit | Pairs
