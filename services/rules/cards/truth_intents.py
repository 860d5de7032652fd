"""Questions about what the asked player will do this turn; the answers bind. [TRUTH-04, TRUTH-06, TRUTH-07]"""

from __future__ import annotations

from abc import abstractmethod
from typing import ClassVar

from services.rules.cards.truth_forms import EITHER, NO, YES, Form, Question, asked_of, form
from services.rules.phases.course import PHASES
from services.rules.phases.duel import is_duel
from services.rules.phases.pledges import ALLY, BID, ENTER, MOVE, SHIP, Pledge, pledges_of
from services.rules.phases.shipment import ACTED
from shared.dune import facts
from shared.dune.settings import Faction
from shared.dune.shapes import Fields, Json, OneOf, Option
from shared.dune.table import RESERVES, Table


def _is_over(table: Table, phase: str, seat: Faction) -> bool:
    """Whether a phase of this turn has passed, or a seat has acted in it, so that it can do nothing in it any more."""
    has_passed = table.phase in PHASES and PHASES.index(table.phase) > PHASES.index(phase)
    return has_passed or (table.phase == phase and seat in table.names(ACTED))


class Intent(Form):
    """Base of the questions about intentions that a pledge can hold to. `phase` is when the thing would be done."""

    is_intent: ClassVar[bool] = True
    phase: ClassVar[str]

    def can_do(self, table: Table, question: Question) -> bool:
        """Whether the asked player could still do it, as far as the program can tell."""
        return not _is_over(table, self.phase, question["seat"])

    def truths(self, table: Table, question: Question, sealed: Json) -> tuple[str, ...]:
        """What was said before, or could not be done, leaves no choice. [TRUTH-06]"""
        form_, what = self.named(question)
        for said in pledges_of(table, question["seat"], form_, ENTER):
            if said.what == what:
                return (YES,) if said.will else (NO,)
            if said.will and self.excludes(said):
                return (NO,)
        return EITHER if self.can_do(table, question) else (NO,)

    def excludes(self, said: Pledge) -> bool:
        """Whether something else that was promised makes this impossible."""
        return True

    @abstractmethod
    def named(self, question: Question) -> tuple[str, str]:
        """The form and the thing of the pledge."""

    def pledge(self, table: Table, question: Question) -> tuple[str, str] | None:
        """The pledge that an answer makes."""
        return self.named(question)


def _territories() -> OneOf:
    return OneOf(tuple(Option(t.id, t.name) for t in facts.territories().values()))


@form
class WillShip(Intent):
    """Will you ship into this territory?"""

    name: ClassVar[str] = "will_ship"
    label: ClassVar[str] = "Will you ship into this territory this turn?"
    phase: ClassVar[str] = "shipment"

    def fields(self, table: Table, others: tuple[Faction, ...]) -> Fields | None:
        """Any territory."""
        return asked_of(others, {"territory": _territories()}, territory="Territory")

    def text(self, question: Question) -> str:
        """In words."""
        return f"Will you ship into {facts.name(question['territory'])} this turn?"

    def named(self, question: Question) -> tuple[str, str]:
        """Shipping there."""
        return SHIP, question["territory"]


@form
class WillMove(Intent):
    """Will you move into this territory?"""

    name: ClassVar[str] = "will_move"
    label: ClassVar[str] = "Will you move into this territory this turn?"
    phase: ClassVar[str] = "shipment"

    def fields(self, table: Table, others: tuple[Faction, ...]) -> Fields | None:
        """Any territory."""
        return asked_of(others, {"territory": _territories()}, territory="Territory")

    def text(self, question: Question) -> str:
        """In words."""
        return f"Will you move into {facts.name(question['territory'])} this turn?"

    def can_do(self, table: Table, question: Question) -> bool:
        """Somebody must be there to move, or to be shipped first."""
        seat = question["seat"]
        has_forces = bool(table.places_of(seat)) or table.number_at(RESERVES, seat) > 0
        return has_forces and not _is_over(table, self.phase, seat)

    def named(self, question: Question) -> tuple[str, str]:
        """Moving there."""
        return MOVE, question["territory"]


@form
class WillBid(Intent):
    """Will you bid?"""

    name: ClassVar[str] = "will_bid"
    label: ClassVar[str] = "Will you bid for a treachery card this turn?"
    phase: ClassVar[str] = "bidding"

    def fields(self, table: Table, others: tuple[Faction, ...]) -> Fields | None:
        """Nothing more to say."""
        return asked_of(others, {})

    def text(self, question: Question) -> str:
        """In words."""
        return "Will you bid for a treachery card this turn?"

    def named(self, question: Question) -> tuple[str, str]:
        """Bidding."""
        return BID, ""


@form
class WillAlly(Intent):
    """Will you ally with this faction?"""

    name: ClassVar[str] = "will_ally"
    label: ClassVar[str] = "Will you be ready to ally with this faction this turn?"
    phase: ClassVar[str] = "spice_blow"

    def fields(self, table: Table, others: tuple[Faction, ...]) -> Fields | None:
        """Any faction in play; no alliances in a game of two. [NEXUSPHASE-11]"""
        if is_duel(table):
            return None
        factions = OneOf(tuple(Option(faction, facts.name(faction)) for faction in table.seats))
        return asked_of(others, {"faction": factions}, faction="With")

    def text(self, question: Question) -> str:
        """In words."""
        return f"Will you be ready to ally with {facts.name(question['faction'])} this turn?"

    def can_do(self, table: Table, question: Question) -> bool:
        """Not with itself."""
        return question["faction"] != question["seat"] and super().can_do(table, question)

    def named(self, question: Question) -> tuple[str, str]:
        """The alliance."""
        return ALLY, question["faction"]
