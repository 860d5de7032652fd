"""Events of the spice blow: cards revealed, spice placed, worms."""

from __future__ import annotations

from typing import ClassVar

from shared.dune import facts
from shared.dune.events.base import Event
from shared.dune.table import BANK, Mark, Piece, Table, mark, move_piece, pay

DECK = "spice_deck"
ASIDE = "spice_aside"


class SpiceCardRevealed(Event, tag=True, frozen=True):
    """The top spice card is put face up on a pile; a territory becomes the newest of that pile. [BLOW-03, BLOW-07]"""

    card: Piece
    pile: str

    public: ClassVar = ("card", "pile")
    lines: ClassVar = ("Spice card: {card}.",)

    def apply(self, table: Table) -> Table:
        moved = move_piece(table, self.card, DECK, f"spice_discard_{self.pile}")
        place = facts.spice_cards()[facts.face(self.card)].location
        if not place:
            return moved
        territory = facts.territory_of(place).id
        return mark(moved, f"newest_territory.{self.pile}", Mark(territory, public=True))


class SpiceBlown(Event, tag=True, frozen=True):
    """Spice appears at the icon of a territory. [BLOW-04]"""

    place: str
    amount: int

    public: ClassVar = ("place", "amount")
    lines: ClassVar = ("{amount} spice appears in {place}.",)

    def apply(self, table: Table) -> Table:
        return pay(table, self.amount, BANK, self.place)


class SpiceBlownAway(Event, tag=True, frozen=True):
    """The icon lies in the storm: no spice is placed. [BLOW-05]"""

    place: str

    public: ClassVar = ("place",)
    lines: ClassVar = ("No spice appears in {place}: the storm is there.",)


class WormSetAside(Event, tag=True, frozen=True):
    """A worm of the first turn has no effect and lies aside until the phase is over. [BLOW-10]"""

    card: Piece
    pile: str

    public: ClassVar = ("card", "pile")
    lines: ClassVar = ("{card} is set aside: no worm appears in the first turn.",)

    def apply(self, table: Table) -> Table:
        return move_piece(table, self.card, f"spice_discard_{self.pile}", ASIDE)


class WormAppeared(Event, tag=True, frozen=True):
    """A worm appears in a territory (`nowhere` if none was revealed yet), to devour or not. [BLOW-06, BLOW-09]"""

    territory: str
    devours: bool

    public: ClassVar = ("territory", "devours")

    def sentences(self) -> tuple[str, ...]:
        where = "" if self.territory == "nowhere" else " in {territory}"
        return (f"Shai-Hulud appears{where}.",)
