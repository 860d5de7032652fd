"""The card that `docs/adding-a-card.md` shows is one that the engine takes."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from services.rules.engine.windows import Reaction, Subject
from services.rules.phases.hands import cards_of, may_hold
from shared.dune.events.pieces import CardDiscarded
from shared.dune.settings import Settings
from shared.dune.shapes import Fields, Off
from shared.dune.table import Table, put

PAGE = Path(__file__).parents[3] / "docs" / "adding-a-card.md"
SEATS = ("atreides", "harkonnen")
USED: tuple[Any, ...] = (Reaction, Fields, Off, CardDiscarded, cards_of, may_hold)


def _shown() -> Any:
    """The reaction of the page, with the names that its file would import; it is not registered."""
    found = re.search(r"```python\n(.*?)```", PAGE.read_text(), re.S)
    assert found is not None
    names = {
        "react": lambda kind: kind,
        **{thing.__name__: thing for thing in USED},
    }
    code = "\n".join(line.removeprefix("   ") for line in found[1].splitlines())
    exec(code, names)
    return names["Foresee"]()


def test_the_card_that_is_shown_answers_as_reactions_do() -> None:
    """Its holder may use it, everybody else is told why not."""
    card, subject = _shown(), Subject("storm", "", "", {})
    table = put(Table(settings=Settings(seats=SEATS)), zones={"hand.atreides": ("foresight#1",)})
    answers = [card.fields(table, seat, "storm.card", subject) for seat in SEATS]
    assert answers == [Fields({}), Off("You do not hold it.", card.rule)]
