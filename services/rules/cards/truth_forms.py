"""The forms of questions that the program can evaluate, and free text. [TRUTH-04, TRUTH-17]

A form builds its fields, says the question in words, tells which answers are true, and what an answer binds to.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import ClassVar, TypeAlias

from services.rules.engine.registry import Registry
from shared.dune import facts
from shared.dune.decks import treachery_faces
from shared.dune.settings import Faction
from shared.dune.shapes import AnyOf, Condition, Fields, Json, ManyOf, Number, OneOf, Option, Shape, Text
from shared.dune.table import Table

__all__ = [
    "EITHER",
    "FREE",
    "NO",
    "UNKNOWN",
    "YES",
    "Form",
    "Question",
    "form",
    "form_of",
    "forms",
    "seat_options",
]

Question: TypeAlias = Json
"""A question as it was asked: `{"do": form, "seat": faction, ...fields}`."""
YES, NO, UNKNOWN = "yes", "no", "unknown"
EITHER = (YES, NO, UNKNOWN)
FREE = "other"


class Form(ABC):
    """Base of all forms of questions; registered by `form`."""

    name: ClassVar[str]
    rule: ClassVar[str] = "TRUTH-04"
    label: ClassVar[str]
    is_intent: ClassVar[bool] = False

    @abstractmethod
    def fields(self, table: Table, others: tuple[Faction, ...]) -> Fields | None:
        """What is asked of whom; None if nothing of this form can be asked now, by public facts."""

    @abstractmethod
    def text(self, question: Question) -> str:
        """The question in words."""

    @abstractmethod
    def truths(self, table: Table, question: Question, sealed: Json) -> tuple[str, ...]:
        """The answers that are true; `sealed` is the battle plan that the asked seat has committed, if any."""

    def pledge(self, table: Table, question: Question) -> tuple[str, str] | None:
        """What a yes or no binds to, as the form and the thing of a pledge. [TRUTH-06, TRUTH-09]"""
        return None


_registry: Registry[Form] = Registry("form of question")


def form(kind: type[Form]) -> type[Form]:
    """Register a form; its name must be new."""
    _registry.add(kind)
    return kind


def form_of(question: Question) -> Form:
    """The form of a question that was asked."""
    return _registry.all[question["do"]]


def forms(table: Table) -> tuple[Form, ...]:
    """All forms that there are in this game."""
    return _registry.of(table.settings.mode, table.settings.modules)


def seat_options(others: tuple[Faction, ...]) -> OneOf:
    """Whom to ask: anybody else, an ally too. [TRUTH-12, TRUTH-13]"""
    return OneOf(tuple(Option(other, facts.name(other)) for other in others))


def asked_of(others: tuple[Faction, ...], fields: dict[str, Shape], *needs: AnyOf, **labels: str) -> Fields:
    """A form's fields, beginning with whom to ask."""
    return Fields({"seat": seat_options(others), **fields}, needs, {"seat": "Ask", **labels})


def _computed(true: bool) -> tuple[str, ...]:
    return (YES,) if true else (NO,)


def _listed(names: list[str], joint: str) -> str:
    return f" {joint} ".join(facts.name(name) for name in names)


@form
class HoldsCards(Form):
    """Do you hold these cards? Parts may be joined by "and" or "or". [TRUTH-05]"""

    name: ClassVar[str] = "holds_cards"
    label: ClassVar[str] = "Do you hold this card, or these cards?"

    def fields(self, table: Table, others: tuple[Faction, ...]) -> Fields | None:
        """Any card faces of the deck."""
        faces = treachery_faces(table.settings.decks)
        cards = ManyOf(tuple(Option(face.id, face.name) for face in faces), 1, len(faces))
        joint = OneOf((Option("or", "any of them"), Option("and", "all of them")))
        return asked_of(others, {"cards": cards, "joint": joint}, cards="Cards", joint="Holds")

    def text(self, question: Question) -> str:
        """In words."""
        return f"Do you hold {_listed(question['cards'], question['joint'])}?"

    def truths(self, table: Table, question: Question, sealed: Json) -> tuple[str, ...]:
        """By the hand, cards of a committed plan included."""
        held = {facts.face(card) for card in table.hand(question["seat"])}
        found = [card in held for card in question["cards"]]
        return _computed(any(found) if question["joint"] == "or" else all(found))


