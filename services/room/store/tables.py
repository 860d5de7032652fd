"""The cold tables as SQLModel classes: rooms, seats and tokens. The hot ones are plain SQL in `append.py`.

Alembic's migrations make the tables; a test compares these classes with what the migrations made.
"""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any
from uuid import UUID

from sqlalchemy import Column, DateTime, ForeignKey, LargeBinary, SmallInteger, Text
from sqlalchemy.dialects.postgresql import JSONB
from sqlmodel import Field, SQLModel

from shared.wire.chain import GENESIS


def now() -> datetime:
    """The present moment, in UTC."""
    return datetime.now(UTC)


def _moment() -> Any:
    return Field(default_factory=now, sa_column=Column(DateTime(timezone=True), nullable=False))


class Room(SQLModel, table=True):
    """A room: its lobby, the head of its stream, and what is open there.

    `lobby` counts changes before the start; `version` commits after it. `open` are the open offers after the
    newest commit, `published` is the newest version whose wake-up NATS acknowledged, `settled` says that the sweep
    need not look at the room (it has no game yet, or is finished and published). `turn` and `phase` are what the
    directory tells of the game.
    """

    __tablename__ = "rooms"

    id: UUID = Field(primary_key=True)
    code: str = Field(sa_column=Column(Text, nullable=False, unique=True))
    name: str = Field(sa_column=Column(Text, nullable=False))
    state: str = Field(default="lobby", sa_column=Column(Text, nullable=False))
    scenario: bool = False
    settings: dict[str, Any] = Field(sa_column=Column(JSONB, nullable=False))
    ruleset: str = Field(sa_column=Column(Text, nullable=False))
    lobby: int = 0
    version: int = 0
    hash: bytes = Field(default=GENESIS, sa_column=Column(LargeBinary, nullable=False))
    open: list[dict[str, str]] = Field(default_factory=list, sa_column=Column(JSONB, nullable=False))
    bot_key: bytes = Field(sa_column=Column(LargeBinary, nullable=False))
    bot_waits: bool = False
    published: int = 0
    settled: bool = True
    finished: bool = False
    result: Any = Field(default=None, sa_column=Column(JSONB, nullable=True))
    turn: int = Field(default=0, sa_column=Column(SmallInteger, nullable=False))
    phase: str = Field(default="", sa_column=Column(Text, nullable=False))
    asked_at: datetime = _moment()
    created_at: datetime = _moment()
    updated_at: datetime = _moment()


class Seat(SQLModel, table=True):
    """A numbered seat of a room. `faction` is a wish in the lobby, and the seat's name on the wire from the start."""

    __tablename__ = "seats"

    room: UUID = Field(sa_column=Column(ForeignKey("rooms.id", ondelete="CASCADE"), primary_key=True))
    seat: int = Field(sa_column=Column(SmallInteger, primary_key=True, autoincrement=False))
    kind: str = Field(default="open", sa_column=Column(Text, nullable=False))
    name: str = Field(default="", sa_column=Column(Text, nullable=False))
    faction: str | None = Field(default=None, sa_column=Column(Text))
    position: int | None = Field(default=None, sa_column=Column(SmallInteger))
    ready: bool = False
    policy: str | None = Field(default=None, sa_column=Column(Text))


class Token(SQLModel, table=True):
    """A bearer token: only its SHA-256 is kept. `seat` is None for the host's."""

    __tablename__ = "tokens"

    id: UUID = Field(primary_key=True)
    room: UUID = Field(
        sa_column=Column(ForeignKey("rooms.id", ondelete="CASCADE"), nullable=False, index=True)
    )
    seat: int | None = Field(default=None, sa_column=Column(SmallInteger))
    scope: str = Field(sa_column=Column(Text, nullable=False))
    hash: bytes = Field(sa_column=Column(LargeBinary, nullable=False, unique=True))
    created_at: datetime = _moment()
    revoked_at: datetime | None = Field(default=None, sa_column=Column(DateTime(timezone=True)))


class Change(SQLModel, table=True):
    """One change of a lobby, by a digest of its id: `what` is one of what was asked, `seat` what it was answered with.

    `seat` is 0 once the seat was freed again: whoever asks then gets nothing that is now another's.
    """

    __tablename__ = "changes"

    key: bytes = Field(sa_column=Column(LargeBinary, primary_key=True))
    room: UUID = Field(
        sa_column=Column(ForeignKey("rooms.id", ondelete="CASCADE"), nullable=False, index=True)
    )
    what: bytes = Field(sa_column=Column(LargeBinary, nullable=False))
    seat: int | None = Field(default=None, sa_column=Column(SmallInteger))
    at: datetime = _moment()


__all__ = ["GENESIS", "Change", "Room", "SQLModel", "Seat", "Token", "now"]
