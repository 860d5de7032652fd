"""The Nexus: alliances are broken, offered and made, all at the same time. [NEXUSPHASE-01..NEXUSPHASE-12, REACT-16]"""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

from services.rules.engine.flow import Flow, Given, Next
from services.rules.engine.moments import Moment
from services.rules.engine.offering import offer
from services.rules.engine.play import Play
from services.rules.phases.duel import is_duel
from shared.dune import facts
from shared.dune.events.nexus import (
    PROPOSALS,
    AllianceBroken,
    AllianceMade,
    AllianceProposed,
    NexusBegan,
    NexusEnded,
)
from shared.dune.offers import Offer
from shared.dune.settings import Faction
from shared.dune.shapes import Fields, Json, Off, OneOf, Option, Variant
from shared.dune.table import Table

__all__ = ["Nexus"]

DONE: Json = {"do": "done"}


class Nexus(Flow, tag="nexus", frozen=True, omit_defaults=True):
    """One Nexus. `finished`: who has declared itself done since the last change; `entered`: who has a new ally."""

    finished: tuple[Faction, ...] = ()
    entered: tuple[Faction, ...] = ()

    def start(self, play: Play) -> Next:
        """Open it."""
        play.emit(NexusBegan(play.table.turn))
        return self.goto("talk")

    def talk(self, play: Play) -> Next:
        """Ask everybody who is not done and could do something; nobody: the Nexus is over. [NEXUSPHASE-09]"""
        offers = [
            made
            for seat in play.table.seats
            if seat not in self.finished and (made := self._offer(play.table, seat))
        ]
        if not offers:
            return self.goto("over")
        return self.ask(offers, then="heard", each=True)

    def heard(self, play: Play, given: Given) -> Next:
        """Each answer counts as it comes. [NEXUSPHASE-02, NEXUSPHASE-03, NEXUSPHASE-08]"""
        seat, answer = given.seat, given.answer
        if answer["do"] == "done":
            return self.replace(finished=(*self.finished, seat)).goto("talk")
        if answer["do"] == "propose":
            play.emit(AllianceProposed(seat, answer["to"]))
            return self.replace(finished=_without(self.finished, answer["to"])).goto("talk")
        if answer["do"] == "accept":
            pair = (answer["from"], seat)
            play.emit(AllianceMade(*pair))
            return self.replace(finished=(), entered=(*self.entered, *pair)).goto("talk")
        ally = play.table.allies[seat]
        play.emit(AllianceBroken(seat, ally))
        return self.replace(finished=()).call(Moment("alliance.broken", [seat, ally]), then="broken")

    def broken(self, play: Play, result: Json) -> Next:
        """Go on after whatever an end of an alliance brings with it."""
        return self.goto("talk")

    def over(self, play: Play) -> Next:
        """Offers lapse. [NEXUSPHASE-08]"""
        play.emit(NexusEnded(play.table.turn))
        return self.done()

    def _offer(self, table: Table, seat: Faction) -> Offer | None:
        """What a seat may do; None if it may do nothing, so that it need not be asked."""
        others = tuple(
            _Other(other, table.ally_of(other) is not None, other in self.entered)
            for other in table.seats
            if other != seat
        )
        return _offer(
            seat,
            table.ally_of(seat),
            seat in self.entered,
            others,
            is_duel(table),
            frozenset(row for row in table.names(PROPOSALS) if seat in row.split(">")),
        )


class _Other(NamedTuple):
    """What decides whether a faction can become an ally: whether it has one, or has made one in this Nexus."""

    faction: Faction
    has_ally: bool
    has_entered: bool


@lru_cache(maxsize=256)
def _offer(
    seat: Faction,
    ally: Faction | None,
    has_entered: bool,
    others: tuple[_Other, ...],
    duel: bool,
    proposals: frozenset[str],
) -> Offer | None:
    """The question to a seat, which follows from these alone: all are asked again after each word of anybody."""
    variants: dict[str, Fields] = {}
    labels = {"done": "I am done"}
    off: dict[str, Off] = {}
    if ally:
        variants["break"] = Fields({})
        labels["break"] = f"End the alliance with {facts.name(ally)}"
    options = [
        _options(seat, other.faction, _bar(ally, has_entered, other, duel), proposals) for other in others
    ]
    _add(variants, off, "propose", "to", [option for option, _ in options])
    _add(variants, off, "accept", "from", [option for _, option in options])
    if not variants:
        return None
    labels.update(propose="Offer an alliance", accept="Accept an offer")
    variants["done"] = Fields({})
    why = "Nexus: alliances may be made and broken. It ends when everybody is done."
    return offer(
        seat,
        "nexus",
        why,
        Variant(variants, labels, off),
        default=DONE,
        rules=("NEXUSPHASE-01", "NEXUSPHASE-09"),
        clock="nexus",
    )


def _options(
    seat: Faction, other: Faction, barred: tuple[str, str], proposals: frozenset[str]
) -> tuple[Option, Option]:
    """Another faction as somebody to make an offer to, and as somebody whose offer to accept."""
    name = facts.name(other)
    made, received = (row in proposals for row in (f"{seat}>{other}", f"{other}>{seat}"))
    propose = accept = barred
    if not barred[0]:
        if made:
            propose = ("You have made this offer.", "NEXUSPHASE-08")
        elif received:
            propose = ("It has made you an offer: accept it.", "NEXUSPHASE-03")
        if not received:
            accept = ("It has made you no offer.", "NEXUSPHASE-03")
    return Option(other, name, *propose), Option(other, name, *accept)


def _bar(ally: Faction | None, has_entered: bool, other: _Other, duel: bool) -> tuple[str, str]:
    """Why two factions cannot become allies now, with the rule; empty if they can."""
    if duel:
        return "There are no alliances in a game of two.", "NEXUSPHASE-11"
    if has_entered:
        return "You have made a new alliance in this Nexus already.", "NEXUSPHASE-04"
    if other.has_entered:
        return "It has made a new alliance in this Nexus already.", "NEXUSPHASE-04"
    if ally:
        return "You have an ally.", "NEXUSPHASE-05"
    if other.has_ally:
        return "It has an ally.", "NEXUSPHASE-05"
    return "", ""


def _add(
    variants: dict[str, Fields],
    off: dict[str, Off],
    name: str,
    field: str,
    options: list[Option],
) -> None:
    """Put a thing to do where it belongs: open if some faction can be chosen, else off with the first reason."""
    if any(not option.off for option in options):
        variants[name] = Fields({field: OneOf(tuple(options))}, labels={field: "Faction"})
    elif options:
        off[name] = Off(options[0].off, options[0].rule)


def _without(seats: tuple[Faction, ...], gone: Faction) -> tuple[Faction, ...]:
    return tuple(seat for seat in seats if seat != gone)
