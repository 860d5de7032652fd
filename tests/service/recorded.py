"""Real games played beforehand in process, as commits: what room would have stored and published."""

from __future__ import annotations

import asyncio
import random
from collections.abc import AsyncIterator, Callable, Coroutine, Iterable
from contextlib import asynccontextmanager
from typing import Any
from uuid import UUID, uuid4

import msgspec
from msgspec import Raw, Struct

from services.rules.engine.game import Decision, Game, answer
from services.rules.newgame import begin
from shared.dune.events import encode_event
from shared.dune.offers import Offer
from shared.dune.settings import Settings
from shared.dune.shapes import Json
from shared.ops.service import Runtime
from shared.wire.chain import link
from shared.wire.messages import Commit, Load
from tests.waiting import PATIENCE, until

SEATS = ("atreides", "harkonnen", "guild")


class Recorded(Struct):
    """One game: the table after each commit, with the commit. Version n is at index n - 1."""

    room: UUID
    games: list[Game]
    events: list[list[bytes]]
    commands: list[UUID]
    tips: list[bytes]

    @property
    def version(self) -> int:
        """The newest version."""
        return len(self.games)

    def game(self, version: int) -> Game:
        """The game after a version."""
        return self.games[version - 1]

    def checkpoint(self, version: int) -> bytes:
        """The JSON of a version's checkpoint."""
        return msgspec.json.encode(self.game(version).checkpoint(), order="sorted")

    def tip(self, version: int) -> bytes:
        """The chain hash at a version."""
        return self.tips[version - 1] if version else b""

    def load(self, version: int) -> Load:
        """What a worker without the table needs to stand at a version."""
        events = array(event for commit in self.events[:version] for event in commit)
        return Load(None, Raw(events), Raw(self.checkpoint(version)))

    def commit(self, version: int) -> Commit:
        """The message that room publishes."""
        events = [Raw(event) for event in self.events[version - 1]]
        finished = self.game(version).table.result is not None
        return Commit(self.room.hex, version, events, Raw(self.checkpoint(version)), finished)

    def add(self, decision: Decision, command: UUID | None = None) -> None:
        """Append a decision."""
        command = command or uuid4()
        events = [encode_event(event) for event in decision.events]
        saved = msgspec.json.encode(decision.game.checkpoint(), order="sorted")
        self.tips.append(link(self.tip(self.version), self.room, self.version + 1, command, events, saved))
        self.games.append(decision.game)
        self.events.append(events)
        self.commands.append(command)


def record(
    decisions: int, seed: int = 1, seats: tuple[str, ...] = SEATS, room: UUID | None = None
) -> Recorded:
    """A random game of so many decisions after its first commit (fewer when it ends before)."""
    rng = random.Random(seed)
    begun = begin(Settings(seats=seats), seed)
    assert isinstance(begun, Decision)
    made = Recorded(room or uuid4(), [], [], [], [])
    made.add(begun)
    while made.version <= decisions and made.games[-1].table.result is None:
        offer, given = draw(made.games[-1], rng)
        played = answer(made.games[-1], offer.seat, offer.id, given)
        assert isinstance(played, Decision)
        made.add(played)
    return made


def array(bodies: Iterable[bytes]) -> bytes:
    """Events as one JSON array."""
    return b"[" + b",".join(bodies) + b"]"


def as_stored(event: bytes) -> bytes:
    """An event as PostgreSQL gives it back: `jsonb` keeps no order of keys, it has its own."""

    def ordered(value: Any) -> Any:
        if isinstance(value, dict):
            return {key: ordered(value[key]) for key in sorted(value, key=lambda key: (len(key), key))}
        return [ordered(item) for item in value] if isinstance(value, list) else value

    return msgspec.json.encode(ordered(msgspec.json.decode(event)))


def draw(game: Game, rng: random.Random) -> tuple[Offer, Json]:
    """Some open offer, with a legal answer."""
    offer = rng.choice([offer for offer in game.open if offer.committed is None])
    try:
        return offer, offer.choice.sample(rng)
    except LookupError:
        return offer, offer.default


@asynccontextmanager
async def running(
    serve: Callable[[Runtime[Any]], Coroutine[Any, Any, None]], settings: Any
) -> AsyncIterator[Runtime[Any]]:
    """A service in this process, from ready until it has drained."""
    runtime: Runtime[Any] = Runtime("test", settings)
    task = asyncio.create_task(serve(runtime))
    try:
        await until(lambda: runtime.health.started or task.done(), "the service")
        assert not task.done(), task.exception()
        yield runtime
    finally:
        runtime.drain.ask()
        async with asyncio.timeout(PATIENCE):
            await task
