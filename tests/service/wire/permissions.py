"""Who may say and hear what on NATS, written down by hand: what the matrix of `test_permissions.py` expects.

Nothing here is taken from `shared.wire.identities`; what is not listed for an identity must be refused.
"""

from __future__ import annotations

STREAMS = ("COMMITS", "BOTS")
CONSUMERS = {"COMMITS": "projection", "BOTS": "bot"}

# One subject of each kind that Sietch uses, as it stands on the wire.
OURS = {
    "RULES_DECIDE": "rules.decide",
    "RULES_CHECK": "rules.check",
    "rules_at": "rules.at.w1.decide",
    "ROOM_ACT": "room.act",
    "ROOM_LOOK": "room.look",
    "room_hint": "room.hint.r1",
    "PROJECTION_VIEW": "projection.view",
    "PROJECTION_HERE": "projection.here",
    "projection_at": "projection.at.p1.view",
    "commit": "commit.r1",
    "view": "view.r1.atreides",
    "interest": "watch.r1",
    "bot_task": "bot.task.r1",
}
PATTERNS = {"ROOM_HINTS": "room.hint.*", "COMMIT_ALL": "commit.>", "BOT_TASKS": "bot.task.>"}
NAMES_ONLY = {"COMMIT_STREAM", "BOT_STREAM", "RULES_QUEUE", "ROOM_QUEUE", "PROJECTION_QUEUE"}

WIDE = (
    ">",
    "*",
    "*.>",
    "*.*",
    "*.*.*",
    "rules.>",
    "rules.*",
    "rules.at.>",
    "rules.at.*.*",
    "room.>",
    "room.*",
    "room.hint.*",
    "projection.>",
    "projection.*",
    "projection.at.>",
    "projection.at.*.*",
    "commit.>",
    "commit.*",
    "view.>",
    "view.*.*",
    "view.r1.*",
    "view.*.atreides",
    "watch.>",
    "watch.*",
    "bot.>",
    "bot.task.>",
    "bot.task.*",
)

_NAMES = ("rules", "room", "projection", "bot", "sietch")
INBOXES = (
    *(f"_INBOX_{name}.{rest}" for name in _NAMES for rest in (">", "abc.def")),
    "_INBOX.>",
    "_INBOX.abc",
    "_INBOX_*.>",
)

SERVERS = (
    "$SYS.>",
    "$SYS.REQ.SERVER.PING",
    "$SYS.REQ.SERVER.PING.CONNZ",
    "$SYS.REQ.USER.INFO",
    "$SYS.ACCOUNT.$G.CONNECT",
    "$KV.>",
    "$KV.rooms.r1",
    "$O.>",
    "$MQTT.>",
    "$G.>",
    "$SRV.>",
    "$SRV.PING",
    "$SRV.STATS.rules",
    "$SRV.STATS.room",
    "$SRV.STATS.projection",
    "$SRV.STATS.bot",
    "$SRV.INFO.bot.i1",
    "$SRV.INFO.room.i1",
)

_OF_A_STREAM = (
    "STREAM.CREATE.{0}",
    "STREAM.UPDATE.{0}",
    "STREAM.INFO.{0}",
    "STREAM.DELETE.{0}",
    "STREAM.PURGE.{0}",
    "STREAM.SNAPSHOT.{0}",
    "STREAM.RESTORE.{0}",
    "STREAM.MSG.GET.{0}",
    "STREAM.MSG.DELETE.{0}",
    "STREAM.PEER.REMOVE.{0}",
    "STREAM.LEADER.STEPDOWN.{0}",
    "DIRECT.GET.{0}",
    "DIRECT.GET.{0}.commit.r1",
    "DIRECT.GET.{0}.bot.task.r1",
    "CONSUMER.CREATE.{0}",
    "CONSUMER.CREATE.{0}.spy",
    "CONSUMER.CREATE.{0}.{1}",
    "CONSUMER.CREATE.{0}.{1}.commit.>",
    "CONSUMER.DURABLE.CREATE.{0}.spy",
    "CONSUMER.DURABLE.CREATE.{0}.{1}",
    "CONSUMER.INFO.{0}.{1}",
    "CONSUMER.LIST.{0}",
    "CONSUMER.NAMES.{0}",
    "CONSUMER.DELETE.{0}.{1}",
    "CONSUMER.PAUSE.{0}.{1}",
    "CONSUMER.UNPIN.{0}.{1}",
    "CONSUMER.RESET.{0}.{1}",
    "CONSUMER.LEADER.STEPDOWN.{0}.{1}",
    "CONSUMER.MSG.NEXT.{0}.{1}",
    "CONSUMER.MSG.NEXT.{0}.spy",
)
JETSTREAM = (
    "$JS.API.>",
    "$JS.API.INFO",
    "$JS.API.STREAM.LIST",
    "$JS.API.STREAM.NAMES",
    "$JS.API.STREAM.CREATE.SPY",
    "$JS.API.STREAM.UPDATE.SPY",
    "$JS.API.META.LEADER.STEPDOWN",
    "$JS.API.ACCOUNT.PURGE.$G",
    "$JS.EVENT.>",
    "$JS.EVENT.ADVISORY.API",
    "$JS.FC.>",
    *(f"$JS.API.{verb.format(name, CONSUMERS[name])}" for name in STREAMS for verb in _OF_A_STREAM),
    *(f"$JS.ACK.{name}.{CONSUMERS[name]}.1.1.1.1.0" for name in STREAMS),
    *(f"$JS.ACK.{name}.spy.1.1.1.1.0" for name in STREAMS),
    "$JS.ACK.>",
)

