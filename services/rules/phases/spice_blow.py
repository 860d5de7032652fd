"""The Spice Blow: cards are revealed until a territory has its spice; worms and the Nexus. [BLOW-01..BLOW-20]

Each kind of spice card has a flow of its own, registered with `resolves`; a set with other kinds adds its own. The
moments `blow.boundary` (before a blow and after the last), `worm.revealed`, `worm.devours`, `worm.appeared` and
`nexus.over` are open to guests.
"""

from __future__ import annotations

from collections.abc import Callable

from services.rules.engine.flow import Flow, Next
from services.rules.engine.hooks import Quote, contributes, quote
from services.rules.engine.moments import Moment
from services.rules.engine.play import Play
from services.rules.engine.rulings import ruling
from services.rules.phases.course import phase
from services.rules.phases.nexus import Nexus
from services.rules.phases.worm import WormAppears
from shared.dune import facts
from shared.dune.events.blow import (
    ASIDE,
    DECK,
    SpiceBlown,
    SpiceBlownAway,
    SpiceCardRevealed,
    WormSetAside,
)
from shared.dune.events.forces import SpiceRemoved
from shared.dune.events.pieces import PilesGathered
from shared.dune.shapes import Json
from shared.dune.table import Piece, Table, zone

__all__ = [
    "PLACED",
    "Blow",
    "FurtherWormDevours",
    "SpiceBlowPhase",
    "SpiceBlows",
    "newest_territory",
    "next_spice_card",
    "resolves",
]

PILES = ("a", "b")
PLACED = "worm.placed"
"""Public mark: the territory in which somebody places the worm now revealed. [FRE-22]"""
CardFlow = Callable[[Piece, str, int, int], Flow]

_cards: dict[str, CardFlow] = {}


def resolves(kind: str) -> Callable[[type[Flow]], type[Flow]]:
    """Register the flow of a kind of spice card. It is made with the card, the pile, the number of worms that this blow
    has shown so far, and the number of those of the turn's earlier blows; its result is
    `{"more": bool, "worms": int}`: reveal another card, worms to count."""

    def register(flow: type[Flow]) -> type[Flow]:
        _cards[kind] = flow
        return flow

    return register


class SpiceBlows(Quote, frozen=True, kw_only=True):
    """How many spice cards are resolved each turn, each on a pile of its own. [BLOW-01, BLOW-02]"""


@contributes(SpiceBlows, rule="BLOW-02", modes=("advanced",))
def two_blows(blows: SpiceBlows, table: Table) -> SpiceBlows:
    """The Advanced game has two: pile A is finished before pile B. [BLOW-02]"""
    return blows.step(2, "Two spice cards are resolved each turn", "BLOW-02")


@phase("spice_blow")
class SpiceBlowPhase(Flow, tag="spice_blow", frozen=True, omit_defaults=True):
    """One blow for each pile. `blown` counts the blows that are finished, `worms` those they showed. [BLOW-01]"""

    blown: int = 0
    worms: int = 0

    def start(self, play: Play) -> Next:
        """Between blows something may be put in."""
        return self.call(Moment("blow.boundary", self.blown), then="blow")

    def blow(self, play: Play, result: Json) -> Next:
        """The next blow, if there is one."""
        if self.blown >= quote(play.table, SpiceBlows(value=1)).value:
            return self.goto("over")
        return self.call(Blow(PILES[self.blown], earlier=self.worms), then="next_blow")

    def next_blow(self, play: Play, worms: Json) -> Next:
        """One blow is finished."""
        return self.replace(blown=self.blown + 1, worms=self.worms + worms).goto("start")

    def over(self, play: Play) -> Next:
        """Worms set aside in the first turn go back into the deck. [BLOW-10]"""
        if zone(play.table, ASIDE):
            play.emit(PilesGathered((ASIDE,), DECK))
            play.shuffle(DECK)
        return self.done()


class Blow(Flow, tag="blow", frozen=True, omit_defaults=True):
    """One blow onto one pile. `worms` counts those that appeared, `earlier` those of the turn's earlier blows.

    Result: how many worms appeared. [BLOW-03, BLOW-08]
    """

    pile: str
    worms: int = 0
    earlier: int = 0

    def start(self, play: Play) -> Next:
        """Reveal the top card and do what it says; with no card left anywhere the blow ends."""
        card = next_spice_card(play)
        if card is None:
            return self.goto("nexus")
        play.emit(SpiceCardRevealed(card, self.pile))
        kind = facts.spice_cards()[facts.face(card)].kind
        return self.call(_cards[kind](card, self.pile, self.worms, self.earlier), then="resolved")

    def resolved(self, play: Play, result: Json) -> Next:
        """Another card after a worm; a territory ends the revealing. [BLOW-06, BLOW-08]"""
        flow = self.replace(worms=self.worms + result["worms"])
        return flow.goto("start" if result["more"] else "nexus")

    def nexus(self, play: Play) -> Next:
        """One Nexus however many worms appeared, none without a worm. [BLOW-16, BLOW-17]"""
        if not self.worms:
            return self.done(0)
        return self.call(Nexus(), then="after_nexus")

    def after_nexus(self, play: Play, result: Json) -> Next:
        """Who rides, rides now. [BLOW-19]"""
        return self.call(Moment("nexus.over", self.pile), then="over")

    def over(self, play: Play, result: Json) -> Next:
        """The blow is finished."""
        return self.done(self.worms)


