"""Secret Ally b of the CHOAM card: a winner sees a card of the loser. [NEXUS-CHOAM-06, NEXUS-CHOAM-07]"""

from __future__ import annotations

from typing import ClassVar

from services.rules.engine.flow import Flow, Next
from services.rules.engine.moments import at
from services.rules.engine.play import Play
from services.rules.engine.windows import react
from services.rules.modules.nexus.gates import NexusReaction, gate
from services.rules.modules.nexus.holding import Mode
from shared.dune import facts
from shared.dune.events.nexus_cards import UnusedCardSeen
from shared.dune.settings import Faction
from shared.dune.shapes import Json
from shared.dune.table import Piece, Table

CHOAM = "choam"
KIND = "battle_won"


@at("battle.after", rule="NEXUS-CHOAM-07", order=70)
def may_look(table: Table, subject: Json) -> Flow | None:
    """Every winner, whatever it holds, after all else of the battle. [NEXUS-CHOAM-07, NEXUS-37]"""
    winner = subject["winner"]
    if CHOAM in table.seats or winner is None:
        return None
    loser = next(side for side in (subject["aggressor"], subject["defender"]) if side != winner)
    played = tuple(card for card in subject["plans"][loser].values() if isinstance(card, str))
    return LookAtUnused(winner, loser, played)


class LookAtUnused(Flow, tag="nexus.look_at_unused", frozen=True, omit_defaults=True):
    """One card at random of those that the loser did not play. [NEXUS-CHOAM-06]"""

    winner: Faction
    loser: Faction
    played: tuple[Piece, ...]

    def start(self, play: Play) -> Next:
        """Use or go on."""
        text = f"{facts.name(self.winner)} has won against {facts.name(self.loser)}."
        return self.call(gate(play.table, KIND, CHOAM, text, seats=(self.winner,)), then="answered")

    def answered(self, play: Play, outcome: Json) -> Next:
        """With none left there is nothing to see, which the winner alone learns. [NEXUS-CHOAM-06, NEXUS-60]"""
        unused = tuple(card for card in play.table.hand(self.loser) if card not in self.played)
        if outcome is not None:
            seen = (play.chance.choice(unused),) if unused else ()
            play.emit(UnusedCardSeen(self.winner, self.loser, seen))
        return self.done()


@react
class ChoamLook(NexusReaction):
    """The answer of the card's holder. [NEXUS-CHOAM-06]"""

    name: ClassVar[str] = "choam_look"
    kinds: ClassVar[tuple[str, ...]] = (f"nexus.{KIND}",)
    rule: ClassVar[str] = "NEXUS-CHOAM-06"
    label: ClassVar[str] = "See a card that the loser did not play, with your Nexus card"
    native: ClassVar[Faction] = CHOAM
    mode: ClassVar[Mode] = "secret_ally"
    when: ClassVar[str] = "after you have won a battle"
    text: ClassVar[str] = "sees a card that the loser did not play."
