"""The census: every piece in one zone, forces conserved, spice accounted for, marks well-formed. [GEN-14, GEN-15]"""

from __future__ import annotations

from collections import Counter

from shared.dune import facts
from shared.dune.decks import spice_pieces, treachery_pieces
from shared.dune.facts.forces import stays
from shared.dune.facts.nexus import has_nexus_cards, nexus_cards
from shared.dune.facts.special import specials_of
from shared.dune.facts.storm import has_storm_deck, storm_cards
from shared.dune.table import BANK, RESERVES, TANKS, CensusError, Table, all_pieces, zone

__all__ = ["check_census"]


def check_census(table: Table) -> None:
    """CensusError with what is wrong, if anything physical is doubled, lost or below zero."""
    _pieces(table)
    _forces(table)
    if total := sum(table.spice.values()):
        raise CensusError(f"spice does not add up: {total} too much")
    for holder, amount in table.spice.items():
        if amount < 0 and holder != BANK:
            raise CensusError(f"{holder} has {amount} spice")
    for one, other in table.allies.items():
        if one == other or other not in table.seats:
            raise CensusError(f"{one} is allied with {other}, who is nobody else in play")
        if table.allies.get(other) != one:
            raise CensusError(f"{one} is allied with {other} but not the other way round")


def _pieces(table: Table) -> None:
    held = Counter(piece for piece, _ in all_pieces(table))
    if doubled := [piece for piece, number in held.items() if number > 1]:
        raise CensusError(f"in two places at once: {', '.join(doubled)}")
    wanted = len(treachery_pieces(table.settings.decks)) + len(spice_pieces())
    wanted += sum(2 * len(facts.leaders_of(faction)) for faction in table.seats)
    wanted += len(storm_cards()) if has_storm_deck(table.settings) else 0
    wanted += len(nexus_cards()) if has_nexus_cards(table.settings.modules) else 0
    wanted += sum(len(specials_of(faction, table.settings.mode)) for faction in table.seats)
    if len(held) != wanted:
        raise CensusError(f"{len(held)} pieces are on the table, {wanted} belong there")
    for faction in table.seats:
        cards = zone(table, f"nexus.{faction}")
        if len(cards) > 1 or (cards and table.ally_of(faction) is not None):
            raise CensusError(
                f"{faction} holds {', '.join(cards)}: one Nexus card at most, and none with an ally"
            )


def _forces(table: Table) -> None:
    held: dict[str, Counter[str]] = {}
    for by_faction in table.forces.values():
        for faction, kinds in by_faction.items():
            held.setdefault(faction, Counter()).update(kinds)
            if any(number <= 0 for number in kinds.values()):
                raise CensusError(f"{faction} has a stack of {kinds}")
    for faction in table.seats:
        found = held.get(faction, Counter())
        if not found and table.phase == "setup":
            continue
        if strange := found.keys() - facts.kinds_on_board(faction, table.settings.mode):
            raise CensusError(f"{faction} has no forces of the kinds {', '.join(sorted(strange))}")
        if (total := found.total()) != facts.FORCES:
            raise CensusError(f"{faction} has {total} forces, not {facts.FORCES}")
        for kind, number in facts.forces_of(faction, table.settings.mode).items():
            if kind != "regular" and found[kind] != number:
                raise CensusError(f"{faction} has {found[kind]} {facts.name(kind)}, not {number}")
    _sides(table)


def _sides(table: Table) -> None:
    """Forces of two sides: off the board they have none, and in one territory all lie on the same. [BG-21, BG-22]"""
    for place, by_faction in table.forces.items():
        for faction, kinds in by_faction.items():
            if place in (RESERVES, TANKS) and not stays().isdisjoint(kinds):
                raise CensusError(f"{faction} has {kinds} in {place}, where forces have no side")
    for territory in facts.territories():
        for faction, number in table.occupants_of(territory).items():
            if number != table.factions_in(territory)[faction]:
                raise CensusError(f"{faction} has forces of both sides in {territory}")
