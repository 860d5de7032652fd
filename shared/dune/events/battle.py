"""Events of the Battle Phase."""

from __future__ import annotations

from typing import ClassVar

from shared.dune import facts
from shared.dune.events.base import Event
from shared.dune.events.bidding import escrow_of
from shared.dune.parts import fraction
from shared.dune.settings import Faction
from shared.dune.table import BANK, Mark, Piece, Table, mark, marked, move_piece, pay

NONE = "none"
"""How an empty slot of a plan is written where only text can stand."""


class BattleBegan(Event, tag=True, frozen=True):
    """A battle begins; the first side is the aggressor. [BATTLE-05, BATTLE-06]

    `places` are the locations whose forces take part. [BATTLE-04]
    """

    aggressor: Faction
    defender: Faction
    territory: str
    places: tuple[str, ...]

    public: ClassVar = ("aggressor", "defender", "territory", "places")
    lines: ClassVar = ("{aggressor} fights {defender} in {territory}.",)

    def apply(self, table: Table) -> Table:
        told: dict[str, str | tuple[str, ...]] = {
            "battle.sides": (self.aggressor, self.defender),
            "battle.territory": self.territory,
            "battle.places": self.places,
        }
        return marked(table, {name: Mark(value, public=True) for name, value in told.items()})


class LeaderMissed(Event, tag=True, frozen=True):
    """A side has neither leader nor Cheap Hero for this battle, and says so. [BATTLE-11]"""

    faction: Faction
    territory: str

    public: ClassVar = ("faction", "territory")
    lines: ClassVar = ("{faction} has no leader for the battle in {territory}.",)


class VoiceSpoken(Event, tag=True, frozen=True):
    """A command is given to a side of the battle: to play something, or not to play it. [BG-09, BG-10]"""

    faction: Faction
    target: Faction
    command: str
    what: str

    public: ClassVar = ("faction", "target", "command", "what")
    lines: ClassVar = ("{faction} commands {target} to play: {what}.",)

    def sentences(self) -> tuple[str, ...]:
        """A command, or one forbidding something."""
        return self.lines if self.command == "play" else ("{faction} commands {target} not to play: {what}.",)


class ElementAsked(Event, tag=True, frozen=True):
    """A side must show one element of its plan: leader, weapon, defense or dial. [ATR-08]"""

    seer: Faction
    target: Faction
    element: str

    public: ClassVar = ("seer", "target", "element")
    lines: ClassVar = ("{seer} asks {target} for its {element}.",)


class ElementShown(Event, tag=True, frozen=True):
    """The element is shown to one seat only, and binds. `value` is text, `none` for an empty slot. [ATR-09]

    A dial is shown in its steps, of which `per` make one.
    """

    seer: Faction
    target: Faction
    element: str
    value: str
    per: int = 1

    public: ClassVar = ("seer", "target", "element")
    private: ClassVar = {"seer": ("value",), "target": ("value",)}

    def sentences(self) -> tuple[str, ...]:
        """What is shown, to those who see it."""
        value = "{value}" if self.per == 1 else _in_steps(self.value, self.per)
        return f"{{target}} shows {{seer}}: {{element}} {value}.", "{target} shows {seer} its {element}."

    def apply(self, table: Table) -> Table:
        name = f"battle.shown.{self.target}.{self.element}"
        return mark(table, name, Mark((self.seer, self.value), (self.seer, self.target)))


