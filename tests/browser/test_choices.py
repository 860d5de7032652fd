"""The form's laws are the server's: both judge the same answers alike, whatever the shape."""

from __future__ import annotations

import copy
import json
import random
from collections.abc import Callable

import msgspec
from playwright.sync_api import Page

from shared.dune.shapes import (
    Amounts,
    AnyOf,
    Condition,
    Distinct,
    Fields,
    IfThen,
    Json,
    Limit,
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

ONE = OneOf((Option("a", "A"), Option(None, "none"), Option(3, "three"), Option("b", "B", "not now", "X-01")))
TRANSFER = Transfer(
    (
        Source("arrakeen:9", {"regular": 4}),
        Source("imperial_basin:8", {"regular": 2, "fedaykin": 1}, together="imperial_basin/8"),
        Source("imperial_basin:9", {"regular": 2}, together="imperial_basin/9"),
    ),
    (
        Target(("carthag:10",), ("arrakeen:9", "imperial_basin:9")),
        Target(("old_gap:9",), ("arrakeen:9",), tariff="sand"),
        Target(("basin:8",), ("imperial_basin:8",), off="The storm is there.", rule="MOVE-08"),
        Target(("carthag:10",), ("imperial_basin:9",), most=1, tariff="sand"),
    ),
    {"sand": (1, 2)},
)
PLAN = Fields(
    {"leader": ONE, "dial": Number(0, 6, "forces"), "weapon": ONE, "defense": ONE, "paid": Number(0, 4)},
    (
        IfThen(Condition("leader", (None,)), Condition("weapon", (None,)), "no card without a leader"),
        Distinct(("weapon", "defense"), "one card, one slot"),
        Limit(("dial",), 4, "too much", minus=("paid",), least=0),
        AnyOf((Condition("weapon", ("a",)), Condition("defense", ("a", None))), "the Voice"),
    ),
)
SHAPES: tuple[Shape, ...] = (
    ONE,
    Number(2, 9, "spice"),
    ManyOf(ONE.options, 1, 2),
    Amounts({"x": 3, "y": 2}, 2, 4),
    TRANSFER,
    Text(20),
    PLAN,
    Variant(
        {"pass": Fields({}), "move": Fields({"group": TRANSFER})},
        off={"bid": Off("too poor")},
    ),
)
ODD: tuple[Json, ...] = (
    None,
    0,
    1,
    -1,
    99,
    "a",
    "b",
    "",
    "zz",
    [],
    ["a"],
    ["a", "a"],
    {},
    {"x": 1},
    {"do": "bid"},
)


def answers(shape: Shape, rng: random.Random) -> list[Json]:
    """Legal answers, answers that are a little wrong, and answers that belong to something else."""
    found: list[Json] = list(ODD)
    for _ in range(60):
        try:
            legal = shape.sample(rng)
        except LookupError:
            continue
        found += [legal, _bent(copy.deepcopy(legal), rng)]
    return found


def _bent(value: Json, rng: random.Random) -> Json:
    """The same with one part replaced, dropped or moved a little."""
    if isinstance(value, dict) and value:
        key = rng.choice(sorted(value))
        if rng.random() < 0.2:
            del value[key]
        else:
            value[key] = _bent(value[key], rng)
        return value
    if isinstance(value, list) and value:
        return [*value, rng.choice(ODD[:8])]
    return value + rng.choice((-3, 1, 4)) if type(value) is int else rng.choice(ODD)


def test_page_and_server_judge_alike(open_page: Callable[..., Page]) -> None:
    """For every shape, on legal and on wrong answers: what one refuses, the other refuses."""
    page = open_page("/")
    source = page.get_attribute("script[type=module]", "src") or ""
    module = source.replace("home.js", "choice.js")
    rng = random.Random(20)
    for shape in SHAPES:
        given = answers(shape, rng)
        form = json.loads(msgspec.json.encode(shape))
        judged = page.evaluate(
            "([module, shape, given]) => import(module)"
            ".then((it) => given.map((one) => it.problem(shape, one) === null))",
            [module, form, given],
        )
        for answer, allowed in zip(given, judged, strict=True):
            assert allowed == (shape.problem(answer) is None), (type(shape).__name__, answer)


def test_a_form_begins_with_what_silence_means(open_page: Callable[..., Page]) -> None:
    """A default comes through the form unchanged, so that sending it untouched is legal."""
    page = open_page("/")
    module = (page.get_attribute("script[type=module]", "src") or "").replace("home.js", "choice.js")
    rng = random.Random(21)
    for shape in SHAPES:
        for _ in range(10):
            default = shape.sample(rng)
            begun = page.evaluate(
                "([module, shape, given]) => import(module).then((it) => it.initial(shape, given))",
                [module, json.loads(msgspec.json.encode(shape)), default],
            )
            assert begun == default
