"""Rooms, seats and tokens before and beside the game: cold, through SQLModel. One transaction for each change."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any
from uuid import UUID, uuid4

from sqlalchemy import AsyncAdaptedQueuePool, func
from sqlalchemy.exc import DBAPIError, IntegrityError
from sqlalchemy.exc import TimeoutError as PoolTimeout
from sqlalchemy.ext.asyncio import AsyncEngine, create_async_engine
from sqlmodel import col, select
from sqlmodel.ext.asyncio.session import AsyncSession

from services.room.errors import conflict, no_room
from services.room.ids import new_code, new_token, token_hash, uuid7
from services.room.store.store import StoreDown
from services.room.store.tables import Room, Seat, Token, now
from shared.ops import database
from shared.ops.database import sqlalchemy_url

DIRECTORY_LIMIT = 200
POOL_SIZE = 4
POOL_SECONDS = 10.0
"""How long a change waits for a connection; then its client is asked to come again."""
KEPT_SECONDS = 5.0
"""How long it is tried to find out whether a change was made whose connection broke before the database could say."""
KEPT_AGAIN_SECONDS = 0.2


@dataclass
class Open:
    """A room's lobby while one change is made: locked, with its seats in order."""

    session: AsyncSession
    room: Room
    seats: list[Seat]
    tokens: list[UUID] = field(default_factory=list)
    """The ids of the tokens that are issued by this change: where they are stored, it was made."""

    def token(self, seat: int | None, scope: str) -> str:
        """Issue a token; what is returned is the only copy of its text."""
        return self.token_with_id(seat, scope)[0]

    def token_with_id(self, seat: int | None, scope: str) -> tuple[str, UUID]:
        """The same, with the id by which it can be revoked."""
        text = new_token()
        row = Token(id=uuid4(), room=self.room.id, seat=seat, scope=scope, hash=token_hash(text))
        self.session.add(row)
        self.tokens.append(row.id)
        return text, row.id

    async def valid_tokens(self, seat: int) -> int:
        """How many tokens of a seat are valid now."""
        query = select(func.count(col(Token.id))).where(
            Token.room == self.room.id, Token.seat == seat, col(Token.revoked_at).is_(None)
        )
        return (await self.session.exec(query)).one()

    async def revoke(self, seat: int, token: UUID | None = None) -> int:
        """Revoke one token of a seat, or all. Returns how many were valid until now."""
        query = select(Token).where(
            Token.room == self.room.id, Token.seat == seat, col(Token.revoked_at).is_(None)
        )
        if token is not None:
            query = query.where(Token.id == token)
        rows = (await self.session.exec(query)).all()
        for row in rows:
            row.revoked_at = now()
            self.session.add(row)
        return len(rows)

    async def resize(self, wanted: int) -> None:
        """Have `wanted` seats. Raises ApiError 409 when more are taken."""
        taken = sum(seat.kind != "open" for seat in self.seats)
        if taken > wanted:
            raise conflict("too_many", f"{taken} seats are taken; free some before there are only {wanted}.")
        while len(self.seats) > wanted:
            last_open = max(i for i, seat in enumerate(self.seats) if seat.kind == "open")
            await self.session.delete(self.seats.pop(last_open))
        numbers = {seat.seat for seat in self.seats}
        free = (number for number in range(1, wanted + len(numbers) + 1) if number not in numbers)
        while len(self.seats) < wanted:
            self.seats.append(Seat(room=self.room.id, seat=next(free)))


