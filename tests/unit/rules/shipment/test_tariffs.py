"""The offer to ship says every exact price, and each list of prices once. [SHIP-05, SHIP-06, SHIP-18]"""

from __future__ import annotations

import msgspec
import pytest

from services.rules.phases.shipment_offer import price, ship_offer
from services.rules.phases.shipment_quotes import SHIP
from services.rules.staging import stage
from shared.dune import facts
from shared.dune.shapes import Transfer, Variant
from shared.dune.table import Table

RICH = {
    "seats": ["guild", "harkonnen", "atreides"],
    "phase": "shipment",
    "guild": {"spice": 40, "forces": {"tueks_sietch": 5, "old_gap:9": 2, "meridian:1": 2}},
    "harkonnen": {"spice": 30, "hand": ["karama"], "forces": {"carthag": 5}},
    "atreides": {"spice": 7},
}
WAYS = [
    ("guild", "ship", 2),
    ("guild", "cross_ship", 2),
    ("harkonnen", "ship", 1),
    ("harkonnen", "ship_karama", 2),
    ("atreides", "ship", 1),
]


@pytest.fixture(scope="module")
def table() -> Table:
    return stage(RICH).game.table


def transfer(table: Table, seat: str, way: str) -> Transfer:
    choice = ship_offer(table, seat).choice
    assert isinstance(choice, Variant)
    shape = choice.variants[way].fields["forces"]
    assert isinstance(shape, Transfer)
    return shape


@pytest.mark.parametrize(("seat", "way", "rate"), WAYS)
def test_every_price_is_exact_as_far_as_it_can_be_paid(table: Table, seat: str, way: str, rate: int) -> None:
    shape = transfer(table, seat, way)
    assert shape.open_targets()
    for place in shape.open_places():
        target = shape.target(place)
        assert target is not None
        unit = 1 if facts.territory_of(place).is_stronghold else 2
        prices = shape.prices(target)
        assert list(prices) == [price(SHIP, n, unit, rate) for n in range(1, len(prices) + 1)]
        assert max(prices) <= table.spice_of(seat)
        group = max(sum(s.kinds.values()) for s in shape.sources if s.place in target.sources)
        assert shape.most(target) >= group or price(SHIP, len(prices) + 1, unit, rate) > table.spice_of(seat)


def test_each_list_of_prices_is_said_once(table: Table) -> None:
    for seat, way, _ in WAYS:
        assert len(transfer(table, seat, way).tariffs) == 2
    for seat in table.seats:
        assert len(msgspec.json.encode(ship_offer(table, seat))) < 6_000
