"""Which leaders may be revived: the right to revive any, and their cycle. [REVIVAL-11..REVIVAL-17]"""

from __future__ import annotations

from services.rules.engine.play import Play
from services.rules.engine.rulings import ruling
from services.rules.engine.watching import watches
from services.rules.phases.leaders import cycle_of, has_hidden
from shared.dune import facts
from shared.dune.events.captives import CaptiveKilled, CaptiveReturned, LeaderCaptured
from shared.dune.events.pieces import LeaderKilled, LeaderRevived
from shared.dune.facts.special import specials_of
from shared.dune.settings import Faction
from shared.dune.table import Piece, Table, zone

__all__ = [
    "all_dead",
    "dead_leaders",
    "has_right",
    "may_revive",
    "note_rights",
    "revivable",
    "right_mark",
    "why_not",
]


def right_mark(faction: Faction) -> str:
    """The public mark that a faction has gained the right to revive leaders. [REVIVAL-13]"""
    return f"leader_right.{faction}"


def dead_leaders(table: Table, faction: Faction) -> tuple[Piece, ...]:
    """A faction's own leaders in the tanks, face up ones first, those that not everybody knows of last. [GEN-16]"""
    lying = (*zone(table, f"tanks.{faction}"), *zone(table, f"tanks_down.{faction}"))
    unseen = (leader for other in table.seats for leader in zone(table, f"tanks_hidden.{faction}.{other}"))
    return tuple(leader for leader in (*lying, *unseen) if leader in facts.leaders_of(faction))


def dead_specials(table: Table, faction: Faction) -> tuple[Piece, ...]:
    """A faction's special leaders in the tanks; they count in no test of its leaders. [ATR-27]"""
    own = specials_of(faction, table.settings.mode)
    return tuple(leader for leader in zone(table, f"tanks.{faction}") if leader in own)


def all_dead(table: Table, faction: Faction) -> tuple[Piece, ...]:
    """Whoever of a faction may be revived in some way: its own leaders in the tanks, then special ones. [GHOLA-03]"""
    return (*dead_leaders(table, faction), *dead_specials(table, faction))


def _available(table: Table, faction: Faction) -> tuple[Piece, ...]:
    """The own leaders that nobody holds captive: in the pool or in the tanks. [REVIVAL-12]"""
    own = (*table.leaders(faction), *dead_leaders(table, faction))
    return tuple(leader for leader in facts.leaders_of(faction) if leader in own)


def _is_triggered(table: Table, faction: Faction) -> bool:
    """Whether the right arises from how the leaders are now. [REVIVAL-11, REVIVAL-12]

    With no active leader of its own all of them are dead, so that each has died at least once.
    """
    own = _available(table, faction)
    if ruling(table, "leader_trigger") == "all_in_tanks":
        return bool(own) and len(dead_leaders(table, faction)) == len(own)
    return all(cycle_of(table, leader) for leader in own)


def has_right(table: Table, faction: Faction) -> bool:
    """Whether a faction may revive leaders: the right arises now, or it arose and has not ended. [REVIVAL-13]"""
    return _is_triggered(table, faction) or (
        table.is_set(right_mark(faction)) and bool(_face_up(table, faction))
    )


def _face_up(table: Table, faction: Faction) -> tuple[Piece, ...]:
    return tuple(piece for piece in zone(table, f"tanks.{faction}") if piece in facts.leaders_of(faction))


def note_rights(play: Play) -> None:
    """Remember the rights that arise, forget those that have ended. [REVIVAL-13]

    While others cannot know how all leaders of a faction are, they are not told of its right. [SECRET-09]
    """
    for faction in play.table.seats:
        name, known = right_mark(faction), play.table.is_set(right_mark(faction))
        holds = known and has_right(play.table, faction)
        holds = holds or (_is_triggered(play.table, faction) and bool(_face_up(play.table, faction)))
        if has_hidden(play.table, faction):
            if holds != known or (known and play.table.marks[name].public):
                play.set_secret(name, holds, faction)
        elif holds and not known:
            play.set_public(name, True)
        elif known and not holds:
            play.clear(name)


@watches(LeaderKilled, rule="REVIVAL-13")
def right_may_arise(play: Play, killed: LeaderKilled) -> None:
    """The last leader's death gives the right at once, whatever is revived before the next Revival. [REVIVAL-13]"""
    note_rights(play)


@watches(LeaderRevived, rule="REVIVAL-13")
def right_may_end(play: Play, revived: LeaderRevived) -> None:
    """The last one face up is revived: the right is over. [REVIVAL-13]"""
    note_rights(play)


@watches(LeaderCaptured, rule="REVIVAL-12")
def captive_is_unavailable(play: Play, captured: LeaderCaptured) -> None:
    """A captive keeps nobody from reviving the others. [REVIVAL-12]"""
    note_rights(play)


@watches(CaptiveReturned, rule="REVIVAL-13")
def right_outlasts_a_return(play: Play, returned: CaptiveReturned) -> None:
    """The right lasts though a captive that never died comes back. [REVIVAL-13]"""
    note_rights(play)


@watches(CaptiveKilled, rule="REVIVAL-13")
def right_may_arise_unseen(play: Play, killed: CaptiveKilled) -> None:
    """A death that few saw is a death. [HARK-21]"""
    note_rights(play)


def may_revive(table: Table, faction: Faction) -> bool:
    """Whether, for all that everybody knows, a faction could revive a leader by the normal rule. [SECRET-10]"""
    if has_hidden(table, faction):
        return bool(dead_leaders(table, faction) or dead_specials(table, faction))
    return bool(revivable(table, faction))


def revivable(table: Table, faction: Faction) -> tuple[Piece, ...]:
    """The leaders that a faction may revive by the normal rule, one a turn; a special one whenever it may any.

    [REVIVAL-16, REVIVAL-17, ATR-26]
    """
    if not has_right(table, faction):
        return ()
    dead, specials = dead_leaders(table, faction), dead_specials(table, faction)
    if ruling(table, "leader_cycle") == "free_after_all_died":
        return (*dead, *specials)
    cycle = {leader: cycle_of(table, leader) for leader in facts.leaders_of(faction)}
    died = [leader for leader in _available(table, faction) if cycle.get(leader, 0)]
    lowest = min((cycle[leader] for leader in died), default=0)
    return (*(leader for leader in dead if cycle.get(leader, 0) == lowest), *specials)


def why_not(table: Table, faction: Faction) -> tuple[str, str]:
    """Why a dead leader that is not among the revivable may not be revived by the normal rule, and the rule."""
    if not has_right(table, faction):
        return "You still have leaders, and not all of yours have died once.", "REVIVAL-11"
    return "First your other leaders must be revived and killed again.", "REVIVAL-16"
