"""Everything is stopped, killed and started in the middle of a running game, and the game goes on where it was."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any
from uuid import uuid4

import psycopg
import pytest
from typer.testing import CliRunner

from services.arena.local import play_game
from services.arena.report import digest_of
from services.cli.verify import app as verify
from services.embedded import Deployment
from services.verifier.room import Room, until
from shared.dune.settings import Settings

pytestmark = pytest.mark.slow

SERVICES = ("rules", "projection", "bot", "room")
SERVERS = ("nats", "postgres")
ME = "atreides"
OTHERS = ("harkonnen", "fremen", "guild")


def hurt(sietch: Deployment, how: str, names: tuple[str, ...]) -> None:
    """Take these down, gracefully or by SIGKILL, all of them before any comes back; return when all are ready."""
    for name in names:
        if how == "stop":
            sietch.stop(name)
        elif name in SERVERS:
            sietch.kill(name)
        else:
            sietch.kill(name, restart=False)
    for name in sorted(names, key=(*SERVERS, *SERVICES).index):
        if name in SERVERS:
            sietch.start(name)
        else:
            sietch.children[name][0].start()
    sietch.wait_ready()


def verified(sietch: Deployment) -> str:
    done = CliRunner().invoke(verify, ["store", "--database-url", sietch.database_url])
    assert done.exit_code == 0, done.output
    return done.stdout


@pytest.fixture
def sietch(own_deployment: Callable[..., Deployment]) -> Deployment:
    """As an operator runs it: what PostgreSQL has said is committed survives a crash."""
    return own_deployment(durable=True, env={"SIETCH_PAUSE": "0.02"})


ALL = (*SERVICES, *SERVERS)
ROUNDS = (
    [("stop", (name,)) for name in ALL] + [("kill", (name,)) for name in ALL] + [("stop", ALL), ("kill", ALL)]
)


def settled(room: Room, sietch: Deployment) -> dict[str, Any]:
    """Wait until only the person's answer is missing, and return what the person sees then."""
    query = "SELECT finished, jsonb_path_query_array(open, '$[*].seat') FROM rooms WHERE code = %s"
    with psycopg.connect(sietch.database_url) as connection:

        def waits() -> bool:
            (row,) = connection.execute(query, (room.code,)).fetchall()
            connection.commit()
            return bool(row[0] or set(row[1]) == {ME})

        until(waits, "the person's turn")
    return room.whole(ME)


def test_a_game_goes_on_at_the_same_decision(sietch: Deployment) -> None:
    with Room(sietch.url, seats=4, last_turn=4) as room:
        room.sit(ME)
        for faction in OTHERS:
            room.add_bot(faction)
        room.start(11)
        done: tuple[str, object, str] | None = None
        for how, names in ROUNDS:
            before, watching = settled(room, sietch), room.whole()
            assert not before["view"].get("result"), f"the game ended before {how} of {names}"
            hurt(sietch, how, names)
            assert room.whole(ME) == before, f"{how} of {names} changed what the person sees"
            assert room.whole() == watching
            if done:
                # Whoever lost the reply to an answer sends it again: it was taken, and acts no second time.
                again = room.act(ME, *done)
                assert (again.status_code, again.json()) == (200, {"ok": True})
                assert room.whole(ME) == before
            found = room.choice(ME)
            assert found, "the person is asked"
            offer, given = found
            assert offer.id in [asked["id"] for asked in before["view"]["offers"]]
            done = (offer.id, given, str(uuid4()))
            assert room.act(ME, *done).json() == {"ok": True}, (
                f"the same question can be answered after {how} of {names}"
            )
        play_out(room)
    text = verified(sietch)
    assert text.startswith("1 rooms, ") and text.endswith("nothing is wrong\n")


def play_out(room: Room) -> None:
    """The person plays on as a bot would until the game is over."""
    until(lambda: room.over() or (room.answer(ME) and None), "the end of the game", 240)


def test_a_game_of_bots_is_the_same_through_every_crash(sietch: Deployment) -> None:
    seats = ("emperor", "guild", "bene_gesserit")
    calm = play_game(Settings(seats=seats, last_turn=5), 3)
    with Room(sietch.url, seats=3, last_turn=5) as room:
        for faction in seats:
            room.add_bot(faction)
        room.start(3)
        for names in [*((name,) for name in ALL), ALL]:
            shown = room.whole()
            assert not room.over(), f"the game ended before the crash of {names}"
            hurt(sietch, "kill", names)
            until(lambda s=shown: room.whole()["seq"] > s["seq"], f"a move after the crash of {names}")
        until(room.over, "the end of the game", 120)
        commits = room.history()
    events = [json.dumps(event).encode() for commit in commits for event in commit]
    assert len(commits) == calm.commits
    assert digest_of(events) == calm.digest
    assert verified(sietch).endswith("nothing is wrong\n")