SUBJECTS = tuple(dict.fromkeys((*OURS.values(), *PATTERNS.values(), *WIDE, *INBOXES, *SERVERS, *JETSTREAM)))

PUBLISH: dict[str, set[str]] = {
    "rules": set(),
    "room": {
        "rules.decide",
        "rules.check",
        "rules.at.w1.decide",
        "projection.view",
        "commit.r1",
        "bot.task.r1",
        "room.hint.r1",
        "watch.r1",
        "$JS.API.STREAM.CREATE.COMMITS",
        "$JS.API.STREAM.UPDATE.COMMITS",
        "$JS.API.STREAM.CREATE.BOTS",
        "$JS.API.STREAM.UPDATE.BOTS",
        "$JS.API.CONSUMER.DURABLE.CREATE.COMMITS.projection",
        "$JS.API.CONSUMER.DURABLE.CREATE.BOTS.bot",
        "$JS.API.DIRECT.GET.BOTS.bot.task.r1",
    },
    "projection": {
        "view.r1.atreides",
        "projection.here",
        "projection.at.p1.view",
        "$JS.API.CONSUMER.MSG.NEXT.COMMITS.projection",
        "$JS.API.CONSUMER.INFO.COMMITS.projection",
        "$JS.API.DIRECT.GET.COMMITS",
        "$JS.ACK.COMMITS.projection.1.1.1.1.0",
    },
    "bot": {
        "room.act",
        "room.look",
        "$JS.API.CONSUMER.MSG.NEXT.BOTS.bot",
        "$JS.API.CONSUMER.INFO.BOTS.bot",
        "$JS.API.DIRECT.GET.BOTS",
        "$JS.ACK.BOTS.bot.1.1.1.1.0",
    },
}

# Whoever may hear `commit.*` may also subscribe to `commit.>`: the server takes the last token for any other.
SUBSCRIBE: dict[str, set[str]] = {
    "rules": {
        "rules.at.w1.decide",
        "rules.at.*.*",
        "$SRV.PING",
        "$SRV.STATS.rules",
    },
    "room": {
        "room.hint.r1",
        "room.hint.*",
        "commit.r1",
        "commit.*",
        "commit.>",
        "view.r1.atreides",
        "view.r1.*",
        "view.*.atreides",
        "view.*.*",
        "_INBOX_room.>",
        "_INBOX_room.abc.def",
        "$SRV.PING",
        "$SRV.STATS.room",
        "$SRV.INFO.room.i1",
    },
    "projection": {
        "projection.here",
        "projection.at.p1.view",
        "projection.at.*.*",
        "commit.r1",
        "commit.*",
        "commit.>",
        "watch.r1",
        "watch.*",
        "watch.>",
        "_INBOX_projection.>",
        "_INBOX_projection.abc.def",
        "$SRV.PING",
        "$SRV.STATS.projection",
    },
    "bot": {
        "_INBOX_bot.>",
        "_INBOX_bot.abc.def",
        "$SRV.PING",
        "$SRV.STATS.bot",
        "$SRV.INFO.bot.i1",
    },
}

QUEUES: dict[str, set[tuple[str, str]]] = {
    "rules": {("rules.decide", "rules"), ("rules.check", "rules")},
    "room": {("room.act", "room"), ("room.look", "room")},
    "projection": {("projection.view", "projection")},
    "bot": set(),
}
"""What an identity may hear as one of a queue group, beside what it may hear alone."""
