"""The auction row when cards run out: no staged table of the base deck comes to that. [BID-03, GEN-19]"""

from __future__ import annotations

from services.rules.engine.flow import Frame
from services.rules.engine.game import Decision, answer, begin_on
from services.rules.phases.course import GameFlow
from services.rules.staging import stage
from shared.dune.table import Table, put, zone

SEATS = ["harkonnen", "guild", "fremen"]
KARAMA = "karama#1"


def begun(deck: tuple[str, ...], discard: tuple[str, ...]) -> Decision:
    """A Bidding Phase begun with these cards left and a Karama in the hand of the Guild; the rest is gone."""
    table: Table = stage({"seats": SEATS, "circles": [1, 4, 7], "phase": "storm"}).game.table
    out = tuple(c for c in zone(table, "treachery_deck") if c not in (KARAMA, *deck, *discard))
    zones = {**table.zones, "treachery_deck": deck, "treachery_discard": discard, "treachery_removed": out}
    zones["hand.guild"] = (KARAMA,)
    return begin_on(put(table, zones=zones, phase="bidding"), (Frame(GameFlow("bidding"), "begin_phase"),), 1)


def test_only_the_cards_that_are_left_are_dealt() -> None:
    """Three players have room, two cards are left after reshuffling: two are dealt. [BID-03, GEN-19]"""
    table = begun(("lasgun",), ("kulon",)).game.table
    assert zone(table, "auction_card") == ("lasgun",)
    assert zone(table, "auction_row") == ("kulon",)
    assert not zone(table, "treachery_deck") and not zone(table, "treachery_discard")


def test_without_any_card_the_phase_is_over() -> None:
    """Nothing to deal: nobody is asked to bid. [BID-03]"""
    decision = begun((), ())
    assert "AuctionOpened" not in [type(event).__name__ for event in decision.events]
    assert decision.game.table.phase != "bidding"


def test_harkonnen_draws_no_second_card_from_nothing() -> None:
    """Deck and discard pile are empty when Harkonnen buys: no card, no window. [HARK-05, GEN-19]"""
    game = begun(("lasgun", "kulon", "hajr"), ()).game
    for seat, given in (("harkonnen", {"do": "bid", "amount": 1}), *((s, {"do": "pass"}) for s in SEATS[1:])):
        offer = next(o for o in game.open if o.seat == seat)
        decision = answer(game, seat, offer.id, given)
        assert isinstance(decision, Decision)
        game = decision.game
    assert game.table.hand("harkonnen") == ("lasgun",)
    assert [offer.kind for offer in game.open] == ["bid"]
