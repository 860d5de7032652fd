"""The offer to ship: every way with its sources, targets and prices, and what may be spent to make it cheaper."""

from __future__ import annotations

from collections.abc import Mapping

from msgspec import Struct

from services.rules.engine.offering import offer
from services.rules.phases.groups import under_storm
from services.rules.phases.shipment_aids import ShippingAid, WayOpening, shipping_aids, way_openings
from services.rules.phases.shipment_quotes import (
    Way,
    funds,
    landings,
    rate_of,
    target_group,
    unit_prices,
    ways_of,
)
from shared.dune import facts
from shared.dune.memo import by_identity
from shared.dune.offers import Offer
from shared.dune.settings import Faction
from shared.dune.shapes import Alike, Fields, Number, Off, Source, Transfer, Variant, targets_of
from shared.dune.table import RESERVES, Table

__all__ = ["Choice", "can_ship", "chosen", "price", "ship_offer", "ways_told"]

ONCE = "You may ship once, before you move."


class Choice(Struct, frozen=True):
    """One thing to do in the offer: a way, with or without an aid, and what opens it if it is not there of itself."""

    way: Way
    aid: ShippingAid | None = None
    opening: WayOpening | None = None

    @property
    def name(self) -> str:
        """The name of the variant: `ship`, `ship_karama`, `cross_ship`..."""
        return f"{self.way.name}_{self.aid.name}" if self.aid else self.way.name

    @property
    def label(self) -> str:
        """What the button says."""
        return f"{self.way.label}, {self.aid.label}" if self.aid else self.way.label

    def off(self, table: Table, seat: Faction) -> Off | None:
        """Why the seat cannot spend what it would take; None if it can."""
        found = self.opening.off(table, seat) if self.opening else None
        return found or (self.aid.off(table, seat) if self.aid else None)

    def rate(self, table: Table, seat: Faction) -> int:
        """By what the full price would be divided."""
        return 2 if self.aid else rate_of(table, seat, self.way).value


def _choices(table: Table, seat: Faction) -> list[Choice]:
    """All ways, and each with every aid that would change its price. [GUILD-20, KARAMA-14]"""
    usual = ways_of(table, seat)
    plain = [Choice(way) for way in usual]
    for opening in way_openings(table):
        if opening.is_held(table, seat):
            plain.extend(Choice(way, opening=opening) for way in opening.ways(table, seat, usual))
    found: list[Choice] = []
    for choice in plain:
        found.append(choice)
        if not choice.way.is_free and choice.rate(table, seat) == 1:
            fitting = (aid for aid in shipping_aids(table) if aid.fits(choice.way))
            found.extend(Choice(choice.way, aid, choice.opening) for aid in fitting)
    return found


def chosen(table: Table, seat: Faction, name: str) -> Choice:
    """The choice that an answer names; KeyError if it is none."""
    return {choice.name: choice for choice in _choices(table, seat)}[name]


def ways_told(table: Table, seat: Faction) -> tuple[Way, ...]:
    """Every way of which the seat's offer speaks, but for what makes one cheaper; of those of a card that it holds
    the ones that it could use: private to the seat.
    """
    return tuple(
        choice.way
        for choice in _choices(table, seat)
        if choice.aid is None and choice.off(table, seat) is None
    )


