"""Requests that come late: an answer is taken in the occasion for which it was offered, or is stale. [NEXUS-43]

In random games with Nexus cards, answers to whatever is open are written down and sent at random later decisions, some
of them whole turns later. What an occasion is, is told here a second time, by the events that everybody saw.
`SIETCH_LATE` says how many games are played at least.
"""

from __future__ import annotations

import os
import random
from collections import Counter, defaultdict
from collections.abc import Iterable
from typing import NamedTuple, TypeAlias

from services.rules.engine.game import Decision, Game, Refusal, answer, find_offer
from services.rules.newgame import begin
from shared.dune.events import Event
from shared.dune.events.battle import BattleBegan, BattleEnded
from shared.dune.events.bidding import AuctionOpened
from shared.dune.events.blow import WormAppeared
from shared.dune.events.course import PhaseBegan, TurnBegan
from shared.dune.events.nexus import NexusBegan
from shared.dune.offers import Offer, Standing
from shared.dune.settings import Settings
from shared.dune.shapes import Json
from tests.property.habits import Players
from tests.property.players import CLASSIC, sampled
from tests.property.staged import Stager

GAMES = int(os.environ.get("SIETCH_LATE", "3"))
FIRST = 20
MOST_GAMES = 40
"""So many may be played until each kind that is `SURE` came late: a rare one hangs on what a few games come to."""
ON_THE_WAY = 8
"""Requests of one kind that are on their way at a time; a new one takes the place of any."""
ARRIVING = 3
"""Requests, of different kinds, that arrive at one decision, beside all that are `RARE`."""
RARE = ("nexus_card", "battle_karama", "gift", "promise", "permission")
OF_BATTLES = ("nexus_card", "battle_karama", "truthtrance")
"""What is offered anew in each battle: written down whenever one is fought."""
OF_ALLIANCES = ("promise", "permission", "gift")
"""What is offered to an ally of this turn."""
SURE = ("bribe", "deal", "orders", "reveal", "truthtrance", "nexus_card", "promise")
"""What must have come late while the same could have been done again."""

Occasion: TypeAlias = tuple[object, ...]


class Late(NamedTuple):
    """A request on its way, and the occasion for which it was made."""

    seat: str
    kind: str
    offer: str
    given: Json
    made_for: Occasion


class History:
    """What everybody has seen happen, as far as it parts one occasion from another."""

    def __init__(self) -> None:
        self.seen: Counter[type[Event]] = Counter()

    def note(self, events: Iterable[Event]) -> None:
        """Add what happened at a decision."""
        for event in events:
            self.seen[type(event)] += 1

    @property
    def battle(self) -> int:
        """The number of the battle being fought; 0 between battles."""
        begun, ended = self.seen[BattleBegan], self.seen[BattleEnded]
        return begun if begun > ended else 0

    def standing(self, game: Game, row: Standing) -> Occasion:
        """The occasion of a standing offer."""
        turn = self.seen[TurnBegan]
        if row.kind in OF_ALLIANCES:
            return turn, game.table.ally_of(row.seat)
        if row.kind == "nexus_card":
            return self.seen[PhaseBegan], self.battle
        return (turn, self.battle) if row.kind in OF_BATTLES else (turn,)

    def asked(self) -> Occasion:
        """The occasion of a question of the game itself: no two lots, worms, Nexuses or battles share one."""
        parting = (PhaseBegan, AuctionOpened, WormAppeared, NexusBegan, BattleBegan, BattleEnded)
        return tuple(self.seen[kind] for kind in parting)


def test_what_comes_late_is_taken_for_its_own_occasion_or_not_at_all() -> None:
    """Whatever is sent whenever; and a refusal of what is over says that it is stale."""
    again: Counter[str] = Counter()
    for number in range(MOST_GAMES):
        _play(FIRST + number, again)
        missing = [kind for kind in SURE if not again[kind]]
        if number + 1 >= GAMES and not missing:
            return
    raise AssertionError(f"never late while it could have been done again: {missing}; seen: {again}")


def _play(seed: int, again: Counter[str]) -> None:
    rng = random.Random(seed)
    seats = tuple(rng.sample(CLASSIC, rng.randint(3, 6)))
    decision = begin(
        Settings("advanced" if seed % 2 else "basic", ("nexus",), seats=seats, last_turn=6), seed
    )
    assert isinstance(decision, Decision), decision
    game, history, late = decision.game, History(), defaultdict[str, list[Late]](list)
    history.note(decision.events)
    players, stager = Players(seed, seats), Stager(seed, share=1)
    while game.table.result is None:
        game = stager.laid(game)
        _write(game, history, late, rng)
        kinds = {
            *rng.sample(sorted(late), min(ARRIVING, len(late))),
            *(kind for kind in RARE if kind in late),
        }
        for kind in sorted(kinds):
            _send(game, history, rng.choice(late[kind]), again)
        offer, given = players.next_answer(game)
        outcome = answer(game, offer.seat, offer.id, given)
        assert isinstance(outcome, Decision), outcome
        history.note(outcome.events)
        game = outcome.game


def _write(game: Game, history: History, late: dict[str, list[Late]], rng: random.Random) -> None:
    """Write down an answer to a question, one to something that stands open, and all that concerns a battle."""
    asked = rng.choice(game.open)
    found = [Late(asked.seat, asked.kind, asked.id, sampled(asked, rng), history.asked())]
    rows = [row for row in game.standing if history.battle and row.kind in OF_BATTLES and rng.random() < 0.3]
    if game.standing:
        kind = rng.choice(sorted({row.kind for row in game.standing}))
        rows.append(rng.choice([row for row in game.standing if row.kind == kind]))
    for row in rows:
        whole = _whole(game, row)
        found.append(Late(row.seat, row.kind, row.id, sampled(whole, rng), history.standing(game, row)))
    for request in found:
        alike = late[request.kind]
        if len(alike) < ON_THE_WAY:
            alike.append(request)
        else:
            alike[rng.randrange(ON_THE_WAY)] = request


def _send(game: Game, history: History, request: Late, again: Counter[str]) -> None:
    """It arrives now: the game itself goes on without it."""
    row = next((one for one in game.standing if (one.seat, one.kind) == (request.seat, request.kind)), None)
    is_standing = "." in request.offer
    if is_standing and row is None:
        now: Occasion | None = None
    else:
        now = history.standing(game, row) if is_standing and row is not None else history.asked()
    outcome = answer(game, request.seat, request.offer, request.given)
    if now == request.made_for:
        return
    assert isinstance(outcome, Refusal), f"{request} is taken at {now}"
    assert outcome.code == "stale", f"{request} at {now}: {outcome}"
    if row is not None and _whole(game, row).problem(request.given) is None:
        again[request.kind] += 1


def _whole(game: Game, row: Standing) -> Offer:
    whole = find_offer(game, row.seat, row.id)
    assert whole is not None, f"{row.kind} is listed but cannot be done"
    return whole
