"""`sietch metrics`: what the services count, as the table of `docs/metrics.md`."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor

import msgspec
import typer

from shared.ops.metrics import Declared

app = typer.Typer(rich_markup_mode=None, add_completion=False)

MODULES = {
    "room": "services.room.service",
    "rules": "services.rules.service",
    "projection": "services.projection.service",
    "bot": "services.bot.worker",
}
"""The module of each service that loads all of it."""

_TELL = "import msgspec, {0}; from shared.ops.metrics import DECLARED; print(msgspec.json.encode(DECLARED).decode())"

HEAD = """\
# Metrics

What `/metrics` of each service's ops port tells, beside `process_*` of the process itself. Made by `sietch metrics`; a
test keeps it true. A histogram `x_seconds` has the series `x_seconds_bucket`, `x_seconds_count` and `x_seconds_sum`.

Labels are words of ours: routes without their values, subjects without their rooms, codes. What is none, or comes after
400 other series of its metric, is counted as `other`; no room, seat, person or piece is ever named (decision 0023).

Gauges of the store (`sietch_room_rooms`, `…_offers_waiting`, `…_bot_waits`, `…_hints_behind_…`, `…_deadlines_overdue…`)
and of streams (`sietch_consumer_waiting_messages`, `…_oldest_seconds`) are looked at when they are asked for. Every
replica tells the same: take their maximum, never their sum. What could not be looked at is absent.

| metric | kind | labels | services | |
| --- | --- | --- | --- | --- |
"""


class Known(msgspec.Struct):
    """A metric, and the services that have it."""

    metric: Declared
    services: tuple[str, ...]


@app.callback(invoke_without_command=True)
def metrics() -> None:
    """Print every metric of every service."""
    typer.echo(document(declared()), nl=False)


def declared() -> list[Known]:
    """Every metric by name, asked of each service in a process of its own."""
    with ThreadPoolExecutor(max_workers=2) as pool:
        told = dict(zip(MODULES, pool.map(_of, MODULES.values()), strict=True))
    found = {metric.name: metric for metrics in told.values() for metric in metrics}
    owners = {
        name: tuple(s for s, metrics in told.items() if any(m.name == name for m in metrics))
        for name in found
    }
    return [Known(found[name], owners[name]) for name in sorted(found)]


def _of(module: str) -> list[Declared]:
    done = subprocess.run(
        [sys.executable, "-c", _TELL.format(module)], check=True, capture_output=True, text=True
    )
    return msgspec.json.decode(done.stdout, type=list[Declared])


def series(known: Sequence[Known]) -> set[str]:
    """The names that a query may use."""
    return {name for one in known for name in _names(one.metric)}


def _names(metric: Declared) -> Iterator[str]:
    if metric.kind == "histogram":
        yield from (f"{metric.name}_{part}" for part in ("bucket", "count", "sum"))
    else:
        yield metric.name


def document(known: Sequence[Known]) -> str:
    """The page `docs/metrics.md`."""
    return HEAD + "".join(f"{_row(one)}\n" for one in known)


def _row(one: Known) -> str:
    metric = one.metric
    owners = "all" if len(one.services) == len(MODULES) else ", ".join(one.services)
    cells = (f"`{metric.name}`", metric.kind, ", ".join(metric.labels), owners, metric.text)
    return f"| {' | '.join(cells)} |"
