"""`restart` of any part of the composed deployment, and of all at once, while bots and people play: nothing is lost.

`SIETCH_SCENARIOS=yes SIETCH_RATE_FACTOR=0 make compose-up`, then `make compose-restarts`. With `SIETCH_PAUSE=0.2`
beside them games last longer, and fewer are enough (`SIETCH_COMPOSED_ROOMS`).
"""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Callable, Iterator

import httpx
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
ROOMS = int(os.environ.get("SIETCH_COMPOSED_ROOMS", "4"))
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
    keeper.start()
    yield keeper, people
    keeper.stop()


def test_every_part_restarts_while_games_go_on(tables: tuple[Keeper, list[Person]]) -> None:
    keeper, people = tables
    time.sleep(PLAY_SECONDS)
    for part in PARTS:
        before = started(part)
        composed.compose("restart", part)
        composed.ready()
        after = started(part)
        assert before.keys() == after.keys()
        assert all(before[id_] != after[id_] for id_ in before), f"{part} was not restarted"
        assert stuck(keeper, people) == [], f"after the restart of {part}"
        time.sleep(PLAY_SECONDS)
    composed.compose("restart")
    composed.ready()
    assert stuck(keeper, people) == [], "after the restart of everything"


@pytest.mark.skipif(os.geteuid() != 0, reason="only root may kill the processes of containers")
def test_whoever_dies_is_started_again(tables: tuple[Keeper, list[Person]]) -> None:
    keeper, people = tables
    for part in PARTS:
        kill_one(part)
        composed.ready()
    assert stuck(keeper, people) == [], "after the death of one of each"


def test_nothing_was_lost(tables: tuple[Keeper, list[Person]]) -> None:
    keeper, people = tables
    keeper.stop()
    for person in people:
        person.stop()
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


def started(part: str) -> dict[str, str]:
    """When each container of a part began to run."""
    return {id_: composed.inspect(id_)["State"]["StartedAt"] for id_ in composed.ids(part)}


def kill_one(part: str) -> None:
    """Kill the process of one of its containers, as if it had crashed, and wait until the engine starts it again."""
    id_ = composed.ids(part)[0]
    before = composed.inspect(id_)
    os.kill(before["State"]["Pid"], signal.SIGKILL)
    wait(
        lambda: composed.inspect(id_)["RestartCount"] > before["RestartCount"], f"{part} is started again", 30
    )


def stuck(keeper: Keeper, people: list[Person]) -> list[str]:
    """The rooms that do not go on within a minute."""
    codes = [*keeper.seeds, *(person.code for person in people)]
    return checks.go_on(composed.database_url(), codes, 60)


def wait(until: Callable[[], bool], what: str, seconds: float = 240.0) -> None:
    """Return once `until` says yes; fails when it does not within the time."""
    end = time.monotonic() + seconds
    while not until():
        assert time.monotonic() < end, f"it did not come about that {what}"
        time.sleep(0.5)
