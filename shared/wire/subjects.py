"""Every subject that Sietch uses on NATS, in one place.

Room ids appear as 32 hex digits without dashes; names and user text never appear in a subject. Subjects that
carry secrets (`commit.>`, `rules.>`) are readable by the identities named in `deploy/nats/` only.
"""

from __future__ import annotations

RULES_QUEUE = "rules"
ROOM_QUEUE = "room"
PROJECTION_QUEUE = "projection"

RULES_DECIDE = "rules.decide"
RULES_CHECK = "rules.check"

ROOM_ACT = "room.act"
ROOM_LOOK = "room.look"
ROOM_HINTS = "room.hint.*"

PROJECTION_VIEW = "projection.view"
PROJECTION_HERE = "projection.here"

COMMIT_STREAM = "COMMITS"
COMMIT_ALL = "commit.>"
BOT_STREAM = "BOTS"
BOT_TASKS = "bot.task.>"


def rules_at(worker: str, verb: str) -> str:
    """The subject of one rules worker: the next request of a room goes first to who holds its table."""
    return f"rules.at.{worker}.{verb}"


def projection_at(replica: str, verb: str) -> str:
    """The subject of one projection replica, for the others: it has the rooms that they are asked about."""
    return f"projection.at.{replica}.{verb}"


def commit(room: str) -> str:
    """Wake-up for one committed decision of a room (JetStream, `Nats-Msg-Id` = `room:version`)."""
    return f"commit.{room}"


def view(room: str, audience: str) -> str:
    """What changed for one audience of a room (core NATS; audience is a faction or `spectator`)."""
    return f"view.{room}.{audience}"


def interest(room: str) -> str:
    """Room replicas say here, every few seconds, which audiences of a room somebody is watching."""
    return f"watch.{room}"


def room_hint(room: str) -> str:
    """Room replicas tell each other here that a room's lobby or connections changed (core NATS)."""
    return f"room.hint.{room}"


def bot_task(room: str) -> str:
    """One open offer of a bot's seat (JetStream work queue, `Nats-Msg-Id` = `room:version:seat:offer`)."""
    return f"bot.task.{room}"
