"""Lasgun: no defense stops it, and with a shield in either plan it explodes. [LASGUN-01, LASGUN-02]"""

from __future__ import annotations

from services.rules.engine.hooks import contributes
from services.rules.phases.battle_quotes import Explosion, LeaderFate
from shared.dune import facts
from shared.dune.table import Table

LASGUN = "lasgun"


@contributes(LeaderFate, rule="LASGUN-01", order=30)
def lasgun_kills(fate: LeaderFate, table: Table) -> LeaderFate:
    """It kills whatever the defense. [LASGUN-01, LASGUN-11, DEF-03]"""
    if fate.weapon is None or facts.treachery(fate.weapon).attack != "unstoppable":
        return fate
    return fate.step(1, f"{facts.name(fate.weapon)} kills {facts.name(fate.leader)}", "LASGUN-01")


@contributes(Explosion, rule="LASGUN-02")
def lasgun_meets_shield(explosion: Explosion, table: Table) -> Explosion:
    """Lasgun and shield explode, in the same plan or in opposite ones. [LASGUN-02, LASGUN-03]"""
    has_lasgun = any(facts.face(card) == LASGUN for card in explosion.cards)
    has_shield = any(facts.treachery(card).is_shield for card in explosion.cards)
    return (
        explosion.step(1, "a Lasgun meets a shield", "LASGUN-02") if has_lasgun and has_shield else explosion
    )
