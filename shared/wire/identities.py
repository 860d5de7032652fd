"""Who may say and hear what on NATS: one identity per service, least permissions each, its own inbox.

The commit stream and the rules' requests hold secrets; NATS itself keeps them from whoever is not named here. The
embedded server and `deploy/nats/sietch.conf` are both made from this table.
"""

from __future__ import annotations

from collections.abc import Mapping

from msgspec import Struct

from shared.wire import subjects


class Identity(Struct, frozen=True):
    """What one service may publish and subscribe to (its inbox is added). Answers to requests are always allowed."""

    name: str
    publish: tuple[str, ...]
    subscribe: tuple[str, ...]


def _manage(stream: str) -> tuple[str, ...]:
    """Making a stream or bringing its limits up to date."""
    return tuple(f"$JS.API.STREAM.{verb}.{stream}" for verb in ("CREATE", "UPDATE", "INFO"))


def _consume(stream: str) -> tuple[str, ...]:
    """Working off a stream by durable consumers."""
    verbs = ("CREATE", "DURABLE.CREATE", "INFO", "MSG.NEXT")
    return (
        *_manage(stream),
        *(f"$JS.API.CONSUMER.{verb}.{stream}.>" for verb in verbs),
        f"$JS.ACK.{stream}.>",
    )


# Discovery (nats micro) of who serves what; the replies hold names and counts only.
_DISCOVERED = ("$SRV.>",)

IDENTITIES: tuple[Identity, ...] = (
    Identity("rules", publish=(), subscribe=("rules.>", *_DISCOVERED)),
    Identity(
        "room",
        publish=(
            "rules.>",
            subjects.PROJECTION_VIEW,
            subjects.COMMIT_ALL,
            subjects.BOT_TASKS,
            subjects.ROOM_HINTS,
            subjects.interest("*"),
            *_manage(subjects.COMMIT_STREAM),
            *_manage(subjects.BOT_STREAM),
            f"$JS.API.DIRECT.GET.{subjects.BOT_STREAM}.bot.task.*",
        ),
        subscribe=("room.>", subjects.COMMIT_ALL, "view.>", *_DISCOVERED),
    ),
    Identity(
        "projection",
        publish=("view.>", *_consume(subjects.COMMIT_STREAM)),
        subscribe=(subjects.PROJECTION_VIEW, subjects.COMMIT_ALL, subjects.interest("*"), *_DISCOVERED),
    ),
    Identity(
        "bot",
        publish=("room.>", *_consume(subjects.BOT_STREAM)),
        subscribe=_DISCOVERED,
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
    return (
        f"    {{\n      user: {name}, password: {secret}\n      permissions {{\n"
        f"        publish: {_list(identity.publish)}\n"
        f"        subscribe: {_list((f'_INBOX_{name}.>', *identity.subscribe))}\n"
        '        allow_responses: { max: 1, expires: "30s" }\n      }\n    }\n'
    )


def _list(words: tuple[str, ...]) -> str:
    if not words:
        return '{ deny: ">" }'
    return "[" + ", ".join(f'"{word}"' for word in words) + "]"
