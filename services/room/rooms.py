"""Rooms before and around the game: make, sit down, set, start, stage. HTTP routes call these; no HTTP in here."""

from __future__ import annotations

import asyncio
import random
import secrets
import time
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any
from uuid import UUID, uuid4

import msgspec
from msgspec import UNSET, Raw

from services.room.acting import refusal
from services.room.bodies import (
    FACTIONS,
    POLICIES,
    AddBot,
    ChangeSeat,
    CreateRoom,
    GameSettings,
    Join,
    Start,
    changed_settings,
)
from services.room.changes import asked_for
from services.room.commits import STARTED, commit_of
from services.room.decide import ACT_SECONDS, Accepted, Desk
from services.room.errors import ApiError, conflict, forbidden, malformed, unavailable
from services.room.hub import Hub
from services.room.rules import Rules
from services.room.seats import (
    TOKENS_PER_SEAT,
    check_start,
    clean_name,
    deal,
    find,
    first_open,
    game_settings,
    sit,
    vacate,
    want_faction,
)
from services.room.store.cold import ColdLobbies
from services.room.store.store import Head, Store
from shared.ops import metrics
from shared.ops.database import StoreLost
from shared.ops.logging import get_logger, notice
from shared.ops.refs import room_ref
from shared.wire.messages import Refused, StageTable, StartGame

if TYPE_CHECKING:
    from services.room.store.lobby import Open
    from services.room.store.tables import Room, Seat

log = get_logger("room.rooms")

BEGUN = metrics.counter("room_games_begun", "Games that began", ("mode",))
MADE = metrics.counter("room_rooms_made", "Rooms that were made")
RULESET = "base-1"
"""The ruleset that new rooms begin with, and keep."""


