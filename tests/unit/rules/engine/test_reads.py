"""What is read for an answer: everything is noted, whatever way it is read, and nothing else makes an answer stale."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator
from types import FunctionType
from typing import Any, ClassVar

import pytest

from services.rules.engine import standing as actions
from services.rules.engine.flow import Flow, Frame
from services.rules.engine.game import Decision, Game, answer
from services.rules.engine.reads import ask, readers_of, stale
from services.rules.engine.standing import StandingAction, standing, standing_actions
from shared.dune.settings import Faction, Settings
from shared.dune.shapes import Fields, Json
from shared.dune.table import Mark, Table, mark, pay, put, zone
from tests.anytime import anytime_id
from tests.unit.rules.engine.flows import TABLE, AskAll, AskEach, Tell, begun

Question = Callable[[Table, tuple[Frame, ...]], bool]
HELD = put(
    TABLE,
    zones={"hand.guild": ("shield#1",), "tanks.guild": ("guild_rep",)},
    forces={"reserves": {"guild": {"regular": 5}}, "carthag:11": {"fremen": {"regular": 2}}},
    spice={"guild": 5, "fremen": 3, "bank": -8},
    marks={"one.guild": Mark(1, public=True), "two.guild": Mark(("a",), public=True)},
    allies={"guild": "fremen", "fremen": "guild"},
    memory={"guild": ("seen",)},
    leader_cycle={"guild_rep": 1},
)


def _is_stale(question: Question, after: Table, before: Table = HELD) -> bool:
    """Whether an answer about one table need be asked again of another."""
    answers = {"it": ask(question, before, (Frame(AskAll()),))}
    return bool(stale(readers_of(answers), before, after))


READS: dict[str, tuple[Question, Table, Table]] = {
    "a key": (
        lambda table, _: table.marks["one.guild"].value == 1,
        mark(HELD, "one.guild", Mark(2)),
        mark(HELD, "two.guild", None),
    ),
    "a key that is not there": (
        lambda table, _: table.is_set("three.guild"),
        mark(HELD, "three.guild", Mark(1)),
        mark(HELD, "two.guild", None),
    ),
    "whether a key is there": (
        lambda table, _: "one.guild" in table.marks,
        mark(HELD, "one.guild", None),
        mark(HELD, "two.guild", None),
    ),
    "all keys": (
        lambda table, _: any(name.startswith("two.") for name in table.marks),
        mark(HELD, "three.guild", Mark(1)),
        pay(HELD, 1, "guild", "fremen"),
    ),
    "all items": (
        lambda table, _: any(held.public for _, held in table.marks.items()),
        mark(HELD, "two.guild", None),
        pay(HELD, 1, "guild", "fremen"),
    ),
    "all values": (
        lambda table, _: sum(table.spice.values()) == 0,
        pay(HELD, 1, "guild", "fremen"),
        mark(HELD, "two.guild", None),
    ),
    "all of it, copied": (
        lambda table, _: bool({**table.allies}),
        put(HELD, allies={}),
        mark(HELD, "two.guild", None),
    ),
    "whether there is anything": (
        lambda table, _: bool(table.allies),
        put(HELD, allies={}),
        mark(HELD, "two.guild", None),
    ),
    "equality": (
        lambda table, _: table.leader_cycle == {"guild_rep": 1},
        put(HELD, leader_cycle={}),
        mark(HELD, "two.guild", None),
    ),
    "a plain field": (lambda table, _: table.phase == "storm", put(HELD, phase="battle"), put(HELD, turn=7)),
    "a property": (
        lambda table, _: len(table.seats) == 3,
        put(HELD, settings=Settings(seats=("guild",))),
        put(HELD, turn=7),
    ),
    "a method": (
        lambda table, _: table.spice_of("guild") > 2,
        pay(HELD, 1, "guild", "bank"),
        pay(HELD, 1, "fremen", "bank"),
    ),
    "a method that reads another": (
        lambda table, _: table.count("one.guild") > 0,
        mark(HELD, "one.guild", None),
        mark(HELD, "two.guild", None),
    ),
    "a helper": (
        lambda table, _: bool(zone(table, "hand.guild")),
        put(HELD, zones={"tanks.guild": ("guild_rep",)}),
        put(HELD, zones={"hand.guild": HELD.zones["hand.guild"]}),
    ),
    "what is worked out from a field once": (
        lambda table, _: bool(table.places_of("fremen")),
        put(HELD, forces={}),
        put(HELD, turn=7),
    ),
    "two in a row": (
        lambda table, _: table.ally_of("guild") is not None and table.phase == "storm",
        put(HELD, phase="battle"),
        put(HELD, turn=7),
    ),
}


@pytest.mark.parametrize("way", READS)
def test_an_answer_is_stale_when_what_it_read_is_not_the_same(way: str) -> None:
    """And only then."""
    question, changed, elsewhere = READS[way]
    assert _is_stale(question, changed)
    assert not _is_stale(question, elsewhere)
    assert not _is_stale(question, HELD)


@pytest.mark.parametrize("field", Table.__struct_fields__)
def test_every_field_is_noted(field: str) -> None:
    """Whatever fields a table has, now and later."""
    held = getattr(HELD, field)
    other = {"x": "y"} if isinstance(held, dict) else object()
    assert _is_stale(
        lambda table, _: getattr(table, field) is None or bool(getattr(table, field)),
        put(HELD, **{field: other}),
    )


ARGUMENTS = {
    "faction": "guild",
    "one": "guild",
    "other": "fremen",
    "territory": "carthag",
    "place": "carthag:11",
}


@pytest.mark.parametrize(
    "name", [n for n, f in vars(Table).items() if isinstance(f, FunctionType) and n[0] != "_"]
)
def test_a_method_answers_as_on_the_table_itself(name: str) -> None:
    """Every method of a table can be asked, and what it says is noted."""
    wanted = list(inspect.signature(getattr(Table, name)).parameters)[1:]
    given = [ARGUMENTS.get(parameter, "guild") for parameter in wanted]
    heard: list[Any] = []

    def question(table: Table, stack: tuple[Frame, ...]) -> bool:
        heard.append(getattr(table, name)(*given))
        return True

    assert ask(question, HELD, ()).reads
    assert heard == [getattr(HELD, name)(*given)]


@pytest.mark.parametrize(
    "question",
    [
        lambda _, stack: bool(stack),
        lambda _, stack: stack[-1].each,
        lambda _, stack: any(frame.each for frame in stack),
        lambda _, stack: any(frame.each for frame in reversed(stack)),
        lambda _, stack: bool(stack[:-1]),
        lambda _, stack: stack == (),
        lambda _, stack: stack != (),
    ],
)
def test_whoever_reads_the_stack_is_always_asked_again(question: Question) -> None:
    """It is another one at every decision."""
    assert _is_stale(question, HELD)


@pytest.mark.parametrize(
    "question",
    [
        lambda table, _: bool(put(table, turn=1)),
        lambda table, _: table.__struct_fields__ == (),
        lambda table, _: table == HELD,
        lambda table, _: table != HELD,
        lambda table, _: table in (TABLE,),
        lambda table, _: bool({table: 1}),
        lambda _, stack: bool({stack: 1}),
        lambda _, stack: bool((*stack, 1) and stack + stack),
    ],
)
def test_what_cannot_be_noted_cannot_be_read(question: Question) -> None:
    """An author hears of it when the action is first asked for."""
    with pytest.raises(TypeError):
        ask(question, HELD, ())


class Rich(StandingAction):
    """Knows nothing of any memory: there for who has some mark, or for everybody while the low mark is odd."""

    kind: ClassVar[str] = "test_rich"
    rule: ClassVar[str] = "CARD-08"
    why: ClassVar[str] = "For these tests."

    def choice(self, table: Table, seat: Faction, stack: tuple[Frame, ...]) -> Fields | None:
        """Something by a mark of its own, by one of all, or by what is asked."""
        own = table.is_set(f"test.{seat}") or table.count("test.low") % 2 == 1
        spoke = table.names("test.spoke")
        return Fields({}) if own or (spoke and any(o.seat == seat for o in stack[-1].asked)) else None

    def default(self, table: Table, seat: Faction) -> Json:
        """Nothing."""
        return {}

    def flow(self, table: Table, seat: Faction, answer: Json, stack: tuple[Frame, ...]) -> Flow:
        """Make the low mark one more."""
        return Tell(table.count("test.low") + 1)


@pytest.fixture
def rich() -> Iterator[None]:
    """The action, for one test."""
    standing(Rich)
    yield
    actions._registry.remove(Rich.kind)


def _holders(game: Game) -> list[str]:
    rich = standing_actions()[Rich.kind]
    listed = [row.seat for row in game.standing if row.kind == Rich.kind]
    assert listed == [seat for seat in game.table.seats if rich.available(game.table, seat, game.stack)]
    return listed


@pytest.mark.usefixtures("rich")
def test_the_list_follows_the_table_and_the_stack_from_decision_to_decision() -> None:
    """An action that reads marks and the stack is listed as if it were asked anew each time."""
    game = begun(AskEach()).game
    assert _holders(game) == []
    game = _played(game, "guild", {"do": "no"})
    assert _holders(game) == ["atreides", "fremen"], "the Guild is not asked any more"
    game = _played(game, "fremen", {"do": "no"})
    assert _holders(game) == ["atreides"]
    game = _played(game, "atreides", {}, anytime_id(game, "atreides", "test_rich"))
    assert _holders(game) == ["atreides", "fremen", "guild"]


def _played(game: Game, seat: str, given: Json, offer_id: str = "") -> Game:
    known = offer_id or next(offer.id for offer in game.open if offer.seat == seat)
    outcome = answer(game, seat, known, given)
    assert isinstance(outcome, Decision), outcome
    return outcome.game