class Lobbies:
    """Every cold read and write. Errors of the database become `StoreDown`."""

    def __init__(self, dsn: str) -> None:
        self._engine: AsyncEngine = create_async_engine(
            sqlalchemy_url(dsn),
            pool_size=POOL_SIZE,
            max_overflow=4,
            pool_timeout=POOL_SECONDS,
            pool_pre_ping=True,
            connect_args={"connect_timeout": 3, "application_name": "sietch-room-lobby"},
        )
        database.shown["sietch-room-lobby"] = self._state

    def _state(self) -> tuple[int, int, int]:
        """Connections that are idle (made or not), used, and nobody known to wait: SQLAlchemy does not count them."""
        pool = self._engine.pool
        assert isinstance(pool, AsyncAdaptedQueuePool)
        used = pool.checkedout()
        return max(0, POOL_SIZE - used), used, 0

    @asynccontextmanager
    async def _session(self) -> AsyncIterator[AsyncSession]:
        try:
            async with AsyncSession(self._engine, expire_on_commit=False) as session:
                async with session.begin():
                    yield session
        except IntegrityError as error:
            if "seats_faction" in str(error.orig):
                raise conflict("faction_taken", "Another seat has already asked for that faction.") from None
            raise
        except DBAPIError as error:
            raise StoreDown("the database cannot be reached at the moment") from error
        except PoolTimeout as error:
            raise StoreDown("more is asked of the database than it can do at the moment") from error

    @asynccontextmanager
    async def change(self, code: str, *, lobby: bool = True) -> AsyncIterator[Open]:
        """Lock a room for one change of its seats. Raises ApiError 404, or 409 when `lobby` and it has started.

        Where the database could not say any more that the change was made, it is looked for by its tokens: who sits
        down and is told to try again would hold two seats, and know the token of one. Room and seats are then of no
        use any more after the block.
        """
        issued: list[UUID] = []
        try:
            async with self._session() as session:
                room = await _locked(session, code)
                if lobby and room.state != "lobby":
                    raise conflict("started", "The game has started: its seats and settings are fixed.")
                opened = Open(session, room, await _seats(session, room.id))
                yield opened
                room.lobby += 1
                session.add(room)
                session.add_all(opened.seats)
                issued = opened.tokens
        except StoreDown:
            if not issued or not await self._kept(code, issued[0]):
                raise

    async def _kept(self, code: str, token: UUID) -> bool:
        """Whether a token was stored; asked behind the room's lock, which the change holds until it is decided."""
        until = time.monotonic() + KEPT_SECONDS
        while True:
            try:
                async with self._session() as session:
                    await _locked(session, code)
                    return (await session.exec(select(Token.id).where(Token.id == token))).first() is not None
            except StoreDown:
                if time.monotonic() >= until:
                    raise
                await asyncio.sleep(KEPT_AGAIN_SECONDS)

    async def create(
        self, name: str, settings: dict[str, Any], ruleset: str, bot_key: bytes, scenario: bool = False
    ) -> Open:
        """Make a room with empty seats. The returned lobby is detached: use it to read ids only."""
        for _ in range(8):
            room = Room(
                id=uuid7(),
                code=new_code(),
                name=name,
                settings=settings,
                ruleset=ruleset,
                bot_key=bot_key,
                scenario=scenario,
            )
            async with self._session() as session:
                if (await session.exec(select(Room.id).where(Room.code == room.code))).first():
                    continue
                session.add(room)
                await session.flush()
                seats = [Seat(room=room.id, seat=number + 1) for number in range(settings["seats"])]
                session.add_all(seats)
                return Open(session, room, seats)
        raise conflict("no_code", "No free room code was found; try again.")

    async def read(self, code: str) -> tuple[Room, list[Seat]]:
        """A room and its seats as they are now. Raises ApiError 404."""
        async with self._session() as session:
            room = (await session.exec(select(Room).where(Room.code == code))).one_or_none()
            if room is None:
                raise no_room(code)
            return room, await _seats(session, room.id)

    async def directory(self, state: str | None) -> list[tuple[Room, int]]:
        """The newest rooms, with how many sit in each; scenario rooms are not listed."""
        taken = func.count(col(Seat.seat)).filter(col(Seat.kind) != "open")
        query = select(Room, taken).join(Seat, col(Seat.room) == col(Room.id)).where(~col(Room.scenario))
        if state is not None:
            query = query.where(Room.state == state)
        query = query.group_by(col(Room.id)).order_by(col(Room.created_at).desc()).limit(DIRECTORY_LIMIT)
        async with self._session() as session:
            return [(room, int(count)) for room, count in (await session.exec(query)).all()]

    async def close(self) -> None:
        """Close the pool."""
        await self._engine.dispose()


async def _locked(session: AsyncSession, code: str) -> Room:
    """A room that nobody else changes meanwhile. Raises ApiError 404."""
    room = (await session.exec(select(Room).where(Room.code == code).with_for_update())).one_or_none()
    if room is None:
        raise no_room(code)
    return room


async def _seats(session: AsyncSession, room: UUID) -> list[Seat]:
    query = select(Seat).where(Seat.room == room).order_by(col(Seat.seat))
    return list((await session.exec(query)).all())
