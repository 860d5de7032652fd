"""The facts of a game, one module an area. `evolve` folds them; `visible` shows each audience its part."""

from shared.dune.events.base import (
    Event,
    decode_event,
    decode_events,
    encode_event,
    event_types,
    evolve,
    line,
    part_of,
    visible,
)

__all__ = [
    "Event",
    "decode_event",
    "decode_events",
    "encode_event",
    "event_types",
    "evolve",
    "line",
    "part_of",
    "visible",
]
