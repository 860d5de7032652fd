"""Events of special cards and of powers that are cancelled."""

from __future__ import annotations

from typing import ClassVar

from shared.dune.events.base import Event
from shared.dune.settings import Faction


class PowerCancelled(Event, tag=True, frozen=True):
    """One use of a faction's power is cancelled: it has no effect. `what` is it in words. [KARAMA-02, KARAMA-07]"""

    power: str
    owner: Faction
    by: Faction
    what: str = ""

    public: ClassVar = ("power", "owner", "by", "what")
    lines: ClassVar = ("{by} cancels a power of {owner}: {what}",)
