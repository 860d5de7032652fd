"""Hajr: one more movement in its holder's own turn of action. [HAJR-01, MOVE-17]"""

from __future__ import annotations

from typing import ClassVar

from services.rules.cards.playing import discard
from services.rules.engine.play import Play
from services.rules.phases.hands import cards_of
from services.rules.phases.movement_offer import MovementExtra, movement_extra
from shared.dune.settings import Faction
from shared.dune.shapes import Fields, Json, Off
from shared.dune.table import Table

HAJR = "hajr"


@movement_extra
class Hajr(MovementExtra):
    """Before or after the normal movement, which need not be used; no shipment comes of it. [HAJR-02..HAJR-06]"""

    name: ClassVar[str] = HAJR
    rule: ClassVar[str] = "HAJR-01"
    label: ClassVar[str] = "Play Hajr for one more movement"

    def fields(self, table: Table, seat: Faction) -> Fields | Off:
        """Only a holder can."""
        return Fields({}) if cards_of(table, seat, HAJR) else Off("You hold no Hajr.", self.rule)

    def use(self, play: Play, seat: Faction, answer: Json) -> None:
        """The card is spent."""
        discard(play, seat, HAJR, "one more movement")