class PlanRevealed(Event, tag=True, frozen=True):
    """A battle plan becomes public; its cards are set aside until the result. [BATTLE-29, BATTLE-64, SECRET-07]

    `more` holds what other parts of the game add to a plan: spice, which is set aside too, or a special leader. The
    dial is in steps of which `per` make one. [BATTLE-32, BATTLE-37]
    """

    faction: Faction
    leader: Piece | None
    dial: int
    weapon: Piece | None
    defense: Piece | None
    more: dict[str, str | int | None] = {}
    per: int = 1

    public: ClassVar = ("faction", "leader", "dial", "weapon", "defense", "more", "per")

    def sentences(self) -> tuple[str, ...]:
        """The plan, with whatever the game adds to it."""
        more = "".join(
            f", {value} spice" if name == "spice" else f", {facts.name(str(value))}"
            for name, value in self.more.items()
            if value
        )
        dial = fraction(self.dial, self.per)
        shown = f"leader {{leader}}, dial {dial}, weapon {{weapon}}, defense {{defense}}{more}"
        return (f"{{faction}} reveals: {shown}.",)

    def apply(self, table: Table) -> Table:
        table = _set_aside(table, self.faction, int(self.more.get("spice") or 0))
        for card in (self.leader, self.weapon, self.defense):
            if card is not None and card in table.hand(self.faction):
                hand, plan = f"hand.{self.faction}", f"plan.{self.faction}"
                table = move_piece(table, card, hand, plan, bottom=True)
        more = tuple(f"{name}={value}" for name, value in self.more.items() if value)
        shown = (self.leader or NONE, str(self.dial), self.weapon or NONE, self.defense or NONE, *more)
        return mark(table, f"battle.plan.{self.faction}", Mark(shown, public=True))


def _set_aside(table: Table, faction: Faction, amount: int) -> Table:
    """So much of a faction's spice is set aside for its battle, whatever was before. [BATTLE-64]"""
    table = pay(table, table.spice_of(escrow_of(faction)), escrow_of(faction), faction)
    return pay(table, amount, faction, escrow_of(faction))


def _in_steps(value: str, per: int) -> str:
    """A dial as it is shown, with the spice behind it where that is shown too: `7/2` is 3½ with 2 spice."""
    dial, _, spice = value.partition("/")
    return f"{fraction(int(dial), per)} with {spice} spice" if spice else fraction(int(dial), per)


class PlanShown(Event, tag=True, frozen=True):
    """A whole plan is shown to one seat before the other plan is made. The dial is in steps. [ATR-31, ATR-32]"""

    seer: Faction
    target: Faction
    plan: dict[str, str | int | None]
    per: int = 1

    public: ClassVar = ("seer", "target")
    private: ClassVar = {"seer": ("plan", "per"), "target": ("plan", "per")}

    def sentences(self) -> tuple[str, ...]:
        """The plan for those who see it (`plan` is named, not printed); for others that it was seen."""
        told = f"{{target}} shows {{seer}} its plan: {{plan!s:.0}}{self._told()}."
        return told, "{target} shows {seer} its plan."

    def _told(self) -> str:
        dial = fraction(int(self.plan["dial"] or 0), self.per)
        rest = [
            f"{facts.name(name)} {facts.name(str(value))}"
            for name, value in sorted(self.plan.items())
            if value and name != "dial"
        ]
        return ", ".join([f"dial {dial}", *rest])

    def apply(self, table: Table) -> Table:
        rows = tuple(f"{name}={value}" for name, value in sorted(self.plan.items()) if value is not None)
        return mark(table, f"battle.seen.{self.target}", Mark((self.seer, *rows), (self.seer, self.target)))


class PlanSealed(Event, tag=True, frozen=True):
    """A side has committed its plan: its spice and cards are set aside, which nobody else notices. [BATTLE-64]"""

    faction: Faction
    spice: int
    cards: tuple[Piece, ...] = ()

    private: ClassVar = {"faction": ("faction", "spice", "cards")}

    def apply(self, table: Table) -> Table:
        table = _set_aside(table, self.faction, self.spice)
        return mark(table, f"battle.aside.{self.faction}", Mark(self.cards, (self.faction,)))


class SupportPaid(Event, tag=True, frozen=True):
    """A side pays the bank the spice behind its dial. [BATTLE-38]"""

    faction: Faction
    amount: int

    public: ClassVar = ("faction", "amount")
    lines: ClassVar = ("{faction} pays {amount} spice for its battle.",)

    def apply(self, table: Table) -> Table:
        return pay(table, self.amount, escrow_of(self.faction), BANK)


