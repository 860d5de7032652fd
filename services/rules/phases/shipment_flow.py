"""One player's shipment: declared, answered, paid, landed. [SHIP-02, SHIP-19]

What a reaction does to a declared shipment it says by public marks of the shipment (`phase.shipping.*`) and by
`cancelled.<power>`; the flow then asks its quotes again, so that it knows no reaction.
"""

from __future__ import annotations

from typing import ClassVar

import msgspec
from msgspec import Struct

from services.rules.engine.flow import Answers, Flow, Next
from services.rules.engine.moments import Moment
from services.rules.engine.play import Play
from services.rules.engine.rulings import ruling
from services.rules.engine.windows import VOID, Subject, Window
from services.rules.phases.groups import Groups, cleaned, number_of, together
from services.rules.phases.losses import ChooseKinds
from services.rules.phases.shipment_aids import open_ways
from services.rules.phases.shipment_offer import ONCE, can_ship, chosen, price, ship_offer
from services.rules.phases.shipment_quotes import (
    Way,
    arrival_losses,
    funds,
    landings,
    needed_powers,
    payment_goes_to,
    rate_of,
    target_group,
    unit_prices,
    way_of,
)
from shared.dune import facts
from shared.dune.events.forces import ForcesMoved, SpicePaid
from shared.dune.events.shipment import ShipmentDeclared, ShipmentFundsFreed, ShipmentWithdrawn
from shared.dune.settings import Faction
from shared.dune.shapes import Json
from shared.dune.table import RESERVES, Table

__all__ = ["CANCEL", "HALF", "LIFTED", "STOPPED", "TERMS", "Declaration", "Shipping", "landed_mark"]

HALF = "phase.shipping.half"
"""Public mark: something other than a power halves the shipment now declared; it is then paid to the bank. [SHIP-17]"""
STOPPED = "phase.shipping.stopped"
"""Public mark: the shipment now declared is stopped and used up."""
LIFTED = "phase.shipping.cancelled"
"""Public mark: the powers cancelled for this one shipment, on again after it. [KARAMA-02]"""
TERMS = "phase.shipping.terms."
"""Prefix of marks that fix, for the shipment now declared, what could be said otherwise while others answer."""
CANCEL = "cancel:"
"""A window's subject names each power that may be cancelled in it by this prefix: `cancel:guild.rate`."""
WINDOW = "shipment.declared"


class Declaration(Struct, frozen=True):
    """What was declared: the way, forces by source and kind, the target, and who pays what. [WINPOL-22]

    `share` is what the shipper wants its ally to pay, `agreed` the most that the ally agreed to; `price` is set aside,
    `help` of it by the ally.
    """

    way: str
    groups: Groups
    to: str
    share: int = 0
    agreed: int = 0
    price: int = 0
    help: int = 0

    @property
    def number(self) -> int:
        """How many forces go."""
        return number_of(self.groups)


class Bill(Struct, frozen=True):
    """What a shipment costs now, and who pays which part. `is_covered`: whether they can. [SHIP-08, SHIP-18]"""

    total: int
    own: int
    help: int
    is_covered: bool


def landed_mark(faction: Faction, place: str) -> str:
    """The public mark that counts forces shipped this turn into a place, where a ruling asks for it."""
    return f"phase.landed.{faction}.{place}"


