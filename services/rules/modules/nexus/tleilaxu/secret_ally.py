"""Secret Ally of the Tleilaxu card: a leader free, five forces at 1 spice each. [NEXUS-TLX-06..NEXUS-TLX-11]"""

from __future__ import annotations

from typing import ClassVar

from services.rules.engine.flow import Flow, Frame
from services.rules.engine.play import Play
from services.rules.engine.rulings import ruling
from services.rules.modules.nexus.plays import nexus_play
from services.rules.modules.nexus.revivals import REASON, SecretAllyRevival
from services.rules.phases.promises import available_spice
from services.rules.phases.revival import revive_forces
from services.rules.phases.revival_cycle import dead_leaders, revivable
from services.rules.phases.revival_quotes import revivable_kinds
from shared.dune import facts
from shared.dune.events.forces import SpicePaid
from shared.dune.events.pieces import LeaderRevived
from shared.dune.settings import Faction
from shared.dune.shapes import Amounts, Fields, Json, Off, OneOf, Option, Variant
from shared.dune.table import BANK, Piece, Table

MOST = 5


@nexus_play
class TleilaxuSecretAlly(SecretAllyRevival):
    """Beside the ordinary revival, whatever that allows. [NEXUS-TLX-06]"""

    name: ClassVar[str] = "tleilaxu_secret_ally"
    native: ClassVar[Faction] = "tleilaxu"
    rule: ClassVar[str] = "NEXUS-TLX-06"
    label: ClassVar[str] = "Revive a leader free, and up to five forces at 1 spice each"
    text: ClassVar[str] = "revives a leader free, and forces at 1 spice each."

    def revivals(self, table: Table, seat: Faction, stack: tuple[Frame, ...]) -> Fields | Off:
        """Something must be revived. [NEXUS-TLX-10]"""
        kinds = revivable_kinds(table, seat)
        most = min(MOST, sum(kinds.values()), available_spice(table, seat))
        forces = {kind: min(number, most) for kind, number in kinds.items() if most}
        variants: dict[str, Fields] = {}
        if leaders := _leaders(table, seat):
            options = tuple(Option(leader, facts.name(leader)) for leader in leaders)
            variants["leader"] = Fields({"leader": OneOf(options), "forces": Amounts(forces, 0, most)})
        if forces and (not leaders or ruling(table, "nexus.tleilaxu.revival_partial") == "either_part"):
            variants["forces"] = Fields({"forces": Amounts(forces, 1, most)})
        if not variants:
            return Off("You have nobody to revive with it.", "NEXUS-TLX-10")
        return Fields(
            {"what": Variant(variants, {"leader": "A leader, and forces", "forces": "Forces alone"})}
        )

    def carry_out(self, play: Play, seat: Faction, answer: Json) -> Flow | None:
        """The forces are paid for, to the bank. [NEXUS-TLX-06, NEXUS-TLX-07]"""
        what = answer["what"]
        if price := sum(what["forces"].values()):
            play.emit(SpicePaid(seat, price, BANK, "revival"))
        revive_forces(play, seat, what["forces"], REASON)
        if what["do"] == "leader":
            play.emit(LeaderRevived(what["leader"], seat, REASON))
        return None


def _leaders(table: Table, seat: Faction) -> tuple[Piece, ...]:
    """Own leaders alone, by ruling those that may be revived ordinarily. [NEXUS-TLX-07, NEXUS-TLX-09]"""
    if ruling(table, "nexus.tleilaxu.revival_leader") == "ordinary_conditions":
        return tuple(leader for leader in revivable(table, seat) if leader in facts.leaders_of(seat))
    return dead_leaders(table, seat)