def price(way: Way, number: int, unit: int, rate: int) -> int:
    """Spice for a number of forces; a half rate is rounded up once, on the whole. [SHIP-06]"""
    return -(-way.charged(number) * unit // rate)


def sources_of(table: Table, seat: Faction, way: Way) -> tuple[Source, ...]:
    """Where forces may set out by a way: reserves as one place, board locations free of storm. [GUILD-09, STORM-22]"""
    found: list[Source] = []
    if way.from_reserves and (kinds := table.kinds_at(RESERVES, seat)):
        found.append(Source(RESERVES, kinds, "Reserves"))
    if way.from_board:
        for place in sorted(table.places_of(seat)):
            if not table.in_storm(place):
                found.append(Source(place, table.kinds_at(place, seat), facts.name(place)))
    return tuple(found)


def can_ship(table: Table, seat: Faction) -> bool:
    """Whether by public facts the seat has anything to ship: then it is asked, whatever spice it has. [WINPOL-01]"""
    usual = ways_of(table, seat)
    if any(sources_of(table, seat, way) for way in usual):
        return True
    openings = (opening for opening in way_openings(table) if opening.possible(table, seat))
    return any(sources_of(table, seat, way) for found in openings for way in found.ways(table, seat, usual))


def ship_offer(table: Table, seat: Faction, why: str = ONCE) -> Offer:
    """The question of the shipment; silence means none. [SHIP-02, SHIP-20]"""
    variants: dict[str, Fields] = {"pass": Fields({})}
    labels = {"pass": "Do not ship"}
    off: dict[str, Off] = {}
    for choice in _choices(table, seat):
        labels[choice.name] = choice.label
        closed = choice.off(table, seat)
        if closed is None:
            transfer = _transfer(table, seat, choice)
            if transfer.open_targets():
                variants[choice.name] = _fields(table, seat, choice, transfer)
                continue
            closed = _nothing(choice, transfer)
        off[choice.name] = closed
    return offer(
        seat,
        "ship",
        why,
        Variant(variants, labels, off),
        default={"do": "pass"},
        rules=("SHIP-02", "SHIP-05"),
        window=True,
    )


def _nothing(choice: Choice, transfer: Transfer) -> Off:
    if not transfer.sources:
        where = "in your reserves" if choice.way.from_reserves else "that may leave its place"
        return Off(f"You have no force {where}.", choice.way.rule)
    return Off("There is no place that you can reach and pay for.", "SHIP-18")


def _fields(table: Table, seat: Faction, choice: Choice, transfer: Transfer) -> Fields:
    """The forces and, if the ally promised help, its share. [SHIP-08]"""
    help_ = funds(table, seat)[1]
    more = choice.aid.shapes(table, seat) if choice.aid else {}
    if choice.way.is_free or not help_:
        return Fields({"forces": transfer, **more}, labels={"forces": "Forces"})
    share = "Your ally pays (at most the price; what you lack it pays in any case)"
    return Fields(
        {"forces": transfer, "ally_part": Number(0, help_, "spice", "SHIP-08"), **more},
        labels={"forces": "Forces", "ally_part": share},
    )


def _transfer(table: Table, seat: Faction, choice: Choice) -> Transfer:
    """Where the forces of one choice may go; never within the territory that they leave. [GUILD-05]

    That no more forces go than a group has is in the sources.
    """
    way = choice.way
    sources = sources_of(table, seat, way)
    if not sources:
        return Transfer((), (), {}, "SHIP-18")
    is_unlimited = way.is_free and not way.most
    tariffs = {} if is_unlimited else _tariffs(table, seat, choice, _largest_group(sources))
    grounds = _Grounds(
        way,
        tuple(source.place for source in sources),
        _elsewhere(sources),
        unit_prices(table, seat, way),
        landings(table, seat, way),
        tariffs,
    )
    targets = targets_of({grounds.at(RESERVES): [RESERVES]} if way.to_reserves else grounds.on_the_board())
    used = {target.tariff for target in targets}
    said = {name: prices for name, prices in tariffs.values() if name in used}
    leaving = sorted(table.places_of(seat)) if way.from_board else ()
    return Transfer(sources, targets, said, "SHIP-18", under_storm(table, seat, leaving, "GUILD-09"))


def _largest_group(sources: tuple[Source, ...]) -> int:
    """The most forces that can set out together."""
    groups: dict[str, int] = {}
    for source in sources:
        groups[source.group] = groups.get(source.group, 0) + sum(source.kinds.values())
    return max(groups.values())


def _elsewhere(sources: tuple[Source, ...]) -> dict[str, tuple[str, ...]]:
    """For each group the sources that are not of it."""
    groups = dict.fromkeys(source.group for source in sources)
    return {name: tuple(source.place for source in sources if source.group != name) for name in groups}


def _tariffs(
    table: Table, seat: Faction, choice: Choice, most: int
) -> dict[int, tuple[str, tuple[int, ...]]]:
    """For each unit price the name and the prices of 1, 2, 3... forces, as far as the seat can pay. [SHIP-18]"""
    rate, way = choice.rate(table, seat), choice.way
    spice, most = sum(funds(table, seat)), min(most, way.most or most)
    found: dict[int, tuple[str, tuple[int, ...]]] = {}
    for unit in sorted(set(unit_prices(table, seat, way).values())):
        prices = (price(way, number, unit, rate) for number in range(1, most + 1))
        counted = "for all" if way.as_one else "each"
        name = f"half of {unit} {counted}" if rate > 1 else f"{unit} {counted}"
        found[unit] = name, tuple(due for due in prices if due <= spice)
    return found


class _Grounds(Struct, frozen=True):
    """What decides over each place: all sources, those outside each group, unit prices, closed places, tariffs."""

    way: Way
    sources: tuple[str, ...]
    elsewhere: Mapping[str, tuple[str, ...]]
    units: Mapping[str, int]
    closed: Mapping[str, tuple[str, str]]
    tariffs: Mapping[int, tuple[str, tuple[int, ...]]]

    def on_the_board(self) -> dict[Alike, list[str]]:
        """All locations: singly where forces set out, the others together by reason or by price."""
        found: dict[Alike, list[str]] = {}
        held = [group for group in self.elsewhere if group != RESERVES]
        own = dict.fromkeys(place for group in held for place in facts.locations_of(group))
        for place in own:
            found.setdefault(self.at(place), []).append(place)
        for place, reason in self.closed.items():
            if place not in own:
                found.setdefault(self._closed(self.sources, reason), []).append(place)
        for unit, places in _by_price(self.units).items():
            free = [place for place in places if place not in own and place not in self.closed]
            found.setdefault(self._open(self.sources, unit), []).extend(free)
        return found

    def at(self, place: str) -> Alike:
        """From where and at what price forces may go to a place, or why not."""
        there = target_group(place)
        fitting = self.elsewhere.get(there, self.sources)
        if not fitting:
            return Alike((), label=_label(place), off="Your forces are there already.", rule=self.way.rule)
        if place in self.closed:
            return self._closed(fitting, self.closed[place])
        return self._open(fitting, self.units[there], _label(place))

    def _closed(self, fitting: tuple[str, ...], reason: tuple[str, str]) -> Alike:
        return Alike(fitting, off=reason[0], rule=reason[1])

    def _open(self, fitting: tuple[str, ...], unit: int, label: str = "") -> Alike:
        """Open as far as the seat can pay. [SHIP-18]"""
        if not self.tariffs:
            return Alike(fitting)
        name, payable = self.tariffs[unit]
        if not payable:
            return Alike(fitting, label=label, off="You cannot pay for it.", rule="SHIP-18")
        return Alike(fitting, tariff=name, label=label)


def _label(place: str) -> str:
    return "Reserves" if place == RESERVES else ""


@by_identity
def _by_price(units: Mapping[str, int]) -> dict[int, list[str]]:
    """The locations by the price of a force, in board order."""
    found: dict[int, list[str]] = {}
    for territory in facts.territories().values():
        found.setdefault(units[territory.id], []).extend(territory.locations)
    return found