class Shipping(Flow, tag="shipment.shipping", frozen=True, omit_defaults=True):
    """The shipment of one player: any legal declaration or none. [SHIP-02]

    `answer` is what the shipper said, while what it adds to make it cheaper is being paid; `why`: what it is told.
    """

    is_boundary: ClassVar[bool] = True

    faction: Faction
    declared: Declaration | None = None
    answer: Json = None
    why: str = ONCE

    def start(self, play: Play) -> Next:
        """Ask, if there is anything to ship; what the seat can pay does not matter here. [WINPOL-01]"""
        if not can_ship(play.table, self.faction):
            return self.goto("over")
        return self.ask([ship_offer(play.table, self.faction, self.why)], then="answered")

    def answered(self, play: Play, answers: Answers) -> Next:
        """Pass, or declare everything before anybody may answer. [SHIP-20, WINPOL-22]"""
        answer = answers[self.faction]
        if answer["do"] == "pass":
            return self.goto("over")
        choice = chosen(play.table, self.faction, answer["do"])
        payment = choice.aid.pay(play, self.faction, answer) if choice.aid else None
        flow = self.replace(answer=answer)
        return flow.call(payment, then="aid_paid") if payment else flow.goto("declare")

    def aid_paid(self, play: Play, result: Json) -> Next:
        """Paid in vain, the shipment may be declared anew. [BG-47, KARAMA-09]"""
        return self.replace(answer=None).goto("start") if result == VOID else self.goto("declare")

    def declare(self, play: Play) -> Next:
        """Everything is said now. Spice spent while others answered what makes it cheaper is missing: it is withdrawn.

        [WINPOL-22, SHIP-18]
        """
        answer = self.answer
        choice = chosen(play.table, self.faction, answer["do"])
        if choice.aid:
            choice.aid.use(play, self.faction)
        groups, to = cleaned(answer["forces"]["from"]), answer["forces"]["to"]
        agreed = funds(play.table, self.faction)[1]
        declared = Declaration(choice.way.name, groups, to, answer.get("ally_part", 0), agreed)
        bill = _bill(play.table, self.faction, choice.way, declared)
        if not bill.is_covered:
            return self._withdrawn(play, "it cannot be paid", lost=False)
        if choice.opening:
            open_ways(play, self.faction, choice.opening)
        ally = play.table.ally_of(self.faction) if bill.help else None
        word, number = choice.way.word, declared.number
        play.emit(ShipmentDeclared(self.faction, word, number, to, bill.total, bill.help, ally or ""))
        priced = msgspec.structs.replace(declared, price=bill.total, help=bill.help)
        flow = self.replace(declared=priced, answer=None)
        return flow.call(Moment("shipment.declared", self.faction), then="window")

    def window(self, play: Play, result: Json) -> Next:
        """One question for all answers to a declared shipment, as it stands now. [REACT-41, REACT-42, WINPOL-19]"""
        assert self.declared is not None
        way = way_of(play.table, self.faction, self.declared.way)
        assert way is not None
        bill = _bill(play.table, self.faction, way, self.declared)
        now = msgspec.structs.replace(self.declared, price=bill.total, help=bill.help)
        subject = _subject(play.table, self.faction, way, now)
        return self.call(Window(WINDOW, subject), then="window_over")

    def window_over(self, play: Play, outcome: Json) -> Next:
        """A stop ends it, after another use all are asked again; then it is due, at what it costs now: whoever has a
        word before it is paid. [REACT-41, SHIP-18]
        """
        assert self.declared is not None
        if obstacle := self._obstacle(play.table):
            return self._withdrawn(play, *obstacle)
        if outcome is not None:
            return self.goto("window")
        way = way_of(play.table, self.faction, self.declared.way)
        assert way is not None
        due = _bill(play.table, self.faction, way, self.declared).total
        return self.call(Moment("shipment.due", {"faction": self.faction, "price": due}), then="settle")

    def settle(self, play: Play, result: Json) -> Next:
        """Nothing may have changed; then it takes place."""
        if obstacle := self._obstacle(play.table):
            return self._withdrawn(play, *obstacle)
        self._free(play)
        return self.goto("land")

    def _obstacle(self, table: Table) -> tuple[str, bool] | None:
        """Why it does not take place, and whether no other may follow; None if it does. [GUILD-28, GUILD-30]"""
        assert self.declared is not None
        if table.is_set(STOPPED):
            return "it is stopped", ruling(table, "shipment_stop_settlement") == "keep_forces_lose_shipment"
        way = way_of(table, self.faction, self.declared.way)
        if way is None or self.declared.to in landings(table, self.faction, way):
            return "its power is cancelled", False
        if not _bill(table, self.faction, way, self.declared).is_covered:
            return "it cannot be paid", ruling(table, "rate_cancel") == "must_pay"
        return None

    def _free(self, play: Play) -> None:
        """What was set aside is its owners' again, to be paid or kept."""
        if self.declared and self.declared.price:
            ally = play.table.ally_of(self.faction) if self.declared.help else None
            play.emit(ShipmentFundsFreed(self.faction, ally or ""))

    def _withdrawn(self, play: Play, why: str, lost: bool) -> Next:
        """Nothing was paid; another shipment may be declared unless this one is lost. [GUILD-28]"""
        self._free(play)
        play.clear(STOPPED)
        play.emit(ShipmentWithdrawn(self.faction, why, lost))
        play.clear(TERMS)
        return self.replace(declared=None, answer=None).goto("over" if lost else "start")

    def land(self, play: Play) -> Next:
        """Pay and put the forces down; then whoever answers a landing. [SHIP-07, SHIP-19]"""
        assert self.declared is not None
        way = way_of(play.table, self.faction, self.declared.way)
        assert way is not None
        _pay(play, self.faction, way, _bill(play.table, self.faction, way, self.declared))
        lost = arrival_losses(play.table, self.faction, way, self.declared.to, self.declared.number)
        for source, kinds in self.declared.groups.items():
            play.emit(ForcesMoved(self.faction, kinds, source, self.declared.to, way.word))
        _note_landing(play, self.faction, self.declared)
        if lost:
            kinds = together(self.declared.groups)
            losing = ChooseKinds(self.faction, self.declared.to, kinds, lost, "storm", "FRE-27")
            return self.call(losing, then="landed")
        return self.goto("landed")

    def landed(self, play: Play, result: Json = None) -> Next:
        """Whoever answers a landing. [SHIP-19]"""
        assert self.declared is not None
        way = way_of(play.table, self.faction, self.declared.way)
        assert way is not None
        subject = {
            "faction": self.faction,
            "to": self.declared.to,
            "number": self.declared.number,
            "way": way.name,
            "off_planet": way.off_planet,
        }
        return self.call(Moment("shipment.landed", subject), then="over")

    def over(self, play: Play, result: Json = None) -> Next:
        """What was cancelled for this shipment alone works again. [KARAMA-02, KARAMA-08]"""
        lifted = tuple(f"cancelled.{power}" for power in play.table.names(LIFTED))
        play.clear("phase.shipping.", *lifted)
        return self.done()


