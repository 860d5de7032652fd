"""The engine alone, in this process, on one core: whole games, and the trampoline with next to no game on it.

Seconds are those of the processor, so that a machine that does something else meanwhile changes little.
"""

from __future__ import annotations

import time

from services.rules.engine.chance import Chance
from services.rules.engine.flow import Answers, Flow, Next
from services.rules.engine.game import Decision, Game, answer, begin_with
from services.rules.engine.loader import load_rules
from services.rules.engine.offering import offer
from services.rules.engine.play import Play
from services.rules.engine.trampoline import Run, answer_top
from shared.dune.offers import Offer
from shared.dune.settings import Mode, Settings
from shared.dune.shapes import Fields, Number
from shared.dune.table import Table, put
from tests.bench.bench import Bench
from tests.bench.games import play
from tests.bench.model import Measure, Row, at_least, quantile
from tests.property.players import CLASSIC

__all__ = ["ROWS"]


class Ping(Flow, tag="bench.ping", frozen=True, omit_defaults=True):
    """Ask one seat for a number, again and again."""

    count: int = 0

    def start(self, play: Play) -> Next:
        """Ask."""
        return self.ask([question()], then="answered")

    def answered(self, play: Play, answers: Answers) -> Next:
        """Ask again."""
        return self.replace(count=self.count + 1).goto("start")


def question() -> Offer:
    """The question, made anew each time as flows do."""
    return offer("atreides", "bench.number", "A number?", Fields({"n": Number(0, 9)}), default={"n": 0})


async def games(bench: Bench) -> list[Measure]:
    """Whole six-seat games by random legal players, their choosing included, and the time of one decision."""
    load_rules()
    return [*_whole_games(bench, "basic", 10), *_whole_games(bench, "advanced", 5)]


def _whole_games(bench: Bench, mode: Mode, goal: float) -> list[Measure]:
    """The same seeds in a mode; `goal`: whole games a second that are wanted."""
    for _ in play(0, mode):  # whatever is cached for good is cached now
        pass
    spent: list[float] = []
    whole: list[float] = []
    for seed in range(1, bench.number(31, 4)):
        bench.tell(f"{mode} game {seed}")
        began = last = time.process_time()
        for _ in play(seed, mode):
            now = time.process_time()
            spent.append(now - last)
            last = now
        whole.append(last - began)
    note = f"{len(spent) / len(whole):,.0f} decisions a game"
    of = "" if mode == "basic" else f"{mode.capitalize()} "
    p50, p99 = (quantile(spent, share) * 1000 for share in (0.5, 0.99))
    return [
        Measure(
            f"{mode.capitalize()} games",
            "/s",
            len(whole) / sum(whole),
            None,
            at_least(goal),
            len(whole),
            note,
        ),
        Measure(f"{of}decision p50", "ms", p50, None, None, len(spent), "choosing included"),
        Measure(f"{of}decision p99", "ms", p99, None, None, len(spent)),
    ]


async def trampoline(bench: Bench) -> list[Measure]:
    """A flow that asks and is answered, nothing else: the trampoline's step, and the whole decision around it."""
    load_rules()
    table = put(Table(), settings=Settings(seats=CLASSIC), order=CLASSIC, phase="storm", turn=2)
    game = begin_with(Ping(), table, seed=1).game
    seconds = 3.0 if not bench.quick else 0.5
    bench.tell("the trampoline's step")
    steps = stepping(game, seconds)
    bench.tell("whole decisions")
    decisions = deciding(game, seconds)
    return [
        Measure("trampoline alone", "/s", steps, None, at_least(20_000), int(steps * seconds)),
        Measure(
            "whole decision of that flow", "/s", decisions, None, None, int(decisions * seconds),
            "checked, canonical, standing offers and sequences of six seats included",
        ),
    ]  # fmt: skip


def stepping(game: Game, seconds: float) -> float:
    """Answers a second that the trampoline takes and asks the next question for."""
    done, started = 0, time.process_time()
    state = Run(game.stack, game.asked)
    while (spent := time.process_time() - started) < seconds:
        for _ in range(100):
            seat = state.stack[-1].asked[0].seat
            answer_top(Play(game.table, Chance(game.chance)), state, seat, {"n": 3})
        done += 100
    return done / spent


def deciding(game: Game, seconds: float) -> float:
    """Decisions a second through the engine's front."""
    done, started = 0, time.process_time()
    while (spent := time.process_time() - started) < seconds:
        outcome = answer(game, "atreides", game.open[0].id, {"n": 3})
        assert isinstance(outcome, Decision)
        game = outcome.game
        done += 1
    return done / spent


ROWS = (
    Row("engine", "six-seat Basic games by random legal players, one core, in process", games),
    Row("trampoline", "decisions at the trampoline alone", trampoline),
)
