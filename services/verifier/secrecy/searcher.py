"""The searcher: goes through all that was heard for what its audience may not know yet.

What it finds: numbered copies and traitor cards anywhere; any piece as a whole value or key; any piece's name in a line
of the log or in an error; contents of others' zones, secret marks, others' offers, others' spice, secret fields of
events, engine words; tokens, keys, seeds and passwords anywhere; frames longer than what they say, jumps of numbers,
headers that are not known; anything of the game at all in logs, metrics and traces. What it cannot find: a secret that
is told by a public word or a number that could stand there lawfully. The law of two worlds is for those.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import cache, cached_property
from itertools import pairwise
from typing import Any

import msgspec

from services.verifier.secrecy.heard import BOTS, ENGINE, NOBODY, SPECTATOR, Heard, decoded
from services.verifier.secrecy.truth import CLOSED, OWN, PARTIES, Moment, Truth
from shared.dune import facts
from shared.dune.events import Event, event_types

TOLD = "told lawfully."
"""The path of an event of foresight for those two whom it is for: it names a card that the one will play. [ATR-09]"""
NAMED_ONLY = (
    "offers.",
    "offer.",
    "marks.battle.voice",
    "marks.battle.shown",
    "marks.battle.seen",
    "VoiceSpoken.",
    "MarkSet.value",
    "PowerCancelled.",
    "Truth",
    "Deal",
    TOLD,
)
"""Where a card may be named without anybody having shown it: in what can be chosen, commanded, asked and agreed."""
ENGINE_WORDS = {
    "stack",
    "chance",
    "answers",
    "asked",
    "sequences",
    "checkpoint",
    "seen_by",
    "bot_key",
    "prev_hash",
}
"""Keys of what is stored with a commit, which nobody is sent."""
_CAPTIVE: dict[str, tuple[str, ...]] = {"leader": ("captor", "victim"), "shown": ()}
FORESEEN = {"ElementShown": "value", "PlanShown": "plan"}
"""Events of foresight, each with the field that tells. [ATR-09, ATR-31]"""
SECRET_FIELDS: dict[str, dict[str, tuple[str, ...]]] = {
    "AuctionCardDealt": {"card": ()},
    "AuctionOpened": {"card": ()},
    "BidMade": {"own": ("faction",), "settle": ("faction",), "ally_part": ("faction", "ally"), "ally": ()},
    "CardBought": {"card": ("faction",)},
    "CardDiscarded": {"source": (), "target": ()},
    "CardDrawn": {"card": ("faction",)},
    "CardNoted": {"card": ("faction",), "holder": ("faction",), "faction": ("faction",)},
    "CardSeen": {"piece": ("faction",)},
    "CaptiveKilled": {**_CAPTIVE, "open_prison": (), "steps": ()},
    "CaptiveReturned": {**_CAPTIVE, "open_prison": ()},
    "CardsGiven": {"cards": ("faction", "other")},
    "CardsReturned": {"cards": ()},
    "CardsTaken": {"cards": ("faction", "other")},
    "ElementShown": {"value": ("seer", "target"), "per": ()},
    "LeaderCaptured": _CAPTIVE,
    "LeaderKilled": {"source": ()},
    "MarkSet": {"everybody": (), "seen_by": ()},
    "MarksCleared": {"everybody": (), "audience": ()},
    "NexusCardForfeited": {"card": ("faction",), "source": (), "target": ()},
    "NexusCardHeld": dict.fromkeys(("faction", "card"), ("faction",)),
    "NexusCardMoved": {"card": (), "source": (), "target": ()},
    "NexusCardPlayed": {"source": (), "target": ()},
    "NexusDeckRebuilt": {"source": (), "deck": (), "order": ()},
    "PermissionSet": dict.fromkeys(("owner", "ally", "power", "granted", "what"), ("owner", "ally")),
    "PiecesLaid": {"pieces": ()},
    "PilesGathered": {"except_pieces": ()},
    "PlanSealed": dict.fromkeys(("faction", "spice", "cards"), ("faction",)),
    "PlanShown": dict.fromkeys(("plan", "per"), ("seer", "target")),
    "PredictionMade": {"predicted": ("faction",), "turn": ("faction",)},
    "PromiseMade": dict.fromkeys(("payer", "ally", "purpose", "amount"), ("payer", "ally")),
    "SecretShown": dict.fromkeys(("faction", "to", "what", "value"), ("faction", "to")),
    "Shuffled": {"order": ()},
    "StormCardDrawn": {"card": ()},
    "StormCardSeen": {"card": ("faction",)},
    "TraitorsDealt": {"cards": ("faction",)},
    "TraitorInquiryAnswered": {"answer": ("heard_by",), "heard_by": ()},
    "TraitorsDrawn": {"cards": ("faction",)},
    "TraitorsReturned": {"cards": ("faction",)},
    "TraitorsKeptBack": {"kept": ("faction",)},
    "UnusedCardSeen": dict.fromkeys(("faction", "loser", "cards"), ("faction",)),
}
"""Fields of events that are not for everybody, each with the fields that name who may be told. [SECRET-03]"""
HEADERS = {
    "content-security-policy",
    "x-content-type-options",
    "referrer-policy",
    "cross-origin-opener-policy",
    "cross-origin-resource-policy",
    "permissions-policy",
    "cache-control",
    "content-type",
    "content-length",
    "date",
    "set-cookie",
    "www-authenticate",
    "allow",
    "retry-after",
    "transfer-encoding",
    "x-accel-buffering",
    "traceresponse",
    "nats-msg-id",
    "nats-expected-stream",
    "nats-last-consumer",
    "nats-last-stream",
    "nats-pending-messages",
    "nats-pending-bytes",
    "status",
    "header.description",
    "sietch-failed",
    "traceparent",
    "tracestate",
    # What a proxy in front may add.
    "connection",
    "keep-alive",
    "via",
    "vary",
    "alt-svc",
    "strict-transport-security",
}
IDENTITIES = re.compile(r"\w+#\d+|traitor:\w+")
"""Pieces that are never named but by who knows them: numbered copies, traitor cards."""
FRAMES = {frozenset({"seq", "view", "log"}), frozenset({"seq", "events", "patch"})}


def leaks(truth: Truth, heard: Iterable[Heard]) -> list[str]:
    """Every leak in what was heard, each in one line that says who was sent it, where, and what."""
    kept = list(heard)
    found = [
        f"{one.audience} {one.channel} {one.where}: {what}" for one in kept for what in _in_one(truth, one)
    ]
    return found + list(_jumps(kept))


def _in_one(truth: Truth, one: Heard) -> Iterator[str]:
    yield from _words(truth, one)
    yield from (f"header {name}" for name in one.headers if name.lower() not in HEADERS)
    if one.channel == "look" and one.audience not in truth.bots:
        yield "bots look at a seat that is none of theirs"
    if one.audience == NOBODY or (one.where.startswith(("_INBOX_bot", "bot.task")) and one.audience == BOTS):
        yield from _anything(truth, one)
    elif one.channel != "page" and one.audience not in (ENGINE, BOTS) and not _is_history(truth, one):
        body = decoded(one.data)
        if body is not None:
            yield from _Look(truth, one).at(body)
            yield from _form(one, body)


def _is_history(truth: Truth, one: Heard) -> bool:
    """The history of a game that is over: it is open to all, secrets included."""
    return one.where.endswith("/history 200") and one.version == len(truth.moments) - 1


def _words(truth: Truth, one: Heard) -> Iterator[str]:
    where = one.data + repr(sorted(one.headers.items())).encode()
    for word in truth.words:
        looked_for = not word.channels or one.channel in word.channels
        if looked_for and one.audience not in word.knowers and word.text in where:
            yield word.what


def _anything(truth: Truth, one: Heard) -> Iterator[str]:
    """Nothing of a game belongs into logs, metrics and traces: not even what all at the table know."""
    text = one.data.decode(errors="replace")
    for piece in truth.pieces:
        if re.search(rf"(?<![\w.]){re.escape(piece)}(?![\w])", text):
            yield f"{piece} in {text[:200]}"


def _form(one: Heard, body: Any) -> Iterator[str]:
    """A frame is as long as what it says, and says no more than it should: its size tells nothing else."""
    if one.channel != "stream":
        return
    if frozenset(body) not in FRAMES and set(body) != {"seq", "view"}:
        yield f"a frame of {sorted(body)}"
    if len(msgspec.json.encode(body)) != len(one.data):
        yield f"a frame of {len(one.data)} bytes that says {len(msgspec.json.encode(body))}"


def _jumps(heard: list[Heard]) -> Iterator[str]:
    """The numbers of what an audience hears of changes have no gaps: a gap would tell that something was hidden."""
    streams: dict[tuple[str, str], list[tuple[int, bool]]] = {}
    for one in heard:
        if one.channel in ("stream", "nats") and one.seq is not None:
            streams.setdefault((one.audience, one.where), []).append((one.seq, b'"patch"' in one.data))
    for (audience, where), numbers in streams.items():
        for (before, _), (after, changed) in pairwise(numbers):
            if changed and after not in (before, before + 1):
                yield f"{audience} {where}: the number jumps from {before} to {after}"


class _Look:
    """Goes through one decoded body."""

    def __init__(self, truth: Truth, one: Heard) -> None:
        self._audience = one.audience
        self._moment: Moment = truth.at(one.audience, one.version, one.seq)
        self._hidden = truth.hidden(one.audience, self._moment)
        self._seen_names = {facts.name(piece) for piece in truth.seen(one.audience, self._moment)}
        self._handled = self._moment.handled.get(one.audience, frozenset())
        self._pieces = truth.pieces
        self._shown = truth.shown

    def at(self, value: Any, path: str = "") -> Iterator[str]:
        """What is wrong in a value that stands at a path."""
        if isinstance(value, dict):
            yield from self._object(value, path)
        elif isinstance(value, list):
            for item in value:
                yield from self.at(item, path)
        elif isinstance(value, str):
            yield from self._text(value, path)

    def _object(self, value: dict[str, Any], path: str) -> Iterator[str]:
        kind = value.get("event")
        if isinstance(kind, str):
            yield from self._event(value, kind)
            foreseen = kind in FORESEEN and self._audience in _told(value, kind, FORESEEN[kind])
            path = TOLD if foreseen else f"{kind}."
        if "choice" in value and value.get("seat", self._audience) != self._audience:
            yield f"{path} an offer of {value['seat']}"
        for key, item in value.items():
            yield from self._key(key, item, path)
            yield from self._text(key, path)
            yield from self.at(item, f"{path}{key}.")

    def _key(self, key: str, item: Any, path: str) -> Iterator[str]:
        kind, _, owner = key.partition(".")
        closed = kind in CLOSED or (kind in OWN and owner != self._audience)
        closed = closed or (kind in PARTIES and self._audience not in owner.split("."))
        if closed and not isinstance(item, int) and item is not None and path.endswith("zones."):
            yield f"{path}{key} is not for {self._audience}"
        # An event may have a word of its own for something that all see: who is asked for the truth.
        of_event = _events().get(path.removesuffix("."))
        if key in ENGINE_WORDS and (of_event is None or key not in of_event.public):
            yield f"{path}{key} is the engine's"
        # A mark of this name that was its own goes, while another's stands: it is told that it is gone, as `null`.
        if (
            path.endswith("marks.")
            and item is not None
            and self._audience not in self._moment.marks.get(key, (self._audience,))
        ):
            yield f"{path}{key} is a mark for {self._moment.marks[key]}"
        if path in ("view.spice.", "patch.spice.", "spice.") and key != self._audience:
            yield f"{path}{key} lies behind a shield"

    def _event(self, event: dict[str, Any], kind: str) -> Iterator[str]:
        for field in SECRET_FIELDS.get(kind, {}):
            if field == "leader" and (kind, event.get(field)) in self._shown:
                continue  # a captive that was shown to all
            if field in event and self._audience not in _told(event, kind, field):
                yield f"{kind}.{field} is not for {self._audience}"

    def _text(self, text: str, path: str) -> Iterator[str]:
        for piece in IDENTITIES.findall(text):
            if piece in self._hidden or ("#" in piece and piece in self._pieces - self._handled):
                yield f"{path} {text}: tells {piece}"
        if any(place in path for place in NAMED_ONLY):
            return
        if text in self._hidden:
            yield f"{path} {text}"
        elif path.endswith("text.") and self._named.search(_places().sub("", text)):
            yield f"{path} {text}: names what is hidden"

    @cached_property
    def _named(self) -> re.Pattern[str]:
        """The printed names of hidden treachery cards of which no copy was seen either.

        Not those of spice cards and traitors: they are names of territories and leaders.
        """
        cards = {piece for piece in self._hidden if facts.face(piece) in facts.treachery_cards()}
        names = {facts.name(piece) for piece in cards} - self._seen_names
        return re.compile("|".join(rf"\b{re.escape(name)}\b" for name in sorted(names)) or r"(?!)")


def _told(event: dict[str, Any], kind: str, field: str) -> set[str]:
    """Who may be told a secret field of an event."""
    return {name for knower in SECRET_FIELDS[kind][field] for name in _as_names(event.get(knower))}


@cache
def _events() -> dict[str, type[Event]]:
    """Every kind of event by its name."""
    return event_types()


@cache
def _places() -> re.Pattern[str]:
    """The names of places: that of the Shield Wall has a card's name in it."""
    return re.compile("|".join(re.escape(place.name) for place in facts.territories().values()))


def _as_names(value: Any) -> list[str]:
    return value if isinstance(value, list) else [value] if isinstance(value, str) else []


__all__ = ["SECRET_FIELDS", "SPECTATOR", "leaks"]
