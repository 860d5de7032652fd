"""Pledges: what a faction said it will or will not do this turn, and how later offers obey. [TRUTH-06, DEAL-11]

A pledge comes from an answer to Truthtrance or from a deal. It lasts until it is kept, until all parties release
it, or until the turn ends; one that cannot be kept in some choice lets go of that choice. [TRUTH-08, DEAL-03]
"""

from __future__ import annotations

from collections.abc import Callable

from msgspec import Struct

from services.rules.engine.limits import (
    Bar,
    bar_options,
    bar_targets,
    bar_variants,
    has_transfer,
    limits,
    with_choice,
)
from services.rules.engine.play import Play
from services.rules.engine.watching import watches
from services.rules.phases.bidding_offer import BIDS
from services.rules.phases.movement_offer import turn_endings
from shared.dune import facts
from shared.dune.events.bidding import BidMade, CardBought
from shared.dune.events.forces import ForcesMoved
from shared.dune.events.nexus import AllianceMade
from shared.dune.events.pledges import PLEDGES, PledgeEnded
from shared.dune.offers import Choice, Offer
from shared.dune.settings import Faction
from shared.dune.shapes import Variant
from shared.dune.table import RESERVES, Table

__all__ = ["ALLY", "BID", "ENTER", "MOVE", "SHIP", "SPARE", "Pledge", "end_pledges", "pledges_of"]

SHIP, MOVE, ENTER = "ship", "move", "enter"
"""Ship into, move into, or come in any way into a territory: `what` is its id."""
SPARE = "spare"
"""Ship or move into a territory where a faction has forces: `what` is that faction."""
BID, ALLY = "bid", "ally"
"""Bid for a treachery card (`what` is empty); become the ally of a faction (`what`)."""
TRUTH_BAR, DEAL_BAR = "You answered Truthtrance otherwise.", "You agreed otherwise in a deal."


class Pledge(Struct, frozen=True):
    """One pledge as it is remembered. `source` is `truth`, or `deal.<number>`."""

    faction: Faction
    form: str
    what: str
    will: bool
    source: str

    @classmethod
    def of(cls, row: str) -> Pledge:
        """The pledge of a row of the mark."""
        faction, form, what, will, source = row.split("|")
        return cls(faction, form, what, will == "yes", source)

    @property
    def row(self) -> str:
        """The row of the mark."""
        return "|".join((self.faction, self.form, self.what, "yes" if self.will else "no", self.source))

    @property
    def bar(self) -> Bar:
        """What a choice says that is off because of it."""
        return Bar(TRUTH_BAR, "TRUTH-06") if self.source == "truth" else Bar(DEAL_BAR, "DEAL-11")


def pledges_of(table: Table, faction: Faction, *forms: str) -> tuple[Pledge, ...]:
    """What a faction is bound to now, of these forms (of any if none is named), oldest first."""
    found = (Pledge.of(row) for row in table.names(PLEDGES))
    return tuple(p for p in found if p.faction == faction and (not forms or p.form in forms))


def end_pledges(play: Play, ended: Callable[[Pledge], bool], why: str) -> None:
    """Let go of all pledges that `ended` names."""
    for row in play.table.names(PLEDGES):
        pledge = Pledge.of(row)
        if ended(pledge):
            play.emit(PledgeEnded(row, pledge.faction, why))


@limits("ship", rule="TRUTH-06")
def shipping_obeys(table: Table, offer: Offer) -> Offer:
    """Into where one said one would ship, and not where one said one would not. [TRUTH-06, TRUTH-07, DEAL-11]"""
    return _entering_obeys(table, offer, SHIP)


@limits("move", rule="TRUTH-06")
def moving_obeys(table: Table, offer: Offer) -> Offer:
    """Likewise for movement. [TRUTH-06, TRUTH-07, DEAL-11]"""
    return _entering_obeys(table, offer, MOVE)


@limits("worm_ride", rule="DEAL-11")
def riding_obeys(table: Table, offer: Offer) -> Offer:
    """A ride is an entry, though neither shipment nor movement. [DEAL-11, FRE-16]"""
    return _entering_obeys(table, offer)


@limits("accompany", rule="DEAL-11")
def accompanying_obeys(table: Table, offer: Offer) -> Offer:
    """So is a force that comes with another's shipment, to the Polar Sink or wherever it may go. [DEAL-11, BG-25]"""
    for pledge in pledges_of(table, offer.seat, ENTER, SPARE):
        if pledge.will:
            continue
        places = _places(table, pledge)
        choice = bar_options(offer.choice, "place", places.__contains__, pledge.bar)
        if choice is not None and facts.POLAR_SINK in places:
            choice = bar_variants(choice, {"yes"}, pledge.bar)
        offer = with_choice(offer, choice)
    return offer


