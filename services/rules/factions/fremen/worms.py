"""Fremen and the worms: immunity, protection of the ally, rides. [FRE-08..FRE-17, FRE-31, FRE-39, FRE-40]"""

from __future__ import annotations

import msgspec

from services.rules.engine.cancel import cancel_window
from services.rules.engine.flow import Answers, Flow, Next
from services.rules.engine.hooks import contributes
from services.rules.engine.moments import Moment, at
from services.rules.engine.offering import offer, yes_no
from services.rules.engine.play import Play
from services.rules.engine.rulings import ruling
from services.rules.factions.fremen import NAME
from services.rules.phases.groups import Groups, cleaned, number_of, under_storm
from services.rules.phases.places import may_enter_stronghold
from services.rules.phases.presence import parting_in
from services.rules.phases.worm import WormSpares, devour_forces
from shared.dune import facts
from shared.dune.events.forces import ForcesMoved
from shared.dune.offers import Offer
from shared.dune.shapes import Alike, Fields, Json, Source, Transfer, Variant, targets_of
from shared.dune.table import Table, forces_at

IMMUNITY, PROTECTION, RIDE = "fremen.immunity", "fremen.protection", "fremen.ride"
EATEN = "worm.immunity_lost"
"""Public mark: immunity to the worm now appearing was cancelled. [FRE-39]"""
SPARED = "worm.ally_protected"
"""Public mark: the ally's forces are protected from the worm now appearing. [FRE-31]"""
RIDES = "phase.rides"
"""Public mark: the territories in which Fremen may ride, in the order in which their worms appeared. [FRE-10]"""
NO_RIDES = "turn.no_rides"
"""Public mark: whoever stops rides for the rest of the turn sets it; a ride that has arrived stays. [FRE-09]"""


@contributes(WormSpares, rule="FRE-08")
def spares_fremen(spares: WormSpares, table: Table) -> WormSpares:
    """Fremen forces are not devoured, unless that was cancelled. [FRE-08, BLOW-13]"""
    if spares.faction != NAME or table.is_set(EATEN):
        return spares
    return spares.step(1, "Worms do not devour Fremen", "FRE-08")


@contributes(WormSpares, rule="FRE-31")
def spares_ally(spares: WormSpares, table: Table) -> WormSpares:
    """The ally's forces are spared if Fremen said so. [FRE-31, BLOW-14]"""
    if not table.are_allied(NAME, spares.faction) or not table.is_set(SPARED):
        return spares
    return spares.step(1, "Fremen protect their ally from the worm", "FRE-31")


@at("worm.devours", rule="FRE-08")
def before_devouring(table: Table, territory: Json) -> Flow | None:
    """Fremen or their ally stand where a worm is about to devour."""
    there = table.factions_in(territory)
    concerned = NAME in table.seats and (NAME in there or table.ally_of(NAME) in there)
    return WormMercy(territory) if concerned else None


