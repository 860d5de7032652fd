"""Rooms, seats and tokens before and beside the game: cold, through SQLModel. One transaction for each change.

Each change writes down what it is known by (`changes.py`). So whoever asks the same again is answered as before, and
where a connection broke before the database could say whether the change was made, it is looked up: who sits down and
is told to try again would hold two seats, and know the token of one. [decision 0038]
"""

from __future__ import annotations

import asyncio
import secrets
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import timedelta
from typing import Any
from uuid import UUID, uuid4

from sqlalchemy import AsyncAdaptedQueuePool, delete, func, update
from sqlalchemy.exc import DBAPIError, IntegrityError
from sqlalchemy.exc import TimeoutError as PoolTimeout
from sqlalchemy.ext.asyncio import AsyncEngine, create_async_engine
from sqlmodel import col, select
from sqlmodel.ext.asyncio.session import AsyncSession

from services.room.changes import REPEAT_SECONDS, Asked, asked_for
from services.room.errors import conflict, no_room
from services.room.ids import new_code, new_token, token_hash, uuid7
from services.room.store.store import StoreDown
from services.room.store.tables import Change, Room, Seat, Token, now
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
    """A room's lobby while one change is made: locked, with its seats in order.

    `repeated`: the change was made before; nothing is to be done again but to issue tokens, for the seat `seat` (which
    the first try named by `answered`, None: it had none).
    """

    session: AsyncSession
    room: Room
    seats: list[Seat]
    repeated: bool = False
    seat: int | None = None

    def answered(self, seat: int) -> None:
        """Write down which seat the change was about."""
        self.seat = seat

    def token(self, seat: int | None, scope: str) -> str:
        """Issue a token; what is returned is the only copy of its text."""
        return self.token_with_id(seat, scope)[0]

    def token_with_id(self, seat: int | None, scope: str) -> tuple[str, UUID]:
        """The same, with the id by which it can be revoked."""
        text = new_token()
        row = Token(id=uuid4(), room=self.room.id, seat=seat, scope=scope, hash=token_hash(text))
        self.session.add(row)
        return text, row.id

    async def valid_tokens(self, seat: int | None) -> int:
        """How many tokens of a seat (None: of the host) are valid now."""
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

    async def freed(self, seat: int) -> None:
        """Whoever sat down there gets no token by sending the same again: the seat is another's from now on."""
        undone = update(Change).where(col(Change.room) == self.room.id, col(Change.seat) == seat)
        await self.session.exec(undone.values(seat=0))

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
    async def change(
        self, code: str, asked: Asked | None = None, *, lobby: bool = True
    ) -> AsyncIterator[Open]:
        """Lock a room for one change of its seats. Raises ApiError 404, or 409 when `lobby` and it has started.

        Of room and seats only what was read within the block is of use after it.
        """
        asked = asked or asked_for(code)
        async with self._changing(asked) as session:
            room = await _locked(session, code)
            before = await _before(session, asked)
            if lobby and room.state != "lobby" and before is None:
                raise conflict("started", "The game has started: its seats and settings are fixed.")
            opened = Open(session, room, await _seats(session, room.id), *_again(before))
            yield opened
            await _note(opened, asked)

    @asynccontextmanager
    async def making(
        self, name: str, settings: dict[str, Any], ruleset: str, asked: Asked, *, scenario: bool = False
    ) -> AsyncIterator[Open]:
        """Make a room with empty seats and whatever the block does with it, or have the one that was made before.

        All of it is one transaction: a room that somebody finds has a host who knows its token.
        """
        async with self._changing(asked) as session:
            before = await _before(session, asked)
            if before is None:
                code = await _free_code(session)
                room = Room(
                    id=uuid7(),
                    code=code,
                    name=name,
                    settings=settings,
                    ruleset=ruleset,
                    bot_key=secrets.token_bytes(32),
                    scenario=scenario,
                )
                session.add(room)
                await session.flush()
                seats = [Seat(room=room.id, seat=number + 1) for number in range(settings["seats"])]
            else:
                found = await session.exec(select(Room).where(Room.id == before.room).with_for_update())
                room = found.one()
                seats = await _seats(session, room.id)
            opened = Open(session, room, seats, *_again(before))
            yield opened
            await _note(opened, asked)

    @asynccontextmanager
    async def _changing(self, asked: Asked) -> AsyncIterator[AsyncSession]:
        """The transaction of one change; where nobody could say that it was made, whether it was is looked up."""
        ended = False
        try:
            async with self._session() as session:
                await session.exec(select(func.pg_advisory_xact_lock(asked.lock)))
                yield session
                ended = True
        except StoreDown:
            if not ended or not await self._kept(asked):
                raise

    async def _kept(self, asked: Asked) -> bool:
        """Whether a change was made; asked behind its lock, which its transaction holds until that is decided."""
        until = time.monotonic() + KEPT_SECONDS
        while True:
            try:
                async with self._session() as session:
                    await session.exec(select(func.pg_advisory_xact_lock(asked.lock)))
                    return await _is_known(session, asked)
            except StoreDown:
                if time.monotonic() >= until:
                    raise
                await asyncio.sleep(KEPT_AGAIN_SECONDS)

    async def known(self, asked: Asked) -> bool:
        """Whether a change was made before, at a look."""
        async with self._session() as session:
            return await _is_known(session, asked)

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


async def _free_code(session: AsyncSession) -> str:
    for _ in range(8):
        code = new_code()
        if (await session.exec(select(Room.id).where(Room.code == code))).first() is None:
            return code
    raise conflict("no_code", "No free room code was found; try again.")


async def _is_known(session: AsyncSession, asked: Asked) -> bool:
    return (await session.exec(select(Change.key).where(Change.key == asked.key))).first() is not None


async def _before(session: AsyncSession, asked: Asked) -> Change | None:
    """The change that was made by this id. Raises ApiError 409 if it was another one, or was undone."""
    change = (await session.exec(select(Change).where(Change.key == asked.key))).one_or_none()
    if change is None:
        return None
    if change.what != asked.what or change.at < now() - timedelta(seconds=REPEAT_SECONDS):
        raise conflict("command_used", "This command_id was used before; make a new one for each request.")
    if change.seat == 0:
        raise conflict("command_used", "The seat that this command_id took was freed since; make a new one.")
    return change


def _again(before: Change | None) -> tuple[bool, int | None]:
    return (False, None) if before is None else (True, before.seat)


async def _note(opened: Open, asked: Asked) -> None:
    """Count the change, write down what it is known by, and forget those that nobody will ask for any more."""
    room, session = opened.room, opened.session
    room.lobby += 1
    session.add(room)
    session.add_all(opened.seats)
    if opened.repeated:
        return
    old = now() - timedelta(seconds=REPEAT_SECONDS)
    await session.exec(delete(Change).where(col(Change.room) == room.id, col(Change.at) < old))
    session.add(Change(key=asked.key, room=room.id, what=asked.what, seat=opened.seat))
