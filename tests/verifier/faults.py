"""The faults that a door plants, each with the check that has to find it and a word of the finding."""

from __future__ import annotations

import itertools
import re
import threading
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any
from uuid import uuid4

import msgspec

from tests.verifier.meddler import Fault, Reply, Request

ACTIONS = re.compile(r"/api/rooms/\w+/actions")
VIEW = re.compile(r"/api/rooms/\w+/view")


@dataclass(frozen=True)
class Plant:
    """One fault: what is wrong, the check that is run, words of which one must be in what it finds."""

    what: str
    check: str
    told: str
    make: Callable[[], Fault]


class Every(Fault):
    """Counts what it meets, from any thread."""

    def __init__(self) -> None:
        self._numbers = itertools.count(1)
        self._lock = threading.Lock()

    def nth(self, every: int) -> bool:
        """Whether this is one that is to be spoilt."""
        with self._lock:
            return next(self._numbers) % every == 0


class FailsAtTimes(Every):
    def answer(self, request: Request, reply: Reply) -> Reply:
        broken = {"code": "internal", "text": "Something failed here.", "rule": "", "args": {}}
        return reply.says(500, broken) if VIEW.fullmatch(request.path) and self.nth(15) else reply


class LosesAnswers(Every):
    """Says that an answer was taken without handing it on."""

    def ask(self, request: Request) -> Request | Reply:
        if ACTIONS.fullmatch(request.path) and self.nth(9):
            return Reply(200, {"content-type": "application/json"}, b'{"ok":true}')
        return request


class TakesStale(Fault):
    def answer(self, request: Request, reply: Reply) -> Reply:
        stale = reply.status == 409 and b'"code":"stale"' in reply.body
        return reply.says(200, {"ok": True}) if stale and ACTIONS.fullmatch(request.path) else reply


class TakesUsedIds(Fault):
    def answer(self, request: Request, reply: Reply) -> Reply:
        return reply.says(200, {"ok": True}) if b'"code":"command_used"' in reply.body else reply


class ChecksByActing(Fault):
    """Whoever only tries an answer has played it."""

    def ask(self, request: Request) -> Request:
        if request.path.endswith("/check") and b'"answer"' in request.body and request.body.startswith(b"{"):
            try:
                body = msgspec.json.decode(request.body) | {"command_id": str(uuid4())}
            except msgspec.DecodeError:
                return request
            return replace(
                request, path=request.path.replace("/check", "/actions"), body=msgspec.json.encode(body)
            )
        return request


class RevivesTokens(Fault):
    """A token that is worth nothing is as good as the last one that was."""

    def __init__(self) -> None:
        self._good: dict[str, str] = {}

    def answer(self, request: Request, reply: Reply) -> Reply | Request:
        room = request.path.split("/")[3] if request.path.startswith("/api/rooms/") else ""
        if request.token and reply.status < 400:
            self._good[room] = request.token
        good = self._good.get(room)
        if request.token and reply.status == 401 and good and request.method == "GET":
            return replace(request, headers={**request.headers, "authorization": f"Bearer {good}"})
        return reply


class NamesInsides(Fault):
    def answer(self, request: Request, reply: Reply) -> Reply:
        body = reply.json()
        if reply.status == 400 and isinstance(body, dict):
            return reply.says(400, {**body, "text": f"{body['text']} (msgspec.ValidationError in bodies.py)"})
        return reply


class Bare(Fault):
    """Without the policy of what a page may load."""

    def answer(self, request: Request, reply: Reply) -> Reply:
        headers = {name: value for name, value in reply.headers.items() if name != "content-security-policy"}
        return replace(reply, headers=headers)


class ShowsMetrics(Fault):
    def answer(self, request: Request, reply: Reply) -> Reply:
        if request.path == "/metrics":
            return replace(reply, status=200, body=b"sietch_rules_cards_played_total 3\n")
        return reply


class OtherDocument(Fault):
    def answer(self, request: Request, reply: Reply) -> Reply:
        if request.path != "/api/openapi.json":
            return reply
        document = reply.json()
        document["paths"]["/api/limits"]["get"]["responses"].pop("429")
        return reply.says(200, document)


class OtherScript(Fault):
    def answer(self, request: Request, reply: Reply) -> Reply:
        return replace(reply, body=reply.body + b"\n//") if request.path.endswith(".js") else reply


class LeavesFramesOut(Every):
    def frame(self, request: Request, line: bytes) -> bytes:
        changed = line.startswith(b'{"event":"changed"')
        return b"" if changed and self.nth(10) else line


