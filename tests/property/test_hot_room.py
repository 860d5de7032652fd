"""What projection sends adds up: patches, events and logs, made from what changed, against views built from nothing."""

from __future__ import annotations

import os
import random
from typing import Any

import msgspec
import pytest

from services.projection.hot import HotRoom
from services.projection.patch import apply_patch, merge_patch
from services.projection.store import RECENT_EVENTS, StoredCommit, StoredRoom
from services.rules.engine.game import Decision, Game, answer
from services.rules.newgame import begin
from shared.dune.events import decode_event, encode_event, visible
from shared.dune.offers import Checkpoint
from shared.dune.table import Table
from shared.dune.views import SPECTATOR, encode_view, view
from shared.wire.messages import View, ViewChanged
from tests.property.players import next_answer, settings_for

FIRST = int(os.environ.get("SIETCH_LAWS_SEED", "1"))
GAMES = int(os.environ.get("SIETCH_LAWS_GAMES", "6"))
WATCH_CHANGES, COMES_BACK = 0.1, 0.02
"""How often an audience begins or ceases to be watched, and how often the room is taken up anew."""


class Stream:
    """A game as it is stored, with what each audience must be shown: built from nothing, sharing no object."""

    def __init__(self, seed: int) -> None:
        self.bodies: list[bytes] = []
        self.version = 0
        decision = begin(settings_for(seed), seed)
        assert isinstance(decision, Decision)
        self.commit = self.add(decision)

    def add(self, decision: Decision) -> StoredCommit:
        """The next commit."""
        self.game: Game = decision.game
        self.version += 1
        events = [encode_event(event) for event in decision.events]
        self.bodies.extend(events)
        self.saved = msgspec.json.encode(self.game.checkpoint(), order="sorted")
        return StoredCommit(self.version, events, self.saved)

    def stored(self) -> StoredRoom:
        """What is read when the room is taken up here: a snapshot, and the log."""
        table = msgspec.json.encode(self.game.table, order="sorted")
        return StoredRoom(self.version, table, b"[]", self.saved, self.bodies[-RECENT_EVENTS:])

    def truth(self, audience: str) -> bytes:
        """The view by a table and a checkpoint that were just read."""
        table = msgspec.json.decode(msgspec.json.encode(self.game.table), type=Table)
        return encode_view(view(table, msgspec.json.decode(self.saved, type=Checkpoint), audience))


def plain(lines: Any) -> Any:
    """Lines as whoever receives them reads them."""
    return msgspec.json.decode(msgspec.json.encode(lines))


def told(bodies: list[bytes], audience: str) -> Any:
    """What an audience may see of events, each looked at on its own."""
    parts = [visible(decode_event(body), audience) for body in bodies]
    return plain([part for part in parts if part is not None])


def check_change(change: ViewChanged, shown: bytes, stream: Stream, commit: StoredCommit) -> None:
    """The patch turns what was shown into the view, and holds no more than the difference of the two."""
    before, after = msgspec.json.decode(shown), msgspec.json.decode(stream.truth(change.audience))
    patch = msgspec.json.decode(change.patch)
    assert apply_patch(before, patch) == after
    assert patch == merge_patch(before, after)
    assert plain(change.events) == told(commit.events, change.audience)


def check_whole(whole: View | None, stream: Stream, audience: str) -> None:
    """The whole view to the byte, and its log."""
    assert whole is not None
    assert bytes(whole.view) == stream.truth(audience)
    assert whole.seq == stream.game.sequences.get(audience, 0)
    assert plain(whole.log) == told(stream.bodies[-RECENT_EVENTS:], audience)


@pytest.mark.parametrize("seed", range(FIRST, FIRST + GAMES))
def test_what_is_sent_adds_up_to_the_views(seed: int) -> None:
    """At every commit of a random game, whoever watches, whenever it began to, and after the room was taken up anew."""
    stream, rng, chooser = Stream(seed), random.Random(seed), random.Random(seed)
    hot = HotRoom("room", stream.stored(), False)
    everybody = (*stream.game.table.seats, SPECTATOR)
    watched = {audience for audience in everybody if rng.random() < 0.7}
    while stream.game.table.result is None:
        offer, given = next_answer(stream.game, chooser)
        shown = {audience: stream.truth(audience) for audience in watched}
        numbers = dict(stream.game.sequences)
        outcome = answer(stream.game, offer.seat, offer.id, given)
        assert isinstance(outcome, Decision)
        commit = stream.add(outcome)
        changes = {change.audience: change for change in hot.apply(commit, sorted(watched))}
        moved = {who for who in watched if stream.game.sequences.get(who, 0) != numbers.get(who, 0)}
        assert set(changes) == moved
        for audience in watched:
            if audience in changes:
                check_change(changes[audience], shown[audience], stream, commit)
            else:
                assert stream.truth(audience) == shown[audience]
        if rng.random() < WATCH_CHANGES:
            audience = rng.choice(everybody)
            watched ^= {audience}
            check_whole(hot.whole(audience), stream, audience)
        if rng.random() < COMES_BACK:
            hot = HotRoom("room", stream.stored(), False)
    for audience in everybody:
        check_whole(hot.whole(audience), stream, audience)
