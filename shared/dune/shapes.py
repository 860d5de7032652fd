"""The generic shapes of a choice: what an offer may be answered with, said so that a form or a bot can build it.

A shape is complete: `problem(value)` accepts exactly the legal answers, `sample(rng)` draws one of them. Answers
are plain JSON. What is shown but not available carries its reason (`off`) and rule id. A sample does not depend on
the order of an object's keys, which JSON does not keep: a bot that draws plays alike wherever it runs.
"""

from __future__ import annotations

import random

from msgspec import Struct

from shared.dune.needs import AnyOf, Condition, Distinct, IfThen, Limit, Need, Pairs
from shared.dune.parts import fraction
from shared.dune.problems import Json, Problem
from shared.dune.transfers import Alike, Source, Target, Transfer, targets_of

__all__ = [
    "Alike",
    "Amounts",
    "AnyOf",
    "Condition",
    "Distinct",
    "Fields",
    "IfThen",
    "Json",
    "Limit",
    "ManyOf",
    "Need",
    "Number",
    "Off",
    "OneOf",
    "Option",
    "Pairs",
    "Problem",
    "Shape",
    "Source",
    "Target",
    "Text",
    "Transfer",
    "Variant",
    "targets_of",
]

TRIES = 60


class Option(Struct, frozen=True, omit_defaults=True):
    """One thing to choose: a JSON scalar, what it is called, and why it is off if it cannot be chosen now."""

    value: str | int | None
    label: str
    off: str = ""
    rule: str = ""


class Off(Struct, frozen=True, omit_defaults=True):
    """Why something that is shown cannot be done now, for people, and the rule."""

    off: str
    rule: str = ""


class OneOf(Struct, frozen=True, tag="one_of", tag_field="shape", omit_defaults=True):
    """Exactly one of the options that are not off. The answer is the option's value."""

    options: tuple[Option, ...]

    def legal(self) -> list[str | int | None]:
        """The values that may be chosen."""
        return [option.value for option in self.options if not option.off]

    def problem(self, value: Json) -> Problem | None:
        """None if the value may be chosen."""
        for option in self.options:
            if option.value == value and type(option.value) is type(value):
                return Problem("", option.off, option.rule) if option.off else None
        return Problem("", f"{value!r} is not one of the choices")

    def sample(self, rng: random.Random) -> Json:
        """A legal value, each equally likely."""
        return rng.choice(self.legal())

    def sole(self) -> bool:
        """Whether only one answer is legal."""
        return len(self.legal()) == 1


class Number(Struct, frozen=True, tag="number", tag_field="shape", omit_defaults=True):
    """A whole number from `low` to `high`. `unit` is for people (spice, forces, sectors).

    `per` of it make one of the unit: with 2 the number counts halves, and 7 is shown as 3½.
    """

    low: int
    high: int
    unit: str = ""
    rule: str = ""
    per: int = 1

    def problem(self, value: Json) -> Problem | None:
        """None if the value lies within the bounds."""
        if type(value) is not int:
            return Problem("", "a whole number is needed")
        if not self.low <= value <= self.high:
            low, high = fraction(self.low, self.per), fraction(self.high, self.per)
            return Problem("", f"must be from {low} to {high}", self.rule)
        return None

    def sample(self, rng: random.Random) -> Json:
        """A legal value; small ones are as likely as on a real table: half of the time near the low end."""
        if self.high > self.low + 4 and rng.random() < 0.5:
            return rng.randint(self.low, self.low + 3)
        return rng.randint(self.low, self.high)

    def sole(self) -> bool:
        """Whether only one answer is legal."""
        return self.low == self.high


class ManyOf(Struct, frozen=True, tag="many_of", tag_field="shape", omit_defaults=True):
    """From `least` to `most` different options that are not off. The answer is a list of values."""

    options: tuple[Option, ...]
    least: int = 0
    most: int = 99

    def legal(self) -> list[str | int | None]:
        """The values that may be chosen."""
        return [option.value for option in self.options if not option.off]

    def problem(self, value: Json) -> Problem | None:
        """None if the list holds enough different legal values."""
        if not isinstance(value, list):
            return Problem("", "a list is needed")
        legal = self.legal()
        if not self.least <= len(value) <= self.most:
            return Problem("", f"choose {_span(self.least, min(self.most, len(legal)))}")
        for index, item in enumerate(value):
            if not any(item == known and type(item) is type(known) for known in legal):
                return Problem(str(index), f"{item!r} cannot be chosen here")
            if item in value[:index]:
                return Problem(str(index), f"{item!r} is chosen twice")
        return None

    def sample(self, rng: random.Random) -> Json:
        """A legal list."""
        legal = self.legal()
        return rng.sample(legal, rng.randint(self.least, min(self.most, len(legal))))

    def sole(self) -> bool:
        """Whether only one answer is legal."""
        legal = self.legal()
        return self.most == 0 or self.least >= len(legal)


