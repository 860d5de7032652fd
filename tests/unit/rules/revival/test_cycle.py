"""The right to revive leaders with captives, which no Basic table has. [REVIVAL-11, REVIVAL-12, REVIVAL-13, FIG-09]"""

from __future__ import annotations

from collections.abc import Mapping

from services.rules.phases.revival_cycle import has_right, revivable, why_not
from services.rules.staging import stage
from shared.dune.table import Mark, Table, mark, move_piece

LEADERS = ("thufir_hawat", "lady_jessica", "gurney_halleck", "duncan_idaho", "dr_yueh")


def table_with(captive: str = "", **atreides: object) -> Table:
    """Atreides and Harkonnen, with one Atreides leader in the Harkonnen pool if named."""
    seats = {"seats": ["atreides", "harkonnen"], "phase": "storm", "atreides": atreides}
    table = stage(seats).game.table
    return move_piece(table, captive, "leaders.atreides", "leaders.harkonnen") if captive else table


def dead(*leaders: str, **cycle: int) -> Mapping[str, object]:
    """A faction's leaders in the tanks, and the counters of others."""
    return {"tanks": {"leaders": list(leaders)}, "cycle": cycle}


def test_a_captive_does_not_block_revival() -> None:
    """Four dead and one held captive: there is no active leader of its own. [REVIVAL-11, REVIVAL-12]"""
    table = table_with("dr_yueh", **dead(*LEADERS[:4]))
    assert has_right(table, "atreides")
    assert revivable(table, "atreides") == LEADERS[:4]


def test_a_captive_is_no_leader_of_its_captor() -> None:
    """All of Harkonnen's own are dead, a captive serves it: it may revive. [REVIVAL-12]"""
    own = ("feyd_rautha", "beast_rabban", "piter_de_vries", "captain_iakin_nefud", "umman_kudu")
    described = {
        "seats": ["atreides", "harkonnen"],
        "phase": "storm",
        "harkonnen": {"tanks": {"leaders": list(own)}},
    }
    table = move_piece(stage(described).game.table, "dr_yueh", "leaders.atreides", "leaders.harkonnen")
    assert revivable(table, "harkonnen") == own


def test_the_right_lasts_when_a_captive_returns() -> None:
    """It arose while the captive was away; back, never dead, it does not end the right. [REVIVAL-13]"""
    table = table_with(**dead(*LEADERS[:4]))
    assert not has_right(table, "atreides")
    noted = mark(table, "leader_right.atreides", Mark(True, public=True))
    assert revivable(noted, "atreides") == LEADERS[:4]


def test_the_right_ends_when_none_lies_face_up() -> None:
    """Nothing face up in the tanks: the right that was noted has ended. [REVIVAL-13]"""
    noted = mark(table_with(tanks_down=["dr_yueh"]), "leader_right.atreides", Mark(True, public=True))
    assert revivable(noted, "atreides") == ()
    assert why_not(noted, "atreides")[1] == "REVIVAL-11"


def test_a_captive_that_died_does_not_count_for_the_cycle() -> None:
    """The lowest counter is taken among those not held captive. [REVIVAL-17]"""
    table = table_with("dr_yueh", **dead(*LEADERS[1:4], dr_yueh=2), tanks_down=["thufir_hawat"])
    assert revivable(table, "atreides") == LEADERS[1:4]
