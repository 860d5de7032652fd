"""Events of the Revival Phase that are more than forces, leaders and spice moving."""

from __future__ import annotations

from typing import ClassVar

from shared.dune import facts
from shared.dune.events.base import Event
from shared.dune.settings import Faction

__all__ = ["ExtraRevivalsOffered", "NothingRevived"]


class NothingRevived(Event, tag=True, frozen=True):
    """A faction that could have revived something does not. [REVIVAL-01]"""

    faction: Faction

    public: ClassVar = ("faction",)
    lines: ClassVar = ("{faction} revives nothing.",)


class ExtraRevivalsOffered(Event, tag=True, frozen=True):
    """A faction says for how many further forces of its ally it will pay. [EMP-13]"""

    payer: Faction
    ally: Faction
    number: int

    public: ClassVar = ("payer", "ally", "number")

    def sentences(self) -> tuple[str, ...]:
        return (f"{{payer}} offers to pay for {facts.counted(self.number, 'further revival')} of {{ally}}.",)
