"""What must hold afterwards: nothing lost, nothing doubled, every game the one that it would have been in peace."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Collection, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from typing import Any

import psycopg

from services.arena.local import step
from services.bot.policies import policy
from services.rules.engine.game import Refusal
from services.rules.newgame import begin
from services.verifier.store.census import verify_store
from services.verifier.store.fold import fold
from shared.dune.events import encode_event
from shared.dune.settings import Settings
from shared.wire.chain import canonical
from tests.chaos.rooms import LAST_TURN, seats_of

GO_ON_SECONDS = 90.0
"""How long a room may stand still: far longer than on an idle machine; how long it does is told by `times.py`."""

Stored = list[list[bytes]]
"""The events of a room, commit by commit, in canonical JSON."""


def go_on(database_url: str, codes: Sequence[str], seconds: float = GO_ON_SECONDS) -> list[str]:
    """Wait until each of the rooms got on by a commit or is over; says which did not."""
    query = "SELECT code, version, finished, open FROM rooms WHERE code = ANY(%s)"

    def look() -> dict[str, Any]:
        with psycopg.connect(database_url) as connection:
            return {row[0]: row[1:] for row in connection.execute(query, (list(codes),))}

    before = look()
    until = time.monotonic() + seconds
    while True:
        now = look()
        stuck = [code for code, row in now.items() if not row[1] and row[0] <= before[code][0]]
        if not stuck or time.monotonic() > until:
            return [f"room {code} does not go on at version {now[code][0]}: {now[code][2]}" for code in stuck]
        time.sleep(0.2)


def went_on(database_url: str, since: float, seconds: float = GO_ON_SECONDS) -> list[str]:
    """Wait until every room that runs has got on since a moment (Unix time), at most so many seconds.

    Says which have not.
    """
    query = "SELECT code, version FROM rooms WHERE state = 'running' AND updated_at < to_timestamp(%s)"
    until = time.monotonic() + seconds
    stuck = ["the store cannot be reached"]
    while time.monotonic() < until:
        with contextlib.suppress(psycopg.OperationalError):
            with psycopg.connect(database_url, connect_timeout=3) as connection:
                rows = connection.execute(query, (since,)).fetchall()
            stuck = [f"room {code} stands at version {version}" for code, version in rows]
            if not stuck:
                return []
        time.sleep(0.2)
    return stuck


def rooms_are_known(database_url: str, codes: Collection[str]) -> list[str]:
    """Every room that there is was made for somebody, however often its making was sent."""
    with psycopg.connect(database_url) as connection:
        found = [str(row[0]) for row in connection.execute("SELECT code FROM rooms")]
    return [f"room {code} was made for nobody" for code in found if code not in codes]


def store_is_sound(database_url: str) -> list[str]:
    """`sietch verify store`: the census, the fold with its snapshots, and the hash chain of every room."""
    census = verify_store(database_url, fold)
    return [f"store: room {fault.room} at {fault.version}: {fault.text}" for fault in census.faults]


def stored(database_url: str, code: str) -> Stored:
    """What the store holds of one room."""
    query = """
        SELECT ARRAY(SELECT e.body::text FROM events e WHERE e.room = c.room AND e.version = c.version ORDER BY index)
        FROM commits c JOIN rooms r ON r.id = c.room WHERE r.code = %s ORDER BY c.version"""
    with psycopg.connect(database_url) as connection:
        return [[canonical(body) for body in bodies] for (bodies,) in connection.execute(query, (code,))]


def games_are_the_same(database_url: str, seeds: Mapping[str, int]) -> list[str]:
    """Bots decide by what they see alone: each game must be, commit by commit, the one played in one process."""
    with ProcessPoolExecutor(max_workers=2) as pool:
        work = [pool.submit(_compare, database_url, code, seed) for code, seed in seeds.items()]
        return [found for one in work if (found := one.result())]


def _compare(database_url: str, code: str, seed: int) -> str | None:
    told = stored(database_url, code)
    if not told:
        return f"room {code} (seed {seed}) is not in the store"
    decision = begin(Settings(seats=seats_of(seed), last_turn=LAST_TURN), seed)  # type: ignore[arg-type]
    assert not isinstance(decision, Refusal)
    policies = {seat: policy("easy") for seat in seats_of(seed)}
    for number, events in enumerate(told, 1):
        if number > 1:
            if decision.game.table.result is not None:
                return (
                    f"room {code} (seed {seed}) has {len(told)} commits, in peace it ended after {number - 1}"
                )
            decision = step(decision.game, policies)
        if [canonical(encode_event(event)) for event in decision.events] != events:
            return f"room {code} (seed {seed}): commit {number} is not what it would have been in peace"
    return None


def asked_once(database_url: str) -> list[str]:
    """No command twice and no version twice in any room (the keys forbid it: this looks whether they are there)."""
    query = """
        SELECT r.code, count(*), count(DISTINCT c.command_id), count(DISTINCT c.version), max(c.version)
        FROM commits c JOIN rooms r ON r.id = c.room GROUP BY r.id"""
    with psycopg.connect(database_url) as connection:
        rows = connection.execute(query).fetchall()
    return [f"room {code}: {numbers}" for code, *numbers in rows if len(set(numbers)) != 1]
