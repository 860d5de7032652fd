"""Standing permissions: what a faction lends its ally of its powers until it says otherwise. [ALLY-10]

A faction registers what it lends by permission (`lend`); whoever carries the power out asks `permits`. Powers
whose owner is asked at each use need no permission and are not registered.
"""

from __future__ import annotations

from typing import ClassVar

from msgspec import Struct

from services.rules.engine.flow import Flow, Frame, Next
from services.rules.engine.occasions import this_alliance
from services.rules.engine.play import Play
from services.rules.engine.scope import Scope, scope_of
from services.rules.engine.standing import StandingAction, standing
from shared.dune.events.permissions import PermissionSet
from shared.dune.settings import Faction
from shared.dune.shapes import Fields, Json, OneOf, Option
from shared.dune.table import Table

__all__ = ["LentPower", "lend", "permits"]

GRANTED, WITHHELD = "granted", "withheld"


class LentPower(Struct, frozen=True):
    """A power that its owner lends its ally by standing permission."""

    owner: Faction
    power: str
    label: str
    rule: str
    scope: Scope = Scope()


_registry: dict[tuple[Faction, str], LentPower] = {}


def lend(place: str, owner: Faction, power: str, label: str, rule: str) -> LentPower:
    """Register a lendable power: its owner then has a control for it while it is allied. `place`: who registers it,
    which says in which games it is there. [NEXUS-81]
    """
    row = LentPower(owner, power, label, rule, scope_of(place))
    _registry[owner, power] = row
    return row


def _lent_by(table: Table, owner: Faction) -> list[LentPower]:
    """What a faction lends in this game."""
    mode, modules = table.settings.mode, table.settings.modules
    return [row for row in _registry.values() if row.owner == owner and row.scope.holds(mode, modules)]


def permits(table: Table, owner: Faction, power: str, default: bool = True) -> bool:
    """Whether a faction lends its present ally a power: as it last said to this ally, else the default. [ALLY-10]

    False without an ally, and for a faction not in play.
    """
    ally = table.ally_of(owner)
    if ally is None:
        return False
    said = table.names(f"permit.{power}.{owner}")
    return said[1] == GRANTED if said and said[0] == ally else default


@standing
class SetPermission(StandingAction):
    """Grant or withhold a power, at any time while allied. [ALLY-10]"""

    kind: ClassVar[str] = "permission"
    rule: ClassVar[str] = "ALLY-10"
    why: ClassVar[str] = "Lend your ally a power, or withhold it, until you say otherwise."
    stops_for_questions: ClassVar[bool] = False

    def available(self, table: Table, seat: Faction, stack: tuple[Frame, ...]) -> bool:
        """Who has an ally, and a power that can be lent."""
        return table.ally_of(seat) is not None and bool(_lent_by(table, seat))

    def choice(self, table: Table, seat: Faction, stack: tuple[Frame, ...]) -> Fields | None:
        """The powers that the faction lends; nothing without an ally."""
        if not self.available(table, seat, stack):
            return None
        powers = tuple(Option(row.power, row.label, rule=row.rule) for row in _lent_by(table, seat))
        says = (Option(GRANTED, "My ally may use it"), Option(WITHHELD, "My ally may not use it"))
        labels = {"power": "Power", "permission": "Permission"}
        return Fields({"power": OneOf(powers), "permission": OneOf(says)}, labels=labels)

    def occasion(self, table: Table, seat: Faction) -> str:
        """This ally, in this turn: an answer names nobody. [ALLY-10]"""
        return this_alliance(table, seat)

    def default(self, table: Table, seat: Faction) -> Json:
        """The first power, granted."""
        return {"power": _lent_by(table, seat)[0].power, "permission": GRANTED}

    def flow(self, table: Table, seat: Faction, answer: Json, stack: tuple[Frame, ...]) -> Flow:
        """Remember it."""
        return SayPermission(seat, answer["power"], answer["permission"])


class SayPermission(Flow, tag="permission", frozen=True, omit_defaults=True):
    """One permission said. [ALLY-10]"""

    owner: Faction
    power: str
    permission: str

    def start(self, play: Play) -> Next:
        """Tell the ally."""
        ally = play.table.ally_of(self.owner)
        if ally is not None:
            label = _registry[self.owner, self.power].label
            play.emit(PermissionSet(self.owner, ally, self.power, self.permission, label))
        return self.done()
