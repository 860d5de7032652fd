"""A table whose seats all are the verifier's: their streams, their answers, and what must hold after each."""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Sequence
from types import TracebackType
from typing import Any, Self
from uuid import uuid4

import httpx
import msgspec

from services.bot.policies.base import sampled
from services.verifier.plan import Run
from services.verifier.replies import code_of, short
from services.verifier.room import WrongReplyError
from services.verifier.streams import NDJSON, SSE, Ear
from shared.dune.offers import Offer
from shared.dune.views import SPECTATOR

__all__ = ["HOST", "Party"]

HOST = "host"
SHOWN_SECONDS = 15.0
"""How long a change may take to a stream before it counts as lost."""
STUCK_SECONDS = 30.0
"""A running game in which nobody is asked anything for so long is stuck."""
STANDING_SHARE = 0.05
"""How often a standing offer is taken up instead of what is asked."""
SLOW = frozenset({"orders"})
"""Standing offers that let time answer: whoever checks step by step does not take them up."""

Heard = Callable[[str, str], Callable[[str, bytes, dict[str, str]], None]]
"""Whoever records a stream: by its audience and kind."""


def _deaf(audience: str, kind: str) -> Callable[[str, bytes, dict[str, str]], None]:
    return lambda event, data, headers: None


class Party:
    """One running game of the verifier's own people, everybody listening, spectator and host as well."""

    def __init__(
        self,
        run: Run,
        seats: Sequence[str],
        last_turn: int,
        word: str,
        heard: Heard = _deaf,
        mode: str = "basic",
    ) -> None:
        self.run = run
        self.chance = run.chance(word)
        self.room = run.room(seats=len(seats), last_turn=last_turn, mode=mode)
        for seat in seats:
            self.room.sit(seat)
        self.room.start(self.chance.getrandbits(40) if run.plan.scenarios else None)
        self.tokens = {**self.room.tokens, SPECTATOR: "", HOST: self.room.host}
        self.accepted = 0
        self.ears = {
            audience: self._ear(audience, token, (NDJSON, SSE)[number % 2], heard)
            for number, (audience, token) in enumerate(self.tokens.items())
        }
        for ear in self.ears.values():
            run.expect(
                ear.reach(0, SHOWN_SECONDS), "no view came", self._at("stream"), "the whole view at first"
            )

    def _ear(self, audience: str, token: str, kind: str, heard: Heard) -> Ear:
        return Ear(self.run.plan.url, self.room.path, token, kind, heard(audience, kind))

    def __enter__(self) -> Self:
        """Itself; everybody leaves at the end."""
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Hear no more; what was wrong on any stream is a finding."""
        for audience, ear in self.ears.items():
            ear.leave()
            for text in ear.wrong:
                self.run.found(
                    text, f"the stream of {audience}", "numbers without a gap, frames as described"
                )
            self.run.count("frames", ear.frames)

    @property
    def over(self) -> bool:
        """Whether some seat has been shown the result."""
        return any(ear.over for ear in self.ears.values())

    # ------------------------------------------------------------------ answering

    def choose(self) -> tuple[str, Offer] | None:
        """A question that some seat's own stream shows and that has no answer, or something standing now and then."""
        deadline = time.monotonic() + STUCK_SECONDS
        while not self.over:
            self.run.tick()
            asked = [(seat, offer) for seat in self.room.tokens for offer in self.open_to(seat)]
            if asked:
                if self.chance.random() < STANDING_SHARE and (found := self._standing()):
                    return found
                return self.chance.choice(asked)
            if time.monotonic() > deadline:
                self.run.found(
                    "nobody is asked anything", self._at(), "some open offer, or the end of the game"
                )
                return None
            time.sleep(0.02)
        return None

    def open_to(self, seat: str) -> list[Offer]:
        """What a seat is asked and has not answered, as its stream shows it."""
        _, view = self.ears[seat].state()
        offers = [msgspec.convert(offer, Offer) for offer in (view or {}).get("offers", ())]
        return [offer for offer in offers if offer.committed is None]

    def _standing(self) -> tuple[str, Offer] | None:
        listed = [
            (seat, short_["id"])
            for seat in self.room.tokens
            for short_ in (self.ears[seat].view or {}).get("standing", ())
            if short_["kind"] not in SLOW
        ]
        if not listed:
            return None
        seat, name = self.chance.choice(listed)
        reply = self.call("GET", f"/offers/{name}", None, seat)
        if reply.status_code == 409:
            return None  # its stream is a moment behind
        if reply.status_code != 200:
            raise WrongReplyError(reply, 200)
        return seat, msgspec.json.decode(reply.content, type=_Described).offer

    def sample(self, offer: Offer) -> Any:
        """Any answer that an offer's own shapes allow."""
        return sampled(offer, self.chance)

    def act(self, seat: str, offer: Offer, given: Any, command: str = "") -> bool:
        """Answer; whatever an offer's shapes allow is accepted, unless the offer is gone by now."""
        reply = self.room.act(seat, offer.id, given, command or str(uuid4()))
        if reply.status_code == 200:
            self.accepted += 1
            self.run.count("answers")
            self.heard_by(seat)
            return True
        if code_of(reply) == "stale":
            self.run.count("stale answers")
            self._gone(seat, offer)
            return False
        what = f"{reply.status_code} {short(reply)} to {given!r}"
        self.run.found(what, self._at(offer.kind), "acceptance: the answer was built from the offer's shapes")
        return False

    def _gone(self, seat: str, offer: Offer) -> None:
        """An offer that was called stale is not shown any more, or only by a stream that is behind."""
        whole = self.room.whole(seat)
        open_ = [o["id"] for o in whole["view"].get("offers", ()) if o.get("committed") is None]
        self.run.expect(
            offer.id not in open_, "stale", self._at(offer.kind), "acceptance: the view lists the offer"
        )
        self.ears[seat].reach(whole["seq"], SHOWN_SECONDS)

    # ------------------------------------------------------------------ what must hold

    def heard_by(self, audience: str) -> None:
        """The whole view of an audience is what its stream adds up to, as soon as the stream has come so far."""
        reply = self.call("GET", "/view", None, audience)
        if reply.status_code != 200:
            raise WrongReplyError(reply, 200)
        whole, ear = reply.json(), self.ears[audience]
        seq = whole["seq"]
        # While something is being restarted the stream has to be opened anew.
        if not ear.reach(seq, SHOWN_SECONDS * (4 if self.run.outage else 1)):
            self.run.found(f"number {ear.seq}", f"the stream of {audience}", f"number {seq} in time")
            return
        at, view = ear.state()
        self.run.count("views compared")
        if at == seq and view != whole["view"]:
            differing = [key for key in {**view, **whole["view"]} if view.get(key) != whole["view"].get(key)]
            what = f"the patches up to number {seq} add up to another view: {', '.join(differing)}"
            self.run.found(what, f"the stream of {audience}", "the whole view of that number")
        name = audience if audience in self.room.tokens else SPECTATOR
        self.room.promises.shown(self.room.code, name, seq, msgspec.json.encode(whole["view"]))

    def everybody(self) -> dict[str, bytes]:
        """The whole view of every audience, as text that is the same for the same view; compared with the streams."""
        for audience in self.tokens:
            self.heard_by(audience)
        return {audience: self.call("GET", "/view", None, audience).content for audience in self.tokens}

    def call(self, method: str, path: str, body: object, audience: str) -> httpx.Response:
        """One request within the room, as an audience."""
        return self.room.call(method, self.room.path + path, body, self.tokens[audience])

    def _at(self, what: str = "") -> str:
        seats = len(self.room.tokens)
        return f"a game of {seats} (room {self.room.code}) after {self.accepted} answers {what}".rstrip()


class _Described(msgspec.Struct):
    offer: Offer


def turns(chance: random.Random, run: Run) -> int:
    """The last turn of a game that is played through."""
    return 1 if run.plan.quick else chance.choice((1, 2, 2, 3))
