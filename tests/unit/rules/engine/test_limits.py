"""Limits: what bars a part of an offer says so there, and an offer never loses its last answer. [TRUTH-08, DEAL-03]"""

from __future__ import annotations

from services.rules.engine.limits import (
    Bar,
    bar_options,
    bar_targets,
    bar_variants,
    has_transfer,
    with_choice,
)
from shared.dune.offers import Offer
from shared.dune.shapes import (
    Condition,
    Fields,
    IfThen,
    Limit,
    Number,
    Off,
    OneOf,
    Option,
    Source,
    Target,
    Transfer,
    Variant,
)

BAR = Bar("you said that you would not", "TRUTH-06")
MOVE = Transfer(
    (Source("x:1", {"regular": 2}), Source("y:1", {"regular": 1})),
    (
        Target(("x:9",), ("x:1", "y:1")),
        Target(("y:9",), ("y:1",)),
        Target(("z:9",), ("x:1",), off="storm", rule="S-1"),
    ),
)
SHIP = Fields({"forces": MOVE, "help": Number(0, 3)})
CHOICE = Variant({"pass": Fields({}), "ship": SHIP}, {"pass": "Do not", "ship": "Ship"})


def test_a_barred_thing_to_do_is_shown_with_its_reason() -> None:
    """What is left can still be done."""
    left = bar_variants(CHOICE, {"ship", "fly"}, BAR)
    assert isinstance(left, Variant)
    assert list(left.variants) == ["pass"]
    assert left.off == {"ship": Off(BAR.text, BAR.rule)}
    assert bar_variants(CHOICE, {"ship", "pass"}, BAR) is None
    assert bar_variants(SHIP, {"ship"}, BAR) == SHIP, "a single form has nothing to choose between"


def test_barred_ways_are_closed_from_each_source() -> None:
    """A target loses the sources that may not go there, and is closed with the last; others stay as they are."""
    left = bar_targets(CHOICE, lambda source, target: source == "y:1", BAR)
    assert isinstance(left, Variant)
    shape = left.variants["ship"].fields["forces"]
    assert isinstance(shape, Transfer)
    assert shape.targets == (
        Target(("x:9",), ("x:1",)),
        Target(("y:9",), ("y:1",), off=BAR.text, rule=BAR.rule),
        Target(("z:9",), ("x:1",), off="storm", rule="S-1"),
    )


def test_a_thing_to_do_without_any_way_left_is_off() -> None:
    """And a form that is nothing but ways is gone."""
    left = bar_targets(CHOICE, lambda source, target: True, BAR)
    assert isinstance(left, Variant)
    assert list(left.variants) == ["pass"]
    assert left.off["ship"].off == BAR.text
    assert bar_targets(SHIP, lambda source, target: True, BAR) is None
    nested = Fields({"first": SHIP})
    assert bar_targets(nested, lambda source, target: True, BAR) is None
    assert bar_targets(nested, lambda source, target: False, BAR) == nested


def test_a_barred_option_is_off_in_its_field_alone() -> None:
    """One that was off keeps its own reason; a field with nothing left closes what it belongs to."""
    whom = OneOf((Option("a", "A"), Option("b", "B", "absent", "X-1"), Option("c", "C")))
    choice = Variant({"ask": Fields({"to": whom, "from": whom}), "done": Fields({})})
    left = bar_options(choice, "to", lambda value: value in ("a", "b"), BAR)
    assert isinstance(left, Variant)
    to = left.variants["ask"].fields["to"]
    assert isinstance(to, OneOf)
    assert [option.off for option in to.options] == [BAR.text, "absent", ""]
    assert left.variants["ask"].fields["from"] == whom
    none = bar_options(choice, "to", lambda value: True, BAR)
    assert isinstance(none, Variant)
    assert list(none.variants) == ["done"]
    assert bar_options(Variant({"ask": Fields({"to": whom})}), "to", lambda value: True, BAR) is None


def test_whether_forces_can_set_out() -> None:
    """By any of the things to do."""
    assert has_transfer(CHOICE)
    assert has_transfer(SHIP)
    assert not has_transfer(Variant({"pass": Fields({})}))


def test_an_offer_never_loses_its_last_answer() -> None:
    """The default moves to something that is left; a limit that leaves nothing is released."""
    offer = Offer("", "guild", "ship", "Ship?", CHOICE, {"do": "pass"})
    assert with_choice(offer, None) == offer
    narrower = bar_variants(CHOICE, {"pass"}, BAR)
    assert narrower is not None
    moved = with_choice(offer, narrower)
    assert moved.choice == narrower
    assert narrower.problem(moved.default) is None
    kept = with_choice(offer, bar_variants(CHOICE, {"ship"}, BAR))
    assert kept.default == {"do": "pass"}
    impossible = Fields(
        {"n": Number(0, 3)},
        (Limit(("n",), -1, "never"), IfThen(Condition("n", (0,)), Condition("n", (1,)), "no")),
    )
    assert with_choice(offer, impossible) == offer
