"""Exact legal sets at a path of a choice, what is off, and answers completed to what an offer takes."""

from __future__ import annotations

from typing import Any

import pytest

from services.cases.answers import completed
from services.cases.legal import legal_set, off_set
from shared.dune.shapes import (
    Amounts,
    Fields,
    ManyOf,
    Number,
    Off,
    OneOf,
    Option,
    Shape,
    Source,
    Target,
    Text,
    Transfer,
    Variant,
)

CARDS = (
    Option(None, "nothing"),
    Option("shield#1", "Shield", off="played", rule="CARD-1"),
    Option("shield#2", "Shield"),
    Option("lasgun#1", "Lasgun"),
)
SHIP = Transfer(
    (Source("reserves", {"regular": 5}), Source("arrakeen:9", {"regular": 2})),
    (
        Target(("carthag:10",), ("reserves", "arrakeen:9"), tariff="stronghold"),
        Target(("old_gap:10",), ("reserves",), off="in storm", rule="SHIP-09"),
        Target(("cistern:1",), ()),
        Target(("polar_sink:0",), ("reserves",), most=1, tariff="stronghold"),
    ),
    {"stronghold": (1, 2, 3)},
)
CHOICE = Variant(
    {
        "play": Fields({"card": OneOf(CARDS), "with": ManyOf(CARDS[1:], 0, 2), "dial": Number(1, 3)}),
        "ship": Fields({"forces": SHIP, "pay": Amounts({"a": 3, "b": 2}, 1, 4), "say": Text(40)}),
        "pass": Fields({}),
    },
    off={"karama": Off("no card", "KARAMA-01")},
)

SETS: list[tuple[str, Any]] = [
    ("", ["play", "ship", "pass"]),
    ("play", ["card", "with", "dial"]),
    ("play.card", ["none", "shield#2", "lasgun#1"]),
    ("play.with", ["shield#2", "lasgun#1"]),
    ("play.dial", {"low": 1, "high": 3}),
    ("ship.pay", {"a": 3, "b": 2}),
    ("ship.pay.total", {"low": 1, "high": 4}),
    ("ship.say", {"most": 40}),
    ("ship.forces", ["polar_sink:0", "carthag:10"]),
    ("ship.forces.to", ["polar_sink:0", "carthag:10"]),
    ("ship.forces.from", {"reserves": {"regular": 5}, "arrakeen:9": {"regular": 2}}),
    ("ship.forces.to.carthag:10", ["reserves", "arrakeen:9"]),
    ("ship.forces.to.old_gap:10", []),
    ("ship.forces.most.carthag:10", 3),
    ("ship.forces.prices.carthag:10", [1, 2, 3]),
    ("ship.forces.most.polar_sink:0", 1),
    ("ship.forces.prices.polar_sink:0", [1]),
]


def words(path: str) -> list[str]:
    return path.split(".") if path else []


@pytest.mark.parametrize(("path", "wanted"), SETS)
def test_legal_set(path: str, wanted: Any) -> None:
    assert legal_set(CHOICE, words(path)) == wanted


@pytest.mark.parametrize("path", ["bid", "play.bid", "ship.forces.best.carthag:10"])
def test_a_path_that_is_not_there(path: str) -> None:
    with pytest.raises(KeyError):
        legal_set(CHOICE, words(path))


def test_off_set() -> None:
    assert off_set(CHOICE, []) == {"karama": "KARAMA-01"}
    assert off_set(CHOICE, ["play", "card"]) == {"shield#1": "CARD-1"}
    assert off_set(CHOICE, ["play", "with"]) == {"shield#1": "CARD-1"}
    assert off_set(CHOICE, ["ship", "forces"]) == {"old_gap:10": "SHIP-09"}
    assert off_set(CHOICE, ["play", "dial"]) == {}


COMPLETED: list[tuple[Shape, Any, Any]] = [
    (CHOICE, {"do": "play", "dial": 1}, {"do": "play", "dial": 1, "card": None}),
    (CHOICE, {"do": "play", "card": "shield"}, {"do": "play", "card": "shield#2"}),
    (CHOICE, {"do": "play", "card": "lasgun#1"}, {"do": "play", "card": "lasgun#1"}),
    (CHOICE, {"do": "play", "card": "snooper"}, {"do": "play", "card": "snooper"}),
    (
        CHOICE,
        {"do": "play", "with": ["shield", "shield"]},
        {"do": "play", "card": None, "with": ["shield#2", "shield#1"]},
    ),
    (CHOICE, {"do": "unknown"}, {"do": "unknown"}),
    (CHOICE, "nonsense", "nonsense"),
    (Number(1, 3), 7, 7),
]


@pytest.mark.parametrize(("shape", "given", "wanted"), COMPLETED)
def test_an_answer_is_completed(shape: Shape, given: Any, wanted: Any) -> None:
    assert completed(shape, given) == wanted