class SpoilsPatches(Every):
    """A patch that leaves out what changed in the places."""

    def frame(self, request: Request, line: bytes) -> bytes:
        if not line.startswith(b'{"event":"changed"'):
            return line
        frame = msgspec.json.decode(line)
        if not (frame["data"]["patch"] or {}).get("waiting") or not self.nth(4):
            return line
        del frame["data"]["patch"]["waiting"]
        return msgspec.json.encode(frame) + b"\n"


class _Leaks(Fault):
    """Knows whose token is whose: who makes a seat is told its token, and shows it later."""

    def __init__(self) -> None:
        self._seats: dict[str, str] = {}

    def seat_of(self, request: Request) -> str:
        """The faction that asks; empty for anybody else."""
        return self._seats.get(request.token, "")

    def answer(self, request: Request, reply: Reply) -> Reply:
        if request.path.endswith("/seats") and reply.status == 201:
            self._seats[reply.json()["token"]] = str(msgspec.json.decode(request.body).get("faction"))
        return reply


class LeaksAHand(_Leaks):
    """One seat's view shows another's hand."""

    def answer(self, request: Request, reply: Reply) -> Reply:
        super().answer(request, reply)
        if VIEW.fullmatch(request.path) and reply.status == 200 and self.seat_of(request) == "atreides":
            body: Any = reply.json()
            body["view"].setdefault("zones", {})["hand.harkonnen"] = ["karama"]
            return reply.says(200, body)
        return reply


class LeaksOnAStream(_Leaks):
    """The events of one seat's stream name a traitor card that it has not seen."""

    def frame(self, request: Request, line: bytes) -> bytes:
        if not line.startswith((b'{"event":"changed"', b"data: ")) or self.seat_of(request) != "atreides":
            return line
        head, _, rest = line.partition(b"{") if line.startswith(b"data") else (b"", b"", line[1:])
        frame = msgspec.json.decode(b"{" + rest)
        data = frame.get("data", frame)
        if "patch" not in data:
            return line
        data["events"].append({"event": "CardDrawn", "faction": "harkonnen", "card": "karama", "text": ""})
        return head + msgspec.json.encode(frame) + b"\n"


class LeaksInAnError(Fault):
    """A refusal says what somebody holds."""

    def answer(self, request: Request, reply: Reply) -> Reply:
        body = reply.json()
        if reply.status == 409 and isinstance(body, dict) and ACTIONS.fullmatch(request.path):
            return reply.says(409, {**body, "text": "Not while Harkonnen holds the Family Atomics."})
        return reply


class MoreThanPublished(Fault):
    """The limits that are published are not those that hold."""

    def answer(self, request: Request, reply: Reply) -> Reply:
        if request.path != "/api/limits":
            return reply
        return reply.says(200, {**reply.json(), "body_bytes": 32 * 1024})


PLANTS: tuple[Plant, ...] = (
    Plant("a page without its content security policy", "surface", "content-security-policy", Bare),
    Plant("metrics at the players' door", "surface", "/metrics", ShowsMetrics),
    Plant("another API document than the image's", "surface", "openapi", OtherDocument),
    Plant("a script that is not the image's", "surface", "another file", OtherScript),
    Plant("a revoked token that still reads", "access", "revoked", RevivesTokens),
    Plant("an error that names files and libraries", "misuse", "what is inside", NamesInsides),
    Plant("a 5xx now and then", "games", "500", FailsAtTimes),
    Plant("a frame left out of a stream", "games", "followed number", LeavesFramesOut),
    Plant("a patch that leaves something out", "games", "add up to another view", SpoilsPatches),
    Plant("trying an answer plays it", "games", "the view changed", ChecksByActing),
    Plant("an answer that is taken and lost", "games", "commits after", LosesAnswers),
    Plant("a stale offer that is accepted", "races", "accepted", TakesStale),
    Plant("a used command id that is accepted", "races", "409 command_used", TakesUsedIds),
    Plant("a hand shown in another's view", "secrecy", "hand.harkonnen is not for atreides", LeaksAHand),
    Plant("a card named on a stream", "secrecy", "CardDrawn.card is not for atreides", LeaksOnAStream),
    Plant("a card named in an error", "secrecy", "names what is hidden", LeaksInAnError),
    Plant("a limit published that does not hold", "limits", "a body of 32768 bytes", MoreThanPublished),
)
"""Every fault that a door can plant."""