@form
class HoldsTraitor(Form):
    """Do you hold this traitor?"""

    name: ClassVar[str] = "holds_traitor"
    label: ClassVar[str] = "Is this leader, or one of these, your traitor?"

    def fields(self, table: Table, others: tuple[Faction, ...]) -> Fields | None:
        """Any leaders of the factions in play."""
        leaders = [leader for faction in table.seats for leader in facts.leaders_of(faction)]
        options = ManyOf(tuple(Option(leader, facts.name(leader)) for leader in leaders), 1, len(leaders))
        return asked_of(others, {"leaders": options}, leaders="Leaders")

    def text(self, question: Question) -> str:
        """In words."""
        return f"Is {_listed(question['leaders'], 'or')} your traitor?"

    def truths(self, table: Table, question: Question, sealed: Json) -> tuple[str, ...]:
        """By the traitor cards kept."""
        held = {facts.face(card) for card in table.zones.get(f"traitors.{question['seat']}", ())}
        return _computed(bool(held & set(question["leaders"])))


@form
class SpiceAtLeast(Form):
    """Do you have so much spice?"""

    name: ClassVar[str] = "spice_at_least"
    label: ClassVar[str] = "Have you at least this much spice?"

    def fields(self, table: Table, others: tuple[Faction, ...]) -> Fields | None:
        """Any amount."""
        return asked_of(others, {"spice": Number(1, 200, "spice")}, spice="At least")

    def text(self, question: Question) -> str:
        """In words."""
        return f"Have you at least {question['spice']} spice behind your shield?"

    def truths(self, table: Table, question: Question, sealed: Json) -> tuple[str, ...]:
        """By the spice behind the shield; what is sealed for a bid is still its owner's."""
        seat = question["seat"]
        held = table.spice_of(seat) + table.spice_of(f"escrow.{seat}") + table.spice_of(f"gift.{seat}")
        return _computed(held >= question["spice"])


@form
class CardsAtLeast(Form):
    """Do you hold so many cards?"""

    name: ClassVar[str] = "cards_at_least"
    label: ClassVar[str] = "Do you hold at least this many treachery cards?"

    def fields(self, table: Table, others: tuple[Faction, ...]) -> Fields | None:
        """Any number that a hand can have."""
        return asked_of(others, {"cards": Number(1, 9, "cards")}, cards="At least")

    def text(self, question: Question) -> str:
        """In words."""
        number = question["cards"]
        return f"Do you hold at least {number} treachery card{'s' if number > 1 else ''}?"

    def truths(self, table: Table, question: Question, sealed: Json) -> tuple[str, ...]:
        """By the hand."""
        return _computed(len(table.hand(question["seat"])) >= question["cards"])


@form
class Predicted(Form):
    """Did you predict this faction, or this turn, or both?"""

    name: ClassVar[str] = "predicted"
    label: ClassVar[str] = "Is this your prediction?"

    def fields(self, table: Table, others: tuple[Faction, ...]) -> Fields | None:
        """Of whoever made a prediction: that it did is public."""
        seers = tuple(other for other in others if f"prediction.{other}" in table.marks)
        if not seers:
            return None
        anybody, whenever = Option(None, "any faction"), Option(None, "any turn")
        factions = OneOf((anybody, *(Option(f, facts.name(f)) for f in table.seats if f not in seers)))
        turns = OneOf(
            (whenever, *(Option(turn, f"turn {turn}") for turn in range(1, table.settings.last_turn + 1)))
        )
        something = AnyOf(
            (Condition("faction", _values(factions)), Condition("turn", _values(turns))),
            "name a faction, a turn, or both",
        )
        parts: dict[str, Shape] = {"faction": factions, "turn": turns}
        return asked_of(seers, parts, something, faction="Faction", turn="Turn")

    def text(self, question: Question) -> str:
        """In words."""
        who = facts.name(question["faction"]) if question["faction"] else "some faction"
        when = f" in turn {question['turn']}" if question["turn"] else ""
        return f"Did you predict that {who} would win{when}?"

    def truths(self, table: Table, question: Question, sealed: Json) -> tuple[str, ...]:
        """By what was written down."""
        faction, turn = table.names(f"prediction.{question['seat']}")
        same_faction = question["faction"] in (None, faction)
        return _computed(same_faction and question["turn"] in (None, int(turn)))


def _values(options: OneOf) -> tuple[str | int | None, ...]:
    return tuple(option.value for option in options.options if option.value is not None)


@form
class FreeText(Form):
    """Anything else, on the players' honour. [TRUTH-04]"""

    name: ClassVar[str] = FREE
    label: ClassVar[str] = "Another question, answered on honour"

    def fields(self, table: Table, others: tuple[Faction, ...]) -> Fields | None:
        """The question in the asker's own words."""
        return asked_of(others, {"text": Text(280, "A question with the answer yes or no")}, text="Question")

    def text(self, question: Question) -> str:
        """As it was written."""
        return str(question["text"])

    def truths(self, table: Table, question: Question, sealed: Json) -> tuple[str, ...]:
        """The program cannot know."""
        return EITHER
