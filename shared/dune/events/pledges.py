"""Events of pledges: what a faction has bound itself to, by an answer to Truthtrance or in a deal."""

from __future__ import annotations

from typing import ClassVar

from shared.dune.events.base import Event
from shared.dune.settings import Faction
from shared.dune.table import Mark, Table, mark

PLEDGES = "turn.pledges"
"""Public mark: the pledges of the turn, each as `faction|form|what|yes or no|source`. [TRUTH-06, DEAL-02]"""


class PledgeMade(Event, tag=True, frozen=True):
    """A faction has said that it will, or will not, do something this turn; `source` says where. [TRUTH-06, DEAL-11]"""

    faction: Faction
    form: str
    what: str
    will: str
    source: str
    text: str

    public: ClassVar = ("faction", "form", "what", "will", "source", "text")
    lines: ClassVar = ("{faction} is bound: {text}",)

    def apply(self, table: Table) -> Table:
        row = "|".join((self.faction, self.form, self.what, self.will, self.source))
        known = table.names(PLEDGES)
        return table if row in known else mark(table, PLEDGES, Mark((*known, row), public=True))


class PledgeEnded(Event, tag=True, frozen=True):
    """A pledge binds no longer: it was kept, or all parties released it. [TRUTH-08, DEAL-03]"""

    row: str
    faction: Faction
    why: str

    public: ClassVar = ("row", "faction", "why")
    lines: ClassVar = ("{faction} is no longer bound ({why}).",)

    def apply(self, table: Table) -> Table:
        left = tuple(row for row in table.names(PLEDGES) if row != self.row)
        return mark(table, PLEDGES, Mark(left, public=True) if left else None)
