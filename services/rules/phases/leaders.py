"""What several phases ask about leaders: whose they are, which of them may serve, how one dies, what it is worth."""

from __future__ import annotations

from services.rules.engine.play import Play
from services.rules.engine.watching import watches
from shared.dune import facts
from shared.dune.events.pieces import LeaderRevived, hidden_cycle
from shared.dune.settings import Faction
from shared.dune.table import Piece, Table, zone
from shared.dune.zones import captives_of

__all__ = [
    "all_held",
    "available_leaders",
    "captives_held",
    "cycle_of",
    "dies_face_down",
    "has_hidden",
    "leader_place",
    "may_serve",
    "pool_of",
]


def cycle_of(table: Table, leader: Piece) -> int:
    """How far a leader is in the revival cycle, by deaths that not everybody saw too. [REVIVAL-17, HARK-21]"""
    return table.leader_cycle.get(leader, 0) + table.count(hidden_cycle(leader))


def dies_face_down(table: Table, leader: Piece) -> bool:
    """Whether a leader that is killed now lies face down: it was revived before. [REVIVAL-16, BATTLE-50]"""
    return table.leader_cycle.get(leader, 0) >= 2


def leader_place(leader: Piece) -> str:
    """The public mark of the territory in which a leader fought this phase and stays. [BATTLE-14]"""
    return f"phase.leader_at.{leader}"


def may_serve(table: Table, leader: Piece, territory: str) -> bool:
    """Whether a leader was not used in another territory this phase. [BATTLE-12, BATTLE-13, HARK-19]"""
    return table.value(leader_place(leader), territory) == territory


@watches(LeaderRevived, rule="GHOLA-08")
def free_of_its_territory(play: Play, revived: LeaderRevived) -> None:
    """Whoever comes back from the tanks may fight anywhere, however it died. [GHOLA-08]"""
    play.clear(leader_place(revived.leader))


def available_leaders(table: Table, faction: Faction, territory: str) -> tuple[Piece, ...]:
    """The own leaders that may fight in a territory: active, and not used in another one this phase.

    [BATTLE-12, BATTLE-13]
    """
    return tuple(leader for leader in table.leaders(faction) if may_serve(table, leader, territory))


def captives_held(table: Table, captor: Faction) -> dict[Piece, str]:
    """The leaders of others that a faction holds captive, each with the zone in which it is held. [HARK-13]"""
    zones = (captives_of(owner, captor, shown) for owner in table.seats for shown in (False, True))
    return {leader: name for name in zones for leader in zone(table, name)}


def all_held(table: Table, faction: Faction) -> tuple[Piece, ...]:
    """All leaders that a faction has for its plans: its own, special ones, captives. [GEN-18]"""
    specials = zone(table, f"special_leaders.{faction}")
    return (*table.leaders(faction), *specials, *captives_held(table, faction))


def pool_of(table: Table, leader: Piece) -> str:
    """The zone in which a living leader is: its owner's pool, or that of its captor."""
    owner = facts.leader(leader).faction
    prisons = (captives_of(owner, captor, shown) for captor in table.seats for shown in (False, True))
    return next((name for name in prisons if leader in zone(table, name)), f"leaders.{owner}")


def has_hidden(table: Table, faction: Faction) -> bool:
    """Whether others cannot know how all leaders of a faction are: some are captive or killed unseen. [SECRET-09]"""
    names = (f"{kind}.{faction}.{other}" for other in table.seats for kind in ("captives", "tanks_hidden"))
    return any(zone(table, name) for name in names)
