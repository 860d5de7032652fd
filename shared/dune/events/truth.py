"""Events of Truthtrance. All of it is public. [TRUTH-01, TRUTH-02]"""

from __future__ import annotations

from typing import ClassVar

from shared.dune.events.base import Event
from shared.dune.settings import Faction


class TruthAsked(Event, tag=True, frozen=True):
    """A question is put; the game stops until it is answered. [TRUTH-01, TRUTH-03]"""

    asker: Faction
    asked: Faction
    question: str

    public: ClassVar = ("asker", "asked", "question")
    lines: ClassVar = ("Truthtrance: {asker} asks {asked}: {question}",)


class TruthQueued(Event, tag=True, frozen=True):
    """A question waits until the one before it is settled. [TRUTH-11, WINPOL-17]"""

    asker: Faction
    asked: Faction
    question: str

    public: ClassVar = ("asker", "asked", "question")
    lines: ClassVar = ("Truthtrance: {asker} will ask {asked}: {question}",)


class TruthAnswered(Event, tag=True, frozen=True):
    """The answer: yes, no, or unknown. [TRUTH-02, TRUTH-10]"""

    asker: Faction
    asked: Faction
    question: str
    answer: str

    public: ClassVar = ("asker", "asked", "question", "answer")
    lines: ClassVar = ("{asked} answers {asker}: {answer}. ({question})",)


class TruthWithdrawn(Event, tag=True, frozen=True):
    """The answer was "unknown", and the card stays with its holder. [TRUTH-10]"""

    asker: Faction

    public: ClassVar = ("asker",)
    lines: ClassVar = ("{asker} keeps Truthtrance.",)
