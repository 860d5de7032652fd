"""Random play over the Battle Phase: the census, the round trip, every drawn answer accepted; and two worlds."""

from __future__ import annotations

import random
from typing import Any

import msgspec
import pytest

from services.rules.census import check_census
from services.rules.engine.game import Decision, Game, answer, find_offer, load
from services.rules.staging import stage
from shared.dune import facts
from shared.dune.events import visible
from shared.dune.offers import Checkpoint, Offer
from shared.dune.table import Table
from shared.dune.views import encode_view, view

FACTIONS = ("atreides", "fremen", "harkonnen", "bene_gesserit", "guild", "emperor")
MOST_ANSWERS = 400


def random_table(rng: random.Random) -> dict[str, Any]:
    """A table as this phase finds it: crowded territories, cards, dead and revived leaders, perhaps an alliance."""
    seats = rng.sample(FACTIONS, rng.randint(2, 6))
    table: dict[str, Any] = {"seats": seats, "phase": "battle", "storm": rng.randint(1, 18)}
    cards = [f.id for f in facts.treachery_cards().values() if f.set == "base" for _ in range(f.count)]
    traitors = [leader for seat in seats for leader in facts.leaders_of(seat)]
    rng.shuffle(cards)
    rng.shuffle(traitors)
    territories = rng.sample(list(facts.territories().values()), 4)
    inside: dict[str, int] = {}
    for seat in seats:
        leaders = rng.sample(facts.leaders_of(seat), 5)
        dead = rng.choice((0, 0, 1, 3, 5))
        forces: dict[str, int] = {}
        for territory in territories:
            crowded = territory.is_stronghold and inside.get(territory.id, 0) == 2
            if not crowded and rng.random() < 0.7:
                inside[territory.id] = inside.get(territory.id, 0) + 1
                forces |= {place: rng.randint(1, 2) for place in rng.sample(territory.locations, 1)}
        table[seat] = {
            "hand": [cards.pop() for _ in range(rng.randint(0, 4))],
            "forces": forces,
            "tanks": {"leaders": leaders[:dead]},
            "cycle": {leader: 2 for leader in leaders[dead:] if rng.random() < 0.2},
            "traitors": [traitors.pop() for _ in range(4 if seat == "harkonnen" else 1)],
        }
    if len(seats) > 3 and rng.random() < 0.6:
        table[seats[0]]["ally"] = seats[1]
    return table


def drawn(rng: random.Random, offer: Offer) -> Any:
    try:
        return offer.choice.sample(rng)
    except LookupError:
        return offer.default


def next_offer(rng: random.Random, game: Game) -> Offer:
    if game.standing and rng.random() < 0.2:
        short = rng.choice(game.standing)
        whole = find_offer(game, short.seat, short.id)
        assert whole is not None
        return whole
    return rng.choice([offer for offer in game.open if offer.committed is None])


@pytest.mark.parametrize("seed", range(40))
def test_random_play(seed: int) -> None:
    rng = random.Random(seed)
    game = stage(random_table(rng)).game
    for _ in range(MOST_ANSWERS):
        if game.table.phase != "battle":
            return
        check_census(game.table)
        saved = msgspec.json.decode(msgspec.json.encode(game.checkpoint()), type=Checkpoint)
        assert load(msgspec.json.decode(msgspec.json.encode(game.table), type=Table), saved) == game
        offer = next_offer(rng, game)
        given = drawn(rng, offer)
        after = answer(game, offer.seat, offer.id, given)
        assert isinstance(after, Decision), (offer, given, after)
        game = after.game
    pytest.fail("the phase does not end")


def shown(decisions: list[Decision], audience: str) -> list[bytes]:
    """All that an audience is delivered, decision by decision."""
    found: list[bytes] = []
    for decision in decisions:
        game = decision.game
        found.append(encode_view(view(game.table, game.checkpoint(), audience)))
        found.extend(msgspec.json.encode(visible(event, audience)) for event in decision.events)
    return found


def play(hand: list[str], traitors: list[str], answers: dict[str, Any]) -> list[Decision]:
    """One battle of Atreides and Fremen before the eyes of the Guild, up to the plans of both but one."""
    described = {
        "seats": ["atreides", "fremen", "guild"],
        "circles": [1, 4, 7],
        "phase": "battle",
        "atreides": {"forces": {"red_chasm": 3}},
        "fremen": {"forces": {"red_chasm": 3}, "hand": hand, "traitors": traitors},
    }
    decisions = [stage(described)]
    script = [
        ("atreides", "prescience", {"do": "ask", "element": "weapon"}),
        ("fremen", "window.cancel.atreides.prescience", {"do": "pass"}),
        ("guild", "window.cancel.atreides.prescience", {"do": "pass"}),
        ("fremen", "prescience_answer", {"choice": answers["shown"]}),
        ("fremen", "battle_plan", answers["plan"]),
    ]
    for seat, kind, given in script:
        game = decisions[-1].game
        offer = next(o for o in game.open if (o.seat, o.kind) == (seat, kind))
        after = answer(game, seat, offer.id, given)
        assert isinstance(after, Decision), after
        decisions.append(after)
    return decisions


def test_a_bystander_sees_the_same_whatever_a_side_holds_and_plans() -> None:
    """Hand, traitor, the element shown and the committed plan differ; nothing that the Guild gets does. [SECRET-10]"""
    plan = {"leader": "jamis", "dial": 0, "weapon": None, "defense": None}
    one = play(["kulon", "hajr", "truthtrance"], ["thufir_hawat"], {"shown": None, "plan": plan})
    armed = {"leader": "stilgar", "dial": 3, "weapon": "chaumas", "defense": "shield#1"}
    other = play(["chaumas", "shield", "karama"], ["guild_rep"], {"shown": "chaumas", "plan": armed})
    assert shown(one, "guild") == shown(other, "guild")
    assert shown(one, "atreides") != shown(other, "atreides")


def test_the_opponent_learns_only_the_element_shown() -> None:
    """The same answer of Prescience from different hands, other plans: Atreides gets the same. [ATR-09]"""
    one = play(["chaumas", "kulon", "hajr"], ["stilgar"], {"shown": "chaumas", "plan": _plan("jamis", 0)})
    other = play(
        ["chaumas", "shield", "karama"], ["dr_yueh"], {"shown": "chaumas", "plan": _plan("stilgar", 3)}
    )
    assert shown(one, "atreides") == shown(other, "atreides")


def _plan(leader: str, dial: int) -> dict[str, Any]:
    return {"leader": leader, "dial": dial, "weapon": "chaumas", "defense": None}
