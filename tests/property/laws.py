"""What must hold at every decision of every game. A violation says which law, and the command that replays the game."""

from __future__ import annotations

import random

import msgspec

from services.projection.patch import apply_patch, merge_patch
from services.rules.census import check_census
from services.rules.engine.game import Decision, Game, Refusal, answer, load
from services.rules.newgame import begin
from shared.dune.events import decode_event, encode_event, evolve, visible
from shared.dune.offers import Checkpoint
from shared.dune.table import Table
from shared.dune.views import SPECTATOR, encode_view, view
from tests.property.players import next_answer, settings_for
from tests.property.twoworlds import check_two_worlds

MOST_DECISIONS = 20_000


class Tally:
    """What a run of games covered."""

    def __init__(self) -> None:
        self.games = self.decisions = self.worlds = 0
        self.kinds: dict[str, int] = {}
        self.ways: dict[str, int] = {}


def play_and_check(seed: int, tally: Tally, worlds_every: int = 40) -> None:
    """Play one random game to its end and hold every law at every decision."""
    rng = random.Random(seed)
    decision = begin(settings_for(seed), seed)
    assert isinstance(decision, Decision), decision
    folded = _folded(Table(), decision)
    game = decision.game
    decisions = 0
    while game.table.result is None:
        decisions += 1
        assert decisions < MOST_DECISIONS, "every game ends"
        check_census(game.table)
        game = _round_trip(game)
        assert folded == game.table, "the fold of the events equals the table"
        assert [o for o in game.open if o.committed is None], "some offer is open, or the game is over"
        if decisions % worlds_every == 0:
            tally.worlds += check_two_worlds(game, rng)
        offer, given = next_answer(game, rng)
        if decisions % 10 == 0:
            _refusals(game, rng)
        outcome = answer(game, offer.seat, offer.id, given)
        assert isinstance(outcome, Decision), f"{offer.kind}: {given!r} was built from its choices: {outcome}"
        if decisions % 5 == 0:
            _sequences(game, outcome)
        tally.kinds[offer.kind] = tally.kinds.get(offer.kind, 0) + 1
        folded = _folded(folded, outcome)
        game = outcome.game
    tally.games += 1
    tally.decisions += decisions
    tally.ways[game.table.result.way] = tally.ways.get(game.table.result.way, 0) + 1
    assert not game.open and not game.waiting, "nobody is asked when the game is over"


def _folded(table: Table, decision: Decision) -> Table:
    for event in decision.events:
        stored = encode_event(event)
        assert encode_event(decode_event(stored)) == stored
        table = evolve(table, decode_event(stored))
    return table


def _round_trip(game: Game) -> Game:
    """JSON round trip of table and checkpoint at every decision is the identity; the game goes on from the copy."""
    table = msgspec.json.decode(msgspec.json.encode(game.table), type=Table)
    saved = msgspec.json.decode(msgspec.json.encode(game.checkpoint()), type=Checkpoint)
    copy = load(table, saved)
    assert copy == game, "JSON round trip is the identity"
    return copy


def _refusals(game: Game, rng: random.Random) -> None:
    """A stranger's, stale or malformed answer is refused and touches nothing."""
    offer = rng.choice(game.open)
    before = msgspec.json.encode((game.table, game.checkpoint()))
    other = next(seat for seat in game.table.seats if seat != offer.seat)
    for seat, name, given in (
        (other, offer.id, offer.default),
        (offer.seat, offer.id + "0", offer.default),
        (offer.seat, offer.id, {"do": "nothing of the kind"}),
        (offer.seat, offer.id, None),
        (offer.seat, offer.id, {"do": ["pass"], "choice": {"a": [1, None]}}),
    ):
        assert isinstance(answer(game, seat, name, given), Refusal)
    assert msgspec.json.encode((game.table, game.checkpoint())) == before


def _sequences(before: Game, decision: Decision) -> None:
    """An audience's sequence moves exactly when it is shown something, and the patch gives the same view."""
    after = decision.game
    for audience in (*after.table.seats, SPECTATOR):
        old = encode_view(view(before.table, before.checkpoint(), audience))
        new = encode_view(view(after.table, after.checkpoint(), audience))
        moved = after.sequences.get(audience, 0) - before.sequences.get(audience, 0)
        told = any(visible(event, audience) is not None for event in decision.events)
        assert moved == int(told or old != new), f"{audience}'s sequence moved by {moved}"
        plain, wanted = msgspec.json.decode(old), msgspec.json.decode(new)
        assert apply_patch(plain, merge_patch(plain, wanted)) == wanted, "folding the patch gives the view"
