"""What must hold at every decision of every game. A violation says which law, and the command that replays the game."""

from __future__ import annotations

import os
import random
from collections import Counter
from typing import Any

import msgspec

from services.projection.patch import apply_patch, merge_patch
from services.rules.census import check_census
from services.rules.engine.game import Decision, Game, Refusal, answer, expire, find_offer, load, renewed
from services.rules.engine.orders import ORDER_CLOCK
from services.rules.engine.rulings import ruling
from services.rules.newgame import begin
from shared.dune import facts
from shared.dune.events import decode_event, encode_event, evolve, visible
from shared.dune.offers import Checkpoint, Offer
from shared.dune.table import Table
from shared.dune.views import SPECTATOR, encode_view, view
from tests.property.effects import EffectsSeen, note_opened_powers
from tests.property.habits import Players
from tests.property.players import settings_for
from tests.property.staged import Stager
from tests.property.twoworlds import check_two_worlds
from tests.property.windows import note_answer, note_opened

MOST_DECISIONS = 20_000
WORLDS_EVERY = int(os.environ.get("SIETCH_LAWS_WORLDS", "25"))
"""Decisions between two comparisons of worlds; each follows several decisions."""
DEAR_EVERY = int(os.environ.get("SIETCH_LAWS_EVERY", "1"))
"""Decisions between two checks of the dearest laws: every audience's view, refusals, and the store with a restart."""
PHYSICAL = ("zones", "forces", "spice", "allies", "phase")
"""What the census and the sides of forces are read from: where nothing of it is new, they hold as they did."""

Views = dict[str, bytes]


class Tally:
    """What games covered: games, decisions, comparisons; kinds of offers answered, what windows saw, ways of ending.

    `cards`, `powers` and `effects` (of Nexus cards) by how often they were used.
    """

    def __init__(self) -> None:
        self.counts: Counter[str] = Counter()
        self.kinds: Counter[str] = Counter()
        self.ways: Counter[str] = Counter()
        self.windows: Counter[str] = Counter()
        self.cards: Counter[str] = Counter()
        self.powers: Counter[str] = Counter()
        self.effects: Counter[str] = Counter()

    def add(self, other: dict[str, dict[str, int]]) -> None:
        """Add what another run covered."""
        for name, numbers in other.items():
            getattr(self, name).update(numbers)

    def as_json(self) -> dict[str, dict[str, int]]:
        """The numbers, to be carried from one process to another."""
        return {name: dict(numbers) for name, numbers in vars(self).items()}


def play_and_check(seed: int, tally: Tally) -> None:
    """Play one random game to its end and hold every law at every decision."""
    decision = begin(settings_for(seed), seed)
    assert isinstance(decision, Decision), decision
    game = hold_laws(decision.game, _folded(Table(), decision), seed, tally, stager=Stager(seed))
    assert game.table.result is not None
    tally.ways[game.table.result.way] += 1
    assert not game.open and not game.waiting, "nobody is asked when the game is over"


def hold_laws(
    game: Game, folded: Table, seed: int, tally: Tally, phase: str = "", stager: Stager | None = None
) -> Game:
    """Play on at random to the end, or to the end of a phase, and hold every law at every decision."""
    rng = random.Random(seed)
    seen = EffectsSeen(game.table.settings.mode, game.table.settings.modules)
    checked = Table()
    players, again = (Players(seed, game.table.seats) for _ in range(2))
    while game.table.result is None and phase in ("", game.table.phase):
        tally.counts["decisions"] += 1
        if stager is not None and (laid := stager.laid(game)) is not game:
            game, folded = laid, laid.table
        if any(getattr(checked, field) is not getattr(game.table, field) for field in PHYSICAL):
            check_census(game.table)
            _settled(game.table)
            checked = game.table
        dear = tally.counts["decisions"] % DEAR_EVERY == 0
        stored = _stored(game, folded, rng) if dear else game
        assert [o for o in game.open if o.committed is None], "some offer is open, or the game is over"
        if tally.counts["decisions"] % WORLDS_EVERY == 0:
            tally.counts["compared"] += check_two_worlds(game, rng)
        _ordered(game)
        offer, given = players.next_answer(game)
        outcome = answer(game, offer.seat, offer.id, given)
        assert isinstance(outcome, Decision), f"{offer.kind}: {given!r} was built from its choices: {outcome}"
        assert again.next_answer(stored) == (offer, given), "whoever draws plays alike after a restart"
        if dear:
            _same(outcome, answer(stored, offer.seat, offer.id, given))
            _sequences(game, _views(game), outcome, _views(outcome.game))
        _note(tally, seen, game, offer, given, outcome)
        folded, game = _folded(folded, outcome), outcome.game
        assert sum(game.asked.values()) < MOST_DECISIONS, "every game ends"
    tally.counts["games"] += 1
    return game


