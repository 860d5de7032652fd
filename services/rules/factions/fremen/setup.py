"""Fremen at setup. [START-14]"""

from __future__ import annotations

from services.rules.engine.flow import Flow
from services.rules.engine.moments import at
from services.rules.factions.fremen import NAME
from services.rules.phases.setup import ChosenPlacement
from shared.dune.shapes import Json
from shared.dune.table import Table


@at("setup", rule="START-14", order=50)
def place_forces(table: Table, subject: Json) -> Flow | None:
    """Fremen distribute ten forces over three territories."""
    return ChosenPlacement(NAME, "START-14") if NAME in table.seats else None
