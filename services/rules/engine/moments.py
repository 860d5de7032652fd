"""Moments: the named places in a phase at which factions, cards and modules put in flows of their own.

A phase opens a moment and knows none of those who come. Guests come in their registered order, those of equal
order by name; where two seats' choices could collide in one moment, their orders must differ. [GEN-12]
"""

from __future__ import annotations

from collections.abc import Callable

from msgspec import Struct

from services.rules.engine.flow import Done, Flow, Next
from services.rules.engine.play import Play
from services.rules.engine.scope import EVERY_MODE, Scope, scope_of
from shared.dune.shapes import Json
from shared.dune.table import Table

__all__ = ["Moment", "at", "guests"]

Factory = Callable[[Table, Json], Flow | None]


class Guest(Struct, frozen=True):
    """Who registered for a moment: order, rule id, name, the factory of its flow (None: not now), and its games."""

    order: int
    name: str
    rule: str
    make: Factory
    scope: Scope = Scope()


_registry: dict[str, list[Guest]] = {}


def at(
    moment: str, *, rule: str, order: int = 50, modes: tuple[str, ...] = EVERY_MODE
) -> Callable[[Factory], Factory]:
    """Register a factory for a moment; it sees the table and the moment's subject, and returns a flow or None.

    In a game of another mode or module than its own it is not called. [GEN-01]
    """
    if not rule:
        raise ValueError("a guest of a moment needs the id of the rule that it implements")

    def register(factory: Factory) -> Factory:
        rows = _registry.setdefault(moment, [])
        scope = scope_of(factory.__module__, modes)
        rows.append(Guest(order, f"{factory.__module__}.{factory.__qualname__}", rule, factory, scope))
        rows.sort(key=lambda row: (row.order, row.name))
        return factory

    return register


def guests() -> dict[str, list[Guest]]:
    """All guests by moment, for the rules index and its tests."""
    return _registry


class Moment(Flow, tag="moment", frozen=True, omit_defaults=True):
    """Let everybody who registered for `name` have their flow, one after another; results are not handed on.

    `after` is the name of the last guest served: a name, so that a saved game resumes rightly when guests are added.
    """

    name: str
    subject: Json = None
    after: str = ""

    def start(self, play: Play) -> Next:
        """Serve the next guest that wants to come."""
        rows = _registry.get(self.name, [])
        passed = next((i + 1 for i, row in enumerate(rows) if row.name == self.after), 0)
        settings = play.table.settings
        for row in rows[passed:]:
            if not row.scope.holds(settings.mode, settings.modules):
                continue
            if flow := row.make(play.table, self.subject):
                return self.replace(after=row.name).call(flow, then="served")
        return Done(None)

    def served(self, play: Play, result: Json) -> Next:
        """Go on with the next guest."""
        return self.goto("start")
