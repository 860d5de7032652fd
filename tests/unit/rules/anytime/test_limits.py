"""What a promise takes from an offer, and when it lets go. [TRUTH-06, TRUTH-08]"""

from __future__ import annotations

import random

from services.rules.engine.limits import (
    Bar,
    bar_options,
    bar_targets,
    bar_variants,
    has_transfer,
    with_choice,
)
from services.rules.engine.offering import offer
from shared.dune.shapes import Fields, OneOf, Option, Source, Target, Transfer, Variant

BAR = Bar("You said otherwise.", "TRUTH-06")
TRANSFER = Transfer(
    (Source("reserves", {"regular": 3}), Source("arsunt:10", {"regular": 2})),
    (Target(("carthag:10",), ("reserves", "arsunt:10")), Target(("arrakeen:9",), ("reserves",))),
)
CHOICE = Variant({"pass": Fields({}), "ship": Fields({"forces": TRANSFER})}, {"pass": "Pass", "ship": "Ship"})


def test_a_barred_target_says_why() -> None:
    """It stays visible, off, with the rule; everything else is as before."""
    left = bar_targets(CHOICE, lambda source, target: target == "arrakeen:9", BAR)
    assert isinstance(left, Variant)
    wrong = left.problem({"do": "ship", "forces": {"from": {"reserves": {"regular": 1}}, "to": "arrakeen:9"}})
    assert wrong is not None
    assert (wrong.text, wrong.rule) == (BAR.text, BAR.rule)
    assert (
        left.problem({"do": "ship", "forces": {"from": {"reserves": {"regular": 1}}, "to": "carthag:10"}})
        is None
    )


def test_a_way_can_be_barred_for_one_source() -> None:
    """The same target stays open for the others."""
    left = bar_targets(CHOICE, lambda source, target: source == "arsunt:10", BAR)
    assert isinstance(left, Variant)
    fields = left.variants["ship"]
    assert fields.problem({"forces": {"from": {"arsunt:10": {"regular": 1}}, "to": "carthag:10"}}) is not None
    assert fields.problem({"forces": {"from": {"reserves": {"regular": 1}}, "to": "carthag:10"}}) is None


def test_what_cannot_be_done_at_all_is_off() -> None:
    """A variant without an open target goes to the things that are off."""
    left = bar_targets(CHOICE, lambda source, target: True, BAR)
    assert isinstance(left, Variant)
    assert set(left.variants) == {"pass"}
    assert left.off["ship"].rule == "TRUTH-06"
    assert not has_transfer(left)


def test_a_barred_default_is_replaced_by_a_legal_one() -> None:
    """Silence then means something that the promise allows."""
    made = offer("atreides", "ship", "Ship?", CHOICE, default={"do": "pass"})
    narrower = with_choice(made, bar_variants(CHOICE, {"pass"}, BAR))
    assert narrower.default["do"] == "ship"
    assert narrower.problem(narrower.default) is None
    assert narrower.problem({"do": "pass"}) is not None
    for seed in range(20):
        assert narrower.problem(narrower.choice.sample(random.Random(seed))) is None


def test_a_limit_that_leaves_nothing_lets_go() -> None:
    """The offer stays as it was. [TRUTH-08]"""
    made = offer("atreides", "ship", "Ship?", CHOICE, default={"do": "pass"})
    assert with_choice(made, bar_variants(CHOICE, {"pass", "ship"}, BAR)) == made


def test_options_of_a_named_field_alone() -> None:
    """Other fields are not touched, and an option that was off keeps its own reason."""
    options = OneOf((Option("a", "A"), Option("b", "B"), Option("c", "C", "Gone.", "X-01")))
    choice = Fields({"to": options, "from": options})
    left = bar_options(choice, "to", lambda value: value in ("a", "c"), BAR)
    assert isinstance(left, Fields)
    to, other = left.fields["to"], left.fields["from"]
    assert isinstance(to, OneOf)
    assert isinstance(other, OneOf)
    assert to.legal() == ["b"]
    assert other.legal() == ["a", "b"]
    assert [option.rule for option in to.options] == ["TRUTH-06", "", "X-01"]
