"""Karama: cancels one use of a power. Its other uses belong to the phases in which they are made. [KARAMA]"""

from __future__ import annotations

from typing import ClassVar

from services.rules.engine.cancel import uses_of
from services.rules.engine.flow import Flow
from services.rules.engine.play import Play
from services.rules.engine.windows import Reaction, Subject, react
from services.rules.phases.karama import karama_fields, may_hold_karama, paid_with, pay_karama
from shared.dune import facts
from shared.dune.settings import Faction
from shared.dune.shapes import Fields, Json, Off, OneOf, Option, Shape
from shared.dune.table import Table


@react
class CancelByKarama(Reaction):
    """Whoever holds Karama may cancel one use of another's power. [KARAMA-04, KARAMA-05]"""

    name: ClassVar[str] = "karama"
    kinds: ClassVar[tuple[str, ...]] = ("cancel.*",)
    rule: ClassVar[str] = "KARAMA-01"
    label: ClassVar[str] = "Cancel it with Karama"
    may_be_ordered: ClassVar[bool] = True
    cancels_for_phase: ClassVar[bool] = True

    def possible(self, table: Table, seat: Faction, kind: str, subject: Subject) -> bool:
        """Everybody but the power's owner, as long as a Karama may be in hand. [WINPOL-03, WINPOL-04, WINPOL-12]"""
        return seat != subject.owner and may_hold_karama(table, seat)

    def fields(self, table: Table, seat: Faction, kind: str, subject: Subject) -> Fields | Off:
        """Only a holder can; of several uses it names one. [WINPOL-19]"""
        found, uses = karama_fields(table, seat), uses_of(subject)
        if isinstance(found, Off) or not uses:
            return found
        which: Shape = OneOf(tuple(Option(name, text) for name, text in uses.items()))
        return Fields({"use": which, **found.fields}, labels={"use": "Which", **found.labels})

    def pay(self, play: Play, seat: Faction, kind: str, subject: Subject, answer: Json) -> Flow | None:
        """The card is spent."""
        reason = f"cancels a power of {facts.name(subject.owner)}"
        return pay_karama(play, seat, paid_with(play.table, seat, answer), reason)

    def use(self, play: Play, seat: Faction, kind: str, subject: Subject, answer: Json) -> Flow | None:
        """The flow that opened the window knows what follows."""
        return None