def _bill(table: Table, faction: Faction, way: Way, declared: Declaration) -> Bill:
    """What is due now: the ally pays the share meant for it, and whatever the shipper lacks. [SHIP-08]"""
    unit = unit_prices(table, faction, way)[target_group(declared.to)]
    total = price(way, declared.number, unit, rate_of(table, faction, way).value)
    own, ally = _has(table, faction), table.ally_of(faction)
    help_ = min(declared.agreed, _has(table, ally)) if ally else 0
    part = min(max(declared.share, total - own), help_, total)
    return Bill(total, total - part, part, total <= own + help_)


def _has(table: Table, faction: Faction) -> int:
    """The spice that a faction can pay with: its own, and what is set aside for this shipment."""
    return table.spice_of(faction) + table.spice_of(f"escrow.{faction}")


def _pay(play: Play, faction: Faction, way: Way, bill: Bill) -> None:
    """Both shares to whom they belong; who would pay itself keeps its spice. [SHIP-07, SHIP-09, GUILD-03, GUILD-04]"""
    ally = play.table.ally_of(faction)
    for payer, amount in ((faction, bill.own), (ally, bill.help)):
        if payer is None or not amount:
            continue
        receiver = payment_goes_to(play.table, faction, payer, way).receiver
        if receiver != payer:
            play.emit(SpicePaid(payer, amount, receiver, way.word))


def _note_landing(play: Play, faction: Faction, declared: Declaration) -> None:
    """Remember arrivals in cities where a ruling says that they give no ornithopters yet. [MOVE-04]"""
    if declared.to == RESERVES or ruling(play.table, "orni_after_shipping") == "on":
        return
    if facts.territory_of(declared.to).ornithopters:
        name = landed_mark(faction, declared.to)
        play.set_public(name, play.table.count(name) + declared.number)


def _subject(table: Table, faction: Faction, way: Way, declared: Declaration) -> Subject:
    """Everything public about the declaration, and what of it may be cancelled. [WINPOL-22, WINPOL-23]"""
    rate = rate_of(table, faction, way)
    about: dict[str, str | int] = {
        "to": declared.to,
        "forces": declared.number,
        "price": declared.price,
        "help": declared.help,
        "way": way.name,
        "off_planet": int(way.off_planet),
        "full_price": int(way.off_planet and rate.value == 1 and declared.price > 0),
    }
    if way.power:
        about[CANCEL + way.power] = way.label
    for power, what in needed_powers(table, faction, way, declared.to).items():
        about[CANCEL + power] = what
    if rate.power and declared.price:
        about[CANCEL + rate.power] = rate.lines[-1].text
    ally = table.ally_of(faction)
    for payer, amount in ((faction, declared.price - declared.help), (ally, declared.help)):
        if payer and amount:
            paid = payment_goes_to(table, faction, payer, way)
            if paid.power and paid.receiver != payer:
                about[CANCEL + paid.power] = paid.lines[-1].text
    where = "its reserves" if declared.to == RESERVES else facts.name(declared.to)
    shared = f", of which {facts.name(ally)} pays {declared.help}" if ally and declared.help else ""
    text = (
        f"{facts.name(faction)} declares a {way.word} of {facts.counted(declared.number, 'force')} to {where}"
        f" for {declared.price} spice{shared}."
    )
    return Subject("shipment", faction, text, about)
