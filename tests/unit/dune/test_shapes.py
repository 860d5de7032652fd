"""The generic shapes: exact bounds, what a person is told, and the laws that every shape keeps whatever it holds."""

from __future__ import annotations

import random
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from shared.dune.shapes import (
    Amounts,
    AnyOf,
    Condition,
    Distinct,
    Fields,
    IfThen,
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

KEYS = ("a", "b", "c", "d", "e")
names = st.sampled_from(KEYS)


@st.composite
def options(draw: st.DrawFn) -> tuple[Option, ...]:
    """Options with different values, at least one of them open."""
    values = draw(
        st.lists(st.one_of(st.none(), st.integers(0, 9), names), min_size=1, max_size=6, unique_by=repr)
    )
    off = [draw(st.booleans()) for _ in values]
    off[draw(st.integers(0, len(values) - 1))] = False
    return tuple(
        Option(v, str(v), "not now" if o else "", "X-1" if o else "")
        for v, o in zip(values, off, strict=True)
    )


@st.composite
def many_of(draw: st.DrawFn) -> ManyOf:
    """A choice of several options that can be made."""
    found = draw(options())
    legal = len(ManyOf(found).legal())
    least = draw(st.integers(0, legal))
    return ManyOf(found, least, draw(st.integers(least, 9)))


@st.composite
def amounts(draw: st.DrawFn) -> Amounts:
    """Amounts that can be reached."""
    keys = draw(st.dictionaries(names, st.integers(0, 4), min_size=1))
    least = draw(st.integers(0, sum(keys.values())))
    return Amounts(keys, least, draw(st.integers(least, 24)))


@st.composite
def transfers(draw: st.DrawFn) -> Transfer:
    """Transfers with at least one open target."""
    places = draw(
        st.lists(st.sampled_from(("x:1", "x:2", "y:3", "reserves")), min_size=1, max_size=4, unique=True)
    )
    stacks = st.dictionaries(st.sampled_from(("regular", "special")), st.integers(1, 4), min_size=1)
    together = st.sampled_from(("", "left"))
    sources = tuple(Source(place, draw(stacks), together=draw(together)) for place in places)
    reached = st.lists(st.sampled_from(places), min_size=1, max_size=4, unique=True)
    first = Target(("z:1",), tuple(draw(reached)), draw(st.integers(1, 6)))
    more = draw(st.lists(st.integers(0, 3), max_size=2))
    others = tuple(
        Target((f"w:{n}",), tuple(draw(reached)), most, off="" if draw(st.booleans()) else "storm")
        for n, most in enumerate(more)
    )
    return Transfer(sources, (first, *others))


numbers = st.builds(
    lambda low, more: Number(low, low + more, "spice"), st.integers(-5, 20), st.integers(0, 30)
)
plain: st.SearchStrategy[Any] = st.one_of(
    st.builds(OneOf, options()), numbers, many_of(), amounts(), transfers(), st.builds(Text)
)
fields = st.builds(Fields, st.dictionaries(names, plain, max_size=3))
variants = st.builds(Variant, st.dictionaries(names, fields, min_size=1, max_size=3))
shapes: st.SearchStrategy[Any] = st.one_of(plain, fields, variants)
seeds = st.integers(0, 2**32)
garbage: st.SearchStrategy[Any] = st.recursive(
    st.one_of(
        st.none(), st.booleans(), st.integers(-99, 99), st.floats(allow_nan=False), st.text(max_size=4)
    ),
    lambda inner: st.one_of(
        st.lists(inner, max_size=3),
        st.dictionaries(st.sampled_from((*KEYS, "do", "from", "to", "x:1", "z:1")), inner, max_size=3),
    ),
    max_leaves=8,
)


@given(shape=shapes, seed=seeds)
def test_a_sample_is_always_legal(shape: Shape, seed: int) -> None:
    """Whatever is drawn from the choices passes them, also after it went over the wire."""
    value = shape.sample(random.Random(seed))
    assert shape.problem(value) is None
    assert shape.problem(msgspec.json.decode(msgspec.json.encode(value))) is None


@given(shape=shapes, seed=seeds)
def test_a_sample_does_not_depend_on_the_order_of_keys(shape: Shape, seed: int) -> None:
    """The store and the wire sort keys: a bot that draws must play alike before and after."""
    sent = msgspec.json.decode(msgspec.json.encode(shape, order="sorted"), type=type(shape))
    assert sent == shape
    assert shape.sample(random.Random(seed)) == sent.sample(random.Random(seed))


@given(shape=shapes, value=garbage)
def test_a_refusal_does_not_depend_on_the_order_of_keys(shape: Shape, value: Any) -> None:
    """Nor must a person be told now this field and now that one, by whichever worker answers."""
    sent = msgspec.json.decode(msgspec.json.encode(shape, order="sorted"), type=type(shape))
    assert shape.problem(value) == sent.problem(value)


@given(shape=shapes, one=seeds, two=seeds)
def test_the_sole_answer_is_the_only_one(shape: Shape, one: int, two: int) -> None:
    """What is answered without asking leaves nothing to choose."""
    if shape.sole():
        first, second = (_meaning(shape.sample(random.Random(seed))) for seed in (one, two))
        assert first == second


def _meaning(value: Any) -> Any:
    """An answer without the order of a set and without zeros: what is left is what was chosen."""
    if isinstance(value, dict):
        return {key: _meaning(item) for key, item in value.items() if item != 0}
    return sorted(map(repr, value)) if isinstance(value, list) else value


@given(shape=shapes, value=garbage)
def test_nothing_that_anybody_sends_is_more_than_refused(shape: Shape, value: Any) -> None:
    """Any JSON is either legal or told what is wrong; it never breaks anything."""
    problem = shape.problem(value)
    assert problem is None or problem.text


OPTIONS = (Option("a", "A"), Option(1, "One"), Option(None, "None"), Option("b", "B", "in storm", "STORM-1"))


@pytest.mark.parametrize(
    ("shape", "value"),
    [
        (OneOf(OPTIONS), "b"),
        (OneOf(OPTIONS), True),
        (OneOf(OPTIONS), "c"),
        (Number(2, 5), 1),
        (Number(2, 5), 6),
        (Number(0, 1), True),
        (Number(0, 1), 1.0),
        (ManyOf(OPTIONS, 1, 2), []),
        (ManyOf(OPTIONS, 1, 2), ["a", 1, None]),
        (ManyOf(OPTIONS), ["a", "a"]),
        (ManyOf(OPTIONS), ["b"]),
        (ManyOf(OPTIONS), [True]),
        (ManyOf(OPTIONS), "a"),
        (Amounts({"x": 2, "y": 1}, 1, 2), {}),
        (Amounts({"x": 2, "y": 1}, 1, 2), {"x": 2, "y": 1}),
        (Amounts({"x": 2, "y": 1}, 1, 2), {"x": 3}),
        (Amounts({"x": 2, "y": 1}, 1, 2), {"z": 1}),
        (Amounts({"x": 2, "y": 1}, 1, 2), {"x": True}),
        (Amounts({"x": 2}, 0, 2), [2]),
        (Text(5), "  "),
        (Text(5), "sixsix"),
        (Text(5), "a\x00b"),
        (Text(5), 5),
        (Fields({"n": Number(0, 3)}), {}),
        (Fields({"n": Number(0, 3)}), {"n": 1, "m": 1}),
        (Fields({"n": Number(0, 3)}), None),
        (Variant({"go": Fields({})}), {"do": "stay"}),
        (Variant({"go": Fields({})}), {"do": ["go"]}),
        (Variant({"go": Fields({})}), "go"),
    ],
)
def test_what_is_not_offered_is_refused(shape: Shape, value: Any) -> None:
    """One step beyond each bound, and look-alikes of other types."""
    assert shape.problem(value) is not None


@pytest.mark.parametrize(
    ("shape", "value"),
    [
        (OneOf(OPTIONS), None),
        (OneOf(OPTIONS), 1),
        (Number(2, 5), 2),
        (Number(2, 5), 5),
        (ManyOf(OPTIONS, 1, 2), ["a"]),
        (ManyOf(OPTIONS, 1, 2), [None, 1]),
        (Amounts({"x": 2, "y": 1}, 1, 2), {"y": 1}),
        (Amounts({"x": 2, "y": 1}, 1, 2), {"x": 1, "y": 1}),
        (Text(5), "fives"),
        (Fields({"n": Number(0, 3)}), {"n": 3}),
        (Variant({"go": Fields({"n": Number(0, 3)})}), {"do": "go", "n": 0}),
    ],
)
def test_what_is_offered_is_accepted(shape: Shape, value: Any) -> None:
    """Each bound itself."""
    assert shape.problem(value) is None


def test_a_refusal_says_where_and_why() -> None:
    """The path leads to the wrong part; a closed option answers with its own reason and rule."""
    shape = Variant(
        {"go": Fields({"where": Fields({"to": OneOf(OPTIONS)})})},
        off={"fly": Off("you have no ornithopters", "MOVE-1")},
    )
    found = shape.problem({"do": "go", "where": {"to": "b"}})
    assert found is not None
    assert (found.path, found.text, found.rule) == ("where.to", "in storm", "STORM-1")
    closed = shape.problem({"do": "fly"})
    assert closed is not None
    assert (closed.path, closed.text, closed.rule) == ("do", "you have no ornithopters", "MOVE-1")


TRANSFER = Transfer(
    (
        Source("x:1", {"regular": 2}),
        Source("x:2", {"regular": 1}),
        Source("y:1", {"regular": 3}),
        Source("x:5", {"regular": 4}, together="x/far"),
    ),
    (
        Target(("z:1",), ("x:1", "x:2", "y:1"), 2),
        Target(("z:2",), ("y:1",), 9),
        Target(("z:3",), ("x:1",), 9, off="in storm", rule="STORM-1"),
    ),
)


@pytest.mark.parametrize(
    ("chosen", "to", "path"),
    [
        ({"x:1": {"regular": 2}}, "z:1", None),
        ({"x:1": {"regular": 1}, "x:2": {"regular": 1}}, "z:1", None),
        ({"x:1": {"regular": 2}, "x:2": {"regular": 1}}, "z:1", "from"),
        ({"x:1": {"regular": 1}, "y:1": {"regular": 1}}, "z:1", "from"),
        ({"x:1": {"regular": 3}}, "z:1", "from.x:1.regular"),
        ({"x:1": {"special": 1}}, "z:1", "from.x:1.special"),
        ({"x:1": {"regular": 1}}, "z:2", "from.x:1"),
        ({"q:1": {"regular": 1}}, "z:1", "from.q:1"),
        ({"x:1": {"regular": 0}}, "z:1", "from"),
        ({}, "z:1", "from"),
        ({"x:1": {"regular": 1}}, "z:3", "to"),
        ({"x:1": {"regular": 1}}, "z:4", "to"),
    ],
)
def test_transfers(chosen: dict[str, Any], to: str, path: str | None) -> None:
    """Forces must exist, set out together, reach the target, and be at least one and not too many. [MOVE-01]"""
    found = TRANSFER.problem({"from": chosen, "to": to})
    assert (found.path if found else None) == path


@pytest.mark.parametrize(
    "value", [None, {"from": {}}, {"from": [], "to": "z:1"}, {"from": {}, "to": "z:1", "x": 1}]
)
def test_a_transfer_of_another_form_is_refused(value: Any) -> None:
    """Both parts and nothing else."""
    assert TRANSFER.problem(value) is not None


def test_only_open_targets_are_drawn() -> None:
    """One that is closed, has no source, or takes nobody is shown but never drawn."""
    closed = (Target(("w:1",), ("x:1",), off="storm"), Target(("w:2",), ()), Target(("w:3",), ("x:1",), 0))
    shape = Transfer((Source("x:1", {"regular": 2}),), (*closed, Target(("w:4",), ("x:1",))))
    assert {shape.sample(random.Random(seed))["to"] for seed in range(30)} == {"w:4"}
    assert not shape.sole()


CARDS = OneOf((Option(None, "None"), Option("knife", "Knife"), Option("shield", "Shield")))
LEADERS = OneOf((Option(None, "None"), Option("chani", "Chani")))
PLAN = Fields(
    {"leader": LEADERS, "weapon": CARDS, "defense": CARDS, "dial": Number(0, 4), "help": Number(0, 4)},
    (
        IfThen(
            Condition("leader", (None,)), Condition("weapon", (None,)), "no weapon without a leader", "B-26"
        ),
        Distinct(("weapon", "defense"), "one card cannot fill both slots", "B-27"),
        AnyOf((Condition("weapon", ("knife",)), Condition("defense", ("shield",))), "as you said", "T-6"),
        Limit(("dial",), 2, "at most two more than the help", ("help",), -1, "L-1"),
    ),
)


@pytest.mark.parametrize(
    ("change", "rule"),
    [
        ({}, None),
        ({"leader": None}, "B-26"),
        ({"leader": None, "weapon": None, "defense": "shield"}, None),
        ({"defense": "knife"}, "B-27"),
        ({"weapon": None, "defense": None}, "T-6"),
        ({"dial": 2}, None),
        ({"dial": 3}, "L-1"),
        ({"help": 1}, None),
        ({"help": 2}, "L-1"),
    ],
)
def test_needs_tie_fields_together(change: dict[str, Any], rule: str | None) -> None:
    """Each need refuses exactly what it says, with its rule."""
    plan = {"leader": "chani", "weapon": "knife", "defense": None, "dial": 0, "help": 0, **change}
    found = PLAN.problem(plan)
    assert (found.rule if found else None) == rule


@given(seed=seeds)
def test_a_sample_keeps_the_needs(seed: int) -> None:
    """Also where most combinations are barred."""
    assert PLAN.problem(PLAN.sample(random.Random(seed))) is None


def test_where_nothing_is_found_by_trying_the_caller_is_told() -> None:
    """A combination that cannot be is a LookupError, and a thing to do that can be is taken instead."""
    never = Fields({"n": Number(0, 9)}, (Limit(("n",), -1, "never"),))
    with pytest.raises(LookupError):
        never.sample(random.Random(1))
    with pytest.raises(LookupError):
        Variant({"go": never}).sample(random.Random(1))
    both = Variant({"go": never, "stay": Fields({})})
    assert all(both.sample(random.Random(seed)) == {"do": "stay"} for seed in range(20))


@pytest.mark.parametrize(
    ("shape", "sole"),
    [
        (OneOf((Option("a", "A"), Option("b", "B", "off"))), True),
        (OneOf(OPTIONS), False),
        (Number(3, 3), True),
        (Number(3, 4), False),
        (ManyOf(OPTIONS, 3, 3), True),
        (ManyOf(OPTIONS, 0, 0), True),
        (ManyOf(OPTIONS, 2, 3), False),
        (ManyOf((), 0, 3), True),
        (Amounts({"x": 2, "y": 1}, 3, 3), True),
        (Amounts({"x": 2, "y": 1}, 0, 0), True),
        (Amounts({"x": 2, "y": 0}, 1, 1), True),
        (Amounts({"x": 2, "y": 1}, 1, 1), False),
        (Text(), False),
        (Fields({}), True),
        (Fields({"n": Number(1, 1)}), True),
        (Fields({"n": Number(1, 2)}), False),
        (Variant({"a": Fields({})}, off={"b": Off("off")}), True),
        (Variant({"a": Fields({}), "b": Fields({})}), False),
    ],
)
def test_one_legal_answer_needs_no_question(shape: Shape, sole: bool) -> None:
    """A single answer is known as such, and several are not."""
    assert shape.sole() is sole
