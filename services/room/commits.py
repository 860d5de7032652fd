"""What a command that was accepted becomes: the commit, and the bot that is asked next. Pure, but for chance."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from random import SystemRandom
from uuid import UUID

import msgspec

from services.room.errors import conflict
from services.room.ids import bot_token
from services.room.store.append import NewCommit, OpenRow
from services.room.store.store import Head
from shared.wire.chain import canonical
from shared.wire.messages import AnswerOffer, BotTask, Command, Decided, ExpireOffer

__all__ = [
    "AT_ONCE",
    "ORDER_CLOCK",
    "STARTED",
    "Pause",
    "bot_task",
    "check_repeat",
    "commit_of",
    "digest_of",
    "to_ask",
]

ORDER_CLOCK = "order"
"""The clock class of what a standing order will answer. How long that takes may tell nothing of any hand."""
Pause = tuple[float, float]
"""Seconds, from the least to the most, that such an answer waits. [WINPOL-07]"""
AT_ONCE: Pause = (0.0, 0.0)

STARTED = hashlib.sha256(b"start").digest()[:16]
"""What stands as asked for with the commit that begins a game: no answer to an offer asks for that."""

_chance = SystemRandom()


def digest_of(command: Command) -> bytes:
    """What a seat's command asks for, and for whom; empty for commands that nobody can repeat."""
    if not isinstance(command, AnswerOffer | ExpireOffer):
        return b""
    return hashlib.sha256(canonical(msgspec.json.encode(command))).digest()[:16]


def check_repeat(head: Head, command: Command) -> None:
    """Raises ApiError 409 when the command id was used for something else, or by another seat."""
    if head.asked and head.asked != digest_of(command):
        raise conflict(
            "command_used", "This command_id was used for something else; make a new one for each answer."
        )


def commit_of(
    head: Head,
    seat: str,
    command_id: UUID,
    reply: Decided,
    bots: dict[str, str],
    asked: bytes = b"",
    token: bytes | None = None,
    pause: Pause = AT_ONCE,
) -> NewCommit:
    """The commit that an accepted command makes on top of `head`."""
    open_ = [
        OpenRow(o.seat, o.offer, o.kind, o.clock, _seconds(head, o.clock, pause), o.by) for o in reply.open
    ]
    ordered = any(row.clock == ORDER_CLOCK for row in (*head.open, *open_))
    return NewCommit(
        room=head.id,
        expected=head.version,
        command_id=command_id,
        seat=seat,
        events=[bytes(event) for event in reply.events],
        checkpoint=bytes(reply.checkpoint),
        prev_hash=head.hash,
        lobby=head.lobby,
        asked=asked,
        token=token,
        open=open_,
        bot_waits=any(row.seat in bots for row in open_),
        finished=reply.finished,
        result=None if reply.result is None else bytes(reply.result),
        turn=reply.turn,
        phase=reply.phase,
        clocked=bool(head.clock) or ordered,
        table=bytes(reply.snapshot) if head.scenario and head.version == 0 and reply.snapshot else None,
    )


def _seconds(head: Head, clock: str, pause: Pause) -> float | None:
    """How long an offer of a clock class waits; one that a standing order answers, for as long as chance draws.

    That is never longer than the room's shortest clock: an answer that comes later would be no person's. [WINPOL-07]
    """
    if clock != ORDER_CLOCK:
        return head.clock.get(clock)
    least, most = (min((seconds, *head.clock.values())) for seconds in pause)
    return _chance.uniform(least, most)


def to_ask(
    before: Sequence[OpenRow], after: Sequence[OpenRow], command: Command, bots: dict[str, str]
) -> list[OpenRow]:
    """The open offer that a bot must be asked about after a commit: the first one, unless it was asked already.

    The bots of a room answer one after another, in the order of the offers: no two of them race for the same
    version, and a game of bots is the same each time. The offer is asked anew after whatever else its seat did,
    for its bot may have played something in the middle of the question, whose task is thereby used up.
    """
    first = next((row for row in after if row.seat in bots), None)
    asked = next((row for row in before if row.seat in bots), None)
    if first is None:
        return []
    acted = isinstance(command, AnswerOffer | ExpireOffer) and command.seat == first.seat
    same = asked is not None and (asked.seat, asked.offer) == (first.seat, first.offer)
    return [] if same and not acted else [first]


def bot_task(room: UUID, version: int, key: bytes, row: OpenRow, policy: str) -> BotTask:
    """The task for one offer that is open at a version, with the token that lets the bot act for that seat."""
    return BotTask(room.hex, row.seat, row.offer, policy, bot_token(key, row.seat), version)
