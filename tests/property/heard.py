"""All that reaches one audience of a game, to the bytes on its stream, and what it can tell from being kept waiting.

What is sent is made by the code that sends it: projection folds the stored commit, room makes the frame.
"""

from __future__ import annotations

import re

import msgspec

from services.projection.hot import HotRoom
from services.projection.store import StoredCommit, StoredRoom
from services.room.channel import changed_frame
from services.rules.engine.explaining import explained
from services.rules.engine.game import Decision, Game, check, describe_offer, find_offer
from services.rules.engine.orders import ORDER_CLOCK
from services.rules.engine.standing import REASONS, standing_actions
from shared.dune.events import encode_event
from shared.dune.views import encode_view, view

_tables = msgspec.json.Encoder()

NONSENSE = ({"do": "nothing of the kind"}, None, {"choice": "lasgun"})
"""Answers that no offer takes: what is said to them must not depend on what the seat may not know."""


class Ear:
    """Hears a game as one audience, commit by commit."""

    def __init__(self, game: Game, audience: str) -> None:
        saved = msgspec.json.encode(game.checkpoint(), order="sorted")
        stored = StoredRoom(1, _tables.encode(game.table), b"[]", saved, [])
        self._room = HotRoom("room", stored, scenario=False)
        self._audience = audience

    def hear(self, decision: Decision) -> list[bytes]:
        """The frames that a commit sends to this audience, as they go out."""
        events = [encode_event(event) for event in decision.events]
        saved = msgspec.json.encode(decision.game.checkpoint(), order="sorted")
        commit = StoredCommit(self._room.version + 1, events, saved)
        return [changed_frame(change).sse for change in self._room.apply(commit, [self._audience])]


def shown(game: Game, audience: str) -> bytes:
    """The whole view of an audience, and its sequence number."""
    return encode_view(view(game.table, game.checkpoint(), audience)) + b" %d" % game.sequences.get(
        audience, 0
    )


def alike(what: bytes) -> bytes:
    """The same without the numbers by which an owner tells its own copies of a card apart. [SECRET-05]"""
    return re.sub(rb"#\d+", b"#", what)


def kept_waiting(game: Game) -> list[tuple[str, str, str]]:
    """Who has to answer before the game goes on, what and by which clock: all can tell by how long it takes.

    What a standing order answers after a while is for all others a window like any. [WINPOL-07]
    """
    pending = [offer for offer in game.open if offer.committed is None]
    return [(o.seat, o.kind, "window" if o.clock == ORDER_CLOCK else o.clock) for o in pending]


def replies(game: Game, seat: str) -> list[bytes]:
    """What a seat is told when it asks for its standing offers, *why?* of a number, and why it cannot do what it may do
    at other times; or answers nonsense to what it is asked.
    """
    told = []
    for offer in (*game.standing, *game.open):
        if offer.seat != seat:
            continue
        told.append(msgspec.json.encode(find_offer(game, seat, offer.id), order="sorted"))
        told.extend(msgspec.json.encode(check(game, seat, offer.id, given)) for given in NONSENSE)
    if seat in game.table.seats:
        told.append(msgspec.json.encode(explained(game.table, seat)))
        reasons = (describe_offer(game, seat, f"{seat}.{kind}{REASONS}") for kind in standing_actions())
        told.extend(msgspec.json.encode(one, order="sorted") for one in reasons)
    return told


def everything(game: Game, audience: str) -> bytes:
    """View, number, replies and waiting in one: equal in two worlds that the audience cannot tell apart."""
    waiting = msgspec.json.encode(kept_waiting(game))
    return b"\n".join([shown(game, audience), waiting, *replies(game, audience)])


__all__ = ["Ear", "alike", "everything", "kept_waiting", "replies", "shown"]
