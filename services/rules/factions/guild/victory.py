"""The Guild wins when nobody else could. [GUILD-11, GUILD-22, GUILD-32]"""

from __future__ import annotations

from services.rules.engine.hooks import contributes
from services.rules.factions.guild import NAME
from services.rules.phases.victory import LastTurnVictory, with_ally
from shared.dune.table import Table


@contributes(LastTurnVictory, rule="GUILD-11", order=20)
def wins_without_a_winner(victory: LastTurnVictory, table: Table) -> LastTurnVictory:
    """After the last turn, if no faction has won, the Guild wins with its ally. [MENTAT-11, MENTAT-13]"""
    if victory.value or NAME not in table.seats:
        return victory
    text = "Nobody has won by the last turn"
    return victory.won(with_ally(table, NAME), "guild", text, "GUILD-11", predictable=False)
