"""Other worlds: the same game with everything changed that one audience may not know, and nothing else."""

from __future__ import annotations

import random

import msgspec

from services.rules.engine.chance import Chance
from services.rules.engine.flow import encode_stack
from services.rules.engine.game import Decision, Game, answer, renewed
from services.rules.engine.orders import order_mark
from services.rules.phases.battle_plan import clash_now
from services.rules.phases.battle_shown import impossible_element
from shared.dune.events.pieces import hidden_cycle
from shared.dune.facts import face
from shared.dune.table import BANK, Mark, Piece, Table, mark, pay, put
from shared.dune.zones import kind_of, owner_of, parties_of, veiled_by

FAMILIES = ("treachery", "traitor", "spice", "storm", "nexus")
"""Families of pieces that lie hidden: hands, decks, traitors, the order of the spice deck, storm and Nexus cards."""


def other_world(game: Game, seat: str, rng: random.Random) -> Game | None:
    """The same game with hidden pieces, spice, secrets and future chance changed; None where nothing can be.

    What a flow or a mark names stays where it is: a card that one player has shown another is still held there.
    """
    told = [held.value for held in game.table.marks.values()]
    text = (bytes(encode_stack(game.stack)) + msgspec.json.encode(told)).decode()
    table = _with_other_pieces(game.table, seat, text, rng)
    table = _with_other_captives(table, seat, text, rng)
    table = _with_other_spice(table, seat, rng)
    table = _with_other_secrets(table, seat, rng)
    table = _with_other_orders(table, seat, rng)
    if table == game.table or _never_came(table) or not _sealed_beneath_holds(game, table):
        return None
    chance = rng.choice((game.chance, Chance.of(rng.randrange(1 << 62)).state))
    return _answered(game, renewed(msgspec.structs.replace(game, table=table, chance=chance)))


def _never_came(table: Table) -> bool:
    """Whether a hand in this world would have shown another element of its plan than it did. [ATR-15]"""
    clash = clash_now(table)
    return clash is not None and impossible_element(table, clash) is not None


def _sealed_beneath_holds(game: Game, table: Table) -> bool:
    """Whether what was sealed in a question that something interrupted could have been answered so in this world."""
    for depth, frame in enumerate(game.stack[:-1], start=1):
        if frame.answers and frame.asked_by:
            beneath = msgspec.structs.replace(game, table=table, stack=game.stack[:depth])
            if set(frame.answers) - set(renewed(beneath).stack[-1].answers):
                return False
    return True


def _answered(game: Game, other: Game) -> Game:
    """Whoever has answered here has answered there: the default, where what it sealed is not legal there."""
    pending = {offer.seat for offer in game.open if offer.committed is None}
    for offer in other.open:
        if offer.committed is None and offer.seat not in pending:
            given = answer(other, offer.seat, offer.id, offer.default)
            assert isinstance(given, Decision)
            other = msgspec.structs.replace(given.game, sequences=game.sequences)
    return other


def _with_other_pieces(table: Table, seat: str, pinned: str, rng: random.Random) -> Table:
    """Pieces of one family that the seat sees nowhere change places among zones that it cannot see into."""
    for family in FAMILIES:
        hidden = [
            name
            for name in table.zones
            if kind_of(name).family == family
            and not (kind_of(name).visibility == "public" or owner_of(name) == seat)
        ]
        known = {entry.partition("=")[2] for entry in table.memory.get(seat, ())} | _played_openly(table)
        loose = [p for n in hidden for p in table.zones[n] if f'"{p}"' not in pinned and p not in known]
        mixed = loose[:]
        rng.shuffle(mixed)
        table = swapped(table, dict(zip(loose, mixed, strict=True)))
        table = _with_other_copies(table, hidden, pinned, rng)
    return table


def _played_openly(table: Table) -> set[Piece]:
    """Cards that all have seen played but that are not discarded yet: a Truthtrance being asked. [CARD-10]"""
    return {
        card
        for asker in table.names("truth.askers")
        for card in table.hand(asker)
        if face(card) == "truthtrance"
    }


def _with_other_copies(table: Table, hidden: list[str], pinned: str, rng: random.Random) -> Table:
    """Copies of one card that the seat cannot see now change places, also where it was once shown one of them."""
    faces: dict[str, list[Piece]] = {}
    for piece in (p for name in hidden for p in table.zones.get(name, ()) if f'"{p}"' not in pinned):
        faces.setdefault(face(piece), []).append(piece)
    for copies in faces.values():
        mixed = copies[:]
        rng.shuffle(mixed)
        table = swapped(table, dict(zip(copies, mixed, strict=True)))
    return table


def swapped(table: Table, to: dict[Piece, Piece]) -> Table:
    """The table with these pieces in each other's place."""
    zones = {name: tuple(to.get(p, p) for p in pieces) for name, pieces in table.zones.items()}
    return put(table, zones=zones)


def _with_other_captives(table: Table, seat: str, pinned: str, rng: random.Random) -> Table:
    """Another leader was captured, or killed unseen: one that could be it, for all that the seat knows. [SECRET-09]"""
    for name in [name for name in table.zones if veiled_by(name) and seat not in parties_of(name)]:
        pool = table.zones.get(veiled_by(name), ())
        free = [one for one in pool if f"phase.leader_at.{one}" not in table.marks]
        for taken in table.zones[name]:
            other = rng.choice([taken, *free])
            if other != taken and not any(f'"{one}"' in pinned for one in (taken, other)):
                table = _renamed(swapped(table, {taken: other, other: taken}), taken, other)
                free = [taken if one == other else one for one in free]
    return table


def _renamed(table: Table, one: Piece, other: Piece) -> Table:
    """What is remembered in secret of one leader is remembered of the other."""
    unseen = hidden_cycle(one)
    held = table.marks.get(unseen)
    return mark(mark(table, hidden_cycle(other), held), unseen, None) if held else table


def _with_other_secrets(table: Table, seat: str, rng: random.Random) -> Table:
    """What others remember without this seat: predictions, promises between allies, losses that are counted."""
    for name, held in table.marks.items():
        if held.public or seat in held.seen_by:
            continue
        kind, value = name.partition(".")[0], held.value
        if kind == "prediction":
            others = [f for f in table.seats if f != name.partition(".")[2]]
            value = (rng.choice(others), str(rng.randint(1, table.settings.last_turn)))
        elif kind == "promise" and isinstance(value, tuple):
            value = (value[0], str(rng.randint(0, 20)))
        elif name == "kwisatz_haderach.lost":
            value = rng.randint(0, 12)
        table = mark(table, name, msgspec.structs.replace(held, value=value))
    return table


ORDERS = ((), ("window.*=pass@game",), ("small=pass@game",), ("window.cancel.*=karama@game",))
"""Standing orders that another seat may have given, or none. [WINPOL-08]"""


def _with_other_orders(table: Table, seat: str, rng: random.Random) -> Table:
    """Others have given other orders: at a table with people nobody can tell an order from a person. [WINPOL-07]"""
    for other in table.seats if table.settings.paced else ():
        if other != seat and rng.random() < 0.5:
            table = mark(table, order_mark(other), Mark(rng.choice(ORDERS), (other,)))
    return table


def _with_other_spice(table: Table, seat: str, rng: random.Random) -> Table:
    for other in table.seats:
        if other != seat and table.ally_of(seat) != other and rng.random() < 0.5:
            table = pay(table, rng.randint(1, 5), BANK, other)
    return table
