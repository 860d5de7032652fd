"""Windows: who is asked follows from public facts, uses come in storm order, a window may open again."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, ClassVar

import msgspec
import pytest

from services.rules.engine import windows
from services.rules.engine.flow import Flow, Next
from services.rules.engine.game import Decision, Game, answer, expire, renewed
from services.rules.engine.orders import order_mark
from services.rules.engine.play import Play
from services.rules.engine.windows import Reaction, Subject, Window, react
from shared.dune.shapes import Fields, Json, Number, Off, Variant
from shared.dune.table import Mark, Table, mark, put
from tests.unit.rules.engine.flows import TABLE, AskAll, begun


class Strike(Reaction):
    """Everybody but fremen could strike, three times in all; guild cannot now, and alone learns why."""

    name: ClassVar[str] = "strike"
    kinds: ClassVar[tuple[str, ...]] = ("test.*",)
    rule: ClassVar[str] = "WINPOL-01"
    label: ClassVar[str] = "Strike"
    after: ClassVar[Flow | None] = None
    again: ClassVar[bool] = False

    def possible(self, table: Table, seat: str, kind: str, subject: Subject) -> bool:
        """By public facts."""
        return seat != "fremen" and table.count("test.strikes") < 3

    def fields(self, table: Table, seat: str, kind: str, subject: Subject) -> Fields | Off:
        """A number that nobody has taken yet."""
        if table.is_set(f"test.barred.{seat}"):
            return Off("you hold nothing to strike with", "CARD-07")
        return Fields({"n": Number(table.count("test.strikes"), 5)})

    def use(self, play: Play, seat: str, kind: str, subject: Subject, answer: Json) -> Flow | None:
        """Count."""
        play.set_public("test.strikes", answer["n"] + 1)
        play.set_public("test.struck", (*play.table.names("test.struck"), seat))
        return self.after

    def reopens(self) -> bool:
        """As the test wants it."""
        return self.again


class Opener(Flow, tag="test.opener", frozen=True, omit_defaults=True):
    """Opens a window and keeps its outcome."""

    kind: str
    seats: tuple[str, ...] = ()

    def start(self, play: Play) -> Next:
        """Open it."""
        subject = Subject("power", "fremen", "Fremen is about to do something.", {"place": "arrakeen"})
        return self.call(Window(self.kind, subject, self.seats), then="closed")

    def closed(self, play: Play, outcome: Json) -> Next:
        """Tell the outcome."""
        play.set_public("test.outcome", str(outcome))
        return self.done()


@pytest.fixture(autouse=True)
def strike() -> Iterator[type[Strike]]:
    """For one test there is a reaction."""
    react(Strike)
    yield Strike
    windows._registry.remove(Strike.name)
    Strike.after, Strike.again = None, False


def _answered(game: Game, seat: str, given: Any) -> Game:
    outcome = answer(game, seat, next(o.id for o in game.open if o.seat == seat), given)
    assert isinstance(outcome, Decision), outcome
    return outcome.game


def _asked(game: Game) -> list[str]:
    return [offer.seat for offer in game.open]


def test_every_seat_that_could_publicly_act_is_asked_the_same() -> None:
    """Who cannot now is asked too, so that nobody learns it, and reads the reason alone. [WINPOL-03]"""
    assert _asked(begun(Opener("test.x")).game) == ["atreides", "guild"]
    one, two = begun(Opener("test.x"), mark(TABLE, "test.barred.guild", Mark(True, ("guild",)))).game.open
    assert (one.kind, one.why, one.about) == (two.kind, two.why, two.about)
    assert one.about == {"power": "power", "owner": "fremen", "place": "arrakeen"}
    assert isinstance(one.choice, Variant)
    assert isinstance(two.choice, Variant)
    assert (list(one.choice.variants), list(two.choice.variants)) == (["pass", "strike"], ["pass"])
    assert two.choice.off["strike"].off == "you hold nothing to strike with"


def test_a_window_that_nobody_could_use_does_not_open() -> None:
    """[WINPOL-04]"""
    assert begun(Opener("quiet.x")).game.table.value("test.outcome") == "None"
    assert begun(Opener("test.x", ("fremen",))).game.table.value("test.outcome") == "None"
    assert _asked(begun(Opener("test.x", ("fremen", "guild"))).game) == ["guild"]


def test_all_pass() -> None:
    """Then nothing comes of it."""
    game = begun(Opener("test.x")).game
    game = _answered(_answered(game, "guild", {"do": "pass"}), "atreides", {"do": "pass"})
    assert game.table.value("test.outcome") == "None"


def test_the_first_in_storm_order_counts_and_the_others_spend_nothing() -> None:
    """Whoever was quicker has nothing of it. [WINPOL-10]"""
    table = put(TABLE, order=("fremen", "guild", "atreides"))
    game = begun(Opener("test.x"), table).game
    game = _answered(_answered(game, "atreides", {"do": "strike", "n": 4}), "guild", {"do": "strike", "n": 2})
    assert game.table.names("test.struck") == ("guild",)
    assert "'by': 'guild'" in str(game.table.value("test.outcome"))


def test_seats_that_stand_in_no_order_come_last() -> None:
    """Before there is a storm order the player circle counts."""
    for order, first in (((), "atreides"), (("guild",), "guild")):
        game = begun(Opener("test.x"), put(TABLE, order=order)).game
        game = _answered(
            _answered(game, "guild", {"do": "strike", "n": 0}), "atreides", {"do": "strike", "n": 0}
        )
        assert game.table.names("test.struck") == (first,)


def test_a_window_opens_again_until_it_is_exhausted(strike: type[Strike]) -> None:
    """Each time anew by public facts; an answer that is no longer legal spends nothing."""
    strike.again = True
    game = begun(Opener("test.x")).game
    game = _answered(_answered(game, "guild", {"do": "strike", "n": 0}), "atreides", {"do": "strike", "n": 0})
    assert game.table.names("test.struck") == ("atreides",)
    assert _asked(game) == ["atreides", "guild"], "both are asked again"
    game = _answered(_answered(game, "atreides", {"do": "pass"}), "guild", {"do": "strike", "n": 2})
    assert game.table.names("test.struck") == ("atreides", "guild")
    assert game.stack == (), "three strikes are all"
    assert "'by': 'guild'" in str(game.table.value("test.outcome"))


@pytest.mark.parametrize("again", [False, True])
def test_what_a_reaction_starts_is_played_out_first(strike: type[Strike], again: bool) -> None:
    """Its result is handed on with the outcome, unless the window opens again."""
    strike.after, strike.again = AskAll(("fremen",)), again
    game = begun(Opener("test.x")).game
    game = _answered(_answered(game, "guild", {"do": "strike", "n": 2}), "atreides", {"do": "pass"})
    assert [offer.kind for offer in game.open] == ["test.number"]
    game = _answered(game, "fremen", {"n": 6})
    told = str(game.table.value("test.outcome"))
    assert "'by': 'guild'" in told
    assert ("'result': {'fremen': 6}" in told) is not again


@pytest.mark.parametrize(
    ("orders", "asked"),
    [
        ((), True),
        (("test.*=pass@game",), True),
        (("window.*=pass@1",), True),
        (("window.*=ask@game", "window.*=pass@game"), True),
        (("window.other=pass@game",), True),
        (("window.*=strike@game",), True),
        (("window.*=pass@2",), False),
        (("window.test.x=strike@game", "window.*=pass@game"), False),
    ],
)
def test_standing_orders_answer_windows(orders: tuple[str, ...], asked: bool) -> None:
    """The newest order that fits counts; one that is over, or cannot be carried out, says nothing. [WINPOL-08]"""
    table = mark(TABLE, order_mark("guild"), Mark(orders, ("guild",)))
    game = begun(Opener("test.strike"), table).game
    assert ("guild" in {o.seat for o in game.open if o.committed is None}) is asked


@pytest.mark.parametrize("holds", [True, False])
def test_an_order_to_use_answers_at_once_whatever_is_held(
    monkeypatch: pytest.MonkeyPatch, holds: bool
) -> None:
    """Asking whoever lacks the card would tell all others that it does. [WINPOL-07]"""
    off = Off("you hold nothing to strike with", "CARD-07")
    monkeypatch.setattr(
        Strike, "fields", lambda self, table, seat, kind, subject: Fields({}) if holds else off
    )
    table = mark(TABLE, order_mark("guild"), Mark(("window.*=strike@game", "window.*=ask@game"), ("guild",)))
    game = begun(Opener("test.strike"), table).game
    assert {offer.seat for offer in game.open if offer.committed is None} == {"atreides"}


def test_at_a_table_with_people_an_order_answers_when_its_time_is_over() -> None:
    """Until then the seat may answer by itself, or take the order back; the clock is room's. [WINPOL-07]"""
    settings = msgspec.structs.replace(TABLE.settings, paced=True)
    orders = Mark(("window.*=pass@game",), ("guild",))
    table = mark(msgspec.structs.replace(TABLE, settings=settings), order_mark("guild"), orders)
    game = begun(Opener("test.strike"), table).game
    assert {offer.seat: offer.clock for offer in game.open} == {"guild": "order", "atreides": "window"}
    offer = next(offer for offer in game.open if offer.seat == "guild")
    after = expire(game, "guild", offer.id)
    assert isinstance(after, Decision)
    assert {o.seat: o.committed for o in after.game.open} == {"guild": {"do": "pass"}, "atreides": None}
    assert after.game.waiting == game.waiting
    assert after.game.sequences.get("atreides") == game.sequences.get("atreides")
    own = _answered(game, "guild", {"do": "strike", "n": 2})
    assert [o.committed for o in own.open if o.seat == "guild"] == [{"do": "strike", "n": 2}]
    freed = renewed(
        msgspec.structs.replace(game, table=mark(table, order_mark("guild"), Mark((), ("guild",))))
    )
    assert {offer.clock for offer in freed.open} == {"window"}


def test_details_have_one_order_whatever_order_a_store_keeps_them_in() -> None:
    """Choices are made of them: after a restart the question must be the one that stands open."""
    given = {"use:old_gap": "Old Gap", "other": 1, "use:arrakeen": "Arrakeen"}
    for about in (given, dict(reversed(given.items())), dict(sorted(given.items()))):
        assert [*Subject("flip", about=about).named("use:").items()] == [
            ("arrakeen", "Arrakeen"),
            ("old_gap", "Old Gap"),
        ]
