"""Which battle plans are legal, worked out plan by plan from the rules and the table alone.

Each thing that binds a plan (answers to Truthtrance, the Voice, elements shown, in this order) leaves those plans that
keep it, unless none of those that kept the earlier ones does. [BG-12, ATR-09, TRUTH-06, TRUTH-08]
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import product
from typing import Any, TypeAlias

from services.rules.engine.rulings import ruling
from shared.dune import facts
from shared.dune.events.pledges import PLEDGES
from shared.dune.table import Table, zone
from shared.dune.zones import captives_of

Part: TypeAlias = dict[str, Any]
"""The cards of a plan, with its leader; or its dial and spice."""
KH = "kwisatz_haderach"
SLOTS = ("leader", "weapon", "defense")


def is_thing(piece: Any, thing: str) -> bool:
    """Whether a leader or card is what is spoken of: by its name, or by its kind. [BG-10]"""
    face = facts.face(piece) if isinstance(piece, str) else ""
    card = facts.treachery_cards().get(face)
    return bool(face) and (face == thing or (card is not None and card.kind == thing))


def leaders(table: Table, side: str) -> list[str]:
    """Whoever may fight for a side: own leaders and captives not used elsewhere, Cheap Heroes. [BATTLE-12, HARK-14]"""
    here = str(table.value("battle.territory"))
    own = [*table.leaders(side)]
    if side == "harkonnen":
        own += [
            leader
            for owner in table.seats
            for shown in (False, True)
            for leader in zone(table, captives_of(owner, side, shown))
        ]
    free = [leader for leader in own if table.value(f"phase.leader_at.{leader}", here) == here]
    return [*free, *(card for card in table.hand(side) if "leader" in facts.treachery(card).slots)]


def has_kwisatz_haderach(table: Table, side: str) -> bool:
    """Whether it may be added to a plan. [ATR-18, ATR-21, ATR-22, ATR-38]"""
    here = str(table.value("battle.territory"))
    ripe = table.count(f"{KH}.lost") >= 7 and KH in zone(table, "special_leaders.atreides")
    free = table.value(f"phase.leader_at.{KH}", here) == here
    return side == "atreides" and ripe and free and not table.is_set(f"cancelled.atreides.{KH}")


def card_parts(table: Table, side: str, who: list[str | None]) -> Iterator[Part]:
    """Leader, weapon, defense and Kwisatz Haderach before anything binds them. [BATTLE-17, BATTLE-23..BATTLE-28]"""
    hand = table.hand(side)
    weapons = [None, *(card for card in hand if "weapon" in facts.treachery(card).slots)]
    defenses = [None, *(card for card in hand if "defense" in facts.treachery(card).slots)]
    helpers = [None, KH] if has_kwisatz_haderach(table, side) else [None]
    for leader, weapon, defense, helper in product(who, weapons, defenses, helpers):
        alone = leader is None and (weapon or defense or helper)
        if alone or (weapon is not None and weapon == defense):
            continue
        more = {KH: helper} if side == "atreides" else {}
        yield {"leader": leader, "weapon": weapon, "defense": defense, **more}


def every_part(table: Table, side: str) -> Iterator[Part]:
    """Whatever could be thought of: any leader of either side, every card of the hand in every slot."""
    who = [
        None,
        *leaders(table, side),
        *(one for seat in table.names("battle.sides") for one in facts.leaders_of(seat)),
    ]
    cards = [None, *table.hand(side)]
    for leader, weapon, defense, helper in product(dict.fromkeys(who), cards, cards, (None, KH)):
        if side == "atreides" or helper is None:
            more = {KH: helper} if side == "atreides" else {}
            yield {"leader": leader, "weapon": weapon, "defense": defense, **more}


def dial_parts(table: Table, side: str) -> set[tuple[int, int]]:
    """Every dial, in halves, with every amount of spice that some set of forces fits. [BATTLE-31..BATTLE-36]"""
    sides = table.names("battle.sides")
    opponent = next(one for one in sides if one != side)
    forces: list[tuple[int, int]] = []
    for place in table.names("battle.places"):
        for kind, number in table.kinds_at(place, side).items():
            if kind != "advisor":
                forces += [counts(table, side, opponent, kind)] * number
    for _ in range(counted_as_sardaukar(table, side)):
        forces.remove(counts(table, side, opponent, "regular"))
        forces.append(counts(table, side, opponent, "sardaukar"))
    found = {(0, 0)}
    for full, bare in forces:
        ways = {(0, 0), (bare, 0)} | ({(full, 1)} if bare < full else set())
        found |= {(dial + more, spice + paid) for dial, spice in found for more, paid in ways}
    own = table.spice_of(side) + table.spice_of(f"escrow.{side}")
    return {(dial, spice) for dial, spice in found if spice <= own}


def counts(table: Table, side: str, opponent: str, kind: str) -> tuple[int, int]:
    """What one force counts with spice and without it, in halves. [BATTLE-33, EMP-07, EMP-09, FRE-29, FRE-30]"""
    twice = (kind == "sardaukar" and opponent != "fremen") or kind == "fedaykin"
    owner = {"sardaukar": "emperor", "fedaykin": "fremen"}.get(kind, "")
    if owner and table.is_set(f"cancelled.{owner}.{kind}"):
        twice = False
    full = 4 if twice else 2
    free = side == "fremen" and not table.is_set("cancelled.fremen.free_strength")
    return full, full if free else full // 2


def counted_as_sardaukar(table: Table, side: str) -> int:
    """How many ordinary forces of a side count as Sardaukar, by a Nexus card. [NEXUS-EMP-03]"""
    return table.count("battle.counted_as_sardaukar") if side == "emperor" else 0


class Legal:
    """The legal plans of a side: every part of leader and cards, and every dial with its spice."""

    def __init__(self, table: Table, side: str) -> None:
        self._table, self._side = table, side
        self._kept: list[Callable[[Part], bool]] = []
        who: list[str | None] = [*leaders(table, side)]
        self.parts = list(card_parts(table, side, who or [None]))
        self.dials = dial_parts(table, side)
        self._said()
        self._voice()
        self._shown()

    def _keep(self, keeps: Callable[[Part], bool]) -> None:
        if left := [part for part in self.parts if keeps(part)]:
            self.parts = left
            self._kept.append(keeps)

    def _dial(self, keeps: Callable[[int, int], bool]) -> None:
        self.dials = {pair for pair in self.dials if keeps(*pair)} or self.dials

    def _said(self) -> None:
        for row in self._table.names(PLEDGES):
            faction, form, what, will, _ = row.split("|")
            if faction != self._side or form not in ("play", "dial"):
                continue
            if form == "dial":
                self._dial(lambda dial, _, n=2 * int(what), yes=will == "yes": (dial >= n) == yes)
            elif will == "yes":
                self._keep(lambda part, what=what: any(is_thing(part[slot], what) for slot in SLOTS))
            else:
                for slot in SLOTS:
                    self._keep(lambda part, what=what, slot=slot: not is_thing(part[slot], what))

    def _voice(self) -> None:
        target, command, what = self._table.names("battle.voice") or ("", "", "")
        if target != self._side:
            return
        if command == "play":
            self._keep(lambda part: any(is_thing(part[slot], what) for slot in SLOTS))
            return
        heroes = [is_thing(leader, what) for leader in leaders(self._table, self._side)]
        if heroes and all(heroes) and ruling(self._table, "voice_no_hero") == "obey":
            without = card_parts(self._table, self._side, [None])
            self.parts = [part for part in without if all(keeps(part) for keeps in self._kept)] or self.parts
        for slot in SLOTS:
            self._keep(lambda part, slot=slot: not is_thing(part[slot], what))

    def _shown(self) -> None:
        for element in (*SLOTS, "dial"):
            _, value = self._table.names(f"battle.shown.{self._side}.{element}") or ("", "")
            if not value:
                continue
            if element == "dial":
                dial, _, spice = value.partition("/")
                self._dial(lambda n, paid, d=int(dial), s=spice: n == d and (not s or paid == int(s)))
            else:
                self._keep(lambda part, e=element, v=value: self._answers(part[e], e, v))

    def _answers(self, piece: Any, element: str, value: str) -> bool:
        """A slot that was answered "none" may hold a worthless card. [ATR-14]"""
        if value != "none":
            return bool(piece == value)
        hidden = element != "leader" and ruling(self._table, "nexus.atr.worthless_in_slot") == "none"
        return piece is None or (hidden and is_thing(piece, "worthless"))
