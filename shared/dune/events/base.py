"""What an event is: a frozen fact, who may see which part of it, how it changes the table, and its line in the log."""

from __future__ import annotations

import importlib
import pkgutil
from functools import cache, lru_cache
from string import Formatter
from typing import Any, ClassVar

import msgspec
from msgspec import Struct

from shared.dune import facts
from shared.dune.facts.forces import kinds_of_force
from shared.dune.table import BANK, RESERVES, TANKS, Table

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

SPECTATOR = "spectator"


class Event(Struct, frozen=True, tag_field="event", omit_defaults=True):
    """Base of all events. A field that is declared neither `public` nor `private` is seen by nobody.

    `private` maps the name of a field that holds a faction (or several) to the fields which that faction may see.
    `lines` are templates for the log; the first whose fields an audience can all see is the one that it reads. An
    event whose sentence depends on what happened overrides `sentences`.
    """

    public: ClassVar[tuple[str, ...]] = ()
    private: ClassVar[dict[str, tuple[str, ...]]] = {}
    lines: ClassVar[tuple[str, ...]] = ()

    def __init_subclass__(cls, **config: Any) -> None:
        super().__init_subclass__(**config)

    def sentences(self) -> tuple[str, ...]:
        """The templates for the log of this very event."""
        return self.lines

    def apply(self, table: Table) -> Table:
        """The table after this fact; an event that only tells something leaves it as it is."""
        return table

    def fields_for(self, audience: str) -> tuple[str, ...]:
        """The names of the fields that an audience (a faction, or `spectator`) may see."""
        if not self.private:
            return self.public
        seen = list(self.public)
        for viewer, fields in self.private.items():
            who = getattr(self, viewer)
            if audience == who or (isinstance(who, tuple) and audience in who):
                seen.extend(field for field in fields if field not in seen)
        return tuple(seen)


def evolve(table: Table, event: Event) -> Table:
    """The single writer: the table after one event. Needs no rules and no randomness."""
    return event.apply(table)


def visible(event: Event, audience: str) -> dict[str, Any] | None:
    """The part of an event that an audience may see, as JSON with its log line; None if it may see nothing."""
    fields = event.fields_for(audience)
    return part_of(event, fields) if fields else None


def part_of(event: Event, fields: tuple[str, ...]) -> dict[str, Any]:
    """The part of an event with these fields, as JSON with its log line: alike for all who may see the same fields."""
    shown = {field: _unnumbered(msgspec.to_builtins(getattr(event, field))) for field in fields}
    return {"event": type(event).__name__, **shown, "text": line(event, fields)}


def _unnumbered(value: Any) -> Any:
    """A value as an audience is told it: copies of a card cannot be told apart. [SECRET-05]"""
    match value:
        case str():
            return facts.unnumbered(value)
        case list() | tuple():
            return [_unnumbered(item) for item in value]
        case dict():
            return {key: _unnumbered(item) for key, item in value.items()}
    return value


def line(event: Event, fields: tuple[str, ...]) -> str:
    """The sentence that the log shows to somebody who may see these fields; empty when there is none."""
    for template in event.sentences():
        needed = _needed(template)
        if needed.issubset(fields):
            text = template.format(**{name: _worded(getattr(event, name)) for name in needed})
            return text[:1].upper() + text[1:]
    return ""


@lru_cache(maxsize=1024)
def _needed(template: str) -> frozenset[str]:
    """The fields that a sentence tells of."""
    return frozenset(name for _, name, _, _ in Formatter().parse(template) if name)


_PLACES = {BANK: "the bank", RESERVES: "the reserves", TANKS: "the tanks"}


def _worded(value: object) -> str:
    if isinstance(value, str):
        return _PLACES.get(value) or facts.name(value)
    if isinstance(value, dict):
        # Sorted: the store keeps no order of keys, and a line must read the same live and later.
        return _listed([_numbered(key, number) for key, number in sorted(value.items())])
    if isinstance(value, tuple):
        return _listed([_worded(item) for item in value])
    return "nothing" if value is None else str(value)


def _listed(words: list[str]) -> str:
    if len(words) < 2:
        return "".join(words) or "nothing"
    return f"{', '.join(words[:-1])} and {words[-1]}"


def _numbered(key: str, number: int) -> str:
    """Forces by kind as they are counted, anything else as a name with its number."""
    if (kind := kinds_of_force().get(key)) is not None:
        return kind.counted(number)
    return f"{facts.name(key)} {number}" if key in facts.factions() else f"{number} {_worded(key)}"


@cache
def event_types() -> dict[str, type[Event]]:
    """Every event type by name; each module of this package is loaded, so a new file is all that a new event needs."""
    package = importlib.import_module("shared.dune.events")
    for module in pkgutil.iter_modules(package.__path__):
        importlib.import_module(f"{package.__name__}.{module.name}")
    return {kind.__name__: kind for kind in _subclasses(Event)}


def _subclasses(kind: type[Event]) -> list[type[Event]]:
    found: list[type[Event]] = []
    for child in kind.__subclasses__():
        found.extend([child, *_subclasses(child)])
    return found


@cache
def _any() -> Any:
    union: Any = None
    for kind in event_types().values():
        union = kind if union is None else union | kind
    return union


@cache
def _decoder() -> msgspec.json.Decoder[Event]:
    return msgspec.json.Decoder(_any())


@cache
def _row_decoder() -> msgspec.json.Decoder[tuple[Event, ...]]:
    return msgspec.json.Decoder(tuple[_any(), ...])  # type: ignore[misc]  # a union that is known only here


def encode_event(event: Event) -> bytes:
    """The canonical JSON of an event, as stored."""
    return msgspec.json.encode(event, order="sorted")


def decode_event(data: bytes | msgspec.Raw) -> Event:
    """The event that was stored; msgspec.ValidationError if the data is none."""
    return _decoder().decode(data)


def decode_events(data: bytes | msgspec.Raw) -> tuple[Event, ...]:
    """The events of a JSON array, in order: much quicker than one by one. Raises like `decode_event`."""
    return _row_decoder().decode(data)
