"""What tests hear beside the doors that a player has: NATS as the operator hears it, and what goes to a collector."""

from __future__ import annotations

from nats.aio.msg import Msg

from services.verifier.secrecy.heard import BOTS, ENGINE, NOBODY, Heard, Recorder, decoded, seq_of


class Wiretap(Recorder):
    """A recorder that also listens behind the doors."""

    def export(self, path: str, body: bytes) -> None:
        """Keep what was posted to a collector of traces."""
        self.take(Heard(NOBODY, "trace", path, body))

    async def message(self, message: Msg) -> None:
        """Keep a message for whoever may hear its subject."""
        if message.subject.startswith(("$JS.", "_INBOX_test", "_INBOX.")):
            return
        audience, seq = addressed(message)
        channel = "look" if seq is not None and message.subject.startswith("_INBOX_bot") else "nats"
        headers = {str(name): str(value) for name, value in (message.headers or {}).items()}
        self.take(Heard(audience, channel, message.subject, message.data, seq=seq, headers=headers))


def addressed(message: Msg) -> tuple[str, int | None]:
    """Who hears a message, and the number that it carries."""
    first, *rest = message.subject.split(".")
    if first == "view":
        return rest[1], seq_of(message.data)
    if first == "_INBOX_bot":
        body = decoded(message.data)
        if isinstance(body, dict) and body.get("type") == "view":
            return str(body["audience"]), seq_of(message.data)
        return BOTS, None
    if first == "bot" or message.subject in ("room.act", "room.look"):
        return BOTS, None
    if first in ("watch", "$SRV") or message.subject.startswith("room.hint."):
        return NOBODY, None
    return ENGINE, None
