"""The trampoline: runs the flows of a stack until somebody must be asked, or the game is over."""

from __future__ import annotations

import msgspec
from msgspec import Struct

from services.rules.engine.flow import Ask, Call, Flow, Frame, Given, Goto, Next, takes_given
from services.rules.engine.limits import limited
from services.rules.engine.orders import ORDER_CLOCK, ordered_answer, paced
from services.rules.engine.play import Play
from services.rules.engine.settling import settle
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


def answer_top(play: Play, state: Run, seat: Faction, answer: Json) -> None:
    """Record a seat's answer to what the top of the stack asked, and run on if that was what it waited for."""
    frame = state.stack[-1]
    if frame.each:
        _step(play, state, frame, frame.step, Given(seat, answer))
    else:
        frame = msgspec.structs.replace(frame, answers={**frame.answers, seat: answer})
        state.stack = (*state.stack[:-1], frame)
        if frame.is_waiting:
            frame.flow.sealed(play, seat, answer)
    run(play, state)


def _advance(play: Play, state: Run) -> None:
    """Take the top frame one step on; if it asked, its answers are in, handed on in the order of asking."""
    frame = state.stack[-1]
    answers = frame.answers
    given = {o.seat: answers[o.seat] for o in frame.asked if o.seat in answers} if frame.asked_by else None
    _step(play, state, frame, frame.step, given)


def _step(play: Play, state: Run, frame: Frame, step: str, given: Json) -> None:
    flow = frame.flow
    before, emitted, drawn = play.table, len(play.events), play.chance.drawn
    takes = takes_given(type(flow), step)
    result: Next = getattr(flow, step)(play, given) if takes else getattr(flow, step)(play)
    settle(play, before)
    below = state.stack[:-1]
    if isinstance(result, Goto):
        state.stack = (*below, _carrying(frame, step, result.flow, result.step))
    elif isinstance(result, Call):
        state.stack = (*below, _carrying(frame, step, result.flow, result.then), Frame(result.child))
    elif isinstance(result, Ask):
        if takes or (emitted, drawn) != (len(play.events), play.chance.drawn):
            name = f"{type(flow).__name__}.{step}"
            raise RunawayError(f"{name} asks, so it must take nothing, emit nothing, draw nothing")
        state.stack = (*below, _asking(play, state, frame, result, step))
    else:
        state.stack = below
        if below:
            _resume(play, state, result.result)


def _carrying(frame: Frame, step: str, flow: Flow, then: str) -> Frame:
    """The frame that goes on, keeping in mind what its next ask has to know.

    After an answer to an `each` ask the old offers, so that the same question keeps its id. When an ask that is run
    again does something else first, its offers and the answers to them: what was sealed stays sealed. [WINPOL-18]
    """
    if frame.each:
        return Frame(flow, then, before=frame.asked)
    if frame.asked_by == step:
        return Frame(flow, then, before=frame.asked, answers=frame.answers)
    return Frame(flow, then, before=frame.before, answers={} if frame.asked else frame.answers)


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
        offer = paced(play.table, limited(play.table, plain))
        same = _same(offer, known)
        if same is None:
            number = state.asked.get(offer.seat, 0) + 1
            state.asked = {**state.asked, offer.seat: number}
            same = msgspec.structs.replace(offer, id=f"{offer.seat}-{number}")
        given = old.answers.get(offer.seat)
        if given is not None and _holds(ask.flow, known, offer, given):
            answers[offer.seat] = given
        elif (automatic := _automatic(play, ask.flow, offer)) is not None:
            answers[offer.seat] = automatic
        offers.append(same)
    return Frame(ask.flow, ask.then, tuple(offers), {} if ask.each else answers, ask.each, step)


def _holds(flow: Flow, known: tuple[Offer, ...], offer: Offer, given: Json) -> bool:
    """Whether an answer to what was asked before holds for what is asked now."""
    before = next((old for old in known if (old.seat, old.kind) == (offer.seat, offer.kind)), None)
    return before is not None and offer.problem(given) is None and flow.still_holds(before, offer)


def _same(offer: Offer, known: tuple[Offer, ...]) -> Offer | None:
    """The question that was put already and differs in nothing but its id."""
    for other in known:
        is_like = other.seat == offer.seat and other.kind == offer.kind
        if is_like and msgspec.structs.replace(other, id="") == offer:
            return other
    return None


def _automatic(play: Play, flow: Flow, offer: Offer) -> Json:
    """The answer that needs no asking: the only legal one outside a window, or what a standing order says."""
    if not offer.window and not flow.asks_always and offer.choice.sole():
        return offer.default
    return None if offer.clock == ORDER_CLOCK else ordered_answer(play.table, offer)