class Rooms:
    """Everything that changes a room, but the answers to offers."""

    def __init__(
        self, store: Store, lobbies: ColdLobbies, rules: Rules, desk: Desk, hub: Hub, scenarios: bool
    ) -> None:
        self._store = store
        self._lobbies = lobbies
        self._rules = rules
        self._desk = desk
        self._hub = hub
        self._scenarios = scenarios

    # ------------------------------------------------------------------ lobby

    async def create(self, wish: CreateRoom) -> tuple[str, str, tuple[int, str] | None]:
        """Make a room. Returns its code, the host's token, and the creator's seat and token if they sit down."""
        name = clean_name(wish.name)
        player = None if wish.player is None else clean_name(wish.player)
        settings = msgspec.to_builtins(wish.settings)
        asked = asked_for("", wish.command_id, wish)
        async with self._lobbies.making(name, settings, RULESET, asked) as lobby:
            code, ref, repeated = lobby.room.code, room_ref(lobby.room.id), lobby.repeated
            host, seated = await _another_token(lobby, None), None
            if player is not None:
                if not repeated:
                    sit(lobby.seats[0], "person", player)
                    lobby.answered(1)
                seated = (1, await _another_token(lobby, 1))
        if not repeated:
            MADE.inc()
            notice(f"room {ref} was made", room=ref)
        return code, host, seated

    async def join(self, code: str, wish: Join) -> tuple[int, str]:
        """Sit down at the first free seat. Returns its number and token."""
        name = clean_name(wish.name)
        asked = asked_for(code, wish.command_id, wish)
        room, seats = await self._lobbies.read(code)
        if room.state == "lobby" and not (wish.command_id and await self._lobbies.known(asked)):
            first_open(seats)  # whoever finds a lobby full need not wait in line for its lock to be told so
        async with self._lobbies.change(code, asked) as lobby:
            number = lobby.seat or _seat(lobby, wish, "person", name)
            token = await _another_token(lobby, number)
        await self._hub.changed(room.id.hex)
        return number, token

    async def add_bot(self, code: str, wish: AddBot) -> int:
        """Let a bot play the first free seat. Returns its number."""
        _check_policy(wish.policy)
        async with self._lobbies.change(code, asked_for(code, wish.command_id, wish)) as lobby:
            changed = lobby.room.id.hex
            number = lobby.seat or _seat(lobby, wish, "bot", "Bot {}", wish.policy)
        await self._hub.changed(changed)
        return number

    async def change_seat(self, code: str, number: int, wish: ChangeSeat) -> None:
        """Change a seat's name at any time, its faction and readiness in the lobby."""
        in_lobby = wish.faction is not UNSET or wish.ready is not UNSET
        async with self._lobbies.change(code, lobby=in_lobby) as lobby:
            changed = lobby.room.id.hex
            seat = find(lobby.seats, number)
            if seat.kind == "open":
                raise conflict("empty", "Nobody sits there.")
            if wish.name is not UNSET:
                seat.name = clean_name(wish.name)
            if wish.faction is not UNSET:
                want_faction(lobby.seats, seat, wish.faction)
            if wish.ready is not UNSET and seat.kind == "person":
                seat.ready = wish.ready
        await self._hub.changed(changed)

    async def set_autopilot(self, code: str, number: int, policy: str | None) -> None:
        """Let a bot answer for a person's seat while the game runs, or no longer. Nothing that is open changes.

        If that bot is awaited now the sweep gives it its task, and every replica reads anew whom bots play for.
        Raises ApiError 409 unless the game runs. [NEXUS-36, NEXUS-65]
        """
        if policy is not None:
            _check_policy(policy)
        async with self._lobbies.change(code, lobby=False) as lobby:
            changed = lobby.room.id.hex
            if lobby.room.state != "running":
                raise conflict("not_running", "A bot can play for you only while the game runs.")
            find(lobby.seats, number).policy = policy
            bots = {seat.faction for seat in lobby.seats if seat.policy}
            lobby.room.bot_waits = any(row["seat"] in bots for row in lobby.room.open)
        await self._hub.changed(changed)

    async def leave(self, code: str, number: int) -> None:
        """Free a seat in the lobby; its tokens are worth nothing from now on."""
        async with self._lobbies.change(code) as lobby:
            changed = lobby.room.id.hex
            vacate(find(lobby.seats, number))
            await lobby.revoke(number)
            await lobby.freed(number)
        await self._hub.changed(changed)

    async def change_settings(self, code: str, raw: bytes) -> None:
        """Change settings in the lobby. Seats appear or go with `seats`; those taken must fit."""
        async with self._lobbies.change(code) as lobby:
            changed = lobby.room.id.hex
            settings = changed_settings(lobby.room.settings, raw)
            await lobby.resize(settings.seats)
            lobby.room.settings = msgspec.to_builtins(settings)
            for seat in lobby.seats:
                if seat.kind == "person":
                    seat.ready = False  # what was agreed to has changed
        await self._hub.changed(changed)

    async def issue(self, code: str, number: int, scope: str) -> tuple[str, UUID]:
        """A further token for a taken seat."""
        async with self._lobbies.change(code, lobby=False) as lobby:
            if find(lobby.seats, number).kind != "person":
                raise conflict("no_person", "Only a person's seat can have tokens.")
            await _check_tokens(lobby, number)
            return lobby.token_with_id(number, scope)

    async def revoke(self, code: str, number: int, token: UUID) -> None:
        """Revoke one token of a seat: streams that it opened end."""
        async with self._lobbies.change(code, lobby=False) as lobby:
            changed = lobby.room.id.hex
            if not await lobby.revoke(number, token):
                raise ApiError(404, "no_token", "This seat has no such token, or it was revoked before.")
        await self._hub.changed(changed)

    # ------------------------------------------------------------------ start

    async def start(self, code: str, wish: Start) -> None:
        """Begin the game: deal factions and places, ask rules, append the first commit."""
        until = time.monotonic() + ACT_SECONDS
        command_id = wish.command_id or uuid4()
        while time.monotonic() < until:
            room, seats = await self._lobbies.read(code)
            if room.state != "lobby":
                head = await self._store.head(room.id, (), command_id)
                if head is not None and head.outcome is not None and head.asked == STARTED:
                    await self._hub.changed(
                        room.id.hex
                    )  # an earlier try got through, and may have told nobody
                    return
                raise conflict("started", "The game has started already.")
            if await self._start(room, check_start(seats, wish.force), wish, command_id, until):
                await self._hub.changed(room.id.hex)
                BEGUN.labels(str(room.settings.get("mode"))).inc()
                notice(f"room {room_ref(room.id)}: the game begins", room=room_ref(room.id))
                return
        raise conflict("changing", "The lobby kept changing while the game was about to start; try again.")

    async def _start(
        self, room: Room, taken: Sequence[Seat], wish: Start, command_id: UUID, until: float
    ) -> bool:
        self._may_state_seed(wish, taken)
        # With a stated seed nothing is left to chance here either: the same game can be had again.
        dealt = deal(taken, random.SystemRandom() if wish.seed is None else None)
        settings = game_settings(room.settings, room.ruleset, dealt)
        settings["paced"] = any(seat.kind == "person" for seat in taken)
        seed = secrets.randbits(63) if wish.seed is None else wish.seed
        command = StartGame(Raw(msgspec.json.encode(settings)), seed)
        head = await self._head(room.id)
        reply = await self._rules.ask("decide", room.id, (0, head.hash), command, command_id, until)
        if isinstance(reply, Refused):
            raise refusal(reply)
        faction_of = {place.seat: place.faction for place in dealt}
        bots = {faction_of[seat.seat]: seat.policy or "" for seat in taken if seat.kind == "bot"}
        commit = commit_of(head, "", command_id, reply, bots, STARTED)
        try:
            rows = [(place.seat, place.faction, place.position) for place in dealt]
            started = await self._store.append_start(commit, room.lobby, rows)
        except StoreLost:
            if time.monotonic() >= until:
                raise unavailable("The database cannot be reached at the moment; try again.") from None
            await asyncio.sleep(0.1)
            return False
        if started:
            self._desk.announce(head, commit, reply, command, bots)
        return started

    def _may_state_seed(self, wish: Start, taken: Sequence[Seat]) -> None:
        if wish.seed is not None and not self._scenarios and any(seat.kind == "person" for seat in taken):
            raise forbidden(
                "A seed can be stated only where bots alone play, or where scenarios are allowed."
            )

    # ------------------------------------------------------------------ scenarios

    async def stage(self, table: Raw) -> tuple[str, str, dict[str, str]]:
        """Make a room that stands as a case's `[table]` says. Returns code, host token, token by faction."""
        if not self._scenarios:
            raise ApiError(
                404, "no_scenarios", "This server does not stage scenarios (SIETCH_SCENARIOS=1 does)."
            )
        factions, settings = _scenario_seats(table)
        tokens: dict[str, str] = {}
        async with self._lobbies.making("Scenario", settings, RULESET, asked_for(""), scenario=True) as lobby:
            room, code = lobby.room.id, lobby.room.code
            host = lobby.token(None, "room:host")
            for place, (seat, faction) in enumerate(zip(lobby.seats, factions, strict=True)):
                sit(seat, "person", faction)
                seat.faction, seat.position, seat.ready = faction, place, True
                tokens[faction] = lobby.token(seat.seat, "seat:play")
        reply = await self._desk.decide(await self._head(room), "", StageTable(table), uuid4())
        if not isinstance(reply, Accepted):
            raise refusal(reply)
        return code, host, tokens

    async def _head(self, room: UUID) -> Head:
        head = await self._store.head(room)
        if head is None:
            raise LookupError(f"room {room} is gone")
        return head


