"""Starting one lobby with a profile, straight on the store, after a private backup of the room. [NEXUS-79]

All of it is one transaction on the locked room: it begins at the version that was looked at, or nothing is changed.
The running services are told by nobody: they find the commit as they find every one whose wake-up was lost.
"""

from __future__ import annotations

import json
import os
import random
import secrets
import stat
from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from uuid import UUID, uuid4

import msgspec
from msgspec import Raw
from psycopg import AsyncConnection

from services.room.commits import commit_of
from services.room.profiles import Profile, misfit, settings_for
from services.room.seats import Dealt, deal, game_settings
from services.room.store.append import append
from services.room.store.store import Head, Store
from shared.ops.database import Pool
from shared.wire.messages import Decide, Decided, Refused, StartGame

__all__ = ["Begin", "Lobby", "NotStarted", "look", "restore", "start"]

Begin = Callable[[Decide], object]
"""The rules: what they say to a command."""
OF_ROOM = ("seats", "tokens")
"""Tables that a lobby's backup holds beside the room itself."""
OF_GAME = ("commits", "events", "snapshots", "deadlines")


class NotStarted(Exception):
    """Why nothing was done; the room is as it was."""


@dataclass
class Chair:
    """One seat of the lobby as it was read."""

    seat: int
    kind: str
    name: str
    faction: str | None
    ready: bool
    policy: str | None


@dataclass(frozen=True)
class Lobby:
    """A room that was looked at. `at` is its version: it grows with each change of the lobby."""

    id: UUID
    code: str
    state: str
    at: int
    settings: dict[str, Any]
    ruleset: str
    seats: list[Chair]


async def look(connection: AsyncConnection, code: str, *, lock: bool = False) -> Lobby:
    """Read a room with its seats. Raises NotStarted if there is none of that code, or it is a staged one."""
    query = "SELECT id, code, state, lobby, version, settings, ruleset, scenario FROM rooms WHERE code = %s"
    found = await connection.execute(query + (" FOR UPDATE" if lock else ""), (code,))
    row = await found.fetchone()
    if row is None:
        raise NotStarted(f"there is no room {code} in this store")
    if row[7]:
        raise NotStarted(f"room {code} is a staged scenario, no lobby")
    rows = await connection.execute(
        "SELECT seat, kind, name, faction, ready, policy FROM seats WHERE room = %s ORDER BY seat", (row[0],)
    )
    chairs = [Chair(*one) for one in await rows.fetchall()]
    return Lobby(row[0], row[1], row[2], row[3], row[5], row[6], chairs)


async def start(url: str, profile: Profile, code: str, at: int, folder: Path, begin: Begin) -> Path:
    """Back the room up and begin its game; returns the backup. Raises NotStarted, with nothing changed."""
    pool = Pool(url, 1, name="sietch-profile")
    try:
        head = await Store(pool).head(code)
    finally:
        await pool.close()
    async with await AsyncConnection.connect(url, connect_timeout=10) as connection:
        lobby = await look(connection, code, lock=True)
        assert head is not None  # it was just read by its code, and rooms are never deleted
        if lobby.at != at or head.lobby != at:
            raise NotStarted(f"room {code} is at version {lobby.at}, not at {at}: look at it again")
        if why := misfit(profile, lobby.state, lobby.settings, lobby.seats):
            raise NotStarted(f"room {code} does not fit {profile.name}: {why}")
        settings = settings_for(profile, lobby.settings)
        dealt = _dealt(lobby)
        reply, command_id = _asked(lobby, head, settings, dealt, begin)
        backup = await _backed_up(connection, lobby, folder)
        await _written(connection, lobby, head, settings, dealt, (reply, command_id))
    return backup


def _dealt(lobby: Lobby) -> list[Dealt]:
    """Seats keep their wishes and sit in the circle as in the lobby; whoever has no wish is dealt a faction."""
    taken = [seat for seat in lobby.seats if seat.kind != "open"]
    found = deal(taken, random.SystemRandom())  # type: ignore[arg-type]  # a chair has all that is dealt to
    return [replace(one, position=number) for number, one in enumerate(found)]


def _asked(
    lobby: Lobby, head: Head, settings: dict[str, Any], dealt: list[Dealt], begin: Begin
) -> tuple[Decided, UUID]:
    game = game_settings(settings, lobby.ruleset, dealt)
    game["paced"] = any(seat.kind == "person" for seat in lobby.seats)
    command_id = uuid4()
    command = StartGame(Raw(msgspec.json.encode(game)), secrets.randbits(63))
    asked = Decide(lobby.id.hex, 0, command, tip=head.hash, command_id=command_id.bytes)
    reply = begin(asked)
    if isinstance(reply, Refused):
        raise NotStarted(f"room {lobby.code} cannot be played so: {reply.text}")
    assert isinstance(reply, Decided)
    return reply, command_id


