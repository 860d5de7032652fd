"""Bene Gesserit play worthless cards as Karama. [BG-41, BG-44, WORTH-05]"""

from __future__ import annotations

from services.rules.engine.hooks import contributes
from services.rules.factions.bene_gesserit import NAME
from services.rules.phases.karama import Serving
from shared.dune.decks import treachery_faces
from shared.dune.table import Table

POWER = "bene_gesserit.worthless_karama"
"""Karama name: one worthless card used as Karama. [BG-47]"""


@contributes(Serving, rule="BG-41", cancel=POWER, modes=("advanced",))
def worthless_cards_serve(serving: Serving, table: Table) -> Serving:
    """Each worthless card serves as a Karama, with all its uses. [BG-41, WORTH-05]"""
    if serving.faction != NAME:
        return serving
    worthless = [fact.id for fact in treachery_faces(table.settings.decks) if fact.kind == "worthless"]
    return serving.also(dict.fromkeys(worthless, POWER), "A worthless card serves as Karama", "BG-41")