def _seat(lobby: Open, wish: Join | AddBot, kind: str, name: str, policy: str | None = None) -> int:
    """Put somebody on the first free seat (whose number the name may hold). Returns its number."""
    seat = first_open(lobby.seats)
    want_faction(lobby.seats, seat, wish.faction)
    sit(seat, kind, name.format(seat.seat) if kind == "bot" else name, policy)
    lobby.answered(seat.seat)
    return seat.seat


async def _check_tokens(lobby: Open, seat: int | None) -> None:
    """Raises ApiError 409 when a seat (None: the host) has as many tokens as may be valid at once."""
    if await lobby.valid_tokens(seat) >= TOKENS_PER_SEAT:
        raise conflict(
            "too_many_tokens", f"A seat may have {TOKENS_PER_SEAT} tokens at once; revoke one first."
        )


async def _another_token(lobby: Open, seat: int | None) -> str:
    """A token for whoever makes a change, and a further one for whoever sends the same again. Raises ApiError 409."""
    if lobby.repeated:
        await _check_tokens(lobby, seat)
    return lobby.token(seat, "room:host" if seat is None else "seat:play")


def _check_policy(policy: str) -> None:
    if policy not in POLICIES:
        raise malformed(f"There is no bot {policy!r}; there is {', '.join(POLICIES)}.")


class _SeatsOfCase(msgspec.Struct):
    """The one thing that room reads in a case's table: who sits at it."""

    seats: list[str]
    mode: str = "basic"


def _scenario_seats(table: Raw) -> tuple[list[str], dict[str, Any]]:
    try:
        case = msgspec.json.decode(table, type=_SeatsOfCase)
    except msgspec.DecodeError as error:
        raise malformed(f"The table must state its seats: {error}.") from None
    unknown = [faction for faction in case.seats if faction not in FACTIONS]
    if unknown or not 1 <= len(set(case.seats)) == len(case.seats) <= len(FACTIONS):
        raise malformed(f"`seats` must name one to six different factions of {', '.join(FACTIONS)}.")
    settings = msgspec.to_builtins(GameSettings())
    return case.seats, {**settings, "seats": len(case.seats), "mode": case.mode}


__all__ = ["RULESET", "Rooms"]
