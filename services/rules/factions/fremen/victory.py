"""The ways in which Fremen win after the last turn. [FRE-18, FRE-33, FRE-47, MENTAT-12, MENTAT-14]"""

from __future__ import annotations

from services.rules.engine.hooks import contributes
from services.rules.engine.rulings import ruling
from services.rules.factions.fremen import NAME
from services.rules.phases.victory import LastTurnVictory, with_ally
from shared.dune.table import Table

SIETCHES = ("sietch_tabr", "habbanya_sietch")
GUARDED = "tueks_sietch"
INTRUDERS = ("harkonnen", "atreides", "emperor")
GUILD = "guild"


@contributes(LastTurnVictory, rule="FRE-18", order=10)
def wins_by_keeping_dune(victory: LastTurnVictory, table: Table) -> LastTurnVictory:
    """Nobody else stands in the sietches, and none of the three great Houses in Tuek's Sietch. [FRE-18]"""
    if victory.value or NAME not in table.seats or not keeps_dune(table):
        return victory
    return _won(victory, table, "fremen", "Nobody has hindered the Fremen", "FRE-18")


@contributes(LastTurnVictory, rule="MENTAT-14", order=30)
def wins_without_guild(victory: LastTurnVictory, table: Table) -> LastTurnVictory:
    """Without the Guild in play Fremen win whatever they hold. [MENTAT-14]"""
    if victory.value or NAME not in table.seats or GUILD in table.seats:
        return victory
    return _won(
        victory, table, "fremen_without_guild", "Nobody has won, and no Guild is in play", "MENTAT-14"
    )


def keeps_dune(table: Table) -> bool:
    """Whether the condition of the special victory holds; an ally's forces hinder it too. [FRE-18, FRE-19]"""
    strangers = any(set(table.occupants_of(sietch)) - {NAME} for sietch in SIETCHES)
    return not strangers and not set(INTRUDERS) & set(table.occupants_of(GUARDED))


def _won(victory: LastTurnVictory, table: Table, way: str, text: str, rule: str) -> LastTurnVictory:
    """Fremen win with their ally; a prediction fits only by ruling, and only without the Guild. [MENTAT-11, FRE-33]"""
    fits = GUILD not in table.seats and ruling(table, "no_guild_fremen_prediction") == "on"
    return victory.won(with_ally(table, NAME), way, text, rule, predictable=fits)
