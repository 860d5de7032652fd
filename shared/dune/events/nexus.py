"""Events of the Nexus: alliances offered, made and broken."""

from __future__ import annotations

from typing import ClassVar

from shared.dune.events.base import Event
from shared.dune.settings import Faction
from shared.dune.table import Mark, Table, mark, put

PROPOSALS = "phase.nexus.proposals"
"""Public mark: the open offers of alliance, each as `from>to`. [NEXUSPHASE-08]"""


class NexusBegan(Event, tag=True, frozen=True):
    """A Nexus begins: alliances may be made and broken. [BLOW-16, NEXUSPHASE-01]"""

    turn: int

    public: ClassVar = ("turn",)
    lines: ClassVar = ("A Nexus begins: alliances may be made and broken.",)


class NexusEnded(Event, tag=True, frozen=True):
    """The Nexus is over; offers that nobody accepted have lapsed. [NEXUSPHASE-08, NEXUSPHASE-09]"""

    turn: int

    public: ClassVar = ("turn",)
    lines: ClassVar = ("The Nexus is over.",)

    def apply(self, table: Table) -> Table:
        return mark(table, PROPOSALS, None)


class AllianceProposed(Event, tag=True, frozen=True):
    """A faction openly offers an alliance to another. [NEXUSPHASE-03]"""

    faction: Faction
    to: Faction

    public: ClassVar = ("faction", "to")
    lines: ClassVar = ("{faction} offers {to} an alliance.",)

    def apply(self, table: Table) -> Table:
        known = table.names(PROPOSALS)
        return mark(table, PROPOSALS, Mark((*known, f"{self.faction}>{self.to}"), public=True))


class AllianceMade(Event, tag=True, frozen=True):
    """Two factions are allies from now on; what else either was offering lapses. [NEXUSPHASE-03, NEXUSPHASE-08]"""

    one: Faction
    other: Faction

    public: ClassVar = ("one", "other")
    lines: ClassVar = ("{one} and {other} are allies.",)

    def apply(self, table: Table) -> Table:
        pair = (self.one, self.other)
        table = put(table, allies={**table.allies, self.one: self.other, self.other: self.one})
        left = tuple(row for row in table.names(PROPOSALS) if not set(row.split(">")) & set(pair))
        return mark(table, PROPOSALS, Mark(left, public=True) if left else None)


class AllianceBroken(Event, tag=True, frozen=True):
    """A faction has ended its alliance; both are unallied at once. [NEXUSPHASE-02]

    What each permitted the other ends with it: a permission for a later ally must not be seen by this one. [ALLY-10]
    """

    faction: Faction
    ally: Faction

    public: ClassVar = ("faction", "ally")
    lines: ClassVar = ("{faction} ends its alliance with {ally}.",)

    def apply(self, table: Table) -> Table:
        pair = (self.faction, self.ally)
        allies = {f: ally for f, ally in table.allies.items() if f not in pair}
        given = tuple(f".{faction}" for faction in pair)
        marks = {n: m for n, m in table.marks.items() if not (n.startswith("permit.") and n.endswith(given))}
        return put(table, allies=allies, marks=marks)
