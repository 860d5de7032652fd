"""What the holder of a Nexus card may play by itself, when nobody is asked: one standing action for all cards.

An effect registers a `NexusPlay`. Its offer is private to the holder, no pause tells of it, and it says why it cannot
be played now. [NEXUS-33, NEXUS-58, NEXUS-60, NEXUS-68, NEXUS-87]
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import ClassVar

from services.rules.engine.flow import Flow, Frame, Next
from services.rules.engine.occasions import this_phase
from services.rules.engine.play import Play
from services.rules.engine.registry import Registry
from services.rules.engine.scope import EVERY_MODE
from services.rules.engine.standing import StandingAction, standing
from services.rules.modules.nexus.holding import Mode, held, mode_of, play_card
from services.rules.modules.nexus.panels import elsewhere
from services.rules.phases.battle_plan import clash_now, this_battle
from shared.dune.facts.nexus import NexusCard, nexus_cards
from shared.dune.settings import Faction
from shared.dune.shapes import Fields, Json, Off, Variant
from shared.dune.table import Table

__all__ = ["NexusPlay", "is_clean", "nexus_play", "nexus_plays"]


class NexusPlay(ABC):
    """Base of one effect that its holder plays in its own time. Registered by `nexus_play`.

    `native`: the faction on the card; `mode`: the panel; `modes`: the games in which it is there; `text`: what
    everybody is told when it is played.
    """

    name: ClassVar[str]
    native: ClassVar[Faction]
    mode: ClassVar[Mode]
    rule: ClassVar[str]
    label: ClassVar[str]
    text: ClassVar[str]
    modes: ClassVar[tuple[str, ...]] = EVERY_MODE

    @abstractmethod
    def fields(self, table: Table, seat: Faction, stack: tuple[Frame, ...]) -> Fields | Off:
        """What the holder may choose now, or why it may not play it; look at the stack last."""

    @abstractmethod
    def carry_out(self, play: Play, seat: Faction, answer: Json) -> Flow | None:
        """What it does once the card is spent: emit, and return a flow if more is to be done."""

    def remembers(self, stack: tuple[Frame, ...], seat: Faction) -> dict[str, Json]:
        """What `carry_out` has to know, beside the answer, of what lies open or sealed beneath; nothing as a rule."""
        return {}

    def told(self, table: Table, seat: Faction, answer: Json) -> str:
        """What everybody is told when it is played."""
        return self.text


def is_clean(stack: tuple[Frame, ...]) -> bool:
    """Whether the game waits for ordinary actions of its phase alone. [NEXUS-87]"""
    return stack[-1].flow.is_boundary


_registry: Registry[NexusPlay] = Registry("Nexus play")


def nexus_play(kind: type[NexusPlay]) -> type[NexusPlay]:
    """Register a play; its name must be new and its rule given."""
    _registry.add(kind)
    return kind


def nexus_plays(mode: str, modules: tuple[str, ...]) -> tuple[NexusPlay, ...]:
    """The plays that there are in a game of this mode with these modules."""
    return _registry.of(mode, modules)


@standing
class PlayNexusCard(StandingAction):
    """Play the Nexus card that one holds. [NEXUS-26, NEXUS-87]"""

    kind: ClassVar[str] = "nexus_card"
    rule: ClassVar[str] = "NEXUS-26"
    why: ClassVar[str] = "Play your Nexus card for one effect; it is then discarded."

    def available(self, table: Table, seat: Faction, stack: tuple[Frame, ...]) -> bool:
        """Whether some effect of the card can be played now."""
        return any(isinstance(found, Fields) for found in _found(table, seat, stack).values())

    def choice(self, table: Table, seat: Faction, stack: tuple[Frame, ...]) -> Variant | None:
        """The effects of the card held, those that cannot be played now with the reason."""
        found = _found(table, seat, stack)
        variants = {name: fields for name, fields in found.items() if isinstance(fields, Fields)}
        if not variants:
            return None
        off = {name: fields for name, fields in found.items() if isinstance(fields, Off)}
        return Variant(variants, {name: _registry.all[name].label for name in found}, off)

    def reasons(self, table: Table, seat: Faction, stack: tuple[Frame, ...], barred: bool) -> Variant | None:
        """Each effect of the card held: what could be chosen now, or why it cannot be played. [NEXUS-68, NEXUS-72]"""
        card = held(table, seat)
        return _told_of(nexus_cards()[card], table, seat, stack, barred) if card else None

    def occasion(self, table: Table, seat: Faction) -> str:
        """This battle, or this phase: whatever the card does, what is sent for one is not taken in another. [NEXUS-42]

        The same for every card, so that a name of it would tell nothing of a face. [NEXUS-60]
        """
        return this_phase(table) if clash_now(table) is None else this_battle(table)

    def default(self, table: Table, seat: Faction) -> Json:
        """Any legal answer: nobody ever plays it by itself. [NEXUS-63]"""
        return None

    def flow(self, table: Table, seat: Faction, answer: Json, stack: tuple[Frame, ...]) -> Flow:
        """Spend the card, then what it does."""
        fields = {key: value for key, value in answer.items() if key != "do"}
        known = _registry.all[answer["do"]].remembers(stack, seat)
        return NexusCardUsed(seat, answer["do"], {**fields, **known})


def _found(table: Table, seat: Faction, stack: tuple[Frame, ...]) -> dict[str, Fields | Off]:
    """What each effect of the card held answers; empty without a card, or with an ally. [NEXUS-26]"""
    card = held(table, seat)
    if card is None or table.ally_of(seat) is not None:
        return {}
    native = nexus_cards()[card].faction
    mode = mode_of(table, seat, native)
    return {
        one.name: one.fields(table, seat, stack)
        for one in nexus_plays(table.settings.mode, table.settings.modules)
        if (one.native, one.mode) == (native, mode)
    }


def _told_of(card: NexusCard, table: Table, seat: Faction, stack: tuple[Frame, ...], barred: bool) -> Variant:
    """All effects that a holder's panel has in this game, however they are played. [NEXUS-58, NEXUS-72]"""
    mode = mode_of(table, seat, card.faction)
    found = _found(table, seat, stack)
    if barred:
        wait = Off("Something that is being asked must be answered first.", "NEXUS-36")
        found = dict.fromkeys(found, wait)
    labels = {name: _registry.all[name].label for name in found}
    for name, label, off in elsewhere(card, table, seat):
        if name not in found:
            labels[name], found[name] = label, off
    if not found:
        labels[mode] = card.panel(mode)
        found[mode] = Off("This panel cannot be played in this game.", "NEXUS-72")
    variants = {name: fields for name, fields in found.items() if isinstance(fields, Fields)}
    return Variant(variants, labels, {name: off for name, off in found.items() if isinstance(off, Off)})


class NexusCardUsed(Flow, tag="nexus.card", frozen=True, omit_defaults=True):
    """One Nexus card played by its holder in its own time. [NEXUS-28, NEXUS-45]"""

    seat: Faction
    name: str
    answer: dict[str, Json] = {}

    def start(self, play: Play) -> Next:
        """The card is spent first, whatever comes of the effect."""
        one = _registry.all[self.name]
        play_card(play, self.seat, one.native, one.name, one.told(play.table, self.seat, self.answer))
        flow = one.carry_out(play, self.seat, self.answer)
        return self.call(flow, then="over") if flow else self.done()

    def over(self, play: Play, result: Json) -> Next:
        """What lies beneath goes on."""
        return self.done()
