"""Secret Ally: the Voice, borrowed for one battle. [NEXUS-BG-26..NEXUS-BG-42, NEXUS-BG-54]"""

from __future__ import annotations

from typing import ClassVar

from services.rules.engine.flow import Flow, Next
from services.rules.engine.moments import at
from services.rules.engine.play import Play
from services.rules.engine.rulings import ruling
from services.rules.engine.windows import Subject, Window, react
from services.rules.factions.bene_gesserit import NAME
from services.rules.factions.bene_gesserit.voice import Voice, command_options
from services.rules.modules.nexus.battles import own_clash
from services.rules.modules.nexus.gates import NexusReaction, may_be_ordered
from services.rules.modules.nexus.holding import Mode, can_be_held, possible_holders
from services.rules.phases.battle_plan import clash_now
from shared.dune import facts
from shared.dune.settings import Faction
from shared.dune.shapes import Fields, Json, Off, OneOf, Option, Shape
from shared.dune.table import Table

POWER = "nexus.bene_gesserit.voice"
KIND = "nexus.borrowed_voice"
COMMANDS = OneOf((Option("play", "must play"), Option("forbid", "must not play")))


@at("battle.before_plans", rule="NEXUS-BG-29", order=10)
def before_prescience(table: Table, subject: Json) -> Flow | None:
    """In every battle without Bene Gesserit, whatever anybody holds: the aggressor, then the other side.

    Of two players none ever holds a card, so that neither is asked. [NEXUS-80, NEXUS-BG-27, NEXUS-BG-29, NEXUS-BG-31]
    """
    clash = clash_now(table)
    if clash is None or NAME in table.seats or not can_be_held(table):
        return None
    sides: tuple[Faction, ...] = clash.sides
    if ruling(table, "nexus.bg.secret_voice_queue") == "public_holders":
        holders = possible_holders(table, NAME)
        sides = tuple(side for side in sides if side in holders)
    return VoiceQueue(sides) if sides else None


class VoiceQueue(Flow, tag="nexus.voice_queue", frozen=True, omit_defaults=True):
    """Who is still to be asked, one after another; a Voice that was borrowed ends it. [NEXUS-BG-32, NEXUS-BG-38]"""

    sides: tuple[Faction, ...]

    def start(self, play: Play) -> Next:
        """The next one is asked, and nobody else."""
        side = self.sides[0]
        clash = clash_now(play.table)
        assert clash is not None
        text = f"Battle in {facts.name(clash.territory)}: {facts.name(side)} may go on, or borrow the Voice."
        about: dict[str, str | int] = {"territory": clash.territory, "target": clash.opponent(side)}
        orders = may_be_ordered(play.table)
        return self.call(Window(KIND, Subject(KIND, "", text, about), (side,), orders=orders), then="asked")

    def asked(self, play: Play, outcome: Json) -> Next:
        """Used, stopped or not: nobody else is asked. [NEXUS-BG-38]"""
        if outcome is not None or len(self.sides) == 1:
            return self.done()
        return self.replace(sides=self.sides[1:]).goto("start")


@react
class BorrowVoice(NexusReaction):
    """The side that is asked gives its opponent one command. [NEXUS-BG-26, NEXUS-BG-28, NEXUS-BG-33]"""

    name: ClassVar[str] = "borrow_voice"
    kinds: ClassVar[tuple[str, ...]] = (KIND,)
    rule: ClassVar[str] = "NEXUS-BG-26"
    label: ClassVar[str] = "Borrow the Voice with your Nexus card"
    native: ClassVar[Faction] = NAME
    mode: ClassVar[Mode] = "secret_ally"
    text: ClassVar[str] = "it borrows the Voice for this battle."

    def uses(self, table: Table, seat: Faction, kind: str, subject: Subject) -> Fields | Off:
        """One canonical command, as of a Voice of one's own. [NEXUS-BG-33, NEXUS-BG-34]"""
        fields: dict[str, Shape] = {"command": COMMANDS, "card": command_options(table)}
        return Fields(fields, labels={"command": "Your opponent", "card": "Card"})

    def carry_out(self, play: Play, seat: Faction, subject: Subject, answer: Json) -> Flow | None:
        """Spoken at once, and open to Karama as any Voice, by ruling. [NEXUS-BG-35, NEXUS-BG-36, NEXUS-BG-37]"""
        clash = own_clash(play.table, seat)
        assert clash is not None
        can_be_cancelled = play.ruling("nexus.bg.secret_voice_karama") == "cancellable"
        power = POWER if can_be_cancelled else ""
        return Voice(clash, clash.opponent(seat), answer["command"], answer["card"], seat, power)
