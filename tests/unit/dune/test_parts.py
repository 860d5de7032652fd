"""Numbers that count parts, and numbers that go together. [BATTLE-32, BATTLE-35]"""

from __future__ import annotations

import random

import pytest

from shared.dune.parts import fraction
from shared.dune.shapes import Fields, Number, Pairs

PLAN = Fields(
    {"dial": Number(0, 5, "forces", "X-1", per=2), "spice": Number(0, 3, "spice")},
    (Pairs("dial", "spice", ((0, 0, 0), (3, 1, 2), (4, 0, 0), (4, 2, 9)), "nothing fits", "X-2"),),
)


@pytest.mark.parametrize(
    ("number", "per", "said"),
    [(7, 2, "3½"), (1, 2, "½"), (0, 2, "0"), (6, 2, "3"), (5, 1, "5"), (5, 3, "12/3")],
)
def test_parts_are_said_as_people_say_them(number: int, per: int, said: str) -> None:
    """Halves have a sign of their own."""
    assert fraction(number, per) == said


@pytest.mark.parametrize(
    ("dial", "spice", "is_legal"),
    [
        (0, 0, True),
        (0, 1, False),
        (1, 0, False),
        (3, 1, True),
        (3, 2, True),
        (3, 3, False),
        (4, 1, False),
        (4, 3, True),
    ],
)
def test_two_numbers_go_together(dial: int, spice: int, is_legal: bool) -> None:
    """A value without a span fits nothing, one with several spans fits each of them."""
    found = PLAN.problem({"dial": dial, "spice": spice})
    assert (found is None) == is_legal
    assert found is None or (found.text, found.rule) == ("nothing fits", "X-2")


def test_bounds_are_told_in_parts() -> None:
    """A dial of at most five halves is at most 2½."""
    found = PLAN.problem({"dial": 6, "spice": 0})
    assert found is not None
    assert (found.path, found.text, found.rule) == ("dial", "must be from 0 to 2½", "X-1")


def test_samples_reach_every_pair_within_the_bounds() -> None:
    """Also those whose second number alone would seldom be drawn; never one beyond a field's own bounds."""
    drawn = {tuple(PLAN.sample(random.Random(seed)).values()) for seed in range(300)}
    assert drawn == {(0, 0), (3, 1), (3, 2), (4, 0), (4, 2), (4, 3)}
