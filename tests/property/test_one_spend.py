"""One outcome and one spend in every window, in whatever order answers come, repeated, stale and foreign ones too.

Windows are met in random games with Nexus cards. At each of them all that seats could send is sent in random orders,
and held against what the rules of windows say of it, which is told here a second time. [WINPOL-09, WINPOL-10, NEXUS-44]
`SIETCH_GATES` says how many games are played: each meets some dozens of windows.
"""

from __future__ import annotations

import os
import random
from collections.abc import Iterable
from typing import Any, TypeAlias

import msgspec
import pytest

from services.rules.engine.game import Decision, Game, Refusal, answer
from services.rules.engine.windows import Gate, Window
from services.rules.newgame import begin
from shared.dune.events import Event
from shared.dune.events.nexus_cards import NexusCardPlayed
from shared.dune.events.pieces import CardDiscarded
from shared.dune.facts import face
from shared.dune.offers import Offer
from shared.dune.settings import Settings
from shared.dune.shapes import Variant
from shared.dune.table import zone
from tests.property.habits import Players
from tests.property.players import CLASSIC
from tests.property.staged import Stager

GAMES = int(os.environ.get("SIETCH_GATES", "2"))
ORDERS, AT_GATES = 4, 16
"""Random orders of answers that are tried at each window; at the gates of Nexus cards, which are fewer."""
MOST_SENT = 4
"""Commands that one seat sends to one window at most."""

Command: TypeAlias = tuple[str, str, Any]
"""Seat, offer, answer."""


@pytest.mark.parametrize("seed", range(1, GAMES + 1))
def test_a_window_has_one_outcome_and_one_spend(seed: int) -> None:
    """At every window of a random game in which somebody could use something."""
    mode = "advanced" if seed % 2 else "basic"
    rng = random.Random(seed)
    seats = tuple(rng.sample(CLASSIC, rng.randint(3, 6)))
    decision = begin(Settings(mode, ("nexus",), seats=seats, last_turn=5), seed)
    assert isinstance(decision, Decision), decision
    game, players, stager, tried = decision.game, Players(seed, seats), Stager(seed, share=1), 0
    while game.table.result is None:
        game = stager.laid(game)
        if _can_be_used(game):
            for _ in range(AT_GATES if isinstance(game.stack[-1].flow, Gate) else ORDERS):
                tried += 1
                _try_one_order(game, rng)
        offer, given = players.next_answer(game)
        outcome = answer(game, offer.seat, offer.id, given)
        assert isinstance(outcome, Decision), outcome
        game = outcome.game
    assert tried, "a game in which nobody could use anything"


def _can_be_used(game: Game) -> bool:
    """Whether a window has just opened in which somebody could use something."""
    flow = game.stack[-1].flow
    fresh = isinstance(flow, Window) and all(offer.committed is None for offer in game.open)
    return fresh and any(len(_variants(offer)) > 1 for offer in game.open)


def _variants(offer: Offer) -> list[str]:
    return sorted(offer.choice.variants) if isinstance(offer.choice, Variant) else []


def _try_one_order(game: Game, rng: random.Random) -> None:
    """Send everything in one random order: what is taken, and what comes of it, is as told here."""
    final = isinstance(game.stack[-1].flow, Gate)
    commands = _commands(game, rng)
    rng.shuffle(commands)
    given: dict[str, Any] = {}
    events: tuple[Event, ...] = ()
    over, now = False, game
    for seat, name, what in commands:
        own = next((o for o in game.open if o.seat == seat and o.id == name), None)
        legal = own is not None and own.problem(what) is None and not over
        takes = legal and not (final and seat in given)
        outcome = answer(now, seat, name, what)
        assert isinstance(outcome, Decision) == takes, f"{seat} answers {what!r} to {name}: {outcome}"
        if isinstance(outcome, Refusal):
            continue
        given[seat] = what
        over = len(given) == len(game.open) or (final and what["do"] != "pass")
        now, events = outcome.game, outcome.events
        assert over or now.table == game.table, "nothing happens before a window is over"
    if over:
        _check_outcome(game, given, now, events, final)


def _commands(game: Game, rng: random.Random) -> list[Command]:
    """What seats send: passes, uses, both, the same again, to questions long gone, to those of others, nonsense."""
    sent: list[Command] = []
    for offer in game.open:
        for _ in range(rng.randint(1, MOST_SENT)):
            name = rng.choice(_variants(offer))
            assert isinstance(offer.choice, Variant)
            sent.append((offer.seat, offer.id, {"do": name, **offer.choice.variants[name].sample(rng)}))
        sent.append((offer.seat, offer.id, {"do": "pass"}))
        sent.append(rng.choice(sent))
        sent.append((offer.seat, _earlier(offer.id), {"do": "pass"}))
        sent.append((rng.choice(game.table.seats), offer.id, {"do": rng.choice(_variants(offer))}))
        sent.append((offer.seat, offer.id, {"do": "another's card"}))
    return sent


def _earlier(name: str) -> str:
    """The id of the question that this seat was put before."""
    seat, _, number = name.rpartition("-")
    return f"{seat}-{int(number) - 1}"


def _check_outcome(
    game: Game, given: dict[str, Any], after: Game, events: Iterable[Event], final: bool
) -> None:
    """The first use in storm order counts, alone pays, and the game goes on as if that had been sent at once."""
    order = game.table.order or game.table.seats
    uses = [seat for seat in sorted(given, key=order.index) if given[seat]["do"] != "pass"]
    for event in events:
        if isinstance(event, NexusCardPlayed) and event.effect in {given[seat]["do"] for seat in uses}:
            assert event.faction == uses[0], f"{event.faction} pays, {uses[0]} came first"
    played = [e for e in events if isinstance(e, NexusCardPlayed)]
    assert len(played) <= 1, "two cards are spent"
    for seat in set(game.table.seats) - set(uses[:1]):
        gone = [e for e in events if isinstance(e, CardDiscarded) and e.faction == seat]
        assert all(face(card.card) != "karama" for card in gone), f"{seat} pays for nothing"
        assert zone(after.table, f"nexus.{seat}") == zone(game.table, f"nexus.{seat}"), f"{seat} pays"
    plain = _plainly(game, given, uses, final)
    assert plain.table == after.table, "the order in which answers come changes what happens"
    assert plain.chance == after.chance and _flows(plain) == _flows(after), "the game goes on elsewhere"


def _plainly(game: Game, given: dict[str, Any], uses: list[str], final: bool) -> Game:
    """The same window answered without a word too many: the use that counts at once, or everybody once."""
    names = {offer.seat: offer.id for offer in game.open}
    for seat in uses if final and uses else sorted(given):
        outcome = answer(game, seat, names[seat], given[seat])
        assert isinstance(outcome, Decision), outcome
        game = outcome.game
    return game


def _flows(game: Game) -> list[bytes]:
    """Where the game stands: its flows and the steps at which they go on."""
    return [msgspec.json.encode([frame.flow, frame.step]) for frame in game.stack]
