"""Staging: the table that a conformance case describes, checked by the same census as play. [CASES]

Anything not stated takes its usual value for that moment: forces not placed are in reserves, hands are empty, cards
not named are shuffled into their decks with the seed.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import Annotated

import msgspec
from msgspec import Meta, Struct

from services.rules.census import check_census
from services.rules.engine.chance import Chance
from services.rules.engine.flow import Flow, Frame
from services.rules.engine.game import Decision, Refusal, begin_on
from services.rules.engine.loader import load_rules
from services.rules.modules.nexus.holding import deck, discard
from services.rules.newgame import begin, complete, problem
from services.rules.phases.course import PHASES, GameFlow, PhaseFlow, phase_flow
from services.rules.phases.places import WALL, storm_order
from services.rules.phases.storm import WHEELS, first_dialers
from shared.dune import facts
from shared.dune.decks import spice_pieces, treachery_pieces
from shared.dune.events.storm import STORM_DECK, STORM_NEXT
from shared.dune.facts.nexus import has_nexus_cards, nexus_cards
from shared.dune.facts.special import specials_of
from shared.dune.facts.storm import has_storm_deck, storm_cards
from shared.dune.settings import Faction, Mode, Settings
from shared.dune.shapes import Json
from shared.dune.table import (
    BANK,
    RESERVES,
    TANKS,
    CensusError,
    Mark,
    Table,
    add_forces,
    add_pieces,
    mark,
    move_piece,
    pay,
    put,
)
from shared.dune.zones import captives_of

__all__ = ["CaseTable", "MalformedError", "SeatTable", "stage"]


class MalformedError(ValueError):
    """A case that describes no possible table: the text names the key and what was expected."""


class SeatTable(Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """One faction's part of a staged table. `forces`: place to number, or to numbers by kind; the rest is in reserves.

    A place is a location (`arrakeen:9`) or a territory of one sector. `cycle` counts deaths and revivals of leaders.
    `secrets`: what else is remembered and only this faction may see; `captives`: leaders of others that it holds;
    `nexus`: the faction on the Nexus card that it holds.
    """

    spice: int | None = None
    bribes: int = 0
    hand: tuple[str, ...] = ()
    forces: dict[str, int | dict[str, int]] = {}
    tanks: dict[str, int | list[str]] = {}
    tanks_down: tuple[str, ...] = ()
    traitors: tuple[str, ...] = ()
    ally: str = "none"
    cycle: dict[str, int] = {}
    memory: tuple[str, ...] = ()
    prediction: tuple[str, int] | None = None
    orders: tuple[str, ...] = ()
    secrets: dict[str, str | int | bool | tuple[str, ...]] = {}
    captives: tuple[str, ...] = ()
    nexus: str = ""


class CaseTable(Struct, frozen=True, kw_only=True):
    """The `[table]` of a case without its seats."""

    mode: Mode = "basic"
    modules: tuple[str, ...] = ()
    decks: tuple[str, ...] = ("base",)
    seats: tuple[Faction, ...]
    circles: tuple[int, ...] = ()
    last_turn: int = 10
    turn: Annotated[int, Meta(ge=1)] = 2
    phase: str = "storm"
    step: str = ""
    storm: Annotated[int, Meta(ge=1, le=facts.SECTORS)] = facts.SECTORS
    rulings: dict[str, str] = {}
    seed: int = 1
    spice: dict[str, int] = {}
    deck: dict[str, tuple[str, ...]] = {}
    discard: dict[str, tuple[str, ...]] = {}
    marks: dict[str, str | int | bool | tuple[str, ...]] = {}
    wall: bool = True
    wheels: tuple[Faction, ...] = ()


PILES = {"treachery": "treachery_discard", "spice_a": "spice_discard_a", "spice_b": "spice_discard_b"}


def stage(described: dict[str, Json]) -> Decision:
    """The game that a case's `[table]` describes, run to its first question; MalformedError if there is none such.

    With phase `setup` it is a new game from its first step.
    """
    load_rules()
    case, seats = _read(described)
    settings = Settings(
        case.mode, case.modules, case.decks, case.last_turn, case.seats, case.circles, case.rulings
    )
    if refusal := problem(settings):
        raise MalformedError(f"table: {refusal.text}")
    if case.phase == "setup":
        return _from_setup(settings, case.seed, seats)
    stack = _stack(case)
    chance = Chance.of(case.seed)
    table = put(
        Table(), settings=complete(settings, chance), turn=case.turn, storm=case.storm, phase=case.phase
    )
    try:
        table = _pieces(table, case, seats, chance)
        for faction in case.seats:
            table = _seat(table, faction, seats.get(faction, SeatTable()))
        for faction, seat in seats.items():
            table = _captives(table, faction, seat)
        table = _rest(table, case)
        check_census(table)
    except (CensusError, KeyError) as wrong:
        raise MalformedError(f"table: impossible: {wrong}") from wrong
    return begin_on(table, stack, case.seed)


def _from_setup(settings: Settings, seed: int, seats: dict[Faction, SeatTable]) -> Decision:
    """A game from its very beginning, as a room starts it: nothing is laid out yet. [START-01]"""
    if seats:
        raise MalformedError(
            f"table.{next(iter(seats))}: at setup nothing is laid out yet, leave the seats out"
        )
    began = begin(settings, seed)
    assert not isinstance(began, Refusal)
    return began


def _read(described: dict[str, Json]) -> tuple[CaseTable, dict[Faction, SeatTable]]:
    known = {field.name for field in msgspec.structs.fields(CaseTable)}
    seats: dict[Faction, SeatTable] = {}
    where = "table"
    try:
        case = msgspec.convert({k: v for k, v in described.items() if k in known}, CaseTable)
        for key in described.keys() - known:
            if key not in case.seats:
                raise MalformedError(
                    f"table.{key}: neither a key of a table nor one of its seats {case.seats}"
                )
            where = f"table.{key}"
            seats[key] = msgspec.convert(described[key], SeatTable)
    except msgspec.ValidationError as wrong:
        raise MalformedError(f"{where}: {wrong}") from wrong
    return case, seats


def _stack(case: CaseTable) -> tuple[Frame, ...]:
    if case.phase not in PHASES:
        raise MalformedError(f"table.phase: {case.phase!r} is none of setup, {', '.join(PHASES)}")
    if case.step and (hasattr(Flow, case.step) or not hasattr(phase_flow(case.phase), case.step)):
        raise MalformedError(f"table.step: {case.step!r} is no step of the phase {case.phase}")
    if not case.step:
        return (Frame(GameFlow(case.phase), "begin_phase"),)
    root = Frame(GameFlow(case.phase), "phase_over")
    return (root, Frame(PhaseFlow(case.phase), "ends"), Frame(phase_flow(case.phase), case.step))


class _Pool:
    """Copies of cards not yet laid anywhere, so that a case may name a face and gets a piece of it."""

    def __init__(self, pieces: Iterable[str]) -> None:
        self._left = list(pieces)

    def take(self, name: str) -> str:
        """A piece of this face, or this very piece."""
        found = name if name in self._left else next((p for p in self._left if facts.face(p) == name), None)
        if found is None:
            raise CensusError(f"no {name!r} is left to lay")
        self._left.remove(found)
        return found

    def rest(self, chance: Chance) -> tuple[str, ...]:
        """What is left, shuffled."""
        return chance.shuffled(self._left)


def _pieces(table: Table, case: CaseTable, seats: dict[Faction, SeatTable], chance: Chance) -> Table:
    treachery, spice = _Pool(treachery_pieces(case.decks)), _Pool(spice_pieces())
    traitors = _Pool(f"traitor:{leader}" for f in case.seats for leader in facts.leaders_of(f))
    for faction, seat in seats.items():
        table = add_pieces(table, f"hand.{faction}", [treachery.take(card) for card in seat.hand])
        table = add_pieces(
            table, f"traitors.{faction}", [traitors.take(f"traitor:{name}") for name in seat.traitors]
        )
    for pile, cards in case.discard.items():
        if pile == "nexus":
            continue
        pool = treachery if pile == "treachery" else spice
        table = add_pieces(table, PILES[pile], [pool.take(_spice_name(card)) for card in cards])
    top = [treachery.take(card) for card in case.deck.get("treachery", ())]
    table = add_pieces(table, "treachery_deck", (*top, *treachery.rest(chance)))
    top = [spice.take(_spice_name(card)) for card in case.deck.get("spice", ())]
    table = add_pieces(table, "spice_deck", (*top, *spice.rest(chance)))
    if has_storm_deck(table.settings):
        table = _storm_deck(table, case, chance)
    if has_nexus_cards(table.settings.modules):
        table = _nexus_cards(table, case, seats, chance)
    return add_pieces(table, "traitor_deck", traitors.rest(chance))


def _storm_deck(table: Table, case: CaseTable, chance: Chance) -> Table:
    """The next card lies drawn, but for the first storm of the game. [START-22, STORM-07]"""
    pool = _Pool(storm_cards())
    top = [pool.take(card) for card in case.deck.get("storm", ())]
    cards = (*top, *pool.rest(chance))
    drawn = 0 if case.turn == 1 and case.phase == "storm" else 1
    table = add_pieces(table, STORM_NEXT, cards[:drawn])
    return add_pieces(table, STORM_DECK, cards[drawn:])


def _nexus_cards(table: Table, case: CaseTable, seats: dict[Faction, SeatTable], chance: Chance) -> Table:
    """Those held and discarded as described, the rest in the deck; named by the factions on them. [NEXUS-04]"""
    pool = _Pool(nexus_cards())
    for faction, seat in seats.items():
        if seat.nexus:
            table = add_pieces(table, f"nexus.{faction}", [pool.take(f"nexus_{seat.nexus}")])
    gone = [pool.take(f"nexus_{name}") for name in case.discard.get("nexus", ())]
    top = [pool.take(f"nexus_{name}") for name in case.deck.get("nexus", ())]
    table = add_pieces(table, discard(table), gone)
    return add_pieces(table, deck(table), (*top, *pool.rest(chance)))


def _spice_name(card: str) -> str:
    return f"spice_{card}" if f"spice_{card}" in facts.spice_cards() else card


def _seat(table: Table, faction: Faction, seat: SeatTable) -> Table:
    fact = facts.faction(faction)
    table = pay(table, fact.spice if seat.spice is None else seat.spice, BANK, faction)
    table = pay(table, seat.bribes, BANK, f"bribe.{faction}")
    left = Counter(facts.forces_of(faction, table.settings.mode))
    for place, given in seat.forces.items():
        kinds = given if isinstance(given, dict) else {"regular": given}
        table = add_forces(table, _location(place), faction, kinds)
        left.subtract(kinds)
    dead = {kind: number for kind, number in seat.tanks.items() if isinstance(number, int)}
    table = add_forces(table, TANKS, faction, dead)
    left.subtract(dead)
    table = add_forces(table, RESERVES, faction, _in_reserves(faction, left))
    return _leaders(table, faction, seat)


def _in_reserves(faction: Faction, left: Counter[str]) -> dict[str, int]:
    """What is not placed, by kind: a force that lies on another side than it has in reserves is a normal one there."""
    known = ("regular", facts.elite_kind(faction))
    turned = sum(number for kind, number in left.items() if kind not in known)
    left["regular"] += turned
    return {kind: left[kind] for kind in known if left[kind]}


def _leaders(table: Table, faction: Faction, seat: SeatTable) -> Table:
    killed = seat.tanks.get("leaders", [])
    dead = list(killed) if isinstance(killed, list) else []
    alive = [leader for leader in facts.leaders_of(faction) if leader not in (*dead, *seat.tanks_down)]
    specials = [special for special in specials_of(faction, table.settings.mode) if special not in dead]
    table = add_pieces(table, f"leaders.{faction}", alive)
    table = add_pieces(table, f"special_leaders.{faction}", specials)
    table = add_pieces(table, f"tanks.{faction}", dead)
    table = add_pieces(table, f"tanks_down.{faction}", seat.tanks_down)
    cycle = {**dict.fromkeys(dead, 1), **dict.fromkeys(seat.tanks_down, 3), **seat.cycle}
    table = put(table, leader_cycle={**table.leader_cycle, **cycle})
    if seat.memory:
        table = put(table, memory={**table.memory, faction: seat.memory})
    if seat.prediction:
        value = (seat.prediction[0], str(seat.prediction[1]))
        table = mark(table, f"prediction.{faction}", Mark(value, (faction,)))
        table = mark(table, f"has_predicted.{faction}", Mark(True, public=True))
    for name, secret in seat.secrets.items():
        table = mark(table, name, Mark(secret, (faction,)))
    if seat.orders:
        table = mark(table, f"orders.{faction}", Mark(seat.orders, (faction,)))
    if seat.ally != "none":
        table = put(table, allies={**table.allies, faction: seat.ally, seat.ally: faction})
    return table


def _captives(table: Table, captor: Faction, seat: SeatTable) -> Table:
    for leader in seat.captives:
        owner = facts.leader(leader).faction
        table = move_piece(table, leader, f"leaders.{owner}", captives_of(owner, captor))
    return table


def _location(place: str) -> str:
    if place in facts.locations() or place in (RESERVES, TANKS):
        return place
    found = facts.locations_of(place)
    if len(found) != 1:
        raise MalformedError(f"forces: {place} has several sectors, name one of {', '.join(found)}")
    return found[0]


def _rest(table: Table, case: CaseTable) -> Table:
    for place, amount in case.spice.items():
        found = place if place in facts.locations() else _blow_location(place)
        table = pay(table, amount, BANK, found)
    for name, value in case.marks.items():
        table = mark(table, name, Mark(value, public=True))
    if not case.wall:
        table = mark(table, WALL, Mark(True, public=True))
    wheels = case.wheels or first_dialers(table)
    return put(mark(table, WHEELS, Mark(wheels, public=True)), order=storm_order(table))


def _blow_location(territory: str) -> str:
    """A territory's spice icon, or its only sector. [MAP-10]"""
    for place in facts.locations_of(territory):
        if facts.location(place).spice_blow:
            return place
    return _location(territory)
