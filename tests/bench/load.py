"""`make load`: busy tables for minutes, watched closely; at the end every promise made to a client is held against the
store.

    python -m tests.bench.load --rooms 200 --minutes 10 --think 1

Ends with 1 when something was wrong: an error, a gap on a stream, an accepted answer that the store does not hold (or
one that nobody was told of), a fault that `sietch verify store` finds, or memory that keeps growing. Where the time
given leaves it open whether memory grows, it goes on for up to as long again.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Sequence
from pathlib import Path

import msgspec
import psycopg
import typer
import uvloop
from rich.console import Console

from services.embedded import Deployment
from services.verifier.store.census import verify_store
from services.verifier.store.fold import fold
from shared.dune.offers import Checkpoint
from tests.bench.deployed import deployed
from tests.bench.players import Counts, Party
from tests.bench.watching import EVERY, LONG_ENOUGH, Watcher

console = Console()

QUIET_SECONDS = 5.0
"""How long the streams may take, after the last answer, to show everything."""

STANDS = """
SELECT r.code, r.version, c.checkpoint FROM rooms r JOIN commits c ON c.room = r.id AND c.version = r.version"""


def main(
    rooms: int = typer.Option(200, help="tables that are busy at once"),
    minutes: float = typer.Option(10.0, help="how long"),
    think: float = typer.Option(1.0, help="seconds that a table waits between two answers, on average"),
    turns: int = typer.Option(1, min=1, max=10, help="the longest game; each is of one to so many turns"),
    replicas: int = typer.Option(1, help="processes of each service"),
    json: Path = typer.Option(Path(".sietch/load.json"), help="where the figures are written as JSON"),
) -> None:
    """Load a deployment of its own."""
    with deployed(replicas=replicas) as sietch:
        with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
            report = runner.run(load(sietch, rooms, minutes * 60, think, turns))
    json.parent.mkdir(parents=True, exist_ok=True)
    json.write_bytes(msgspec.json.format(msgspec.json.encode(report), indent=2) + b"\n")
    console.print(f"as JSON: {json}")
    for name, value in report.items():
        if name not in ("course", "faults"):
            console.print(f"{name}: {value}", highlight=False)
    faults = report["faults"]
    assert isinstance(faults, list)
    for fault in faults[:20]:
        console.print(f"[red]{fault}[/red]", highlight=False)
    console.print("all is well" if not faults else f"{len(faults)} faults")
    raise typer.Exit(1 if faults else 0)


async def load(sietch: Deployment, rooms: int, seconds: float, think: float, turns: int) -> dict[str, object]:
    """Run the load; everything that was counted, and what was wrong."""
    counts = Counts()
    parties = [Party(sietch.url, number, counts, think, turns) for number in range(rooms)]
    await begin(parties)
    ending = asyncio.Event()
    watcher = Watcher(sietch, counts, console, rooms)
    players = [asyncio.create_task(party.play(ending)) for party in parties]
    await watch(watcher, seconds)
    ending.set()
    console.print("the last answers")
    for outcome in await asyncio.gather(*players, return_exceptions=True):
        if isinstance(outcome, BaseException):
            counts.fault(f"a table broke off: {outcome!r}")
    await asyncio.sleep(QUIET_SECONDS)
    faults = await asyncio.to_thread(settle, sietch.database_url, parties)
    for party in parties:
        party.leave()
    faults += counts.faults + watcher.growing(seconds)
    return {
        "rooms": rooms,
        "seconds": seconds,
        "think": think,
        "turns": turns,
        "games_begun": counts.begun,
        "games_ended": counts.ended,
        "accepted": counts.accepted,
        "other": dict(counts.statuses),
        **watcher.summary(),
        "course": watcher.course,
        "faults": faults,
    }


async def watch(watcher: Watcher, seconds: float) -> None:
    """Look until the time is over, and up to as long again while it is open whether memory grows."""
    began = time.monotonic()
    while (left := began + seconds - time.monotonic()) > 0:
        await asyncio.sleep(min(EVERY, left))
        watcher.look()
    if seconds < LONG_ENOUGH:
        return
    while (unsure := watcher.undecided()) and time.monotonic() < began + 2 * seconds:
        console.print(f"on, until it is certain whether memory grows: {', '.join(unsure)}")
        await asyncio.sleep(EVERY)
        watcher.look()


async def begin(parties: Sequence[Party]) -> None:
    """Let all tables sit down and begin, a few at a time."""
    gate = asyncio.Semaphore(4)
    done = 0

    async def one(party: Party) -> None:
        nonlocal done
        async with gate:
            await party.open()
        done += 1
        if done % 20 == 0 or done == len(parties):
            console.print(f"{done} of {len(parties)} tables have begun")

    await asyncio.gather(*(one(party) for party in parties))


def settle(database_url: str, parties: Sequence[Party]) -> list[str]:
    """Hold what clients were told against the store: answers, sequence numbers, and the census of everything."""
    faults: list[str] = []
    with psycopg.connect(database_url) as connection:
        stored = {row[0]: row[1:] for row in connection.execute(STANDS)}
    for party in parties:
        for code, accepted in party.accepted.items():
            version = stored[code][0] if code in stored else 0
            if version != accepted + 1:
                faults.append(f"{code}: {accepted} answers were accepted, the store is at version {version}")
        if party.room is not None:
            saved = msgspec.json.decode(stored[party.room.path.rpartition("/")[2]][1], type=Checkpoint)
            for seat in party.room.seats.values():
                if seat.seq != saved.sequences.get(seat.name, 0):
                    faults.append(
                        f"{party.room.path}: {seat.name}'s stream stands at {seat.seq}, the store at "
                        f"{saved.sequences.get(seat.name, 0)}"
                    )
    console.print("verifying the store")
    census = verify_store(database_url, fold)
    console.print(f"{census.rooms} rooms, {census.commits:,} commits, {census.events:,} events")
    return faults + [f"{fault.room} {fault.version}: {fault.text}" for fault in census.faults]


if __name__ == "__main__":
    typer.run(main)
