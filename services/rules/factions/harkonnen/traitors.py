"""Harkonnen calls traitors for its ally. [HARK-23, HARK-24, HARK-31]"""

from __future__ import annotations

import msgspec

from services.rules.engine.hooks import contributes
from services.rules.factions.harkonnen import NAME
from services.rules.phases.battle_quotes import TraitorCallers
from shared.dune.table import Table

ALLY_CALL = "harkonnen.ally_traitor"
"""The power whose use Karama cancels: a call for the ally. [HARK-31]"""


@contributes(TraitorCallers, rule="HARK-23", cancel=ALLY_CALL)
def calls_for_its_ally(callers: TraitorCallers, table: Table) -> TraitorCallers:
    """It counts as the ally's call: the ally wins and is paid. [HARK-23, TRAITOR-13]"""
    if not table.are_allied(NAME, callers.side):
        return callers
    return msgspec.structs.replace(callers, callers={**callers.callers, NAME: ALLY_CALL})
