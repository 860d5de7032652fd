"""Spice behind the dial: half strength without it, what a plan may pay, who pays in the end. [BATTLE-31..BATTLE-43]"""

from __future__ import annotations

import msgspec

from services.rules.engine.hooks import Quote, contributes, quote
from services.rules.engine.play import Play
from services.rules.engine.rulings import ruling
from services.rules.phases.battle_grounds import Clash
from services.rules.phases.battle_quotes import Plan, PlanParts
from services.rules.phases.battle_strength import DialStep, ForceStrength, dials, ranks_of
from shared.dune.events.battle import SupportKept, SupportPaid
from shared.dune.events.bidding import escrow_of
from shared.dune.settings import Faction
from shared.dune.shapes import Number, Pairs
from shared.dune.table import Table

__all__ = ["SPICE", "SupportDue", "settle_support", "support_of"]

SPICE = "spice"
"""The field of a plan with the spice that is paid for it."""
ADVANCED = ("advanced",)
MUTUAL = ("traitors", "explosion")
"""The ways in which a battle ends without a winner."""
NO_SET = "no forces of yours, with exactly so many paid for, make up this dial"


class SupportDue(Quote, frozen=True, kw_only=True):
    """The spice that a side pays for its battle, decided in the way `how`; `winner`: who won it by a traitor.

    [BATTLE-38]
    """

    faction: Faction
    how: str
    winner: Faction | None


@contributes(DialStep, rule="BATTLE-32", modes=ADVANCED)
def dial_holds_halves(step: DialStep, table: Table) -> DialStep:
    """The dial may hold half units. [BATTLE-32]"""
    return step.step(2, "The dial may hold halves", "BATTLE-32")


@contributes(ForceStrength, rule="BATTLE-31", order=80, modes=ADVANCED)
def half_without_spice(counts: ForceStrength, table: Table) -> ForceStrength:
    """A force counts in full only where 1 spice is paid for it. [BATTLE-31, BATTLE-33]"""
    return counts.step(counts.value, "Half of it without 1 spice", "BATTLE-31", needs_spice=True)


@contributes(PlanParts, rule="BATTLE-35", order=10, modes=ADVANCED)
def dial_with_spice(parts: PlanParts, table: Table) -> PlanParts:
    """Dial and spice go together: some set of the forces must fit both; the spice is the side's own.

    [BATTLE-35, BATTLE-36, ALLY-07]
    """
    clash = Clash(parts.faction, parts.opponent, parts.territory, parts.places)
    own = table.spice_of(parts.faction) + table.spice_of(escrow_of(parts.faction))
    found = dials(ranks_of(table, clash, parts.faction), own)
    most = max(paid for amounts in found.values() for paid in amounts)
    spans = tuple(span for dial, amounts in found.items() for span in _spans(dial, amounts))
    dial = Number(0, max(found), "forces", "BATTLE-22", per=2)
    return msgspec.structs.replace(
        parts,
        dial=dial,
        more={**parts.more, SPICE: Number(0, most, "spice", "BATTLE-36")},
        needs=(*parts.needs, Pairs("dial", SPICE, spans, NO_SET, "BATTLE-35")),
        labels={**parts.labels, SPICE: "Spice"},
    )


def _spans(dial: int, amounts: tuple[int, ...]) -> list[tuple[int, int, int]]:
    """Amounts as spans without gaps."""
    spans: list[tuple[int, int, int]] = []
    for paid in amounts:
        if spans and spans[-1][2] == paid - 1:
            spans[-1] = (dial, spans[-1][1], paid)
        else:
            spans.append((dial, paid, paid))
    return spans


@contributes(SupportDue, rule="BATTLE-39", modes=ADVANCED)
def after_a_traitor(due: SupportDue, table: Table) -> SupportDue:
    """Who wins by the only traitor pays nothing, the betrayed side pays all the same. [BATTLE-39]"""
    if due.how != "traitor":
        return due
    if due.winner == due.faction:
        return due.step(0, "Who calls the only traitor pays nothing", "BATTLE-39")
    if ruling(table, "traitor_refund_loser") == "keeps":
        return due.step(0, "The betrayed side keeps its spice", "BATTLE-39")
    return due


@contributes(SupportDue, rule="BATTLE-40", modes=ADVANCED)
def after_mutual_loss(due: SupportDue, table: Table) -> SupportDue:
    """After two traitors or an explosion both pay. [BATTLE-40]"""
    if due.how in MUTUAL and ruling(table, "spice_after_mutual_loss") == "none_pay":
        return due.step(0, "Nobody won, so nobody pays", "BATTLE-40")
    return due


def support_of(plan: Plan) -> int:
    """The spice that a plan pays; none where plans hold none."""
    return int(plan.get(SPICE) or 0)


def settle_support(
    play: Play, clash: Clash, plans: dict[Faction, Plan], how: str, winner: Faction | None
) -> None:
    """Both sides pay the bank, win or lose, before anything is gained; what is not due goes back.

    [BATTLE-38, BATTLE-39, BATTLE-40, BATTLE-43]
    """
    for side in clash.sides:
        aside = support_of(plans[side])
        due = quote(play.table, SupportDue(faction=side, how=how, winner=winner, value=aside)).value
        if due:
            play.emit(SupportPaid(side, due))
        if aside > due:
            play.emit(SupportKept(side, aside - due))
