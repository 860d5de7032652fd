"""How a battle ends, worked out from both plans and the calls by the rules alone, against what happened.

[BATTLE-38..BATTLE-58, TRAITOR-03..TRAITOR-09, LASGUN-02..LASGUN-08, ATR-24, ATR-25, HARK-08, HARK-09, HARK-20, HARK-35]
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import Any

from services.rules.engine.rulings import ruling
from shared.dune import facts
from shared.dune.events import Event
from shared.dune.events.battle import BattleWon, PlanRevealed, SupportPaid, TraitorCalled
from shared.dune.events.captives import LeaderCaptured
from shared.dune.events.cards import PowerCancelled
from shared.dune.events.forces import ForcesKilled, SpicePaid
from shared.dune.events.nexus_cards import NexusCardPlayed
from shared.dune.events.pieces import CardDiscarded, LeaderKilled
from shared.dune.table import Table, zone
from tests.property.exact_plans import KH, counted_as_sardaukar, counts

STOPS = {"projectile_weapon": "shield", "poison_weapon": "snooper"}


class Fought:
    """One battle: the table as the plans were revealed, and everything that happened from then to its end."""

    def __init__(self, table: Table, events: Iterable[Event]) -> None:
        self.table, self.events = table, [*events]
        self.sides = table.names("battle.sides")
        self.plans = {e.faction: e for e in self.events if isinstance(e, PlanRevealed)}
        assert set(self.plans) == set(self.sides)
        void = any(isinstance(e, PowerCancelled) and e.power == "harkonnen.ally_traitor" for e in self.events)
        called = [e for e in self.events if isinstance(e, TraitorCalled)]
        self.cards = {e.effect: e.faction for e in self.events if isinstance(e, NexusCardPlayed)}
        stopped = "harkonnen_betrayal" in self.cards  # NEXUS-HARK-54
        self.calls = [
            e
            for e in called
            if (not void or e.caller == e.side) and not (stopped and e.caller == "harkonnen")
        ]

    def other(self, side: str) -> str:
        """The opponent."""
        return self.sides[0] if side == self.sides[1] else self.sides[1]

    def check(self) -> None:
        """Everything that the rules say of it."""
        for call in self.calls:
            plan = self.plans[self.other(call.side)]
            assert plan.leader == call.leader and not plan.more.get(KH), (
                "no traitor beside the Kwisatz Haderach"
            )
            drawn = call.caller == "harkonnen" and "harkonnen_cunning" in self.cards
            assert drawn or f"traitor:{call.leader}" in zone(self.table, f"traitors.{call.caller}")
        if self.calls:
            winner = self.calls[0].side if len(self.calls) == 1 else None
            dead = [side for side in self.sides if side != winner]
            self._ended("traitor", winner, dead, gains=winner is not None)
        elif self._explodes():
            self._ended("explosion", None, [*self.sides], gains=False)
        else:
            dead = [side for side in self.sides if self._is_killed(side)]
            totals = {side: self._total(side, side not in dead) for side in self.sides}
            winner = self.sides[0] if totals[self.sides[0]] >= totals[self.sides[1]] else self.sides[1]
            self._ended("strength", winner, dead, gains=True)

    def _cards(self, side: str) -> list[str]:
        plan = self.plans[side]
        held = (plan.leader, plan.weapon, plan.defense)
        return [card for card in held if card is not None and facts.face(card) in facts.treachery_cards()]

    def _explodes(self) -> bool:
        faces = {facts.face(card) for side in self.sides for card in self._cards(side)}
        return {"lasgun", "shield"} <= faces

    def _is_killed(self, side: str) -> bool:
        weapon, defense = self.plans[self.other(side)].weapon, self.plans[side].defense
        if self.plans[side].leader is None or weapon is None:
            return False
        kind = facts.treachery(weapon).kind
        stopped = defense is not None and STOPS.get(kind) == facts.face(defense)
        return facts.face(weapon) == "lasgun" or (kind in STOPS and not stopped)

    def _total(self, side: str, lives: bool) -> int:
        plan = self.plans[side]
        helper = 2 if plan.more.get(KH) else 0
        return plan.dial + (2 * (self._strength(plan.leader) + helper) if lives else 0)

    def _strength(self, leader: str | None) -> int:
        return facts.leader(leader).strength if leader in facts.leaders() and leader else 0

    def _ended(self, how: str, winner: str | None, dead: list[str], *, gains: bool) -> None:
        won = [(e.winner, e.how) for e in self.events if isinstance(e, BattleWon)]
        assert won == ([(winner, how)] if winner else []), (how, winner, won)
        self._leaders(how, dead)
        worth = sum(self._strength(self.plans[side].leader) for side in dead) if gains else 0
        got = [e for e in self.events if isinstance(e, SpicePaid) and e.reason == "leaders killed"]
        assert [(e.receiver, e.amount) for e in got] == ([(winner, worth)] if worth else [])
        self._support(how, winner)
        self._forces(how, winner)
        self._captured(how, winner, killed=[str(self.plans[side].leader) for side in dead])
        gone = Counter(e.card for e in self.events if isinstance(e, CardDiscarded) and e.reason == "battle")
        for side in self.sides:
            kept = [card for card in self._cards(side) if not gone[card]]
            saved = winner is not None and self.cards.get("moritani_secret_ally") == side and len(kept) == 1
            assert not kept or side == winner or saved, f"{side} keeps {kept}"
            assert how == "traitor" or not any(facts.face(card) == "cheap_hero" for card in kept)

    def _captured(self, how: str, winner: str | None, killed: list[str]) -> None:
        """Harkonnen alone, after its victory, a living leader of the loser not used elsewhere. [HARK-08, HARK-09]"""
        here = str(self.table.value("battle.territory"))
        for event in self.events:
            if isinstance(event, LeaderCaptured):
                assert winner == event.captor == "harkonnen" and event.victim == self.other(winner)
                assert how == "strength" or ruling(self.table, "capture_after_traitor") == "on"
                assert event.leader in facts.leaders_of(event.victim) and event.leader not in killed
                assert self.table.value(f"phase.leader_at.{event.leader}", here) == here
                back = self.plans[winner].leader == event.leader  # a captive that has served [HARK-35]
                assert back or event.leader in self.table.leaders(event.victim)

    def _leaders(self, how: str, dead: list[str]) -> None:
        wanted = {self.plans[side].leader for side in dead} & set(facts.leaders())
        if how == "explosion":
            wanted |= {KH for side in dead if self.plans[side].more.get(KH)}
        killed = [e.leader for e in self.events if isinstance(e, LeaderKilled)]
        assert sorted(killed) == sorted(str(one) for one in wanted), (killed, wanted)

    def _support(self, how: str, winner: str | None) -> None:
        """Both pay what they planned, but who calls the only traitor; two rulings. [BATTLE-38..BATTLE-40]"""
        wanted = {side: int(self.plans[side].more.get("spice") or 0) for side in self.sides}
        if winner is None and ruling(self.table, "spice_after_mutual_loss") == "none_pay":
            wanted = {}
        elif how == "traitor" and winner is not None:
            wanted[winner] = 0
            if ruling(self.table, "traitor_refund_loser") == "keeps":
                wanted = {}
        paid = {e.faction: e.amount for e in self.events if isinstance(e, SupportPaid)}
        assert paid == {side: amount for side, amount in wanted.items() if amount}

    def _forces(self, how: str, winner: str | None) -> None:
        """The beaten lose all that took part, the winner what fits its dial; an explosion takes everybody."""
        places = self.table.names("battle.places")
        lost: dict[str, Counter[str]] = {}
        for e in self.events:
            if isinstance(e, ForcesKilled):
                lost.setdefault(e.faction, Counter()).update(e.kinds)
        if how == "explosion":
            ground = facts.locations_of(str(self.table.value("battle.territory")))
            there = {faction for place in ground for faction in self.table.forces.get(place, {})}
            assert lost == {faction: self._all(faction, ground, advisors=True) for faction in there}
            return
        for side in self.sides:
            mine = lost.pop(side, Counter())
            if side != winner:
                assert mine == self._all(side, places), f"{side} lost {mine}"
            elif how == "traitor":
                assert not mine
            else:
                assert self._fits(side, mine), f"{side} lost {mine} for {self.plans[side]}"
        assert not lost, f"bystanders lost {lost}"

    def _all(self, faction: str, places: Iterable[str], *, advisors: bool = False) -> Counter[str]:
        found: Counter[str] = Counter()
        for place in places:
            kinds = self.table.kinds_at(place, faction)
            found.update({kind: n for kind, n in kinds.items() if advisors or kind != "advisor"})
        return found

    def _fits(self, side: str, mine: Counter[str]) -> bool:
        """Whether these forces, with exactly so many paid for, make up the dial. [BATTLE-35, BATTLE-41]"""
        special = counted_as_sardaukar(self.table, side)
        plain = self._all(side, self.table.names("battle.places"))["regular"] - special
        lost = mine["regular"]
        return any(
            self._makes_up(side, mine - Counter(regular=some) + Counter(sardaukar=some))
            for some in range(max(0, lost - plain), min(special, lost) + 1)
        )

    def _makes_up(self, side: str, counted: Counter[str]) -> bool:
        found: set[tuple[int, Any]] = {(0, 0)}
        for kind in counted.elements():
            full, bare = counts(self.table, side, self.other(side), kind)
            ways = {(bare, 0)} | ({(full, 1)} if bare < full else set())
            found = {(dial + more, paid + one) for dial, paid in found for more, one in ways}
        plan = self.plans[side]
        return (plan.dial, int(plan.more.get("spice") or 0)) in found
