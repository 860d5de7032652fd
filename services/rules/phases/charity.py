"""CHOAM Charity: who has next to nothing may claim a little from the bank. [CHARITY-01..CHARITY-04]"""

from __future__ import annotations

from services.rules.engine.flow import Answers, Flow, Next
from services.rules.engine.hooks import Quote, quote
from services.rules.engine.offering import offer
from services.rules.engine.play import Play
from services.rules.phases.course import phase
from shared.dune import facts
from shared.dune.events.forces import SpicePaid
from shared.dune.offers import Offer
from shared.dune.settings import Faction
from shared.dune.shapes import Fields, Off, Variant
from shared.dune.table import BANK, Table

__all__ = ["ENOUGH", "Charity", "CharityPhase", "charity"]

ENOUGH = facts.common().charity_total
"""Spice that whoever claims has afterwards. [CHARITY-01]"""


class Charity(Quote, frozen=True, kw_only=True):
    """How much a faction may claim now: what its spice behind the shield lacks to 2. [CHARITY-01, CHARITY-04]"""

    faction: Faction


@phase("charity")
class CharityPhase(Flow, tag="charity", frozen=True, omit_defaults=True):
    """One question to every seat, since who is entitled is secret; claims come together. [CHARITY-04, REACT-21]"""

    def start(self, play: Play) -> Next:
        """Ask everybody, entitled or not, so that being asked tells nobody anything. [SECRET-10]"""
        return self.ask([_offer(play.table, seat) for seat in play.table.seats], then="claimed")

    def claimed(self, play: Play, answers: Answers) -> Next:
        """Pay the claims, in storm order; each is public. [CHARITY-02, CHARITY-03]"""
        for seat in play.table.order or play.table.seats:
            if answers[seat]["do"] == "claim":
                play.emit(SpicePaid(BANK, claim(play.table, seat), seat, "charity"))
        return self.done()


def charity(table: Table, seat: Faction) -> Charity:
    """What a seat may claim now, with what others say to it. [CHARITY-01]"""
    amount = max(0, ENOUGH - table.spice_of(seat))
    text = f"Enough to have {ENOUGH} spice" if amount else f"You have {ENOUGH} spice or more."
    return quote(table, Charity(faction=seat).step(amount, text, "CHARITY-01"))


def claim(table: Table, seat: Faction) -> int:
    """What a seat may claim now. [CHARITY-01]"""
    return charity(table, seat).value


def _offer(table: Table, seat: Faction) -> Offer:
    variants = {"pass": Fields({})}
    labels = {"pass": "Claim nothing", "claim": "Claim charity"}
    off: dict[str, Off] = {}
    amount = claim(table, seat)
    if amount:
        variants["claim"] = Fields({})
        labels["claim"] = f"Claim {amount} spice"
    else:
        last = charity(table, seat).lines[-1]
        off["claim"] = Off(last.text, last.rule)
    return offer(
        seat,
        "charity",
        "CHOAM Charity: whoever has 0 or 1 spice may claim enough to have 2.",
        Variant(variants, labels, off),
        default={"do": "claim" if amount else "pass"},
        rules=("CHARITY-01", "CHARITY-03"),
        clock="window",
        window=True,
    )