class Amounts(Struct, frozen=True, tag="amounts", tag_field="shape", omit_defaults=True):
    """A whole number for each key, within its most, adding up to `least`..`most`. Keys left out count as 0.

    Used for forces by kind, losses by location, placements. The answer is an object of key to number.
    """

    keys: dict[str, int]
    least: int
    most: int
    labels: dict[str, str] = {}
    unit: str = "forces"
    rule: str = ""

    def problem(self, value: Json) -> Problem | None:
        """None if every number is within its bounds and the sum is within the total's."""
        if not isinstance(value, dict):
            return Problem("", "an object of numbers is needed")
        for key, number in value.items():
            if key not in self.keys:
                return Problem(str(key), "is not one of the choices")
            if type(number) is not int or not 0 <= number <= self.keys[key]:
                return Problem(key, f"must be from 0 to {self.keys[key]}", self.rule)
        if not self.least <= sum(value.values()) <= self.most:
            return Problem("", f"must add up to {_span(self.least, self.most)}", self.rule)
        return None

    def sample(self, rng: random.Random) -> Json:
        """A legal object."""
        high = min(self.most, sum(self.keys.values()))
        wanted = rng.randint(self.least, max(self.least, high))
        pool = [key for key, most in sorted(self.keys.items()) for _ in range(most)]
        chosen = rng.sample(pool, min(wanted, len(pool)))
        return {key: chosen.count(key) for key in sorted(set(chosen))}

    def sole(self) -> bool:
        """Whether only one answer is legal."""
        possible = sum(self.keys.values())
        single = self.least == self.most and sum(most > 0 for most in self.keys.values()) == 1
        return min(self.most, possible) == 0 or self.least >= possible or single


class Text(Struct, frozen=True, tag="text", tag_field="shape", omit_defaults=True):
    """Free text of at most `most` characters, shown to people and never read by rules."""

    most: int = 280
    hint: str = ""

    def problem(self, value: Json) -> Problem | None:
        """None if it is text of a fitting length without control characters."""
        if not isinstance(value, str) or not value.strip():
            return Problem("", "some text is needed")
        if len(value) > self.most or not value.isprintable():
            return Problem("", f"at most {self.most} printable characters")
        return None

    def sample(self, rng: random.Random) -> Json:
        """Some text."""
        return rng.choice(("Agreed?", "As we said.", "Help me this turn."))

    def sole(self) -> bool:
        """Text is never automatic."""
        return False


class Fields(Struct, frozen=True, tag="fields", tag_field="shape", omit_defaults=True):
    """Several named choices made together, with needs that tie them. The answer is an object with every field."""

    fields: dict[str, Shape]
    needs: tuple[Need, ...] = ()
    labels: dict[str, str] = {}

    def problem(self, value: Json) -> Problem | None:
        """None if every field is legal and every need is kept."""
        if not isinstance(value, dict):
            return Problem("", "an object is needed")
        for key in value:
            if key not in self.fields:
                return Problem(str(key), "is not a field of this answer")
        # By name: a worker that holds the table and one that had it from the store, sorted, refuse in the same words.
        for key, shape in sorted(self.fields.items()):
            if key not in value:
                return Problem(key, "is missing")
            if found := shape.problem(value[key]):
                return found.under(key)
        for need in self.needs:
            if not need.holds(value):
                return Problem("", need.text, need.rule)
        return None

    def sample(self, rng: random.Random) -> Json:
        """A legal object, found by trying; LookupError if none turns up, so that the caller takes the default."""
        for _ in range(TRIES):
            value = {key: shape.sample(rng) for key, shape in sorted(self.fields.items())}
            for need in self.needs:
                if isinstance(need, Pairs):
                    self._pair(value, need, rng)
            if all(need.holds(value) for need in self.needs):
                return value
        raise LookupError("no legal combination found by trying")

    def _pair(self, value: dict[str, Json], need: Pairs, rng: random.Random) -> None:
        """Draw the second of two numbers again among those that go with the first, if there are any."""
        second = self.fields[need.second]
        if fitting := [n for n in need.fitting(value[need.first]) if second.problem(n) is None]:
            value[need.second] = rng.choice(fitting)

    def sole(self) -> bool:
        """Whether only one answer is legal."""
        return all(shape.sole() for shape in self.fields.values())


class Variant(Struct, frozen=True, tag="variant", tag_field="shape", omit_defaults=True):
    """One of several named things to do, each with its own fields: `{"do": name, ...fields}`.

    What is shown but cannot be done stands in `off` with its reason. `labels` names both.
    """

    variants: dict[str, Fields]
    labels: dict[str, str] = {}
    off: dict[str, Off] = {}

    def problem(self, value: Json) -> Problem | None:
        """None if the thing to do is open and its fields are legal."""
        if not isinstance(value, dict) or not isinstance(value.get("do"), str):
            return Problem("do", f"say which: {', '.join(sorted(self.variants))}")
        name = value["do"]
        if name in self.off:
            return Problem("do", self.off[name].off, self.off[name].rule)
        if name not in self.variants:
            return Problem("do", f"{name!r} is not one of {', '.join(sorted(self.variants))}")
        return self.variants[name].problem({key: item for key, item in value.items() if key != "do"})

    def sample(self, rng: random.Random) -> Json:
        """A legal object, each thing to do equally likely."""
        names = sorted(self.variants)
        rng.shuffle(names)
        for name in names:
            try:
                return {"do": name, **self.variants[name].sample(rng)}
            except LookupError:
                continue
        raise LookupError("no legal combination found by trying")

    def sole(self) -> bool:
        """Whether only one answer is legal."""
        return len(self.variants) == 1 and all(fields.sole() for fields in self.variants.values())


Shape = OneOf | Number | ManyOf | Amounts | Transfer | Text | Fields | Variant


def _span(low: int, high: int) -> str:
    return str(low) if low == high else f"{low} to {high}"
