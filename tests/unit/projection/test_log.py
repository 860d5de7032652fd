"""A room's log: what each audience reads of its latest events, and how much of a long game is kept."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

from services.projection.log import BLOCK, Log, Telling
from services.projection.store import RECENT_EVENTS
from shared.dune.events import decode_event, visible
from shared.dune.views import SPECTATOR
from tests.service.recorded import SEATS, record

AUDIENCES = (*SEATS, SPECTATOR)


@pytest.fixture(scope="module")
def bodies() -> list[bytes]:
    """The events of some games, one after another, as they are stored."""
    games = [record(400, seed) for seed in (1, 2, 3)]
    found = [body for game in games for commit in game.events for body in commit]
    assert len(found) > 2 * RECENT_EVENTS + 2 * BLOCK
    return found


def told(bodies: list[bytes], audience: str) -> list[Any]:
    """What an audience may see of events, each looked at on its own."""
    parts = [visible(decode_event(body), audience) for body in bodies]
    return [msgspec.json.decode(msgspec.json.encode(part)) for part in parts if part is not None]


def read(log: Log, audience: str) -> list[Any]:
    return [msgspec.json.decode(line) for line in log.lines(audience)]


@pytest.mark.parametrize("stored", [0, 1, BLOCK, RECENT_EVENTS])
def test_everybody_reads_the_latest_events_however_they_are_kept(bodies: list[bytes], stored: int) -> None:
    """After each of many events, for one audience in turn; at the end for all."""
    log = Log(bodies[:stored])
    for number in range(stored, len(bodies)):
        log.add(Telling(decode_event(bodies[number])), bodies[number])
        if number % 97 == 0:
            audience = AUDIENCES[number % len(AUDIENCES)]
            assert read(log, audience) == told(bodies[: number + 1][-RECENT_EVENTS:], audience)
    for audience in AUDIENCES:
        assert read(log, audience) == told(bodies[-RECENT_EVENTS:], audience)


def test_what_is_kept_of_a_long_game_is_bounded_and_small(bodies: list[bytes]) -> None:
    log = Log(bodies[:RECENT_EVENTS])
    sizes = []
    for number in range(RECENT_EVENTS, len(bodies)):
        log.add(Telling(decode_event(bodies[number])), bodies[number])
        sizes.append(sum(map(len, log._newest)) + sum(map(len, log._packed)))
    late = sizes[2 * BLOCK :]
    plain = sum(map(len, bodies[-RECENT_EVENTS:]))
    assert max(late) < plain * 0.8, "though it is worded"
    assert len(log._newest) < 2 * BLOCK
    assert len(log._packed) * BLOCK <= RECENT_EVENTS + BLOCK
