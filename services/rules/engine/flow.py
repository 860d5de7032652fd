"""Flows: the rule book as resumable steps, and the stack on which they wait.

A flow is a frozen struct. Its steps are methods with names; a step gets the play and returns what comes next. A
step that asks takes the play alone, emits nothing and draws no chance, so that it can be run again when
something happened in the middle of the question.
"""

from __future__ import annotations

import inspect
from functools import cache
from typing import TYPE_CHECKING, Any, ClassVar, TypeAlias, TypeVar

import msgspec
from msgspec import Struct

from shared.dune.offers import Offer
from shared.dune.settings import Faction
from shared.dune.shapes import Json

if TYPE_CHECKING:
    from services.rules.engine.play import Play

__all__ = [
    "Answers",
    "Ask",
    "Call",
    "Done",
    "Flow",
    "Frame",
    "Given",
    "Goto",
    "Next",
    "decode_stack",
    "encode_stack",
]

Answers: TypeAlias = dict[Faction, Json]
"""What the asked seats answered, by seat; given to the step after an ask that waits for all."""
F = TypeVar("F", bound="Flow")


class Given(Struct, frozen=True):
    """One seat's answer, given to the step after an ask that goes on with each answer."""

    seat: Faction
    answer: Json


class Flow(Struct, frozen=True, tag_field="flow", omit_defaults=True):
    """Base of all flows. Fields hold ids, numbers and frozen structs only: whatever JSON can carry.

    `blocks_interrupts`: what it asks must be answered before anything else is done. [WINPOL-17] `asks_always`: also who
    has one legal answer only is asked, since that there is but one follows from what is hidden. [SECRET-10]

    `is_boundary`: it asks for an ordinary action of its phase, so that nothing is half done while it waits. [NEXUS-87]
    """

    blocks_interrupts: ClassVar[bool] = False
    asks_always: ClassVar[bool] = False
    is_boundary: ClassVar[bool] = False

    def replace(self: F, **changes: object) -> F:
        """The same flow with other fields."""
        return msgspec.structs.replace(self, **changes)

    def sealed(self, play: Play, seat: Faction, answer: Json) -> None:
        """What follows at once from an answer that now waits, sealed, for those of others: nothing as a rule.

        It may record what its seat alone may see, and change nothing that others are asked.
        """

    def decides(self, answer: Json) -> bool:
        """Whether this answer ends the asking at once, without those that are still awaited."""
        return False

    def still_holds(self, before: Offer, now: Offer) -> bool:
        """Whether an answer that was sealed for an offer holds for what is asked now, if it is legal there too."""
        return True

    def ask(self, offers: list[Offer], then: str, *, each: bool = False) -> Ask:
        """Stop and wait; go on at `then` with all answers, or with `each` answer as it comes."""
        return Ask(self, tuple(offers), then, each)

    def call(self, flow: Flow, then: str) -> Call:
        """Push a flow; go on at `then` with its result."""
        return Call(self, flow, then)

    def goto(self, step: str) -> Goto:
        """Go on at once at another step."""
        return Goto(self, step)

    def done(self, result: Json = None) -> Done:
        """Pop; hand the result, a JSON value, to the caller's step."""
        return Done(result)


class Ask(Struct, frozen=True):
    """A step's wish to wait for answers."""

    flow: Flow
    offers: tuple[Offer, ...]
    then: str
    each: bool


class Call(Struct, frozen=True):
    """A step's wish to run another flow first."""

    flow: Flow
    child: Flow
    then: str


class Goto(Struct, frozen=True):
    """A step's wish to go on at another step."""

    flow: Flow
    step: str


class Done(Struct, frozen=True):
    """A step's word that its flow is over."""

    result: Json


Next: TypeAlias = Ask | Call | Goto | Done


class Frame(Struct, frozen=True, omit_defaults=True):
    """One flow on the stack: the step it goes on at, or what it asked, from which step, and the answers so far.

    `before` keeps the offers of an ask that goes on with each answer, or that was broken off to do something first, so
    that the same question keeps its id; the answers that the latter had are kept as well.
    """

    flow: Flow
    step: str = "start"
    asked: tuple[Offer, ...] = ()
    answers: dict[Faction, Json] = {}
    each: bool = False
    asked_by: str = ""
    before: tuple[Offer, ...] = ()

    @property
    def is_waiting(self) -> bool:
        """Whether some asked seat has not answered yet, and no answer has decided."""
        if not self.asked or all(offer.seat in self.answers for offer in self.asked):
            return False
        return not any(self.flow.decides(answer) for answer in self.answers.values())


@cache
def takes_given(kind: type[Flow], step: str) -> bool:
    """Whether a step wants what came before it (answers or a result) besides the play."""
    return len(inspect.signature(getattr(kind, step)).parameters) > 2


@cache
def _flow_union() -> Any:
    union: Any = None
    for kind in _leaves(Flow):
        union = kind if union is None else union | kind
    return union


def _leaves(kind: type[Flow]) -> list[type[Flow]]:
    found: list[type[Flow]] = []
    for child in kind.__subclasses__():
        if child.__struct_config__.tag is not None:
            found.append(child)
        found.extend(_leaves(child))
    return found


class _Stored(Struct, frozen=True, omit_defaults=True):
    """A frame as it is stored. An offer that stands open beside the stack is stored there, and named here."""

    flow: msgspec.Raw
    step: str = "start"
    asked: tuple[Offer | str, ...] = ()
    answers: dict[Faction, Json] = {}
    each: bool = False
    asked_by: str = ""
    before: tuple[Offer, ...] = ()


@cache
def _decoders() -> tuple[msgspec.json.Decoder[list[_Stored]], msgspec.json.Decoder[Flow]]:
    return msgspec.json.Decoder(list[_Stored]), msgspec.json.Decoder(_flow_union())


def encode_stack(stack: tuple[Frame, ...], beside: tuple[Offer, ...] = ()) -> msgspec.Raw:
    """The JSON of a stack; offers that are stored `beside` it are named by their ids."""
    named = {offer.id for offer in beside}
    return msgspec.Raw(msgspec.json.encode([_stored(frame, named) for frame in stack], order="deterministic"))


def _stored(frame: Frame, named: set[str]) -> _Stored:
    flow = msgspec.Raw(msgspec.json.encode(frame.flow, order="deterministic"))
    asked = tuple(offer.id if offer.id in named else offer for offer in frame.asked)
    return _Stored(flow, frame.step, asked, frame.answers, frame.each, frame.asked_by, frame.before)


def decode_stack(data: msgspec.Raw, beside: tuple[Offer, ...] = ()) -> tuple[Frame, ...]:
    """The stack that was saved with these offers beside it; the loader must have loaded every flow before."""
    frames, flows = _decoders()
    named = {offer.id: offer for offer in beside}
    return tuple(
        Frame(
            flows.decode(f.flow),
            f.step,
            tuple(_asked(named[offer]) if isinstance(offer, str) else offer for offer in f.asked),
            f.answers,
            f.each,
            f.asked_by,
            f.before,
        )
        for f in frames.decode(data)
    )


def _asked(shown: Offer) -> Offer:
    """An offer as it was asked, without the answer that it shows to its seat."""
    return msgspec.structs.replace(shown, committed=None) if shown.committed is not None else shown
