"""`restart` of any part of the composed deployment, and of all at once, while bots and people play: nothing is lost.

`SIETCH_SCENARIOS=yes SIETCH_RATE_FACTOR=0 make compose-up`, then `make compose-restarts`.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator

import httpx
import psycopg
import pytest

from tests.chaos import checks, witness
from tests.chaos.people import Person
from tests.chaos.rooms import Keeper
from tests.composed import deployment as composed

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(
        not os.environ.get("SIETCH_COMPOSED"),
        reason="needs a composed deployment: make compose-up, then make compose-restarts",
    ),
]

PARTS = ("rules", "projection", "bot", "room", "proxy", "nats", "postgres")
ROOMS = 4
PLAY_SECONDS = 4.0
"""How long games go on between two restarts."""


@pytest.fixture(scope="module")
def tables() -> Iterator[tuple[Keeper, list[Person]]]:
    """Rooms of bots and two people at tables of their own, all playing."""
    composed.ready()
    limits = httpx.get(f"{composed.DOOR}/api/limits", timeout=10).json()
    staged = httpx.post(f"{composed.DOOR}/api/scenarios", json={}, timeout=10)
    if staged.status_code == 404 or not limits:
        pytest.fail(
            "start the deployment with SIETCH_SCENARIOS=yes SIETCH_RATE_FACTOR=0: seeds are stated here"
        )
    first = int(time.time()) % 1_000_000 * 10
    keeper = Keeper(composed.DOOR, composed.database_url(), ROOMS, first)
    keeper.fill()
    people = [Person(composed.DOOR, first + number, 0.3) for number in range(2)]
    for person in people:
        person.start()
    yield keeper, people
    keeper.stop()


def versions(codes: list[str]) -> dict[str, tuple[int, bool]]:
    """How far each room is, and whether it is over."""
    with psycopg.connect(composed.database_url(), connect_timeout=5) as connection:
        rows = connection.execute("SELECT code, version, finished FROM rooms WHERE code = ANY(%s)", (codes,))
        return {code: (version, finished) for code, version, finished in rows}


def test_every_part_restarts_while_games_go_on(tables: tuple[Keeper, list[Person]]) -> None:
    keeper, people = tables
    codes = [*keeper.seeds, *(person.code for person in people)]
    time.sleep(PLAY_SECONDS)
    for part in PARTS:
        before = {id_: composed.inspect(id_)["State"] for id_ in composed.ids(part)}
        composed.compose("restart", part)
        composed.ready()
        after = {id_: composed.inspect(id_)["State"] for id_ in composed.ids(part)}
        assert before.keys() == after.keys()
        assert all(before[id_] != after[id_] for id_ in before), f"{part} was not restarted"
        assert checks.go_on(composed.database_url(), codes, 60) == [], f"after the restart of {part}"
        time.sleep(PLAY_SECONDS)
    composed.compose("restart")
    composed.ready()
    assert checks.go_on(composed.database_url(), codes, 60) == [], "after the restart of everything"


def test_nothing_was_lost(tables: tuple[Keeper, list[Person]]) -> None:
    keeper, people = tables
    for person in people:
        person.stop()
    wait(lambda: all(over for _, over in versions(list(keeper.seeds)).values()), "games of bots end")
    composed.compose("stop", "bot")
    wait(lambda: all(person.seq >= person.whole()["seq"] for person in people), "people hear of everything")
    for person in people:
        person.over.set()
    for person in people:
        person.leave()
    url = composed.database_url()
    wrong = [fault for person in people for fault in person.faults]
    wrong += checks.store_is_sound(url)
    wrong += checks.asked_once(url)
    wrong += witness.compare(url, people)
    wrong += checks.games_are_the_same(url, keeper.seeds)
    composed.compose("start", "bot")
    composed.ready()
    assert wrong == []


def wait(until: Callable[[], bool], what: str, seconds: float = 240.0) -> None:
    """Return once `until` says yes; fails when it does not within the time."""
    end = time.monotonic() + seconds
    while not until():
        assert time.monotonic() < end, f"it did not come about that {what}"
        time.sleep(0.5)
