"""What a rules worker keeps of the games that it decides: nothing of one that is over."""

from __future__ import annotations

import random
from uuid import UUID, uuid4

import msgspec
from msgspec import Raw

from services.rules.service import Worker
from shared.dune.settings import Settings
from shared.wire.chain import link
from shared.wire.messages import AnswerOffer, Behind, Decide, Decided, StartGame
from tests.service.recorded import SEATS, draw


def test_a_game_that_is_over_is_forgotten() -> None:
    """Until then its newest table and the one before it are kept, whose commit may lose a race."""
    worker, room, chance = Worker("one", 10, False), uuid4(), random.Random(3)
    settings = Raw(msgspec.json.encode(Settings(seats=SEATS, last_turn=1)))
    asked = Decide(room.hex, 0, StartGame(settings, 3), None, b"", uuid4().bytes)
    while True:
        reply = worker.decide(asked)
        assert isinstance(reply, Decided)
        command, version = asked.command_id, asked.version + 1
        events = [bytes(event) for event in reply.events]
        tip = link(asked.tip, room, version, UUID(bytes=command), events, bytes(reply.checkpoint))
        if reply.finished:
            break
        kept = worker._hot[room.hex]
        assert set(kept) <= {asked.tip, tip}
        offer, given = draw(kept[tip], chance)
        answer = AnswerOffer(offer.seat, offer.id, Raw(msgspec.json.encode(given)))
        asked = Decide(room.hex, version, answer, None, tip, uuid4().bytes)
    assert not worker._hot
    assert isinstance(worker.decide(asked), Behind), (
        "should its last commit be lost, the table has to be sent"
    )
