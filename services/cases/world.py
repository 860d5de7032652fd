"""What a case is played on: the engine in process, or a deployment over HTTP, behind one small protocol."""

from __future__ import annotations

from typing import Any, Protocol

import msgspec

from services.rules.engine.game import Decision, Game, Refusal, answer, expire
from services.rules.staging import stage
from shared.dune.events import Event, visible
from shared.dune.offers import Offer
from shared.dune.table import Table
from shared.dune.views import encode_view, view

__all__ = ["EngineWorld", "World"]


class World(Protocol):
    """A staged game that a case plays on."""

    def offers(self, seat: str) -> list[Offer]:
        """The open and standing offers of a seat."""
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


class EngineWorld:
    """The engine in process: milliseconds a case."""

    def __init__(self, described: dict[str, Any]) -> None:
        decision = stage(described)
        self.game: Game = decision.game
        self._events: list[Event] = list(decision.events)

    def offers(self, seat: str) -> list[Offer]:
        """The open and standing offers of a seat."""
        return self.game.offers_of(seat)

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
