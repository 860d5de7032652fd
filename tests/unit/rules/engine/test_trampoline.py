"""The trampoline: what asks can be asked again, unchanged questions keep ids and answers, broken flows are stopped."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import msgspec
import pytest

from services.rules.engine import standing as actions
from services.rules.engine.game import Decision, Game, Refusal, answer, check, expire, load
from services.rules.engine.standing import standing
from services.rules.engine.trampoline import RunawayError
from shared.dune.offers import Checkpoint
from shared.dune.shapes import Fields, Number
from shared.dune.table import Table
from tests.anytime import anytime_id
from tests.unit.rules.engine.flows import (
    TABLE,
    AskAll,
    AskEach,
    AskWrongly,
    Caller,
    Circle,
    Keeper,
    Meddle,
    Sealing,
    begun,
)


@pytest.fixture
def meddle() -> Iterator[None]:
    """For one test everybody may meddle."""
    standing(Meddle)
    yield
    actions._registry.remove(Meddle.kind)


def _answered(game: Game, seat: str, given: Any, offer_id: str = "") -> Game:
    found = offer_id or next(offer.id for offer in game.open if offer.seat == seat)
    outcome = answer(game, seat, found, given)
    assert isinstance(outcome, Decision), outcome
    copy = load(
        msgspec.json.decode(msgspec.json.encode(outcome.game.table), type=Table),
        msgspec.json.decode(msgspec.json.encode(outcome.game.checkpoint()), type=Checkpoint),
    )
    assert copy == outcome.game
    return copy


def _ids(game: Game) -> dict[str, str]:
    return {offer.seat: offer.id for offer in game.open}


def test_all_are_asked_at_once_and_nobody_learns_who_has_answered() -> None:
    """Answers stay sealed until all are in, and come in the order of asking. [GEN-11]"""
    game = begun(AskAll()).game
    waiting = game.waiting
    assert [row.seats for row in waiting] == [("atreides", "fremen", "guild")]
    game = _answered(game, "guild", {"n": 3})
    game = _answered(game, "atreides", {"n": 1})
    assert (game.waiting, [offer.seat for offer in game.open]) == (waiting, ["fremen"])
    assert not game.table.is_set("test.guild")
    game = _answered(game, "fremen", {"n": 2})
    assert game.table.names("test.order") == ("atreides", "fremen", "guild")
    assert (game.open, game.waiting, game.stack) == ((), (), ())


def test_an_answer_of_a_window_may_be_changed_until_it_closes() -> None:
    """Its own seat sees what it has committed. [WINPOL-09]"""
    game = begun(AskAll(window=True)).game
    game = _answered(game, "guild", {"n": 3})
    committed = {offer.seat: offer.committed for offer in game.open}
    assert committed == {"atreides": None, "fremen": None, "guild": {"n": 3}}
    game = _answered(game, "guild", {"n": 4})
    game = _answered(_answered(game, "atreides", {"n": 0}), "fremen", {"n": 0})
    assert game.table.count("test.guild") == 4


def test_an_answer_that_is_no_window_stands() -> None:
    """A second answer finds no question."""
    game = begun(AskAll()).game
    first = _ids(game)["guild"]
    game = _answered(game, "guild", {"n": 3})
    refused = answer(game, "guild", first, {"n": 4})
    assert isinstance(refused, Refusal)
    assert refused.code == "stale"


def test_one_legal_answer_is_given_without_asking() -> None:
    """Unless it is a window, which is put to its seats whatever they could do."""
    assert begun(AskAll(high=0)).game.table.names("test.order") == ("atreides", "fremen", "guild")
    assert len(begun(AskAll(high=0, window=True)).game.open) == 3


def test_each_answer_goes_on_by_itself_and_the_others_keep_their_question() -> None:
    """The first yes ends it for all."""
    game = begun(Caller("each")).game
    before = _ids(game)
    game = _answered(game, "guild", {"do": "no"})
    assert _ids(game) == {seat: before[seat] for seat in ("atreides", "fremen")}
    game = _answered(game, "fremen", {"do": "yes"})
    assert game.table.value("test.result") == "fremen"
    assert game.table.names("test.spoke") == ("guild", "fremen")


def test_nobody_left_to_ask() -> None:
    """An ask that has nobody left goes on."""
    game = begun(Caller("each")).game
    for seat in ("guild", "fremen", "atreides"):
        game = _answered(game, seat, {"do": "no"})
    assert game.table.value("test.result") == "nobody"
    assert begun(AskAll(seats=())).game.stack == ()


@pytest.mark.usefixtures("meddle")
def test_after_an_interruption_unchanged_questions_keep_id_and_answer() -> None:
    """Whoever has a form open need not begin anew because somebody else did something. [CARD-08]"""
    game = _answered(begun(AskAll()).game, "guild", {"n": 3})
    before = _ids(game)
    after = _answered(game, "atreides", {"low": 0, "asks": 0}, anytime_id(game, "atreides", "test_meddle"))
    assert _ids(after) == before
    assert after.stack[-1].answers == {"guild": {"n": 3}}


@pytest.mark.usefixtures("meddle")
def test_an_answer_that_is_no_longer_legal_is_asked_again() -> None:
    """A question that has changed is a new one; a committed answer stays as long as it is legal."""
    game = begun(AskAll()).game
    game = _answered(_answered(game, "guild", {"n": 3}), "fremen", {"n": 7})
    old = next(offer.id for offer in begun(AskAll()).game.open if offer.seat == "atreides")
    game = _answered(game, "atreides", {"low": 5, "asks": 0}, anytime_id(game, "atreides", "test_meddle"))
    assert set(_ids(game)) == {"atreides", "guild"}, "fremen's 7 stands, 3 is too low now"
    assert _ids(game)["atreides"] != old
    stale = answer(game, "atreides", old, {"n": 8})
    assert isinstance(stale, Refusal)
    low = answer(game, "atreides", _ids(game)["atreides"], {"n": 4})
    assert isinstance(low, Refusal)
    assert (low.code, low.args) == ("illegal", {"path": "n"})


@pytest.mark.usefixtures("meddle")
def test_interruptions_may_be_interrupted() -> None:
    """Each is played out before what lies beneath goes on."""
    game = begun(AskAll()).game
    before = _ids(game)
    game = _answered(game, "guild", {"low": 0, "asks": 1}, anytime_id(game, "guild", "test_meddle"))
    assert [offer.kind for offer in game.open] == ["test.choice"]
    game = _answered(game, "atreides", {"low": 1, "asks": 1}, anytime_id(game, "atreides", "test_meddle"))
    assert len(game.stack) == 3
    game = _answered(game, "atreides", {"choice": "b"})
    assert game.table.count("test.low") == 1
    assert len(game.stack) == 2, "the first interruption is asked again"
    game = _answered(game, "atreides", {"choice": "a"})
    assert _ids(game) == before, "nothing has changed in the end"


@pytest.mark.usefixtures("meddle")
def test_standing_offers_are_their_seats_own_and_barred_by_some_questions() -> None:
    """[WINPOL-17]"""
    game = begun(AskAll()).game
    assert [row.seat for row in game.standing if row.kind == "test_meddle"] == ["atreides", "guild"]
    (whole,) = [offer for offer in game.offers_of("atreides") if offer.kind == "test_meddle"]
    assert whole.choice == Fields({"low": Number(0, 9), "asks": Number(0, 1)})
    meddling = anytime_id(game, "guild", "test_meddle")
    strange = answer(game, "fremen", meddling, {"low": 1, "asks": 0})
    assert isinstance(strange, Refusal)
    assert check(game, "fremen", meddling.replace("guild", "fremen"), {"low": 1, "asks": 0}) is not None
    assert check(game, "guild", meddling, {"low": 1, "asks": 0}) is None
    assert not [row for row in begun(Keeper()).game.standing if row.kind == "test_meddle"]


def test_what_is_sealed_may_be_noted_at_once_for_its_seat_alone() -> None:
    """As long as it waits for others; the last answer goes on at once. [BATTLE-64]"""
    game = begun(Sealing()).game
    after = _answered(game, "guild", {"n": 3})
    assert after.table.marks["test.sealed.guild"].seen_by == ("guild",)
    assert after.waiting == game.waiting
    assert after.sequences.get("fremen", 0) == game.sequences.get("fremen", 0)
    after = _answered(_answered(after, "fremen", {"n": 1}), "atreides", {"n": 2})
    assert "test.sealed.atreides" not in after.table.marks


@pytest.mark.usefixtures("meddle")
def test_sealed_answers_outlast_what_is_done_first_when_an_ask_is_run_again() -> None:
    """Also the answer of a seat that is asked something else meanwhile; unchanged questions keep their ids.

    [WINPOL-18, ATR-40]
    """
    game = _answered(_answered(begun(Sealing()).game, "guild", {"n": 8}), "fremen", {"n": 9})
    before = _ids(game)
    game = _answered(game, "atreides", {"low": 1, "asks": 0}, anytime_id(game, "atreides", "test_meddle"))
    assert [(offer.seat, offer.choice) for offer in game.open] == [("guild", Fields({"n": Number(0, 9)}))]
    game = _answered(game, "guild", {"n": 0})
    assert game.table.count("test.low") == 2
    assert set(_ids(game)) == {"atreides"}
    assert game.stack[-1].answers == {"guild": {"n": 8}, "fremen": {"n": 9}}
    assert _ids(game)["atreides"] != before["atreides"], "the least number has changed"
    game = _answered(game, "atreides", {"n": 5})
    assert [game.table.count(f"test.{seat}") for seat in ("atreides", "fremen", "guild")] == [5, 9, 8]


@pytest.mark.usefixtures("meddle")
def test_a_flow_may_say_that_a_sealed_answer_does_not_hold_any_more() -> None:
    """Though it would still be legal. [REACT-61]"""
    game = _answered(begun(Sealing()).game, "guild", {"n": 8})
    game = _answered(game, "atreides", {"low": 4, "asks": 0}, anytime_id(game, "atreides", "test_meddle"))
    assert set(_ids(game)) == {"atreides", "fremen", "guild"}
    assert game.stack[-1].answers == {}


def test_a_clock_that_runs_out_plays_the_default() -> None:
    """Only for who has not answered. [GEN-13]"""
    game = begun(AskAll(window=True)).game
    ids = _ids(game)
    played = expire(game, "guild", ids["guild"])
    assert isinstance(played, Decision)
    assert next(o for o in played.game.open if o.seat == "guild").committed == {"n": 0}
    for seat, offer_id in (("guild", ids["guild"]), ("guild", ids["fremen"]), ("guild", "guild-99")):
        refused = expire(played.game, seat, offer_id)
        assert isinstance(refused, Refusal)
        assert refused.code == "stale"


@pytest.mark.parametrize("how", ["emits", "draws", "takes"])
def test_a_step_that_asks_must_be_repeatable(how: str) -> None:
    """Otherwise an interruption would do twice what it did."""
    with pytest.raises(RunawayError, match="AskWrongly"):
        begun(AskWrongly(how))


def test_a_flow_that_goes_in_circles_is_stopped() -> None:
    """With its name, so that the fault is found."""
    with pytest.raises(RunawayError, match="Circle"):
        begun(Circle())


def test_each_audience_counts_what_it_is_shown() -> None:
    """A sealed answer moves nobody's number but its own seat's: others must not learn that it was given. [GEN-11]"""
    game = begun(AskAll(window=True)).game
    after = _answered(game, "guild", {"n": 3})
    moved = {
        who: after.sequences.get(who, 0) - game.sequences.get(who, 0) for who in (*TABLE.seats, "spectator")
    }
    assert moved == {"atreides": 0, "fremen": 0, "guild": 1, "spectator": 0}


def test_nothing_is_asked_when_the_flows_are_over() -> None:
    """A game whose stack is empty has no offers and no saved flow."""
    game = begun(AskEach()).game
    for seat in ("guild", "fremen", "atreides"):
        game = _answered(game, seat, {"do": "no"})
    assert (game.open, game.standing, game.waiting, bytes(game.checkpoint().stack)) == ((), (), (), b"[]")
