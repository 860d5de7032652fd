"""The Emperor's gifts to its ally. [EMP-10, EMP-11, EMP-20, REACT-73]"""

from __future__ import annotations

from typing import ClassVar

from services.rules.engine.cancel import cancel_window
from services.rules.engine.flow import Flow, Frame, Next
from services.rules.engine.occasions import this_alliance
from services.rules.engine.play import Play
from services.rules.engine.standing import StandingAction, standing
from services.rules.engine.windows import Window
from services.rules.factions.emperor import NAME
from services.rules.phases.promises import available_spice
from shared.dune import facts
from shared.dune.events.sharing import GiftAnnounced, GiftKept, GiftTaken
from shared.dune.settings import Faction
from shared.dune.shapes import Fields, Json, Number
from shared.dune.table import Table

POWER = "emperor.gift"


@standing
class Give(StandingAction):
    """Give the ally any amount of spice, at almost any time. [EMP-10, EMP-11]"""

    kind: ClassVar[str] = "gift"
    rule: ClassVar[str] = "EMP-10"
    why: ClassVar[str] = "Give your ally spice, which it may use at once."

    def choice(self, table: Table, seat: Faction, stack: tuple[Frame, ...]) -> Fields | None:
        """Any amount that the Emperor has; not while it would change an answer already given. [EMP-11]"""
        ally = table.ally_of(seat) if seat == NAME else None
        if ally is None:
            return None
        own = available_spice(table, seat)
        if not own or _must_wait(stack, ally):
            return None
        return Fields({"amount": Number(1, own, "spice", "EMP-10")}, labels={"amount": "Spice"})

    def occasion(self, table: Table, seat: Faction) -> str:
        """This ally, in this turn: an answer names nobody. [EMP-10]"""
        return this_alliance(table, seat)

    def default(self, table: Table, seat: Faction) -> Json:
        """The least that is possible."""
        return {"amount": 1}

    def flow(self, table: Table, seat: Faction, answer: Json, stack: tuple[Frame, ...]) -> Flow:
        """Announce it."""
        return Gift(str(table.ally_of(seat)), answer["amount"])


def _must_wait(stack: tuple[Frame, ...], ally: Faction) -> bool:
    """Whether another power is just being used, or the ally is asked together with others, sealed. [GEN-06, EMP-11]

    Both are public, so that the moment at which a gift is possible tells nothing of who has answered what.
    """
    top = stack[-1]
    sealed = not top.each and len(top.asked) > 1 and any(offer.seat == ally for offer in top.asked)
    return sealed or any(isinstance(frame.flow, Gift | Window) for frame in stack)


class Gift(Flow, tag="emperor.gift", frozen=True, omit_defaults=True):
    """One gift: declared, open to Karama, given. [EMP-10, EMP-20, REACT-73]"""

    ally: Faction
    amount: int

    def start(self, play: Play) -> Next:
        """The amount is public, and set aside while somebody may stop it."""
        play.emit(GiftAnnounced(NAME, self.ally, self.amount))
        text = f"{facts.name(NAME)} gives {self.amount} spice to {facts.name(self.ally)}."
        return self.call(
            cancel_window(POWER, NAME, text, ally=self.ally, amount=self.amount), then="answered"
        )

    def answered(self, play: Play, cancelled: Json) -> Next:
        """It is the ally's at once, or stays with the Emperor."""
        if cancelled is None:
            play.emit(GiftTaken(NAME, self.ally, self.amount))
        else:
            play.emit(GiftKept(NAME, self.amount))
        return self.done()