class WormMercy(Flow, tag="fremen.worm_mercy", frozen=True, omit_defaults=True):
    """Protect the ally or not, then the windows to cancel immunity and protection. [REACT-11, REACT-12, REACT-13]"""

    territory: str

    def start(self, play: Play) -> Next:
        """Ask about the ally first, if it has forces there. [REACT-11]"""
        if play.table.ally_of(NAME) not in play.table.factions_in(self.territory):
            return self.goto("immunity")
        return self.ask([self._offer(play.table)], then="answered")

    def answered(self, play: Play, answers: Answers) -> Next:
        """Remember the word until the worm has devoured."""
        if answers[NAME]["do"] == "yes":
            play.set_public(SPARED, True)
        return self.goto("immunity")

    def immunity(self, play: Play) -> Next:
        """Fremen forces there are immune, if nobody cancels it. [REACT-12]"""
        if NAME not in play.table.factions_in(self.territory):
            return self.goto("protection")
        text = f"Fremen forces in {facts.name(self.territory)} are about to be spared by the worm."
        return self.call(cancel_window(IMMUNITY, NAME, text, territory=self.territory), then="immune")

    def immune(self, play: Play, outcome: Json) -> Next:
        """Cancelled: they are devoured like others. [FRE-39]"""
        if outcome is not None:
            play.set_public(EATEN, True)
        return self.goto("protection")

    def protection(self, play: Play) -> Next:
        """The ally is protected, if nobody cancels it. [REACT-13]"""
        if not play.table.is_set(SPARED):
            return self.done()
        text = f"Fremen protect their ally in {facts.name(self.territory)} from the worm."
        return self.call(cancel_window(PROTECTION, NAME, text, territory=self.territory), then="protected")

    def protected(self, play: Play, outcome: Json) -> Next:
        """Cancelled: the ally's forces are devoured. [FRE-40]"""
        if outcome is not None:
            play.set_public(SPARED, False)
        return self.done()

    def _offer(self, table: Table) -> Offer:
        ally = table.allies[NAME]
        place = facts.name(self.territory)
        why = f"A worm is about to devour the forces of {facts.name(ally)} in {place}."
        choice = yes_no("Protect them", "Let them be devoured")
        about: dict[str, str | int | bool | list[str] | dict[str, int] | None]
        about = {"territory": self.territory, "ally": ally}
        return offer(
            NAME, "protect_ally", why, choice, default={"do": "yes"}, about=about, rules=("FRE-31", "BLOW-14")
        )


@at("worm.appeared", rule="FRE-09")
def after_devouring(table: Table, territory: Json) -> Flow | None:
    """A worm that finds Fremen forces can be ridden later; another finds none. [FRE-09, FRE-11, FRE-17]"""
    return NoteRide(territory) if NAME in table.factions_in(territory) else None


class NoteRide(Flow, tag="fremen.note_ride", frozen=True, omit_defaults=True):
    """Remember one worm to ride after the Nexus. [FRE-10]"""

    territory: str

    def start(self, play: Play) -> Next:
        """One more at the end of the list."""
        play.set_public(RIDES, (*play.table.names(RIDES), self.territory))
        return self.done()


@at("nexus.over", rule="FRE-09")
def after_nexus(table: Table, pile: Json) -> Flow | None:
    """The worms of the blow are ridden now. [BLOW-19]"""
    return Rides() if table.names(RIDES) else None


class Rides(Flow, tag="fremen.rides", frozen=True, omit_defaults=True):
    """The rides of one blow, one by one in the order in which the worms appeared. [FRE-10, FRE-11, REACT-17, REACT-18]

    `territory`, `sources` and `target` hold the ride now declared. Moment `ride.due` (subject: its worm's territory): a
    ride that nobody has cancelled, before it takes place; a guest may stop all rides by the mark `turn.no_rides`.
    """

    territory: str = ""
    sources: Groups = msgspec.field(default_factory=dict)
    target: str = ""

    def start(self, play: Play) -> Next:
        """Take the next worm."""
        waiting = play.table.names(RIDES)
        if not waiting:
            return self.done()
        if play.table.is_set(NO_RIDES):
            play.clear(RIDES)
            return self.done()
        if waiting[1:]:
            play.set_public(RIDES, waiting[1:])
        else:
            play.clear(RIDES)
        return Rides(waiting[0]).goto("choose")

    def choose(self, play: Play) -> Next:
        """Ask, if any force can ride it to anywhere. [REACT-17]"""
        transfer = ride_choices(play.table, (self.territory,))
        if not transfer.open_targets():
            return self.goto("start")
        return self.ask([ride_offer(self.territory, transfer)], then="chosen")

    def chosen(self, play: Play, answers: Answers) -> Next:
        """Declared: others may cancel it. [REACT-18]"""
        answer = answers[NAME]
        if answer["do"] == "stay":
            return self.goto("start")
        sources, target = cleaned(answer["move"]["from"]), answer["move"]["to"]
        flow, number = self.replace(sources=sources, target=target), number_of(sources)
        where = f"from {facts.name(self.territory)} to {facts.name(target)}"
        text = f"Fremen ride a worm with {facts.counted(number, 'force')} {where}."
        window = cancel_window(RIDE, NAME, text, territory=self.territory, target=target, forces=number)
        return flow.call(window, then="ride")

    def ride(self, play: Play, outcome: Json) -> Next:
        """Cancelled, all Fremen forces there are devoured, or by ruling they stay. [FRE-39, FRE-16]"""
        if outcome is not None:
            if play.ruling("ride_cancel") == "devour_when_riding":
                devour_forces(play, NAME, self.territory)
            return self.goto("start")
        return self.call(Moment("ride.due", self.territory), then="carry")

    def carry(self, play: Play, result: Json) -> Next:
        """They arrive, unless rides were stopped meanwhile: then they stay where they are. [FRE-16]"""
        if play.table.is_set(NO_RIDES):
            return self.goto("start")
        return self.call(carried(play, self.sources, self.target), then="arrived")

    def arrived(self, play: Play, result: Json) -> Next:
        """The next worm."""
        return self.goto("start")


