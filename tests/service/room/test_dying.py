"""Room killed between each two steps of an action: another replica goes on, and nothing acts twice or is lost."""

from __future__ import annotations

import contextlib
from pathlib import Path
from signal import SIGKILL
from typing import Any
from uuid import uuid4

import httpx
import psycopg
import pytest

from services.verifier.store.census import verify_store
from tests.chaos.dying import arm
from tests.service.room.processes import Dying
from tests.service.room.test_faults import take_task
from tests.waiting import PATIENCE

pytestmark = pytest.mark.slow

STEPS = (
    "rules are to be asked",
    "an answer is decided",
    "an answer is committed",
    "hints are to leave",
    "a wake-up is to leave",
    "a wake-up was taken",
    "what was taken is to be noted",
)
"""Of a person's action, in order, at the replica that is asked. The bot's task is in the queue, or found to be lost."""


async def test_an_action_is_taken_up_from_between_any_two_steps(
    replica: Any, bus: Any, projection: Any, database_url: str, room_process: Any, tmp_path: Path
) -> None:
    """Each leaves a wake-up behind, and a bot's task that somebody took and did nothing for."""
    server = await replica(sweep_every=0.2, wakeup_after=0.3, bots_again=0.3)
    game = await server.started(bots=1)
    person, bot = game.seats[0], game.factions[3]
    headers = {"authorization": f"Bearer {game.tokens[person]}"}
    dying = room_process(Dying)
    assert (await take_task(bus)).seat == bot
    for number, point in enumerate(STEPS):
        await dying.start()
        arm(tmp_path, point)
        body = {"command_id": str(uuid4()), "offer": f"{person}-{number}", "answer": {"number": number}}
        async with httpx.AsyncClient(base_url=dying.url, timeout=PATIENCE, headers=headers) as http:
            with contextlib.suppress(httpx.TransportError):  # it may die before it can answer
                assert (await http.post(f"/api/rooms/{game.code}/actions", json=body)).status_code == 200
        assert await dying.ended() == -SIGKILL, point
        again = await server.call("POST", f"/rooms/{game.code}/actions", body, game.tokens[person])
        assert again.json() == {"ok": True}, point
        await projection.folded(number + 2)
        assert (await take_task(bus)).offer == f"{bot}-0", f"nobody asks the bot after a death where {point}"
    with psycopg.connect(database_url) as connection:
        rows = connection.execute(
            "SELECT body -> 'answer' ->> 'number' FROM events WHERE type = 'Answered' ORDER BY version"
        ).fetchall()
    assert [int(row[0]) for row in rows] == list(range(len(STEPS)))
    assert verify_store(database_url).faults == []