@resolves("territory")
class TerritoryCard(Flow, tag="blow.territory", frozen=True, omit_defaults=True):
    """A territory card: its spice appears at its icon. [BLOW-04]"""

    card: Piece
    pile: str
    worms: int
    earlier: int = 0

    def start(self, play: Play) -> Next:
        """Place the spice on top of what lies there, unless the sector is in storm. [BLOW-04, BLOW-05]"""
        fact = facts.spice_cards()[facts.face(self.card)]
        if play.table.in_storm(fact.location):
            play.emit(SpiceBlownAway(fact.location))
        else:
            lying = play.table.spice_of(fact.location)
            if lying and play.ruling("spice_on_blow") == "replaces":
                play.emit(SpiceRemoved(fact.location, lying, "blow"))
            play.emit(SpiceBlown(fact.location, fact.amount))
        return self.done({"more": False, "worms": 0})


@resolves("worm")
class WormCard(Flow, tag="blow.worm", frozen=True, omit_defaults=True):
    """A worm card: the first of a blow devours; further ones appear again in the same place. [BLOW-06, BLOW-09]

    Whoever may place a worm elsewhere is a guest of `worm.revealed` and names the place in the mark `worm.placed`.
    """

    card: Piece
    pile: str
    worms: int
    earlier: int = 0

    def start(self, play: Play) -> Next:
        """In the first turn it is set aside without effect. [BLOW-10, BLOW-11]"""
        if play.table.turn == 1:
            play.emit(WormSetAside(self.card, self.pile))
            return self.done({"more": True, "worms": 0})
        shown = {"pile": self.pile, "worms": self.worms, "earlier": self.earlier}
        return self.call(Moment("worm.revealed", shown), then="appear")

    def appear(self, play: Play, result: Json) -> Next:
        """Where it was placed, else in the newest territory of its pile. [BLOW-06, BLOW-09, FRE-22]"""
        if placed := str(play.table.value(PLACED, "")):
            return self.call(WormAppears(placed, devours=True), then="appeared")
        devours = self.worms == 0 or quote(play.table, FurtherWormDevours()).value == 1
        return self.call(WormAppears(newest_territory(play.table, self.pile), devours), then="appeared")

    def appeared(self, play: Play, result: Json) -> Next:
        """It counts, also where there was nothing to devour. [BLOW-16]"""
        return self.done({"more": True, "worms": 1})


class FurtherWormDevours(Quote, frozen=True, kw_only=True):
    """Whether a worm after the first of a blow devours where the cards put it: 0 or 1. [BLOW-09]"""


@contributes(FurtherWormDevours, rule="BLOW-09", order=20)
def devours_again_by_ruling(devours: FurtherWormDevours, table: Table) -> FurtherWormDevours:
    """Only where ruling extra_worms_basic says so. [RULING-27]"""
    again = int(ruling(table, "extra_worms_basic") == "devour_again")
    return devours.step(again, "Further worms of a blow", "BLOW-09")


def newest_territory(table: Table, pile: str) -> str:
    """The territory last revealed on a pile, also when its card has been reshuffled; empty if none was. [BLOW-07]"""
    remembered = str(table.value(f"newest_territory.{pile}", ""))
    card = _top_territory_card(table, pile)
    if remembered or card is None:
        return remembered
    return facts.territory_of(facts.spice_cards()[facts.face(card)].location).id


def _top_territory_card(table: Table, pile: str) -> Piece | None:
    cards = zone(table, f"spice_discard_{pile}")
    return next((card for card in cards if facts.spice_cards()[facts.face(card)].location), None)


def next_spice_card(play: Play) -> Piece | None:
    """The top spice card, after a reshuffle if the deck is empty. [BLOW-20, BLOW-22]"""
    if not zone(play.table, DECK):
        kept = _kept_back(play.table) if play.ruling("spice_reshuffle") == "keep_top_a" else ()
        piles = tuple(f"spice_discard_{pile}" for pile in PILES)
        play.emit(PilesGathered(piles, DECK, kept))
        play.shuffle(DECK)
    cards = zone(play.table, DECK)
    return cards[0] if cards else None


def _kept_back(table: Table) -> tuple[Piece, ...]:
    """The top territory card of pile A and what lies above it. [BLOW-20]"""
    pile = zone(table, f"spice_discard_{PILES[0]}")
    card = _top_territory_card(table, PILES[0])
    return pile[: pile.index(card) + 1] if card else ()
