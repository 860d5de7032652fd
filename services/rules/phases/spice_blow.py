"""The Spice Blow: cards are revealed until a territory has its spice; worms and the Nexus. [BLOW-01..BLOW-20]

Each kind of spice card has a flow of its own, registered with `resolves`; a set with other kinds adds its own. The
moments `blow.boundary` (before a blow and after the last), `worm.devours`, `worm.appeared` and `nexus.over` are open
to guests.
"""

from __future__ import annotations

from collections.abc import Callable

from services.rules.engine.flow import Flow, Next
from services.rules.engine.hooks import Quote, quote
from services.rules.engine.moments import Moment
from services.rules.engine.play import Play
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

__all__ = ["Blow", "SpiceBlowPhase", "SpiceBlows", "newest_territory", "next_spice_card", "resolves"]

PILES = ("a", "b")
CardFlow = Callable[[Piece, str, int], Flow]

_cards: dict[str, CardFlow] = {}


def resolves(kind: str) -> Callable[[type[Flow]], type[Flow]]:
    """Register the flow of a kind of spice card. It is made with the card, the pile and the number of worms that
    this blow has shown so far; its result is `{"more": bool, "worms": int}`: reveal another card, worms to count."""

    def register(flow: type[Flow]) -> type[Flow]:
        _cards[kind] = flow
        return flow

    return register


class SpiceBlows(Quote, frozen=True, kw_only=True):
    """How many spice cards are resolved each turn, each on a pile of its own. [BLOW-01]"""


@phase("spice_blow")
class SpiceBlowPhase(Flow, tag="spice_blow", frozen=True, omit_defaults=True):
    """One blow for each pile. `blown` counts the blows that are finished. [BLOW-01]"""

    blown: int = 0

    def start(self, play: Play) -> Next:
        """Between blows something may be put in."""
        return self.call(Moment("blow.boundary", self.blown), then="blow")

    def blow(self, play: Play, result: Json) -> Next:
        """The next blow, if there is one."""
        if self.blown >= quote(play.table, SpiceBlows(value=1)).value:
            return self.goto("over")
        return self.call(Blow(PILES[self.blown]), then="next_blow")

    def next_blow(self, play: Play, result: Json) -> Next:
        """One blow is finished."""
        return self.replace(blown=self.blown + 1).goto("start")

    def over(self, play: Play) -> Next:
        """Worms set aside in the first turn go back into the deck. [BLOW-10]"""
        if zone(play.table, ASIDE):
            play.emit(PilesGathered((ASIDE,), DECK))
            play.shuffle(DECK)
        return self.done()


class Blow(Flow, tag="blow", frozen=True, omit_defaults=True):
    """One blow onto one pile. `worms` counts those that appeared. [BLOW-03, BLOW-08]"""

    pile: str
    worms: int = 0

    def start(self, play: Play) -> Next:
        """Reveal the top card and do what it says; with no card left anywhere the blow ends."""
        card = next_spice_card(play)
        if card is None:
            return self.goto("nexus")
        play.emit(SpiceCardRevealed(card, self.pile))
        kind = facts.spice_cards()[facts.face(card)].kind
        return self.call(_cards[kind](card, self.pile, self.worms), then="resolved")

    def resolved(self, play: Play, result: Json) -> Next:
        """Another card after a worm; a territory ends the revealing. [BLOW-06, BLOW-08]"""
        flow = self.replace(worms=self.worms + result["worms"])
        return flow.goto("start" if result["more"] else "nexus")

    def nexus(self, play: Play) -> Next:
        """One Nexus however many worms appeared, none without a worm. [BLOW-16, BLOW-17]"""
        if not self.worms:
            return self.done()
        return self.call(Nexus(), then="after_nexus")

    def after_nexus(self, play: Play, result: Json) -> Next:
        """Who rides, rides now. [BLOW-19]"""
        return self.call(Moment("nexus.over", self.pile), then="over")

    def over(self, play: Play, result: Json) -> Next:
        """The blow is finished."""
        return self.done()


@resolves("territory")
class TerritoryCard(Flow, tag="blow.territory", frozen=True, omit_defaults=True):
    """A territory card: its spice appears at its icon. [BLOW-04]"""

    card: Piece
    pile: str
    worms: int

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
    """A worm card: the first of a blow devours; further ones appear again in the same place. [BLOW-06, BLOW-09]"""

    card: Piece
    pile: str
    worms: int

    def start(self, play: Play) -> Next:
        """In the first turn it is set aside without effect. [BLOW-10, BLOW-11]"""
        if play.table.turn == 1:
            play.emit(WormSetAside(self.card, self.pile))
            return self.done({"more": True, "worms": 0})
        devours = self.worms == 0 or play.ruling("extra_worms_basic") == "devour_again"
        territory = newest_territory(play.table, self.pile)
        return self.call(WormAppears(territory, devours), then="appeared")

    def appeared(self, play: Play, result: Json) -> Next:
        """It counts, also where there was nothing to devour. [BLOW-16]"""
        return self.done({"more": True, "worms": 1})


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
