"""A recorded game in the store, and what projection is told and says of it."""

from __future__ import annotations

from typing import Any

import msgspec

from services.projection.patch import apply_patch
from services.projection.rooms import Projection
from services.room.store.append import NewCommit
from services.room.store.store import Store
from shared.dune.views import SPECTATOR, encode_view, view
from shared.wire import streams, subjects
from shared.wire.client import Bus
from shared.wire.messages import NoView, View, ViewChanged, ViewRequest, Watching
from tests.service.recorded import SEATS, Recorded
from tests.waiting import PATIENCE, until

ALL = (*SEATS, SPECTATOR)
PLAYED = 120


class Room:
    """A recorded game in the store, told to projection as far as a test wants."""

    def __init__(self, bus: Bus, store: Store, game: Recorded, replicas: list[Projection]) -> None:
        self.bus = bus
        self.store = store
        self.replicas = replicas
        self.game = game
        self.stored = 0
        self.heard: dict[str, list[ViewChanged]] = {audience: [] for audience in ALL}

    async def store_up_to(self, version: int) -> None:
        """Append commits without telling anybody."""
        for number in range(self.stored + 1, version + 1):
            commit = NewCommit(
                room=self.game.room,
                expected=number - 1,
                command_id=self.game.commands[number - 1],
                seat="",
                events=self.game.events[number - 1],
                checkpoint=self.game.checkpoint(number),
                prev_hash=self.game.tip(number - 1),
            )
            assert await self.store.append(commit) == number
            assert commit.hash == self.game.tip(number)
        self.stored = version

    async def tell(self, version: int, again: str = "") -> None:
        """Publish the wake-up of one version."""
        subject = subjects.commit(self.game.room.hex)
        name = f"{self.game.room.hex}:{version}{again}"
        await self.bus.publish_durable(streams.COMMITS, subject, self.game.commit(version), name)

    async def play_to(self, version: int) -> None:
        """Append and tell, one by one."""
        for number in range(self.stored + 1, version + 1):
            await self.store_up_to(number)
            await self.tell(number)

    async def watch(self, *audiences: str, seconds: float = 600.0) -> None:
        """Say that somebody watches, and listen to everything that is published about the room."""
        await self.bus.subscribe(subjects.view(self.game.room.hex, "*"), ViewChanged, self._changed)
        interest = Watching(self.game.room.hex, list(audiences), seconds)
        await self.bus.publish(subjects.interest(self.game.room.hex), interest)
        wanted = set(audiences)
        room = self.game.room.hex
        await until(
            lambda: all(wanted <= {*one._watched.get(room, ())} for one in self.replicas), "word of it"
        )

    async def _changed(self, subject: str, change: ViewChanged) -> None:
        assert subject.endswith(f".{change.audience}")
        self.heard[change.audience].append(change)

    async def worked_off(self) -> None:
        """Wait until projection is done with all that it was told: what it has to say of that, it has said."""

        async def done() -> bool:
            spec = streams.COMMITS
            found = await self.bus.js.consumer_info(spec.name, spec.durable.name)
            return not found.num_pending and not found.num_ack_pending

        await until(done, "the end of what projection was told")

    async def whole(self, audience: str, version: int = 0) -> View:
        found = await self.ask(audience, version)
        assert isinstance(found, View), found
        return found

    async def ask(self, audience: str, version: int = 0) -> View | NoView:
        asked = ViewRequest(self.game.room.hex, audience, version)
        reply: View | NoView = await self.bus.request(
            subjects.PROJECTION_VIEW, asked, View | NoView, PATIENCE
        )
        return reply

    def seq(self, audience: str, version: int | None = None) -> int:
        """The audience's sequence at a version."""
        return self.game.game(version or self.stored).sequences.get(audience, 0)

    async def caught_up(self, *audiences: str) -> None:
        """Wait until the newest change of each audience was heard."""

        def there() -> bool:
            return all(self.heard[a] and self.heard[a][-1].seq == self.seq(a) for a in audiences)

        await until(there)

    def folded(self, start: View) -> dict[str, Any]:
        """The view that its reader has after all changes: each sequence number once and in order."""
        shown: dict[str, Any] = msgspec.json.decode(start.view)
        seq = start.seq
        for change in self.heard[start.audience]:
            if change.seq <= seq:
                continue
            assert change.seq == seq + 1, "a change is missing"
            shown, seq = apply_patch(shown, msgspec.json.decode(change.patch)), change.seq
        assert seq == self.seq(start.audience)
        return shown

    def truth(self, audience: str) -> dict[str, Any]:
        """The view by the engine's own table."""
        game = self.game.game(self.stored)
        found: dict[str, Any] = msgspec.json.decode(
            encode_view(view(game.table, game.checkpoint(), audience))
        )
        return found