def _entering_obeys(table: Table, offer: Offer, *forms: str) -> Offer:
    for pledge in pledges_of(table, offer.seat, *forms, ENTER, SPARE):
        offer = with_choice(offer, _entering(table, offer.choice, pledge))
    return offer


def _entering(table: Table, choice: Choice, pledge: Pledge) -> Choice | None:
    """The choice that keeps a pledge; None if it cannot be kept here. Moving within a territory enters nothing.

    Who has still to come there neither passes nor ends its movement, by whatever ends one. [TRUTH-06, NEXUS-41]
    """
    places = _places(table, pledge)

    def enters(source: str, target: str) -> bool:
        return target in places and _ground(source) != _ground(target)

    if not pledge.will:
        return bar_targets(choice, enters, pledge.bar)
    only = bar_targets(choice, lambda source, target: not enters(source, target), pledge.bar)
    if only is None or not has_transfer(only):
        return None
    return bar_variants(only, {"pass", "end", *turn_endings()}, pledge.bar)


def _places(table: Table, pledge: Pledge) -> frozenset[str]:
    if pledge.form != SPARE:
        return frozenset(facts.locations_of(pledge.what))
    territories = [t for t in facts.territories() if pledge.what in table.factions_in(t)]
    return frozenset(place for territory in territories for place in facts.locations_of(territory))


def _ground(place: str) -> str:
    """The part of a place before the colon: a territory, or the reserves."""
    return place.partition(":")[0]


@limits("bid", rule="TRUTH-06")
def bidding_obeys(table: Table, offer: Offer) -> Offer:
    """Who said it would not bid passes, or does what is no bid; who said it would bids when it first can.

    [TRUTH-06, TRUTH-07, DEAL-11]
    """
    for pledge in pledges_of(table, offer.seat, BID):
        bids = _things(offer.choice) & BIDS
        if pledge.will:
            gone = {"pass"} if bids else set()
        else:
            gone = bids
        offer = with_choice(offer, bar_variants(offer.choice, gone, pledge.bar))
    return offer


@limits("nexus", rule="TRUTH-06")
def allying_obeys(table: Table, offer: Offer) -> Offer:
    """Who said no to an alliance neither offers nor accepts it; who said yes does not refuse it. [TRUTH-06]"""
    for pledge in pledges_of(table, offer.seat, ALLY):
        choice: Choice | None = offer.choice
        for field in ("to", "from"):
            if choice is not None:
                choice = bar_options(choice, field, _names(pledge), pledge.bar)
        if choice is not None and pledge.will:
            can_ally = _things(choice) & {"accept", "propose"}
            choice = bar_variants(choice, {"done"} if can_ally else set(), pledge.bar)
        offer = with_choice(offer, choice)
    return offer


def _things(choice: Choice) -> set[str]:
    return set(choice.variants) if isinstance(choice, Variant) else set()


def _names(pledge: Pledge) -> Callable[[object], bool]:
    return lambda value: (value == pledge.what) != pledge.will


@watches(ForcesMoved, rule="TRUTH-06")
def entering_is_kept(play: Play, moved: ForcesMoved) -> None:
    """Forces have come where their owner said they would; a worm's ride is neither shipment nor movement. [FRE-16]"""
    if play.table.phase == "shipment" and moved.target != RESERVES:
        form = MOVE if moved.how == "movement" else SHIP
        _kept(play, moved.faction, (form, ENTER), _ground(moved.target))


@watches(BidMade, rule="TRUTH-06")
def bidding_is_kept(play: Play, made: BidMade) -> None:
    """The bid has been made."""
    _kept(play, made.faction, (BID,), "")


@watches(CardBought, rule="TRUTH-06")
def buying_is_kept(play: Play, bought: CardBought) -> None:
    """A card taken is as good as a bid."""
    _kept(play, bought.faction, (BID,), "")


@watches(AllianceMade, rule="TRUTH-06")
def allying_is_kept(play: Play, made: AllianceMade) -> None:
    """The alliance has been made."""
    _kept(play, made.one, (ALLY,), made.other)
    _kept(play, made.other, (ALLY,), made.one)


def _kept(play: Play, faction: Faction, forms: tuple[str, ...], what: str) -> None:
    if play.table.marks.get(PLEDGES) is None:
        return
    end_pledges(
        play, lambda p: p.will and p.faction == faction and p.form in forms and p.what == what, "kept"
    )
