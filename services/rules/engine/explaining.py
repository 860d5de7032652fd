"""Why a number is what it is: whoever asks a quote of the table may register how it is told to a seat.

An explanation is for one seat. It says nothing that the seat could not work out from its own view: what is told of
others is public, what is private is the seat's own. [SECRET-01]
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

from msgspec import Struct

from services.rules.engine.hooks import Line
from services.rules.engine.scope import EVERY_MODE, Scope, scope_of
from shared.dune.settings import Faction
from shared.dune.table import Table

__all__ = ["Why", "explained", "explains", "told", "topics"]


class Why(Struct, frozen=True, omit_defaults=True):
    """One number and how it comes about, line by line; `value` is that of the last line.

    `topic` groups what belongs together, `about` says of what the number is. Numbers count parts, `per` of which make
    one (2: halves).
    """

    topic: str
    about: str
    value: int
    lines: tuple[Line, ...]
    per: int = 1


Explainer = Callable[[Table, Faction], Iterable[Why]]

_registry: dict[str, tuple[Scope, Explainer]] = {}


def explains(topic: str, *, modes: tuple[str, ...] = EVERY_MODE) -> Callable[[Explainer], Explainer]:
    """Register what tells a topic to a seat, for games of these modes. ValueError for a topic that is told already."""

    def register(function: Explainer) -> Explainer:
        if topic in _registry:
            raise ValueError(f"the topic {topic!r} is explained already")
        _registry[topic] = scope_of(function.__module__, modes), function
        return function

    return register


def topics() -> tuple[str, ...]:
    """All topics of which anything can be told, by name."""
    return tuple(sorted(_registry))


def told(topic: str, about: str, lines: Iterable[Line], per: int = 1) -> Why:
    """The explanation that ends where its last line does. ValueError without a line: then nothing is explained."""
    rows = tuple(lines)
    if not rows:
        raise ValueError(f"nothing says why of {topic}: {about}")
    return Why(topic, about, rows[-1].value, rows, per)


def explained(table: Table, seat: Faction) -> tuple[Why, ...]:
    """All that can be explained to a seat as the table is now, topic by topic in the order of their names."""
    mode, modules = table.settings.mode, table.settings.modules
    return tuple(
        why
        for _, (scope, explainer) in sorted(_registry.items())
        if scope.holds(mode, modules)
        for why in explainer(table, seat)
    )
