"""Which whole game comes to which effect of a Nexus card: rows of `games.toml`, and looking for the moment."""

from __future__ import annotations

import random
import tomllib
from collections.abc import Callable, Iterable, Iterator
from functools import cache
from pathlib import Path

import msgspec
from msgspec import Struct

from services.rules.engine.game import Decision, Game, answer
from services.rules.newgame import begin
from shared.dune.offers import Offer
from shared.dune.settings import Mode, Settings
from shared.dune.shapes import Json, Variant
from shared.dune.views import SeatView, encode_view, view
from tests.anytime import anytime_offer
from tests.nexus.seeker import decide

__all__ = [
    "FILE",
    "STANDING",
    "Moment",
    "Row",
    "begun",
    "moment_in",
    "moved",
    "offering",
    "rows",
    "script",
    "seen_by",
    "stops",
    "with_",
]

FILE = Path(__file__).with_name("games.toml")
STANDING = "nexus_card"
"""The kind of what a holder may play by itself."""

_views = msgspec.json.Decoder(SeatView)


class Row(Struct, frozen=True, omit_defaults=True):
    """A game that comes to an effect: after `at` answers `seat` may use it, in a question of `kind`.

    `counter`: the seat that then holds what cancels it, a Karama; empty where the game is not about that. `aim`: the
    effect that the players aim at, where others would seldom come to it.
    """

    effect: str
    mode: Mode
    decks: tuple[str, ...]
    seats: tuple[str, ...]
    seed: int
    at: int
    seat: str
    kind: str
    counter: str = ""
    aim: str = ""

    @property
    def name(self) -> str:
        """The row's name in a test."""
        return f"{self.effect}-cancelled" if self.counter else self.effect


class Moment(Struct, frozen=True):
    """A seat may use an effect now, in this offer."""

    effect: str
    seat: str
    offer: Offer


@cache
def rows() -> dict[str, Row]:
    """All rows by name."""
    found = msgspec.convert(tomllib.loads(FILE.read_text("utf-8"))["game"], list[Row])
    return {row.name: row for row in found}


def begun(row: Row) -> Game:
    """The row's game at its beginning, as people play it: the shuffle is stated, nothing else."""
    settings = Settings(row.mode, ("nexus",), row.decks, seats=row.seats, paced=True)
    decision = begin(settings, row.seed)
    assert isinstance(decision, Decision), decision
    return decision.game


def seen_by(game: Game, seat: str) -> SeatView:
    """The view as it comes over the wire."""
    return _views.decode(encode_view(view(game.table, game, seat)))


def said(game: Game, aim: str) -> tuple[str, Offer, Json]:
    """What is answered next, and to what: by the first seat in the circle that owes an answer."""
    owing = {offer.seat for offer in game.open if offer.committed is None}
    seat = next(seat for seat in game.table.settings.seats if seat in owing)
    seen = seen_by(game, seat)
    offer = next(offer for offer in seen.offers if offer.committed is None)
    return seat, offer, decide(seen, offer, aim)


def after(game: Game, seat: str, offer: Offer, given: Json) -> Game:
    """The game after an answer, which must be taken."""
    decision = answer(game, seat, offer.id, given)
    assert isinstance(decision, Decision), (offer.kind, decision)
    return decision.game


def moved(game: Game, aim: str = "") -> Game:
    """One answer further, of players with an aim or without one."""
    return after(game, *said(game, aim))


def script(row: Row) -> Iterator[tuple[str, Offer, Json]]:
    """What people answer, up to the row's moment: as the same rules come to it in process."""
    game = begun(row)
    for _ in range(row.at):
        step = said(game, row.aim)
        yield step
        game = after(game, *step)


def offering(offers: Iterable[Offer], effect: str) -> Offer | None:
    """The first of a seat's unanswered questions in which it may use an effect."""
    for offer in offers:
        if offer.committed is None and isinstance(offer.choice, Variant) and effect in offer.choice.variants:
            return offer
    return None


def stops(offer: Offer) -> bool:
    """Whether this is the question to cancel a use of a Nexus card, put to one who can."""
    return (
        offer.kind.startswith("window.cancel.nexus.")
        and isinstance(offer.choice, Variant)
        and "karama" in offer.choice.variants
    )


def with_(offer: Offer, verb: str) -> Json:
    """A legal answer that does this: alike for the same offer."""
    assert isinstance(offer.choice, Variant)
    fields: dict[str, Json] = offer.choice.variants[verb].sample(random.Random(1))
    return {"do": verb, **fields}


def moment_in(game: Game, effects: Iterable[str], heard: Callable[[Moment], None]) -> None:
    """Tell of every effect that somebody may use now."""
    for seat in game.table.seats:
        if not game.table.zones.get(f"nexus.{seat}"):
            continue
        offers = [offer for offer in game.open if offer.seat == seat]
        if whole := anytime_offer(game, seat, STANDING):
            offers.append(whole)
        for effect in effects:
            if offer := offering(offers, effect):
                heard(Moment(effect, seat, offer))
