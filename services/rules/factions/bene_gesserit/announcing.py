"""Before the first shipment of a turn advisors may be turned into fighters. [BG-37, BG-38, REACT-37, REACT-38]"""

from __future__ import annotations

from services.rules.engine.cancel import cancel_window
from services.rules.engine.flow import Answers, Flow, Next
from services.rules.engine.moments import at
from services.rules.engine.offering import offer
from services.rules.engine.play import Play
from services.rules.factions.bene_gesserit import NAME
from services.rules.factions.bene_gesserit.sides import (
    ADVANCED,
    FIGHTER,
    FLIP,
    advisors_in,
    ally_is_in,
    may_hold_fighters,
    turn_all,
)
from shared.dune import facts
from shared.dune.shapes import Fields, Json, ManyOf, Option
from shared.dune.table import Table


@at("shipment.begins", rule="BG-37", order=30, modes=ADVANCED)
def before_shipping(table: Table, subject: Json) -> Flow | None:
    """Where advisors stand that may become fighters. [SHIP-03]"""
    if NAME not in table.seats:
        return None
    return Announce() if any(not option.off for option in _options(table)) else None


class Announce(Flow, tag="bene_gesserit.announce", frozen=True, omit_defaults=True):
    """All advisors of the chosen territories turn, publicly; each territory's flip may be cancelled. [BG-37, BG-48]

    `territories` are those whose advisors are still to turn.
    """

    territories: tuple[str, ...] = ()

    def start(self, play: Play) -> Next:
        """Ask for the territories; silence means none."""
        options = _options(play.table)
        made = offer(
            NAME,
            "announce_fighters",
            "Before anybody ships you may turn all your advisors of any territories into fighters.",
            Fields({"territories": ManyOf(options)}, labels={"territories": "Territories"}),
            default={"territories": []},
            rules=("BG-37", "BG-38"),
        )
        return self.ask([made], then="announced")

    def announced(self, play: Play, answers: Answers) -> Next:
        """Nothing chosen, nothing turned."""
        chosen = tuple(answers[NAME]["territories"])
        return self.replace(territories=chosen).goto("declare") if chosen else self.done()

    def declare(self, play: Play) -> Next:
        """What is announced may be cancelled, each territory by a Karama of its own. [REACT-38, WINPOL-11]"""
        chosen = self.territories
        named = " and ".join(facts.name(territory) for territory in chosen)
        text = f"{facts.name(NAME)} is about to turn its advisors in {named} into fighters."
        several = {territory: facts.name(territory) for territory in chosen} if len(chosen) > 1 else None
        window = cancel_window(FLIP, NAME, text, uses=several, territories=", ".join(chosen))
        return self.call(window, then="turn")

    def turn(self, play: Play, outcome: Json) -> Next:
        """They turn; after a cancelled flip the others are asked about again; none while the power is off. [BG-48]"""
        if outcome is None:
            for territory in self.territories:
                turn_all(play, territory, FIGHTER, "announced")
            return self.done()
        if play.ruling("karama_scope") == "whole_phase":
            return self.done()
        kept = outcome["answer"].get("use", self.territories[0])
        left = tuple(territory for territory in self.territories if territory != kept)
        return self.replace(territories=left).goto("declare") if left else self.done()


def _options(table: Table) -> tuple[Option, ...]:
    """The territories with advisors, and why those of some may not turn. [BG-38]"""
    held = [territory for territory in facts.territories() if advisors_in(table, territory)]
    return tuple(Option(territory, facts.name(territory), *_bar(table, territory)) for territory in held)


def _bar(table: Table, territory: str) -> tuple[str, str]:
    if ally_is_in(table, territory):
        return "Your ally has forces there.", "BG-38"
    places = [place for place in facts.locations_of(territory) if table.number_at(place, NAME)]
    if any(map(table.in_storm, places)):
        return "The storm is over some of them.", "BG-38"
    if not may_hold_fighters(table, territory):
        return "Two other players hold this stronghold.", "BG-38"
    return "", ""
