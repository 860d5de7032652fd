"""What becomes of the cards of the plans. [BATTLE-54, BATTLE-57, CARD-07]"""

from __future__ import annotations

from services.rules.engine.flow import Answers, Flow, Next
from services.rules.engine.offering import offer
from services.rules.engine.play import Play
from shared.dune import facts
from shared.dune.events.battle import PlanCardKept
from shared.dune.events.pieces import CardDiscarded
from shared.dune.settings import Faction
from shared.dune.shapes import Fields, ManyOf, Option
from shared.dune.table import Piece, Table, zone

__all__ = ["KeepCards", "discard_plan", "may_be_kept"]

KEPT_IF_WON = "keep_if_win"
"""How the facts name a card that the winner may keep."""


def may_be_kept(card: Piece) -> bool:
    """Whether the winner of a battle may keep such a card that it played. [BATTLE-57]"""
    return facts.treachery(card).discard == KEPT_IF_WON


def discard_plan(play: Play, side: Faction) -> None:
    """A side that did not win discards every card of its plan. [BATTLE-54, TRAITOR-08, LASGUN-07, HERO-04]"""
    for card in zone(play.table, f"plan.{side}"):
        _discard(play, side, card)


def _discard(play: Play, side: Faction, card: Piece) -> None:
    play.emit(CardDiscarded(side, card, "battle", f"plan.{side}"))


class KeepCards(Flow, tag="battle.cards", frozen=True, omit_defaults=True):
    """The winner keeps or discards each card that it played. [BATTLE-57, CARD-07, WORTH-03, REACT-66]

    A card for one use, such as a Cheap Hero, is discarded in any case; not after a won traitor call (`all_kept`), which
    leaves the choice for each card. [HERO-04, TRAITOR-07, HERO-08]
    """

    faction: Faction
    all_kept: bool = False

    def start(self, play: Play) -> Next:
        """Cards that cannot be kept go at once."""
        for card in zone(play.table, f"plan.{self.faction}"):
            if not self._may_keep(card):
                _discard(play, self.faction, card)
        return self.goto("choose")

    def choose(self, play: Play) -> Next:
        """Ask for the rest; without a card there is nothing to ask, as everybody sees."""
        cards = self._left(play.table)
        options = tuple(Option(card, facts.name(card)) for card in cards)
        made = offer(
            self.faction,
            "battle_cards",
            "You won: discard those of your cards that you do not want to keep.",
            Fields({"discard": ManyOf(options)}, labels={"discard": "Discard"}),
            default={"discard": []},
            rules=("BATTLE-57", "CARD-07"),
        )
        return self.ask([made], then="chosen")

    def chosen(self, play: Play, answers: Answers) -> Next:
        """Discard and take back."""
        for card in self._left(play.table):
            if card in answers[self.faction]["discard"]:
                _discard(play, self.faction, card)
            else:
                play.emit(PlanCardKept(self.faction, card))
        return self.done(None)

    def _left(self, table: Table) -> tuple[Piece, ...]:
        return zone(table, f"plan.{self.faction}")

    def _may_keep(self, card: Piece) -> bool:
        return self.all_kept or may_be_kept(card)
