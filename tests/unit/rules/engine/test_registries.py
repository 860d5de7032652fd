"""What phases, factions and cards register: in what order it counts, and what is refused when a module is loaded."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import msgspec
import pytest

from services.rules.cards import truth_forms
from services.rules.cards.truth_forms import FreeText, form, forms
from services.rules.engine import limits as limiting
from services.rules.engine.flow import Answers, Flow, Next
from services.rules.engine.game import Decision, Game, answer
from services.rules.engine.hooks import Line, Quote, contributes, contributions, quote
from services.rules.engine.limits import limited, limits
from services.rules.engine.moments import Moment, at, guests
from services.rules.engine.offering import offer
from services.rules.engine.play import Play
from services.rules.engine.settling import settles
from services.rules.engine.standing import standing, standing_actions, standing_offer
from services.rules.engine.watching import watches
from services.rules.engine.windows import react
from services.rules.phases import permissions
from services.rules.phases.movement_offer import movement_extra, turn_ending
from services.rules.phases.permissions import lend
from services.rules.phases.shipment_aids import shipping_aid, way_opening
from shared.dune.events.course import MarkSet
from shared.dune.offers import Offer, Standing
from shared.dune.shapes import Fields, Json, Number
from shared.dune.table import Mark, Table, mark, put
from tests.unit.rules.engine.flows import TABLE, Keeper, begun, bid


class Price(Quote, frozen=True, kw_only=True):
    """A number with reasons, for these tests."""

    seat: str = ""


@pytest.fixture
def price() -> Iterator[None]:
    """Three contributions, registered in another order than that in which they count."""

    @contributes(Price, rule="X-3", order=90)
    def doubled(asked: Price, table: Table) -> Price:
        return asked.step(asked.value * 2, "doubled", "X-3")

    @contributes(Price, rule="X-2", cancel="guild.rate")
    def more(asked: Price, table: Table) -> Price:
        return asked.step(asked.value + 3, "three more", "X-2")

    @contributes(Price, rule="X-1", order=10)
    def only_for_guild(asked: Price, table: Table) -> Price:
        return asked.step(1, "the Guild begins at one", "X-1") if asked.seat == "guild" else asked

    yield
    del contributions()[Price]


@pytest.mark.usefixtures("price")
def test_a_quote_tells_its_reasons_in_order() -> None:
    """First the lowest order, however it was registered; whoever contributes nothing leaves no line."""
    found = quote(TABLE, Price(seat="guild"))
    assert found.value == 8
    assert found.lines == (
        Line("the Guild begins at one", 1, "X-1"),
        Line("three more", 4, "X-2"),
        Line("doubled", 8, "X-3"),
    )
    assert [line.rule for line in quote(TABLE, Price(seat="fremen")).lines] == ["X-2", "X-3"]


@pytest.mark.usefixtures("price")
def test_a_cancelled_power_contributes_nothing() -> None:
    """Only what has this name. [KARAMA-03]"""
    table = mark(TABLE, "cancelled.guild.rate", Mark("fremen", public=True))
    assert quote(table, Price(seat="guild")).value == 2
    assert quote(mark(TABLE, "cancelled.guild", Mark("fremen")), Price(seat="guild")).value == 8


class Visit(Flow, tag="test.visit", frozen=True, omit_defaults=True):
    """A guest that asks its seat, so that the game can be saved in the middle."""

    name: str

    def start(self, play: Play) -> Next:
        """Ask."""
        return self.ask([bid("guild", 0)], then="visited")

    def visited(self, play: Play, answers: Answers) -> Next:
        """Tell."""
        play.set_public("test.guests", (*play.table.names("test.guests"), self.name))
        return self.done("handed to nobody")


class Host(Flow, tag="test.host", frozen=True, omit_defaults=True):
    """Opens a moment."""

    def start(self, play: Play) -> Next:
        """Open it."""
        return self.call(Moment("test.moment", {"who": "guild"}), then="after")

    def after(self, play: Play, result: Json) -> Next:
        """Tell that all are gone."""
        play.set_public("test.over", str(result))
        return self.done()


@pytest.fixture
def moment() -> Iterator[None]:
    """Two guests, and one who does not come."""

    @at("test.moment", rule="X-1", order=90)
    def last(table: Table, subject: Json) -> Flow:
        return Visit("last")

    @at("test.moment", rule="X-1", order=20)
    def absent(table: Table, subject: Json) -> Flow | None:
        return None

    @at("test.moment", rule="X-1", order=10)
    def first(table: Table, subject: Json) -> Flow | None:
        return Visit(f"first for {subject['who']}")

    yield
    del guests()["test.moment"]


def _answered(game: Game) -> Game:
    outcome = answer(game, "guild", game.open[0].id, {"n": 1})
    assert isinstance(outcome, Decision)
    return outcome.game


@pytest.mark.usefixtures("moment")
def test_guests_come_in_order_one_after_another() -> None:
    """And the host hears nothing of what they did."""
    game = _answered(_answered(begun(Host()).game))
    assert game.table.names("test.guests") == ("first for guild", "last")
    assert game.table.value("test.over") == "None"


@pytest.mark.usefixtures("moment")
def test_a_saved_game_goes_on_rightly_when_a_guest_was_added() -> None:
    """A newer program has one more guest before those already served: nobody comes twice."""
    game = begun(Host()).game

    @at("test.moment", rule="X-1", order=5)
    def new(table: Table, subject: Json) -> Flow:
        return Visit("new")

    game = _answered(game)
    assert game.table.names("test.guests") == ("first for guild",)
    assert _answered(game).table.names("test.guests") == ("first for guild", "last")


def test_a_moment_without_guests_is_over_at_once() -> None:
    """As most are in a small game."""
    assert begun(Host()).game.table.value("test.over") == "None"


@pytest.mark.parametrize(
    "register",
    [
        lambda: contributes(Price, rule=""),
        lambda: at("setup", rule=""),
        lambda: limits("ship*", rule=""),
        lambda: watches(MarkSet, rule=""),
        lambda: settles(rule=""),
    ],
)
def test_nothing_is_registered_without_its_rule(register: Callable[[], Any]) -> None:
    """Whatever changes the game names the rule that it implements."""
    with pytest.raises(ValueError, match="id of the rule"):
        register()


@pytest.mark.parametrize(
    ("register", "name"),
    [
        (react, "karama"),
        (standing, "ghola"),
        (shipping_aid, "karama"),
        (movement_extra, "hajr"),
        (turn_ending, "nexus_second_shipment"),
        (way_opening, "nexus_guild"),
        (form, "will_ship"),
    ],
)
def test_a_name_is_registered_once(register: Callable[[type[Any]], Any], name: str) -> None:
    """A second thing of one name would silently replace the first."""
    wrong = type("Wrong", (), {"name": name, "kind": name, "rule": "X-1", "label": "Wrong"})
    with pytest.raises(ValueError, match=name):
        register(wrong)


OF_NEXUS = "services.rules.modules.nexus.test"


def _limit_of_module(table: Table, offered: Offer) -> Offer:
    return msgspec.structs.replace(offered, why="narrower")


class _FormOfModule(FreeText):
    name = "test_form"


@pytest.fixture
def module() -> Iterator[None]:
    """A limit, a form of question and a lent power, registered in the package of a module."""
    lent, before = permissions._registry, list(limiting._registry)
    _limit_of_module.__module__ = _FormOfModule.__module__ = OF_NEXUS
    limits("test.number", rule="X-1")(_limit_of_module)
    form(_FormOfModule)
    lend(OF_NEXUS, "fremen", "test_power", "A power", "X-1")
    yield
    limiting._registry[:] = before
    limiting._rows_for.cache_clear()
    truth_forms._registry.remove("test_form")
    del lent["fremen", "test_power"]


@pytest.mark.usefixtures("module")
@pytest.mark.parametrize("modules", [(), ("nexus",)])
def test_what_a_module_registers_is_absent_from_games_without_it(modules: tuple[str, ...]) -> None:
    """Limits, forms of questions and lent powers as well. [NEXUS-81]"""
    settings = msgspec.structs.replace(TABLE.settings, modules=modules)
    table = put(TABLE, settings=settings)
    there = bool(modules)
    offered = offer("guild", "test.number", "A number?", Fields({"n": Number(1, 2)}), default={"n": 1})
    assert (limited(table, offered).why == "narrower") is there
    assert ("test_form" in [one.name for one in forms(table)]) is there
    assert ("test_power" in [row.power for row in permissions._lent_by(table, "fremen")]) is there


def test_an_offer_whose_silence_would_be_illegal_is_a_fault() -> None:
    """Every default is a legal answer, so that a clock can always play it. [GEN-13]"""
    with pytest.raises(ValueError, match=r"test\.number for guild"):
        offer("guild", "test.number", "A number?", Fields({"n": Number(1, 2)}), default={"n": 3})


def test_what_cannot_be_done_now_has_no_standing_offer() -> None:
    """Neither an unknown action, nor one that a question bars, nor any in setup."""
    game = begun(Keeper()).game
    rows = {
        kind: Standing(f"guild.{kind}.1", "guild", kind, "")
        for kind in (*standing_actions(), "no_such_action")
    }
    kinds = [kind for kind, row in rows.items() if standing_offer(game.table, game.stack, row)]
    assert "orders" in kinds
    assert not {"bribe", "no_such_action"}.intersection(kinds)
    assert standing_offer(put(game.table, phase="setup"), game.stack, rows["orders"]) is None