def carried(play: Play, sources: Groups, target: str) -> Moment:
    """The riders are where they wanted to go; the moment is for whoever answers an arrival. [FRE-15, FRE-16]"""
    for place, kinds in sources.items():
        play.emit(ForcesMoved(NAME, kinds, place, target, "worm ride"))
    ground = facts.territory_of(target).id
    entered = any(facts.territory_of(place).id != ground for place in sources)
    subject = {"faction": NAME, "to": target, "number": number_of(sources), "entered": entered}
    return Moment("ride.arrived", subject)


def ride_offer(territory: str, transfer: Transfer, why: str = "") -> Offer:
    """The question whether a worm is ridden. [REACT-17]"""
    why = why or f"A worm has appeared in {facts.name(territory)}: your forces there may ride it."
    variants = {"stay": Fields({}), "ride": Fields({"move": transfer}, labels={"move": "Ride"})}
    choice = Variant(variants, {"stay": "Stay", "ride": "Ride the worm"})
    return offer(
        NAME,
        "worm_ride",
        why,
        choice,
        default={"do": "stay"},
        about={"territory": territory},
        rules=("FRE-09", "FRE-12", "FRE-13", "FRE-14"),
    )


def ride_choices(table: Table, territories: tuple[str, ...]) -> Transfer:
    """Which Fremen forces of which one of these territories may ride to where. [FRE-09, FRE-12, FRE-13, FRE-14]"""
    through_storm = ruling(table, "fremen_ride_storm") == "on"
    sources: list[Source] = []
    for territory in territories:
        stacks = forces_at(table, facts.locations_of(territory), NAME)
        free = {place: kinds for place, kinds in stacks.items() if through_storm or not table.in_storm(place)}
        sources += [Source(place, kinds, facts.name(place)) for place, kinds in free.items()]
    found: dict[Alike, list[str]] = {}
    for place in facts.locations():
        bars = {s.place: _bar(table, s.place, place, through_storm) for s in sources if s.place != place}
        if origins := tuple(source for source, (off, _) in bars.items() if not off):
            found.setdefault(Alike(origins), []).append(place)
        elif bars:
            off, rule = next(iter(bars.values()))
            found.setdefault(Alike(tuple(bars), off=off, rule=rule), []).append(place)
    held = [place for territory in territories for place in facts.locations_of(territory)]
    barred = () if through_storm else under_storm(table, NAME, held, "STORM-22")
    return Transfer(tuple(sources), targets_of(found), rule="FRE-09", barred=barred)


def _bar(table: Table, source: str, place: str, through_storm: bool) -> tuple[str, str]:
    """Why a ride from a location may not end at another, with the rule; empty if it may."""
    origin, target = facts.territory_of(source).id, facts.territory_of(place).id
    if table.in_storm(place) and not through_storm:
        return "The storm is there.", "FRE-12"
    if not may_enter_stronghold(table, NAME, target):
        return "Two other factions are there.", "FRE-13"
    ally = table.ally_of(NAME)
    meets_ally = ally is not None and target != origin and parting_in(table, target, ally) > 0
    if meets_ally and place != facts.POLAR_SINK:
        return "Your ally has forces there.", "FRE-14"
    return "", ""
