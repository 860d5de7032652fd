"""The table as a value: keeping another one costs a reference; its JSON goes out and comes back."""

from __future__ import annotations

import msgspec

from shared.dune.table import Table
from tests.bench.bench import Bench
from tests.bench.games import game_at_turn
from tests.bench.model import Measure, Row, at_most, quantile
from tests.bench.stretch import each, singly

__all__ = ["ROWS"]


async def values(bench: Bench) -> list[Measure]:
    """Clone and round trip of the table of a six-seat game at the beginning of turn 10."""
    bench.tell("playing to turn 10")
    table = game_at_turn(10).table
    encode, decode = msgspec.json.Encoder().encode, msgspec.json.Decoder(Table).decode
    assert decode(encode(table)) == table
    kept: list[Table] = []
    clones = bench.number(2_000_000, 200_000)
    clone = each(lambda: kept.append(table), clones)
    assert len(kept) == clones and kept[-1] is table
    bench.tell("round trips")
    trips = singly(lambda: decode(encode(table)), bench.number(5_000, 500))
    note = f"{len(encode(table)):,} bytes of JSON"
    return [
        Measure("clone", "µs", clone * 1e6, None, at_most(1.0, "value"), clones, "an immutable value"),
        Measure(
            "JSON round trip p50",
            "µs",
            quantile(trips, 0.5) * 1e6,
            None,
            at_most(400, "value"),
            len(trips),
            note,
        ),
        Measure("JSON round trip p99", "µs", quantile(trips, 0.99) * 1e6, None, None, len(trips), drift=1.0),
    ]


ROWS = (Row("table", "table clone, and JSON round trip at turn 10", values),)