async def _backed_up(connection: AsyncConnection, lobby: Lobby, folder: Path) -> Path:
    """The room as it is, into a new file that its owner alone may read: it holds what tokens are known by."""
    rows: dict[str, Any] = {"made_at": datetime.now(UTC).isoformat(timespec="seconds"), "format": 1}
    found = await connection.execute("SELECT to_jsonb(r) FROM rooms r WHERE id = %s", (lobby.id,))
    rows["room"] = (await found.fetchone() or [None])[0]
    for table in OF_ROOM:
        listed = await connection.execute(
            f"SELECT coalesce(jsonb_agg(to_jsonb(t)), '[]') FROM {table} t WHERE room = %s", (lobby.id,)
        )
        rows[table] = (await listed.fetchone() or [[]])[0]
    return _kept(rows, folder, f"{lobby.code}-{lobby.at}-{uuid4().hex[:8]}.json")


def _kept(rows: dict[str, Any], folder: Path, name: str) -> Path:
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    if stat.S_IMODE(folder.stat().st_mode) & 0o077:
        raise NotStarted(f"others can look into {folder}, and the backup holds secrets: chmod 700 {folder}")
    descriptor = os.open(folder / name, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(descriptor, "w", encoding="utf-8") as file:
        json.dump(rows, file, indent=1)
        file.flush()
        os.fsync(file.fileno())
    return folder / name


async def _written(
    connection: AsyncConnection,
    lobby: Lobby,
    head: Head,
    settings: dict[str, Any],
    dealt: list[Dealt],
    made: tuple[Decided, UUID],
) -> None:
    faction_of = {one.seat: one.faction for one in dealt}
    bots = {faction_of[seat.seat]: seat.policy or "" for seat in lobby.seats if seat.kind == "bot"}
    kept = msgspec.json.encode(settings).decode()
    await connection.execute("UPDATE rooms SET settings = %s::jsonb WHERE id = %s", (kept, lobby.id))
    for one in dealt:
        await connection.execute(
            "UPDATE seats SET faction = %s, position = %s WHERE room = %s AND seat = %s",
            (one.faction, one.position, lobby.id, one.seat),
        )
    if await append(connection, commit_of(head, "", made[1], made[0], bots)) is None:
        raise NotStarted(f"room {lobby.code} began otherwise in this moment; nothing was changed")


async def restore(url: str, backup: Path, *, replace_game: bool) -> str:
    """Put a room back as a backup has it, tokens included; returns its code.

    A room whose game has begun since is replaced only if `replace_game`: its game is then lost. The services must be
    down for that: they would go on with what they remember. Raises NotStarted, with nothing changed.
    """
    rows = _read(backup)
    code, room = str(rows["room"]["code"]), UUID(rows["room"]["id"])
    async with await AsyncConnection.connect(url, connect_timeout=10) as connection:
        found = await connection.execute("SELECT version FROM rooms WHERE id = %s FOR UPDATE", (room,))
        now = await found.fetchone()
        if now is not None and now[0] > 0 and not replace_game:
            raise NotStarted(
                f"the game of room {code} has begun; stop the services and say --replace-game to give it up"
            )
        for table in OF_GAME:
            await connection.execute(f"DELETE FROM {table} WHERE room = %s", (room,))
        await connection.execute("DELETE FROM rooms WHERE id = %s", (room,))
        for table, held in (("rooms", [rows["room"]]), *((name, rows[name]) for name in OF_ROOM)):
            await connection.execute(
                f"INSERT INTO {table} SELECT * FROM jsonb_populate_recordset(NULL::{table}, %s::jsonb)",
                (json.dumps(held),),
            )
    return code


def _read(backup: Path) -> dict[str, Any]:
    try:
        rows: dict[str, Any] = json.loads(backup.read_text("utf-8"))
        whole = bool(rows["room"]["code"] and UUID(rows["room"]["id"])) and all(t in rows for t in OF_ROOM)
    except (OSError, ValueError, KeyError, TypeError) as wrong:
        raise NotStarted(f"{backup} is no backup of a room: {type(wrong).__name__}") from None
    if not whole:
        raise NotStarted(f"{backup} is no whole backup of a room")
    return rows
