"""Every policy answers every kind of offer legally, alike each time, and from its seat's view alone."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterator

import msgspec
import pytest

from services.bot.policies import policies, policy
from services.bot.policies.base import chance_of, sampled
from services.bot.policies.easy import EasyPolicy
from services.bot.policies.thumb import RULES
from services.bot.policies.thumb.windows import in_window
from services.rules.engine.game import Decision, Game, answer
from services.rules.newgame import begin
from shared.dune.offers import Offer
from shared.dune.settings import Mode, Settings
from shared.dune.shapes import Fields, Json, Number
from shared.dune.views import SeatView, encode_view, view

CLASSIC = ("atreides", "bene_gesserit", "emperor", "fremen", "guild", "harkonnen")
MODES: tuple[Mode, ...] = ("basic", "advanced")
GAMES = 6


def moments(seed: int) -> Iterator[tuple[Game, Offer]]:
    """The decisions of a random game, with the offer that is answered: odd tables that no sensible player makes."""
    rng = random.Random(seed)
    seats = tuple(rng.sample(CLASSIC, 6 if seed % 2 else rng.randint(2, 5)))
    decision = begin(Settings(mode=MODES[seed // 2 % 2], seats=seats, last_turn=8), seed)
    assert isinstance(decision, Decision)
    while decision.game.table.result is None:
        game = decision.game
        offer = rng.choice([offer for offer in game.open if offer.committed is None])
        yield game, offer
        outcome = answer(game, offer.seat, offer.id, sampled(offer, rng))
        assert isinstance(outcome, Decision)
        decision = outcome


def seen_by(game: Game, seat: str) -> SeatView:
    """The view as it comes over the wire."""
    return msgspec.json.decode(encode_view(view(game.table, game.checkpoint(), seat)), type=SeatView)


@pytest.mark.parametrize("seed", range(GAMES))
def test_every_policy_is_legal_and_repeats_itself(seed: int) -> None:
    for game, offer in moments(seed):
        seen = seen_by(game, offer.seat)
        for name in policies():
            given = policy(name).decide(seen, offer, chance_of(seen, offer))
            assert offer.problem(given) is None, f"{name} answers {offer.kind} with {given!r}"
            assert given == policy(name).decide(seen, offer, chance_of(seen, offer)), f"{name}: {offer.kind}"


def test_a_rule_of_thumb_is_never_illegal() -> None:
    """`easy` has a net below it; it must not be needed, for what falls into it is a rule that is wrong."""
    met: Counter[str] = Counter()
    for seed in range(100, 100 + GAMES):
        for game, offer in moments(seed):
            rule = in_window if offer.kind.startswith("window.") else RULES.get(offer.kind)
            if rule is None:
                continue
            seen = seen_by(game, offer.seat)
            given = rule(seen, offer, chance_of(seen, offer))
            met[offer.kind] += 1
            if given is not None:
                wrong = offer.problem(given)
                assert wrong is None, f"{offer.kind} of {offer.seat}: {given!r}: {wrong} (seed {seed})"
    assert set(met) >= COMMON, "random games no longer bring these up"


COMMON = {
    "accompany",
    "bid",
    "battle_plan",
    "ship",
    "move",
    "revival",
    "storm_dial",
    "placement",
    "traitor_call",
}
"""Kinds that every few games bring up."""


def test_chance_is_drawn_from_what_the_seat_sees() -> None:
    game, offer = next(iter(moments(1)))
    seen = seen_by(game, offer.seat)
    other = msgspec.structs.replace(seen, memory=("x=y",))
    renamed = msgspec.structs.replace(offer, id="other")
    drawn = [chance_of(*pair).random() for pair in ((seen, offer), (other, offer), (seen, renamed))]
    assert len(set(drawn)) == 3
    assert chance_of(seen, offer).random() == drawn[0]


def made_up(kind: str, *, window: bool) -> Offer:
    return Offer("o1", "guild", kind, "Why.", Fields({"dial": Number(1, 3)}), {"dial": 2}, window=window)


@pytest.mark.parametrize("given", [None, {"dial": 9}, {"nonsense": 1}, "pass"])
def test_the_net_below_easy_holds(monkeypatch: pytest.MonkeyPatch, given: Json) -> None:
    monkeypatch.setitem(RULES, "made_up", lambda view, offer, rng: given)
    seen = seen_by(next(iter(moments(1)))[0], "guild")
    rng = random.Random(1)
    assert EasyPolicy().decide(seen, made_up("made_up", window=True), rng) == {"dial": 2}
    asked = made_up("made_up", window=False)
    assert asked.problem(EasyPolicy().decide(seen, asked, rng)) is None
    assert EasyPolicy().decide(seen, made_up("unheard_of", window=False), rng) == {"dial": 2}


def test_a_policy_that_is_not_known_plays_on() -> None:
    assert isinstance(policy("brilliant"), EasyPolicy)
    assert {"easy", "random"} <= set(policies())
