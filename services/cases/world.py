"""What a case is played on: the engine in process, or a deployment over HTTP, behind one small protocol."""

from __future__ import annotations

from typing import Any, Protocol

import msgspec

from services.rules.engine.game import Decision, Game, Refusal, answer, expire, find_offer
from services.rules.staging import stage
from shared.dune.events import Event, visible
from shared.dune.offers import Offer, Standing
from shared.dune.table import Table
from shared.dune.views import encode_view, view

__all__ = ["EngineWorld", "World", "kinds_of"]


class World(Protocol):
    """A staged game that a case plays on."""

    def asked(self, seat: str) -> list[Offer]:
        """The questions that are open to a seat."""
        ...

    def standing(self, seat: str) -> list[Standing]:
        """What a seat may do at any time, in short."""
        ...

    def find(self, seat: str, kind: str) -> Offer | None:
        """The open or standing offer of a kind, with its choices; None if the seat has none such."""
        ...

    def act(self, seat: str, offer: Offer, given: dict[str, Any]) -> str:
        """Answer an offer; the refusal's code, or an empty string."""
        ...

    def expire(self, seat: str, offer: Offer) -> str:
        """Let the clock of an offer run out; the refusal's code, or an empty string."""
        ...

    def table(self) -> Table:
        """The whole truth."""
        ...

    def events(self) -> list[Event]:
        """Everything that has happened since staging, in order."""
        ...

    def waiting(self) -> list[str]:
        """The seats that the game waits for."""
        ...

    def seen(self, audience: str) -> str:
        """All that an audience was ever shown and sees now, as text."""
        ...


def kinds_of(world: World, seat: str) -> list[str]:
    """The kinds of all that a seat may answer now: what is asked first, then what is always there."""
    return [*(offer.kind for offer in world.asked(seat)), *(offer.kind for offer in world.standing(seat))]


class EngineWorld:
    """The engine in process: milliseconds a case."""

    def __init__(self, described: dict[str, Any]) -> None:
        decision = stage(described)
        self.game: Game = decision.game
        self._events: list[Event] = list(decision.events)

    def asked(self, seat: str) -> list[Offer]:
        """The questions that are open to a seat."""
        return [offer for offer in self.game.open if offer.seat == seat]

    def standing(self, seat: str) -> list[Standing]:
        """What a seat may do at any time, in short."""
        return [offer for offer in self.game.standing if offer.seat == seat]

    def find(self, seat: str, kind: str) -> Offer | None:
        """The open or standing offer of a kind, with its choices."""
        asked = [offer for offer in self.asked(seat) if offer.kind == kind]
        listed = [offer.id for offer in self.standing(seat) if offer.kind == kind]
        return asked[0] if asked else find_offer(self.game, seat, listed[0]) if listed else None

    def act(self, seat: str, offer: Offer, given: dict[str, Any]) -> str:
        """Answer an offer."""
        return self._take(answer(self.game, seat, offer.id, given))

    def expire(self, seat: str, offer: Offer) -> str:
        """Let the clock of an offer run out."""
        return self._take(expire(self.game, seat, offer.id))

    def table(self) -> Table:
        """The whole truth."""
        return self.game.table

    def events(self) -> list[Event]:
        """Everything that has happened since staging."""
        return self._events

    def waiting(self) -> list[str]:
        """The seats that the game waits for."""
        return [seat for waiting in self.game.waiting for seat in waiting.seats]

    def seen(self, audience: str) -> str:
        """The view and all delivered events of an audience."""
        shown = [encode_view(view(self.game.table, self.game.checkpoint(), audience)).decode()]
        for event in self._events:
            if (part := visible(event, audience)) is not None:
                shown.append(msgspec.json.encode(part).decode())
        return "\n".join(shown)

    def _take(self, outcome: Decision | Refusal) -> str:
        if isinstance(outcome, Refusal):
            return outcome.code
        self.game = outcome.game
        self._events.extend(outcome.events)
        return ""