def _note(tally: Tally, seen: EffectsSeen, game: Game, offer: Offer, given: Any, outcome: Decision) -> None:
    """Add what one answer covered."""
    tally.kinds[offer.kind] += 1
    note_answer(tally.windows, offer, given)
    note_opened(tally.windows, game.open, outcome.game.open)
    note_opened_powers(tally.powers, game.open, outcome.game.open)
    seen.note_left(tally.effects, game, offer, given)
    seen.note_events(tally.cards, tally.effects, outcome.events)


def _settled(table: Table) -> None:
    """No forces that have another side stand on it alone when somebody is asked, but where a ruling lets them.

    [BG-39, MOVE-22, RULING-79]
    """
    may_stay = ruling(table, "advisors_alone_after_battle") == "stay"
    if may_stay and table.phase in ("battle", "collection", "mentat"):
        return
    for territory in facts.territories():
        there = table.factions_in(territory)
        assert len(there) != 1 or table.occupants_of(territory), f"{there} are alone in {territory}"


def _folded(table: Table, decision: Decision) -> Table:
    for event in decision.events:
        stored = encode_event(event)
        read = decode_event(stored)
        assert encode_event(read) == stored
        table = evolve(table, read)
    return table


def _stored(game: Game, folded: Table, rng: random.Random) -> Game:
    """What is taken up from the store, events folded and keys sorted, equals the game that never left its worker.

    And what is refused leaves it so.
    """
    encoded = _encoded(game)
    assert folded == game.table, "the fold of the events equals the table"
    table, saved = msgspec.json.decode(encoded, type=tuple[Table, Checkpoint])
    assert table == folded, "JSON round trip is the identity"
    copy = load(folded, saved)
    assert copy == game, "JSON round trip is the identity"
    assert renewed(copy).open == game.open, "what is asked anew after a restart is what was asked before"
    _refusals(game, encoded, rng)
    return copy


def _same(live: Decision, taken_up: Decision | Refusal) -> None:
    """The same answer leads to the same events in the same order, whether or not the game was taken up again."""
    assert isinstance(taken_up, Decision)
    assert taken_up.events == live.events, "a restart changes what happens"
    assert _encoded(taken_up.game) == _encoded(live.game), "a restart changes where the game stands"


def _encoded(game: Game) -> bytes:
    return msgspec.json.encode((game.table, game.checkpoint()), order="sorted")


def _refusals(game: Game, encoded: bytes, rng: random.Random) -> None:
    """A stranger's, stale or malformed answer is refused and touches nothing; what is listed can be done."""
    offer = rng.choice(game.open)
    other = next(seat for seat in game.table.seats if seat != offer.seat)
    wrong: tuple[tuple[str, str, Any], ...] = (
        (other, offer.id, offer.default),
        (offer.seat, offer.id + "0", offer.default),
        (offer.seat, offer.id, {"do": "nothing of the kind"}),
        (offer.seat, offer.id, None),
        (offer.seat, offer.id, {"do": ["pass"], "choice": {"a": [1, None]}}),
    )
    for seat, name, given in wrong:
        assert isinstance(answer(game, seat, name, given), Refusal)
    assert _encoded(game) == encoded, "a refusal touches nothing"
    for short in game.standing[-2:]:
        whole = find_offer(game, short.seat, short.id)
        assert whole is not None, f"{short.kind} is listed but cannot be done"


def _ordered(game: Game) -> None:
    """Where an order will answer, the end of its time plays a legal answer and asks nobody else. [WINPOL-07]"""
    for offer in game.open:
        if offer.clock == ORDER_CLOCK and offer.committed is None:
            after = expire(game, offer.seat, offer.id)
            assert isinstance(after, Decision), f"the order of {offer.seat} cannot be carried out"
            still = (o for o in after.game.open if o.id == offer.id)
            assert all(o.committed is not None for o in still), "an order answers once"


def _views(game: Game) -> Views:
    saved = game.checkpoint()
    return {who: encode_view(view(game.table, saved, who)) for who in (*game.table.seats, SPECTATOR)}


def _sequences(before: Game, old: Views, decision: Decision, new: Views) -> None:
    """An audience's sequence moves exactly when it is shown something, and the patch gives the same view."""
    after = decision.game
    for audience, seen in new.items():
        moved = after.sequences.get(audience, 0) - before.sequences.get(audience, 0)
        changed = old[audience] != seen
        told = changed or any(visible(event, audience) is not None for event in decision.events)
        assert moved == int(told), f"{audience}'s sequence moved by {moved}"
        if changed:
            plain, wanted = msgspec.json.decode(old[audience]), msgspec.json.decode(seen)
            assert apply_patch(plain, merge_patch(plain, wanted)) == wanted, (
                "folding the patch gives the view"
            )
