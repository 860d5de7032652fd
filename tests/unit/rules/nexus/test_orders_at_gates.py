"""A seat's autopilot is its standing orders: it may switch them while a gate waits for it. [NEXUS-65]"""

from __future__ import annotations

import msgspec

from services.rules.engine.game import Game, Refusal, answer, expire
from services.rules.engine.orders import ORDER_CLOCK
from services.rules.staging import stage
from shared.dune.offers import Offer
from shared.dune.settings import Faction
from shared.dune.shapes import Json
from shared.dune.table import put, zone
from tests.anytime import anytime_id

GATE = "window.nexus.worthless_trade"


def _at_the_gate() -> Game:
    """Atreides and Guild hold cards, Atreides what its own would trade; people play, so that orders take time."""
    described = {
        "modules": ["nexus"],
        "seats": ["atreides", "emperor", "guild"],
        "phase": "collection",
        "atreides": {"nexus": "choam", "hand": ["kulon"]},
        "guild": {"nexus": "guild"},
    }
    game = stage(described).game
    settings = msgspec.structs.replace(game.table.settings, paced=True)
    return msgspec.structs.replace(game, table=put(game.table, settings=settings))


def _said(game: Game, seat: Faction, offer: str, said: Json) -> Game:
    decided = answer(game, seat, offer, said)
    assert not isinstance(decided, Refusal), decided
    return decided.game


def _ordered(game: Game, what: str) -> Game:
    order = {"window": GATE, "answer": what, "until": "game"}
    return _said(game, "atreides", anytime_id(game, "atreides", "orders"), order)


def _asked(game: Game, seat: Faction = "atreides") -> Offer:
    (found,) = (offer for offer in game.open if offer.seat == seat)
    return found


def _question(offer: Offer, clock: str = "window") -> Offer:
    """What is asked: an offer that is put anew has another id."""
    return msgspec.structs.replace(offer, id="", clock=clock)


def test_orders_given_and_taken_back_keep_the_same_question() -> None:
    """Nobody else is shown anything, and the seat answers by itself in the end."""
    game = _at_the_gate()
    waiting, first = game.waiting, _asked(game)
    ordered = _ordered(game, "pass")
    assert _asked(ordered) == msgspec.structs.replace(_question(first, ORDER_CLOCK), id=_asked(ordered).id)
    taken_back = _ordered(ordered, "ask")
    assert _question(_asked(taken_back)) == _question(first)
    assert waiting == ordered.waiting == taken_back.waiting
    assert _asked(game, "guild") == _asked(ordered, "guild") == _asked(taken_back, "guild")
    used = _said(taken_back, "atreides", _asked(taken_back).id, {"do": "choam_trade", "card": "kulon"})
    assert zone(used.table, "nexus.atreides") == ()


def test_an_order_answers_the_gate_that_is_open() -> None:
    """When its time comes it passes for its seat, once, and keeps the card."""
    ordered = _ordered(_at_the_gate(), "pass")
    decided = expire(ordered, "atreides", _asked(ordered).id)
    assert not isinstance(decided, Refusal), decided
    assert [open_.seat for open_ in decided.game.open] == ["guild"]
    assert zone(decided.game.table, "nexus.atreides") == ("nexus_choam",)
