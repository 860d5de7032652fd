"""The Emperor may pay for further revivals of its ally. [EMP-13]"""

from __future__ import annotations

from services.rules.engine.cancel import cancel_window
from services.rules.engine.flow import Answers, Flow, Next
from services.rules.engine.moments import at
from services.rules.engine.offering import offer
from services.rules.engine.play import Play
from services.rules.factions.emperor import NAME
from services.rules.phases.groups import taken
from services.rules.phases.promises import available_spice
from services.rules.phases.revival import revive_forces
from services.rules.phases.revival_quotes import revivable_kinds
from shared.dune import facts
from shared.dune.events.forces import SpicePaid
from shared.dune.events.revival import ExtraRevivalsOffered, ExtraRevivalsSettled
from shared.dune.settings import Faction
from shared.dune.shapes import Amounts, Fields, Json, Number
from shared.dune.table import BANK, Table

MOST, PRICE = 3, 2
"""Further forces a turn, and spice for each. [EMP-13]"""


@at("revival.extra", rule="EMP-13")
def pay_for_ally(table: Table, subject: Json) -> Flow | None:
    """When its ally has more forces in the tanks; a Fremen ally too. [EMP-15, REVIVAL-05, REVIVAL-09, REACT-31]"""
    ally = table.ally_of(NAME)
    return ExtraRevivals(ally) if ally and revivable_kinds(table, ally) else None


class ExtraRevivals(Flow, tag="emperor.extra_revivals", frozen=True, omit_defaults=True):
    """Up to three further forces of the ally, 2 spice each to the bank, beyond the ally's own limit. [EMP-13]"""

    ally: Faction
    number: int = 0

    def start(self, play: Play) -> Next:
        """The Emperor is asked whether it can pay or not: its spice is secret."""
        table = play.table
        there = sum(revivable_kinds(table, self.ally).values())
        most = min(MOST, there, available_spice(table, NAME) // PRICE)
        made = offer(
            NAME,
            "pay_revivals",
            f"Pay for up to {MOST} further revivals of {facts.name(self.ally)}, {PRICE} spice each.",
            Fields({"number": Number(0, most, "forces", "EMP-13")}, labels={"number": "Forces"}),
            default={"number": 0},
            about={"ally": self.ally, "price": PRICE, "limit": MOST},
            rules=("EMP-13",),
            window=True,
        )
        return self.ask([made], then="offered")

    def offered(self, play: Play, answers: Answers) -> Next:
        """It is said openly, and may be cancelled. [REACT-32]"""
        number = answers[NAME]["number"]
        if not number:
            return self.done()
        play.emit(ExtraRevivalsOffered(NAME, self.ally, number, PRICE * number))
        further = facts.counted(number, "further revival")
        text = f"The Emperor is about to pay for {further} of {facts.name(self.ally)}."
        window = cancel_window("emperor.extra_revivals", NAME, text, ally=self.ally, number=number)
        return self.replace(number=number).call(window, then="which")

    def which(self, play: Play, outcome: Json) -> Next:
        """Cancelled: none return, nothing is paid. Otherwise the ally chooses. [EMP-21]"""
        if outcome is not None:
            play.emit(ExtraRevivalsSettled(NAME))
            return self.done()
        return self.goto("choose")

    def choose(self, play: Play) -> Next:
        """The ally chooses which forces; nothing to choose where all are of one kind. [EMP-14]

        Ghola may have brought some back meanwhile, so that fewer are left than were offered.
        """
        kinds = revivable_kinds(play.table, self.ally)
        number = min(self.number, sum(kinds.values()))
        made = offer(
            self.ally,
            "extra_revival",
            f"The Emperor pays for {facts.counted(number, 'further force')}: which?",
            Fields({"forces": Amounts(kinds, number, number)}, labels={"forces": "Forces"}),
            default={"forces": taken(kinds, number)},
            rules=("EMP-14",),
        )
        return self.ask([made], then="revive")

    def revive(self, play: Play, answers: Answers) -> Next:
        """The Emperor pays the bank. [EMP-13]"""
        forces = answers[self.ally]["forces"]
        play.emit(ExtraRevivalsSettled(NAME))
        if number := sum(forces.values()):
            play.emit(SpicePaid(NAME, PRICE * number, BANK, "the ally's revival"))
        revive_forces(play, self.ally, forces, "paid by the ally")
        return self.done()
