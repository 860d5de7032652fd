"""The few helpers that change a table: nothing is made or lost, and whoever tries is stopped."""

from __future__ import annotations

from collections.abc import Callable

import pytest

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
    move_forces,
    move_piece,
    pay,
    reorder,
    zone,
)

EMPTY = Table()
LAID = add_pieces(EMPTY, "hand.fremen", ("shield#1", "snooper#1"))
ARMY = add_forces(EMPTY, RESERVES, "fremen", {"regular": 3, "fedaykin": 1})
RICH = pay(EMPTY, 5, BANK, "fremen")


@pytest.mark.parametrize(
    "wrong",
    [
        lambda: add_pieces(LAID, "treachery_deck", ("shield#1",)),
        lambda: move_piece(LAID, "lasgun", "hand.fremen", "treachery_discard"),
        lambda: move_piece(LAID, "shield#1", "hand.guild", "treachery_discard"),
        lambda: reorder(LAID, "hand.fremen", ("shield#1",)),
        lambda: move_forces(ARMY, "fremen", {"regular": 4}, RESERVES, TANKS),
        lambda: move_forces(ARMY, "fremen", {"regular": -1}, RESERVES, TANKS),
        lambda: move_forces(ARMY, "guild", {"regular": 1}, RESERVES, TANKS),
        lambda: pay(RICH, 6, "fremen", "guild"),
        lambda: pay(RICH, -1, "fremen", "guild"),
    ],
)
def test_what_is_not_there_cannot_be_moved(wrong: Callable[[], Table]) -> None:
    """A fault of the program is stopped before it reaches the table. [GEN-14, GEN-15]"""
    with pytest.raises(CensusError):
        wrong()


def test_pieces_lie_in_one_zone_in_an_order() -> None:
    """A moved piece lies on top, or at the bottom; a zone without pieces is gone."""
    moved = move_piece(LAID, "snooper#1", "hand.fremen", "treachery_discard")
    moved = move_piece(moved, "shield#1", "hand.fremen", "treachery_discard")
    assert zone(moved, "treachery_discard") == ("shield#1", "snooper#1")
    assert "hand.fremen" not in moved.zones
    back = move_piece(moved, "shield#1", "treachery_discard", "treachery_discard", bottom=True)
    assert zone(back, "treachery_discard") == ("snooper#1", "shield#1")
    turned = reorder(LAID, "hand.fremen", ("snooper#1", "shield#1"))
    assert turned.hand("fremen") == ("snooper#1", "shield#1")
    assert LAID.hand("fremen") == ("shield#1", "snooper#1"), "the old table is as it was"


def test_forces_are_counted_by_place_and_kind() -> None:
    """Stacks that are empty are gone; reserves and tanks are no places of the board."""
    sent = move_forces(ARMY, "fremen", {"regular": 2, "fedaykin": 1}, RESERVES, "arrakeen:10")
    dead = move_forces(sent, "fremen", {"fedaykin": 1}, "arrakeen:10", TANKS)
    assert dead.kinds_at("arrakeen:10", "fremen") == {"regular": 2}
    assert (dead.number_at(RESERVES, "fremen"), dead.number_at(TANKS, "fremen")) == (1, 1)
    assert dead.places_of("fremen") == {"arrakeen:10": 2}
    gone = move_forces(dead, "fremen", {"regular": 2}, "arrakeen:10", TANKS)
    assert "arrakeen:10" not in gone.forces
    assert gone.number_at("arrakeen:10", "fremen") == 0


def test_all_spice_adds_up_to_nothing() -> None:
    """The bank's balance is minus what is in play, and it never runs out. [GEN-14]"""
    table = pay(pay(RICH, 2, "fremen", "guild"), 1, "guild", BANK)
    assert table.spice == {"fremen": 3, "guild": 1, BANK: -4}
    assert pay(table, 3, "fremen", "fremen") == table
    assert pay(table, 0, "fremen", "guild") == table
    assert "fremen" not in pay(table, 3, "fremen", "guild").spice


def test_marks_are_read_as_what_they_hold() -> None:
    """A mark that is not set counts nothing, lists nothing, and is not set."""
    table = mark(EMPTY, "a", Mark(3, public=True))
    table = mark(table, "b", Mark(("x", "y")))
    assert (table.count("a"), table.count("c"), table.names("b"), table.names("a")) == (3, 0, ("x", "y"), ())
    assert (table.is_set("a"), table.is_set("c"), table.value("c", "none")) == (True, False, "none")
    assert "a" not in mark(table, "a", None).marks