class SupportKept(Event, tag=True, frozen=True):
    """A side takes back the spice behind its dial, which it need not pay. [BATTLE-39]"""

    faction: Faction
    amount: int

    public: ClassVar = ("faction", "amount")
    lines: ClassVar = ("{faction} takes back {amount} spice of its plan.",)

    def apply(self, table: Table) -> Table:
        return pay(table, self.amount, escrow_of(self.faction), self.faction)


class TraitorCalled(Event, tag=True, frozen=True):
    """A traitor is called: the opponent's leader betrays it. `side` is the combatant whose call it is.

    [TRAITOR-01, HARK-23]
    """

    caller: Faction
    side: Faction
    leader: Piece

    public: ClassVar = ("caller", "side", "leader")
    lines: ClassVar = ("{caller} calls traitor: {leader} serves {side}.",)


class LasgunExploded(Event, tag=True, frozen=True):
    """A Lasgun meets a shield: everything in the territory is destroyed. [LASGUN-02]"""

    territory: str

    public: ClassVar = ("territory",)
    lines: ClassVar = ("Lasgun and shield meet: an explosion destroys everything in {territory}.",)


class StrengthCounted(Event, tag=True, frozen=True):
    """A side's total, and how it came about, in steps of which `per` make one. [BATTLE-47]"""

    faction: Faction
    total: int
    reasons: tuple[str, ...]
    per: int = 1

    public: ClassVar = ("faction", "total", "reasons", "per")

    def sentences(self) -> tuple[str, ...]:
        """The total with its reasons, which are no list of things."""
        return (f"{{faction}}: {fraction(self.total, self.per)} ({'; '.join(self.reasons)}).",)


class BattleWon(Event, tag=True, frozen=True):
    """A battle is decided, by `strength` or by a `traitor`. [BATTLE-48, TRAITOR-03]"""

    winner: Faction
    loser: Faction
    territory: str
    how: str

    public: ClassVar = ("winner", "loser", "territory", "how")

    def sentences(self) -> tuple[str, ...]:
        """Who, where and how."""
        how = "with a traitor" if self.how == "traitor" else f"by {self.how}"
        return (f"{{winner}} wins against {{loser}} in {{territory}}, {how}.",)


class BattleLostByBoth(Event, tag=True, frozen=True):
    """Nobody wins: two traitors, or an explosion. [TRAITOR-08, LASGUN-06]"""

    sides: tuple[Faction, ...]
    territory: str
    how: str

    public: ClassVar = ("sides", "territory", "how")
    lines: ClassVar = ("{sides} both lose in {territory} ({how}).",)


class PlanCardKept(Event, tag=True, frozen=True):
    """A card of a revealed plan goes back to its owner's hand. [BATTLE-57, CARD-07]"""

    faction: Faction
    card: Piece

    public: ClassVar = ("faction", "card")
    lines: ClassVar = ("{faction} keeps {card}.",)

    def apply(self, table: Table) -> Table:
        return move_piece(table, self.card, f"plan.{self.faction}", f"hand.{self.faction}", bottom=True)


class LeaderStayed(Event, tag=True, frozen=True):
    """A leader that fought and lives stays in the territory until the phase ends. [BATTLE-14]"""

    leader: Piece
    territory: str

    public: ClassVar = ("leader", "territory")

    def apply(self, table: Table) -> Table:
        return mark(table, f"phase.leader_at.{facts.face(self.leader)}", Mark(self.territory, public=True))


class BattleEnded(Event, tag=True, frozen=True):
    """A battle is over; what was remembered for it is forgotten. [BATTLE-09]"""

    territory: str

    public: ClassVar = ("territory",)

    def apply(self, table: Table) -> Table:
        return marked(table, {name: None for name in table.marks if name.startswith("battle.")})
