"""Who may say and hear what on NATS: one identity per service, least permissions each, its own inbox.

The commit stream and the rules' requests hold secrets; NATS itself keeps them from whoever is not named here. The
embedded server and `deploy/nats/sietch.conf` are both made from this table.
"""

from __future__ import annotations

from collections.abc import Mapping

from msgspec import Struct

from shared.wire import subjects


class Identity(Struct, frozen=True):
    """What one service may publish and subscribe to. Answers to requests that it was sent are always allowed.

    A subscription may name a queue group after a blank: then only members of the group are sent anything. `asks`:
    whether it sends requests itself, whose answers come to its own inbox.
    """

    name: str
    publish: tuple[str, ...]
    subscribe: tuple[str, ...]
    asks: bool = True


def _manage(stream: str, durable: str) -> tuple[str, ...]:
    """Making a stream and its one durable consumer, or bringing their limits up to date.

    Whoever may change a stream may let it record any subject, and a consumer may be told to deliver to any: only room,
    which publishes into both, may.
    """
    streams = (f"$JS.API.STREAM.{verb}.{stream}" for verb in ("CREATE", "UPDATE"))
    return (*streams, f"$JS.API.CONSUMER.DURABLE.CREATE.{stream}.{durable}")


def _consume(stream: str, durable: str) -> tuple[str, ...]:
    """Working off a stream by the one durable consumer, and seeing how far it is behind and since when."""
    return (
        f"$JS.API.CONSUMER.MSG.NEXT.{stream}.{durable}",
        f"$JS.API.CONSUMER.INFO.{stream}.{durable}",
        f"$JS.API.DIRECT.GET.{stream}",
        f"$JS.ACK.{stream}.{durable}.>",
    )


def _discovered(name: str) -> tuple[str, ...]:
    """Discovery (nats micro) of who serves what; the replies hold names and counts only.

    The verbs are named because `$SRV.*` would allow a subscription to `$SRV.>` too.
    """
    return ("$SRV.PING", "$SRV.INFO", "$SRV.STATS", f"$SRV.*.{name}", f"$SRV.*.{name}.*")


IDENTITIES: tuple[Identity, ...] = (
    Identity(
        "rules",
        publish=(),
        subscribe=(
            f"{subjects.RULES_DECIDE} {subjects.RULES_QUEUE}",
            f"{subjects.RULES_CHECK} {subjects.RULES_QUEUE}",
            subjects.rules_at("*", "*"),
            *_discovered("rules"),
        ),
        asks=False,
    ),
    Identity(
        "room",
        publish=(
            subjects.RULES_DECIDE,
            subjects.RULES_CHECK,
            subjects.rules_at("*", "*"),
            subjects.PROJECTION_VIEW,
            subjects.commit("*"),
            subjects.bot_task("*"),
            subjects.ROOM_HINTS,
            subjects.interest("*"),
            *_manage(subjects.COMMIT_STREAM, "projection"),
            *_manage(subjects.BOT_STREAM, "bot"),
            f"$JS.API.DIRECT.GET.{subjects.BOT_STREAM}.{subjects.bot_task('*')}",
        ),
        subscribe=(
            f"{subjects.ROOM_ACT} {subjects.ROOM_QUEUE}",
            f"{subjects.ROOM_LOOK} {subjects.ROOM_QUEUE}",
            subjects.ROOM_HINTS,
            subjects.commit("*"),
            subjects.view("*", "*"),
            *_discovered("room"),
        ),
    ),
    Identity(
        "projection",
        publish=(
            subjects.view("*", "*"),
            subjects.PROJECTION_HERE,
            subjects.projection_at("*", "*"),
            *_consume(subjects.COMMIT_STREAM, "projection"),
        ),
        subscribe=(
            f"{subjects.PROJECTION_VIEW} {subjects.PROJECTION_QUEUE}",
            subjects.PROJECTION_HERE,
            subjects.projection_at("*", "*"),
            subjects.commit("*"),
            subjects.interest("*"),
            *_discovered("projection"),
        ),
    ),
    Identity(
        "bot",
        publish=(subjects.ROOM_ACT, subjects.ROOM_LOOK, *_consume(subjects.BOT_STREAM, "bot")),
        subscribe=_discovered("bot"),
    ),
)


def authorization(passwords: Mapping[str, str]) -> str:
    """The `authorization` block of a NATS configuration; `passwords` by identity (a `$NAME` reads the environment).

    A name that is no identity of ours gets every permission: `sietch` is the operator's own.
    """
    known = {identity.name: identity for identity in IDENTITIES}
    users = [_user(name, password, known.get(name)) for name, password in passwords.items()]
    return "authorization {\n  users: [\n" + "".join(users) + "  ]\n}\n"


def _user(name: str, password: str, identity: Identity | None) -> str:
    secret = password if password.startswith("$") else f'"{password}"'
    if identity is None:
        return f"    {{ user: {name}, password: {secret} }}\n"
    inbox = (f"_INBOX_{name}.>",) if identity.asks else ()
    return (
        f"    {{\n      user: {name}, password: {secret}\n      permissions {{\n"
        f"        publish: {_list(identity.publish)}\n"
        f"        subscribe: {_list((*inbox, *identity.subscribe))}\n"
        '        allow_responses: { max: 1, expires: "30s" }\n      }\n    }\n'
    )


def _list(words: tuple[str, ...]) -> str:
    if not words:
        return '{ deny: ">" }'
    return "[" + ", ".join(f'"{word}"' for word in words) + "]"
