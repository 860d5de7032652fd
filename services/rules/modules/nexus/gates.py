"""Gates: all who could hold a Nexus card are asked before something goes on. [NEXUS-33..NEXUS-48, NEXUS-57..NEXUS-62]

A flow that comes to such a place opens `gate(...)`; effects register a `NexusReaction` for its kind. Native counters
come first: a use that was stopped by them opens no gate. [NEXUS-35]
"""

from __future__ import annotations

from typing import ClassVar

from services.rules.engine.flow import Flow
from services.rules.engine.hooks import contributes
from services.rules.engine.play import Play
from services.rules.engine.rulings import ruling
from services.rules.engine.windows import Gate, Reaction, Subject
from services.rules.modules.nexus.holding import (
    Mode,
    can_be_held,
    mode_of,
    play_card,
    possible_holders,
    why_not,
)
from services.rules.phases.standing_orders import NeverOrdered
from shared.dune.facts.nexus import nexus_card_of, nexus_cards
from shared.dune.settings import Faction
from shared.dune.shapes import Fields, Json, Off
from shared.dune.table import Table

__all__ = ["NexusReaction", "gate", "may_be_ordered"]


def gate(
    table: Table,
    kind: str,
    native: Faction,
    text: str,
    *,
    seats: tuple[Faction, ...] | None = None,
    **about: str | int,
) -> Gate:
    """The gate of a kind: asks all who could hold the card of `native` by public facts, or all seats by ruling.

    `seats`: whom alone it asks, where the rules name them. In a game of two, where nobody ever holds a card, nobody is
    asked. `text` and `about` are what everybody may read. Result as of a window: None, or the outcome of the use.
    [NEXUS-57, NEXUS-59, NEXUS-62, NEXUS-80]
    """
    if seats is None:
        seats = _asked(table, native)
    if not can_be_held(table):
        seats = ()
    return Gate(
        f"nexus.{kind}",
        Subject(f"nexus.{kind}", native, text, about),
        seats,
        orders=may_be_ordered(table),
    )


def may_be_ordered(table: Table) -> bool:
    """Whether a seat may say in advance that it passes what is asked about the cards. [NEXUS-63]"""
    return ruling(table, "nexus.precommit") == "on"


@contributes(NeverOrdered, rule="NEXUS-63")
def passed_when_asked_alone(never: NeverOrdered, table: Table) -> NeverOrdered:
    """By ruling every question about the cards is answered by hand. [NEXUS-63]"""
    if may_be_ordered(table):
        return never
    text = "By the rulings of this game it is not passed in advance."
    return never.step(1, text, "NEXUS-63", kinds=(*never.kinds, "window.nexus."))


def _asked(table: Table, native: Faction) -> tuple[Faction, ...]:
    everybody = ruling(table, "nexus.betrayal_window") == "all_seats"
    return (
        tuple(s for s in table.order or table.seats if s != native)
        if everybody
        else possible_holders(table, native)
    )


class NexusReaction(Reaction):
    """Base of what a Nexus card does as an answer: in a gate, or in a window of the game itself.

    `native`: the faction on the card; `mode`: the panel; `text`: what is told when it is played; `when`: at what time,
    where the panel speaks of several. It is offered to whoever could hold the card by public facts, in a window of the
    game to every seat where the ruling `asks` says `all_seats`; only its holder can use it, and no standing order may.
    [NEXUS-58, NEXUS-63, NEXUS-85]
    """

    native: ClassVar[Faction]
    mode: ClassVar[Mode]
    text: ClassVar[str]
    when: ClassVar[str] = ""
    asks: ClassVar[str] = ""

    def possible(self, table: Table, seat: Faction, kind: str, subject: Subject) -> bool:
        """In the mode that the seats allow: unallied with some card, unless a gate has chosen whom it asks."""
        if mode_of(table, seat, self.native) != self.mode:
            return False
        all_seats = bool(self.asks) and ruling(table, self.asks) == "all_seats"
        everybody = all_seats or kind.startswith("nexus.")
        return everybody or seat in possible_holders(table, self.native)

    def fields(self, table: Table, seat: Faction, kind: str, subject: Subject) -> Fields | Off:
        """Use, for its holder alone; others read why not, each for itself. [NEXUS-58]"""
        if off := why_not(table, seat, self.native, self.mode):
            return off
        return self.uses(table, seat, kind, subject)

    def uses(self, table: Table, seat: Faction, kind: str, subject: Subject) -> Fields | Off:
        """What the holder may answer, or why it cannot be used on this; nothing more to say as a rule."""
        return Fields({})

    def told(self, table: Table) -> Off:
        """When its holder is asked; or why it never is in this game. [NEXUS-68]"""
        card = nexus_cards()[nexus_card_of(self.native)]
        return Off(f"You are asked {self.when or card.when[self.mode]}.", self.rule)

    def use(self, play: Play, seat: Faction, kind: str, subject: Subject, answer: Json) -> Flow | None:
        """Spend the card, then carry it out. [NEXUS-28]"""
        play_card(play, seat, self.native, self.name, self.text)
        return self.carry_out(play, seat, subject, answer)

    def carry_out(self, play: Play, seat: Faction, subject: Subject, answer: Json) -> Flow | None:
        """What the card does; nothing as a rule, since whoever opened the window sees to its outcome."""
        return None
