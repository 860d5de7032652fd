"""The trampoline: runs the flows of a stack until somebody must be asked, or the game is over."""

from __future__ import annotations

import msgspec
from msgspec import Struct

from services.rules.engine.flow import Ask, Call, Done, Flow, Frame, Given, Goto, Next, takes_given
from services.rules.engine.limits import limited
from services.rules.engine.orders import ordered_answer
from services.rules.engine.play import Play
from shared.dune.offers import Offer
from shared.dune.settings import Faction
from shared.dune.shapes import Json

__all__ = ["MAX_STEPS", "Run", "RunawayError", "answer_top", "ask_again", "push", "run"]

MAX_STEPS = 20_000
"""More steps than any decision can need: beyond it a flow goes in circles."""


class RunawayError(RuntimeError):
    """A flow broke a rule of the engine: goes in circles, or did something in a step that asks."""


class Run(Struct):
    """The stack while it runs, and how many offers each seat was put so far (the source of offer ids)."""

    stack: tuple[Frame, ...]
    asked: dict[Faction, int]


def run(play: Play, state: Run) -> None:
    """Run until the top of the stack waits, or the stack is empty."""
    for _ in range(MAX_STEPS):
        if not state.stack or state.stack[-1].is_waiting:
            return
        _advance(play, state)
    raise RunawayError(f"more than {MAX_STEPS} steps in {[type(f.flow).__name__ for f in state.stack]}")


def push(state: Run, flow: Flow) -> None:
    """Put a flow on top of whatever waits; what waits is asked again when it is done."""
    state.stack = (*state.stack, Frame(flow))


def ask_again(play: Play, state: Run) -> None:
    """Derive anew what the top of the stack asks; unchanged questions keep their ids and answers."""
    if state.stack and (frame := state.stack[-1]).asked_by:
        _step(play, state, frame, frame.asked_by, None)


def answer_top(play: Play, state: Run, offer: Offer, answer: Json) -> None:
    """Record an answer to an offer that the top of the stack asked, and run on if that was what it waited for."""
    frame = state.stack[-1]
    if frame.each:
        _step(play, state, frame, frame.step, Given(offer.seat, answer))
    else:
        answers = {**frame.answers, offer.seat: answer}
        state.stack = (*state.stack[:-1], msgspec.structs.replace(frame, answers=answers))
    run(play, state)


def _advance(play: Play, state: Run) -> None:
    """Take the top frame one step on; if it asked, all its answers are in, handed on in the order of asking."""
    frame = state.stack[-1]
    given = {offer.seat: frame.answers[offer.seat] for offer in frame.asked} if frame.asked_by else None
    _step(play, state, frame, frame.step, given)


def _step(play: Play, state: Run, frame: Frame, step: str, given: Json) -> None:
    method = getattr(frame.flow, step)
    before = (len(play.events), play.chance.state)
    takes = takes_given(type(frame.flow), step)
    result: Next = method(play, given) if takes else method(play)
    if isinstance(result, Ask) and (takes or before != (len(play.events), play.chance.state)):
        raise RunawayError(
            f"{type(frame.flow).__name__}.{step} asks, so it must take nothing, emit nothing, draw nothing"
        )
    _apply(play, state, frame, step, result)


def _apply(play: Play, state: Run, frame: Frame, step: str, result: Next) -> None:
    below = state.stack[:-1]
    match result:
        case Goto(flow, name):
            state.stack = (*below, Frame(flow, name, before=_kept(frame)))
        case Call(flow, child, then):
            state.stack = (*below, Frame(flow, then, before=_kept(frame)), Frame(child))
        case Ask(flow, offers, then, each):
            state.stack = (*below, _asking(play, state, frame, Ask(flow, offers, then, each), step))
        case Done(value):
            state.stack = below
            if below:
                _resume(play, state, value)


def _kept(frame: Frame) -> tuple[Offer, ...]:
    """After an answer to an `each` ask the old offers are kept in mind, so that the same question keeps its id."""
    return frame.asked if frame.each else frame.before


def _resume(play: Play, state: Run, value: Json) -> None:
    """Hand a result to the caller's step; a frame that was interrupted while it asked is asked again instead."""
    frame = state.stack[-1]
    if frame.asked_by:
        ask_again(play, state)
    else:
        _step(play, state, frame, frame.step, value)


def _asking(play: Play, state: Run, old: Frame, ask: Ask, step: str) -> Frame:
    """The frame that waits: unchanged offers keep their ids and answers, new ones get an id or an automatic answer."""
    offers: list[Offer] = []
    answers: dict[Faction, Json] = {}
    known = (*old.asked, *old.before)
    for plain in ask.offers:
        offer = limited(play.table, plain)
        same = next((o for o in known if msgspec.structs.replace(o, id="") == offer), None)
        if same is None:
            number = state.asked.get(offer.seat, 0) + 1
            state.asked = {**state.asked, offer.seat: number}
            same = msgspec.structs.replace(offer, id=f"{offer.seat}-{number}")
        given = old.answers.get(offer.seat)
        if given is not None and offer.problem(given) is None:
            answers[offer.seat] = given
        elif (automatic := _automatic(play, offer)) is not None:
            answers[offer.seat] = automatic
        offers.append(same)
    return Frame(ask.flow, ask.then, tuple(offers), {} if ask.each else answers, ask.each, step)


def _automatic(play: Play, offer: Offer) -> Json:
    """The answer that needs no asking: the only legal one outside a window, or what a standing order says."""
    if not offer.window and offer.choice.sole():
        return offer.default
    return ordered_answer(play.table, offer)
