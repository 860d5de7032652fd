"""What binds a plan, in which order, and what is left when not everything can be kept."""

from __future__ import annotations

from typing import Any

import msgspec

from services.rules.engine.game import Decision, answer, find_offer
from services.rules.phases.battle_grounds import battles_of
from services.rules.phases.battle_plan import bound_plan, can_keep, committed_plan, some_plan
from services.rules.phases.battle_quotes import Narrow
from services.rules.phases.battle_resolve import total_of
from services.rules.staging import stage
from shared.dune.shapes import AnyOf, Condition, Limit
from shared.dune.table import Mark, Table, mark

SEATS = ["fremen", "guild"]


def staged(**seats: dict[str, Any]) -> Table:
    table = {"seats": SEATS, "circles": [1, 4], "phase": "battle", "storm": 18, **seats}
    table.setdefault("guild", {"forces": {"red_chasm": 2}})
    return stage(table).game.table


def clash_of(table: Table) -> Any:
    return battles_of(table, "fremen")[0]


def with_marks(table: Table, **marks: tuple[str, ...]) -> Table:
    for name, value in marks.items():
        table = mark(table, f"battle.{name}", Mark(value, public=True))
    return table


def test_an_element_shown_that_contradicts_the_voice_is_dropped() -> None:
    """Voice comes first: what cannot be kept besides it is dropped, and said so. [ATR-15, ATR-40]"""
    table = staged(fremen={"hand": ["crysknife", "chaumas"], "forces": {"red_chasm": 3}})
    table = with_marks(table, voice=("fremen", "play", "poison_weapon"))
    table = mark(table, "battle.shown.fremen.weapon", Mark(("guild", "crysknife"), ("fremen", "guild")))
    bound = bound_plan(table, clash_of(table), "fremen")
    assert bound.choice.fields["weapon"].legal() == ["chaumas"]  # type: ignore[union-attr]
    assert [limit.shown for limit in bound.dropped if isinstance(limit, Narrow)] == ["weapon"]


def test_the_default_plan_is_the_weakest_leader_and_nothing_else() -> None:
    table = staged(fremen={"hand": ["crysknife", "cheap_hero"], "forces": {"red_chasm": 3}})
    choice = bound_plan(table, clash_of(table), "fremen").choice
    assert some_plan(choice) == {"leader": "jamis", "dial": 0, "weapon": None, "defense": None}
    assert some_plan(choice, leader="stilgar", dial=3) == {
        "leader": "stilgar",
        "dial": 3,
        "weapon": None,
        "defense": None,
    }
    assert some_plan(choice, dial=4) is None


def test_a_worthless_card_demanded_fills_the_slot_that_is_left() -> None:
    """The only worthless card must go to the defense slot when the weapon shown is another. [BG-12, ATR-09]"""
    table = staged(fremen={"hand": ["crysknife", "kulon"], "forces": {"red_chasm": 3}})
    table = with_marks(table, voice=("fremen", "play", "worthless"))
    table = mark(table, "battle.shown.fremen.weapon", Mark(("guild", "crysknife"), ("fremen", "guild")))
    bound = bound_plan(table, clash_of(table), "fremen")
    assert not bound.dropped
    plan = some_plan(bound.choice)
    assert plan is not None
    assert (plan["weapon"], plan["defense"]) == ("crysknife", "kulon")


def test_promises_are_tested_against_what_binds_already() -> None:
    table = staged(fremen={"hand": ["chaumas", "crysknife"], "forces": {"red_chasm": 3}})
    table = with_marks(table, voice=("fremen", "play", "poison_weapon"))
    clash = clash_of(table)
    assert not can_keep(table, clash, "fremen", Narrow(field="weapon", never=("chaumas",), text="no"))
    assert can_keep(table, clash, "fremen", Narrow(field="weapon", never=("crysknife",), text="no"))
    assert can_keep(table, clash, "fremen", Limit(plus=("dial",), most=99, least=3, text="at least 3"))
    assert not can_keep(table, clash, "fremen", Limit(plus=("dial",), most=99, least=4, text="at least 4"))
    assert can_keep(table, clash, "fremen", AnyOf((Condition("leader", ("stilgar",)),), "him"))


def test_a_total_tells_its_reasons() -> None:
    table = staged(fremen={"forces": {"red_chasm": 3}})
    clash = clash_of(table)
    plan: dict[str, Any] = {"leader": "stilgar", "dial": 3, "weapon": None, "defense": None}
    lives = total_of(table, clash, "fremen", plan, leader_lives=True)
    assert (lives.value, [line.text for line in lives.lines]) == (10, ["dial 3", "Stilgar 7"])
    dies = total_of(table, clash, "fremen", plan, leader_lives=False)
    assert (dies.value, [line.text for line in dies.lines]) == (3, ["dial 3", "Stilgar killed, 0"])


def test_a_committed_plan_can_be_read_until_the_reveal() -> None:
    decision = stage(
        {
            "seats": SEATS,
            "circles": [1, 4],
            "phase": "battle",
            "storm": 18,
            "fremen": {"forces": {"red_chasm": 3}},
            "guild": {"forces": {"red_chasm": 2}},
        }
    )
    game = decision.game
    assert committed_plan(game.stack, "fremen") is None
    plan = {"leader": "stilgar", "dial": 3, "weapon": None, "defense": None}
    offer = next(o for o in game.open if o.seat == "fremen")
    after = answer(game, "fremen", offer.id, plan)
    assert isinstance(after, Decision)
    assert committed_plan(after.game.stack, "fremen") == plan
    assert committed_plan(after.game.stack, "guild") is None
    assert find_offer(after.game, "fremen", offer.id) is None
    assert msgspec.json.decode(msgspec.json.encode(after.game.table), type=Table) == after.game.table
