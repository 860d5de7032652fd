"""Showing a secret of one's own to others, of one's own will. [SECRET-01, SECRET-06, ALLY-02]"""

from __future__ import annotations

from functools import lru_cache
from typing import ClassVar

from services.rules.engine.flow import Flow, Frame, Next
from services.rules.engine.play import Play
from services.rules.engine.rulings import ruling
from services.rules.engine.standing import StandingAction, standing
from shared.dune import facts
from shared.dune.events.sharing import SecretShown
from shared.dune.settings import Faction
from shared.dune.shapes import Fields, Json, ManyOf, OneOf, Option, Shape
from shared.dune.table import Piece, Table, zone

SPICE, PREDICTION = "spice", "prediction"


@standing
class Reveal(StandingAction):
    """Show others a card, a traitor, the spice or the prediction; what is shown is true. [SECRET-06]"""

    kind: ClassVar[str] = "reveal"
    rule: ClassVar[str] = "SECRET-06"
    why: ClassVar[str] = "Show a secret of yours to others. They see it as it is; nobody else notices."
    stops_for_questions: ClassVar[bool] = False

    def available(self, table: Table, seat: Faction, stack: tuple[Frame, ...]) -> bool:
        """Always, where the program shows secrets at all."""
        return ruling(table, "voluntary_reveal") != "words_only"

    def choice(self, table: Table, seat: Faction, stack: tuple[Frame, ...]) -> Fields | None:
        """The seat's own secrets, and everybody else."""
        if not self.available(table, seat, stack):
            return None
        held = (*table.hand(seat), *zone(table, f"traitors.{seat}"))
        return _shape(seat, table.seats, held, f"prediction.{seat}" in table.marks)

    def default(self, table: Table, seat: Faction) -> Json:
        """The spice, to the first other player."""
        return {"what": SPICE, "to": [next(other for other in table.seats if other != seat)]}

    def flow(self, table: Table, seat: Faction, answer: Json, stack: tuple[Frame, ...]) -> Flow:
        """Show it."""
        return Show(seat, answer["what"], tuple(answer["to"]))


@lru_cache(maxsize=128)
def _shape(seat: Faction, seats: tuple[Faction, ...], held: tuple[Piece, ...], has_predicted: bool) -> Fields:
    """What a seat could show, and to whom."""
    what = [Option(SPICE, "My spice")]
    what += [Option(card, f"{_kind(card).capitalize()}: {facts.name(card)}") for card in held]
    if has_predicted:
        what.append(Option(PREDICTION, "My prediction"))
    others = tuple(Option(other, facts.name(other)) for other in seats if other != seat)
    shapes: dict[str, Shape] = {"what": OneOf(tuple(what)), "to": ManyOf(others, 1, len(others))}
    return Fields(shapes, labels={"what": "Show", "to": "To"})


def _kind(card: Piece) -> str:
    return "traitor" if card.startswith("traitor:") else "card"


class Show(Flow, tag="reveal", frozen=True, omit_defaults=True):
    """One secret shown. [SECRET-06]"""

    seat: Faction
    what: str
    to: tuple[Faction, ...]

    def start(self, play: Play) -> Next:
        """Tell those named, and nobody else."""
        play.emit(SecretShown(self.seat, self.to, *self._shown(play.table)))
        return self.done()

    def _shown(self, table: Table) -> tuple[str, str]:
        if self.what == SPICE:
            return SPICE, str(table.spice_of(self.seat))
        if self.what == PREDICTION:
            faction, turn = table.names(f"prediction.{self.seat}")
            return PREDICTION, f"{facts.name(faction)} in turn {turn}"
        return _kind(self.what), self.what
