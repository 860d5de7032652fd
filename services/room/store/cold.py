"""The lobbies' store, loaded when it is first needed, or once room has begun to serve.

SQLAlchemy takes room longer to load than all that a running game needs together: whoever starts, or stands in for a
room that died, does not wait for it.
"""

from __future__ import annotations

import asyncio
import gc
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any

from services.room.changes import Asked

if TYPE_CHECKING:
    from services.room.store.lobby import Lobbies, Open
    from services.room.store.tables import Room, Seat

__all__ = ["ColdLobbies"]

LATER_SECONDS = 0.5
"""How long after room began to serve what nobody asked for yet is loaded: the first page is out by then."""


class ColdLobbies:
    """`Lobbies`, with everything as it is there."""

    def __init__(self, dsn: str) -> None:
        self._dsn = dsn
        self._loading: asyncio.Task[Lobbies] | None = None

    async def warm(self) -> None:
        """Load it before anybody asks."""
        await asyncio.sleep(LATER_SECONDS)
        await self.loaded()

    async def loaded(self) -> Lobbies:
        """The store itself; loaded once, beside whatever else room does."""
        if self._loading is None:
            self._loading = asyncio.create_task(asyncio.to_thread(_load, self._dsn))
        return await asyncio.shield(self._loading)

    @asynccontextmanager
    async def change(
        self, code: str, asked: Asked | None = None, *, lobby: bool = True
    ) -> AsyncIterator[Open]:
        """See `Lobbies.change`."""
        async with (await self.loaded()).change(code, asked, lobby=lobby) as opened:
            yield opened

    @asynccontextmanager
    async def making(
        self, name: str, settings: dict[str, Any], ruleset: str, asked: Asked, *, scenario: bool = False
    ) -> AsyncIterator[Open]:
        """See `Lobbies.making`."""
        async with (await self.loaded()).making(name, settings, ruleset, asked, scenario=scenario) as opened:
            yield opened

    async def known(self, asked: Asked) -> bool:
        """See `Lobbies.known`."""
        return await (await self.loaded()).known(asked)

    async def read(self, code: str) -> tuple[Room, list[Seat]]:
        """See `Lobbies.read`."""
        return await (await self.loaded()).read(code)

    async def directory(self, state: str | None) -> list[tuple[Room, int]]:
        """See `Lobbies.directory`."""
        return await (await self.loaded()).directory(state)

    async def close(self) -> None:
        """Close the pool, if there is one."""
        if self._loading is not None:
            await (await self._loading).close()


def _load(dsn: str) -> Lobbies:
    from services.room.store.lobby import Lobbies

    gc.collect()
    gc.freeze()  # as at the start: no search for garbage is to look through it, for that holds actions up
    return Lobbies(dsn)
