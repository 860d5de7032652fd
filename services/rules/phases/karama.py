"""Karama: which cards serve as one, who may hold one, and paying with one. [KARAMA-01, KARAMA-12, WINPOL-04]

Whatever can be paid with a Karama asks here. A card that serves only by a power is paid first; if that use of the power
is cancelled, the card is spent in vain and the result of paying is `VOID`. [BG-47, REACT-74]
"""

from __future__ import annotations

from collections.abc import Mapping

from services.rules.engine.cancel import cancel_window
from services.rules.engine.flow import Flow, Next
from services.rules.engine.hooks import Quote, quote
from services.rules.engine.play import Play
from services.rules.engine.windows import VOID
from services.rules.phases.hands import bound_cards, cards_of, may_hold
from shared.dune import facts
from shared.dune.events.pieces import CardDiscarded
from shared.dune.settings import Faction
from shared.dune.shapes import Fields, Json, Off, OneOf, Option, Shape
from shared.dune.table import Piece, Table

__all__ = [
    "KARAMA",
    "NO_KARAMA",
    "Serving",
    "karama_cards",
    "karama_fields",
    "karama_shapes",
    "may_hold_karama",
    "may_use_special",
    "paid_with",
    "pay_karama",
    "special_off",
    "stands_in",
    "use_special",
]

KARAMA = "karama"
NO_KARAMA = Off("You hold no Karama.", "KARAMA-01")
BOUND = Off(
    "You showed or promised the card that serves as Karama as part of your plan, and must use it there.",
    "ATR-09",
)
CARD = "card"
"""The field of an answer that names the card to pay with, where different ones serve."""


class Serving(Quote, frozen=True, kw_only=True):
    """The card faces that serve a faction as Karama, each with the Karama name of the power by which it does.

    A Karama itself serves by no power. [KARAMA-01, BG-41]
    """

    faction: Faction
    faces: Mapping[str, str] = {}

    def also(self, faces: Mapping[str, str], text: str, rule: str) -> Serving:
        """The same with further faces."""
        return self.step(len(faces), text, rule, faces={**self.faces, **faces})


def _serving(table: Table, seat: Faction) -> Mapping[str, str]:
    return quote(table, Serving(faction=seat, faces={KARAMA: ""})).faces


def karama_cards(table: Table, seat: Faction) -> tuple[Piece, ...]:
    """The cards of a hand that serve as Karama now, true ones last: private knowledge of its owner.

    What lies aside in a committed plan, or was shown or promised for a plan to come, serves for nothing else.
    [BATTLE-64, ATR-09, NEXUS-ATR-14, TRUTH-06]
    """
    held = _not_aside(table, seat)
    bound = bound_cards(table, seat) if held else ()
    return tuple(card for card in held if card not in bound)


def _not_aside(table: Table, seat: Faction) -> tuple[Piece, ...]:
    hand = table.hand(seat)
    if not hand:
        return ()
    serving, aside = _serving(table, seat), table.names(f"battle.aside.{seat}")
    held = [card for card in hand if facts.face(card) in serving and card not in aside]
    return tuple(sorted(held, key=lambda card: facts.face(card) == KARAMA))


def may_hold_karama(table: Table, seat: Faction) -> bool:
    """Whether public facts allow that a seat holds a card that serves as Karama. [WINPOL-03, WINPOL-04]"""
    if may_hold(table, seat, KARAMA):  # as nearly always: what else serves need not be asked
        return True
    return any(may_hold(table, seat, face) for face in _serving(table, seat))


def karama_shapes(table: Table, seat: Faction) -> dict[str, Shape]:
    """What a seat that pays with Karama says besides: which card, unless a true Karama alone serves.

    A card that serves by a power is named even where it is the only one, so that whoever pays sees what goes. [BG-41]
    """
    return _shapes(karama_cards(table, seat))


def _shapes(cards: tuple[Piece, ...]) -> dict[str, Shape]:
    faces = {facts.face(card): card for card in reversed(cards)}
    if faces.keys() <= {KARAMA}:
        return {}
    named = [card for card in cards if card in faces.values()]
    return {CARD: OneOf(tuple(Option(card, facts.name(card)) for card in named))}


def karama_fields(table: Table, seat: Faction) -> Fields | Off:
    """The answer by which a seat pays with Karama, or privately why it cannot."""
    cards = karama_cards(table, seat)
    if not cards:
        return BOUND if _not_aside(table, seat) else NO_KARAMA
    return Fields(_shapes(cards), labels={CARD: "Card"})


def paid_with(table: Table, seat: Faction, answer: Mapping[str, Json]) -> Piece:
    """The card with which an answer pays; without a word of it, the first that serves."""
    named = answer.get(CARD)
    return str(named) if named else karama_cards(table, seat)[0]


def pay_karama(play: Play, seat: Faction, card: Piece, reason: str) -> Flow | None:
    """Discard a card that serves as Karama, face up. [KARAMA-01, CARD-10]

    A true Karama is paid with that. Another gives a flow, whose result is VOID if its power is cancelled. [KARAMA-12]
    """
    power = _serving(play.table, seat)[facts.face(card)]
    play.emit(CardDiscarded(seat, card, reason))
    return Standin(seat, card, power) if power else None


def stands_in(table: Table, seat: Faction, card: Piece) -> bool:
    """Whether a card serves a seat as Karama only by a power. [BG-41]"""
    return bool(_serving(table, seat).get(facts.face(card)))


def special_mark(seat: Faction) -> str:
    """The public mark that a faction has made its special use of Karama. [KARAMA-23]"""
    return f"special_karama.{seat}"


def may_use_special(table: Table, seat: Faction) -> bool:
    """Whether by public facts a faction could still make its special use: once a game, with a true Karama.

    [KARAMA-23, KARAMA-26, WINPOL-03]
    """
    return seat in table.seats and not table.is_set(special_mark(seat)) and may_hold(table, seat, KARAMA)


def special_off(table: Table, seat: Faction) -> Off | None:
    """Privately why a faction cannot make its special use now; None if it can. [KARAMA-23]"""
    if table.is_set(special_mark(seat)):
        return Off("You have used it in this game.", "KARAMA-23")
    return None if cards_of(table, seat, KARAMA) else NO_KARAMA


def use_special(play: Play, seat: Faction, reason: str) -> None:
    """Discard a true Karama for the special use, which nothing can cancel. [KARAMA-23, KARAMA-25]"""
    play.emit(CardDiscarded(seat, cards_of(play.table, seat, KARAMA)[0], reason))
    play.set_public(special_mark(seat), True)


class Standin(Flow, tag="karama.standin", frozen=True, omit_defaults=True):
    """A card that serves as Karama by a power has been played; that use may be cancelled. [BG-47, REACT-74]"""

    seat: Faction
    card: Piece
    power: str

    def start(self, play: Play) -> Next:
        """Only a true Karama can stop it, since its owner alone has such a power. [KARAMA-12, KARAMA-13]"""
        text = f"{facts.name(self.seat)} plays {facts.name(self.card)} as Karama."
        window = cancel_window(self.power, self.seat, text, card=facts.face(self.card))
        return self.call(window, then="answered")

    def answered(self, play: Play, outcome: Json) -> Next:
        """It counts, or it was spent in vain. [BG-47]"""
        return self.done(None if outcome is None else VOID)
