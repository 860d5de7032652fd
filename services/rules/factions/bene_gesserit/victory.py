"""The Bene Gesserit prediction comes true. [BG-03, BG-50, MENTAT-09, MENTAT-10]"""

from __future__ import annotations

from services.rules.engine.hooks import contributes
from services.rules.factions.bene_gesserit import NAME
from services.rules.phases.victory import Verdict
from shared.dune.table import Table


@contributes(Verdict, rule="MENTAT-09")
def wins_by_prediction(verdict: Verdict, table: Table) -> Verdict:
    """Bene Gesserit wins alone, also against its own ally, if the predicted faction wins in the predicted turn."""
    written = table.names(f"prediction.{NAME}")
    if not written or not verdict.predictable:
        return verdict
    predicted, turn = written
    if predicted not in verdict.winners or int(turn) != table.turn:
        return verdict
    return verdict.step(
        1,
        "The prediction has come true",
        "MENTAT-09",
        winners=(NAME,),
        way="prediction",
        prophet=NAME,
        predicted=predicted,
    )
