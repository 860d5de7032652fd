"""The Voice: Bene Gesserit commands the opponent to play something, or not to play it.

[BG-09..BG-18, BG-42, BG-43]
"""

from __future__ import annotations

from services.rules.engine.cancel import cancel_window, cancelled_mark
from services.rules.engine.flow import Answers, Flow, Next
from services.rules.engine.hooks import contributes
from services.rules.engine.moments import at
from services.rules.engine.offering import offer
from services.rules.engine.play import Play
from services.rules.engine.rulings import ruling
from services.rules.factions.bene_gesserit import NAME
from services.rules.phases.battle_grounds import Clash
from services.rules.phases.battle_plan import clash_now, lent_to
from services.rules.phases.battle_quotes import Narrow, PlanLimits
from shared.dune import facts
from shared.dune.decks import treachery_faces
from shared.dune.events.battle import VoiceSpoken
from shared.dune.settings import Faction
from shared.dune.shapes import AnyOf, Condition, Fields, Json, OneOf, Option, Variant
from shared.dune.table import Piece, Table

VOICE = "bene_gesserit.voice"
COMMAND = "battle.voice"
"""Public mark: the target, `play` or `forbid`, and what."""
CLASSES = {
    "poison_weapon": "a poison weapon",
    "projectile_weapon": "a projectile weapon",
    "poison_defense": "a poison defense",
    "projectile_defense": "a projectile defense",
    "worthless": "a worthless card",
    "cheap_hero": "a Cheap Hero",
}
"""What can be commanded by kind; special cards are named. [BG-10, BG-11]"""


@at("battle.before_plans", rule="BG-09", order=10)
def speak(table: Table, subject: Json) -> Flow | None:
    """In a battle of its own or of its ally, before Prescience; one command in a battle.

    [BG-09, BG-15, BG-42, BG-43]
    """
    clash = clash_now(table)
    side = lent_to(table, clash, NAME)
    if clash is None or side is None or table.is_set(cancelled_mark(VOICE)):
        return None
    return Voice(clash, clash.opponent(side))


class Voice(Flow, tag="bene_gesserit.voice", frozen=True, omit_defaults=True):
    """One use of the Voice: the command is public, and may be cancelled before it binds.

    `speaker` is who uses it, as its owner or for once; without a `power` it cannot be cancelled. A command that comes
    with it is spoken at once. [REACT-55, REACT-56]
    """

    clash: Clash
    target: Faction
    command: str = ""
    what: str = ""
    speaker: Faction = NAME
    power: str = VOICE

    def start(self, play: Play) -> Next:
        """Which command, if any."""
        if self.command:
            return self.goto("speak")
        fields = Fields({"card": command_options(play.table)}, labels={"card": "Card"})
        target = facts.name(self.target)
        labels = {
            "none": "Do not use the Voice",
            "play": f"{target} must play...",
            "forbid": f"{target} must not play...",
        }
        made = offer(
            self.speaker,
            "voice",
            f"Battle in {facts.name(self.clash.territory)}: you may give {target} one command.",
            Variant({"none": Fields({}), "play": fields, "forbid": fields}, labels),
            default={"do": "none"},
            about={"target": self.target, "territory": self.clash.territory},
            rules=("BG-09", "BG-10"),
        )
        return self.ask([made], then="spoken")

    def spoken(self, play: Play, answers: Answers) -> Next:
        """Say it, or nothing."""
        answer = answers[self.speaker]
        if answer["do"] == "none":
            return self.done(None)
        return self.replace(command=answer["do"], what=answer["card"]).goto("speak")

    def speak(self, play: Play) -> Next:
        """The command is public; then it may be cancelled. [BG-45]"""
        play.emit(VoiceSpoken(self.speaker, self.target, self.command, self.what))
        if not self.power:
            return self.goto("bind")
        verb = "to play" if self.command == "play" else "not to play"
        text = f"{facts.name(self.speaker)} commands {facts.name(self.target)} {verb} {_name(self.what)}."
        window = cancel_window(
            self.power, self.speaker, text, target=self.target, command=self.command, card=self.what
        )
        return self.call(window, then="stands")

    def stands(self, play: Play, outcome: Json) -> Next:
        """Cancelled: no command in this battle. [BG-45]"""
        return self.goto("bind") if outcome is None else self.done(None)

    def bind(self, play: Play) -> Next:
        """It binds the plan of its target in this battle. [BG-12, BG-15]"""
        play.set_public(COMMAND, (self.target, self.command, self.what))
        return self.done(None)


def command_options(table: Table) -> OneOf:
    """What may be named in a command, with its words."""
    return OneOf(tuple(Option(what, _name(what)) for what in commandable(table)))


def commandable(table: Table) -> tuple[str, ...]:
    """Kinds of cards, and by name the special battle cards of the decks in play. [BG-10, BG-11]"""
    by_name = ruling(table, "voice_names") == "any_by_name"
    named = [
        fact.id
        for fact in treachery_faces(table.settings.decks)
        if fact.slots and (by_name or fact.kind not in CLASSES)
    ]
    return (*CLASSES, *(card for card in named if card not in CLASSES))


def _name(what: str) -> str:
    return CLASSES.get(what) or facts.name(what)


def _is_meant(card: Piece, what: str) -> bool:
    return what in (facts.treachery(card).kind, facts.face(card))


@contributes(PlanLimits, rule="BG-12", order=10)
def obeys(limits: PlanLimits, table: Table) -> PlanLimits:
    """The target complies as far as it is able, with which card it likes. [BG-12, BG-13, BG-14, BG-18]"""
    said = table.names(COMMAND)
    if not said or said[0] != limits.faction:
        return limits
    _, command, what = said
    slots = {
        slot: tuple(
            card
            for card in table.hand(limits.faction)
            if _is_meant(card, what) and slot in facts.treachery(card).slots
        )
        for slot in ("leader", "weapon", "defense")
    }
    filled = {slot: cards for slot, cards in slots.items() if cards}
    if command == "forbid":
        return _forbidden(limits, table, filled, f"the Voice forbids {_name(what)}")
    return _demanded(limits, filled, f"the Voice demands {_name(what)}")


def _demanded(limits: PlanLimits, slots: dict[str, tuple[Piece, ...]], text: str) -> PlanLimits:
    """One of the matching cards must be in the plan: a worthless card in either slot, a Cheap Hero as leader.

    [BG-17]
    """
    if len(slots) > 1:
        conditions = tuple(Condition(slot, cards) for slot, cards in slots.items())
        return limits.add(AnyOf(conditions, text, "BG-12"))
    for slot, cards in slots.items():
        limits = limits.add(Narrow(field=slot, only=cards, text=text, rule="BG-12"))
    return limits


def _forbidden(
    limits: PlanLimits, table: Table, slots: dict[str, tuple[Piece, ...]], text: str
) -> PlanLimits:
    """None of the matching cards may be in the plan, even if that leaves it without a leader. [BG-17]"""
    strong = ruling(table, "voice_no_hero") == "obey"
    for slot, cards in slots.items():
        narrow = Narrow(
            field=slot,
            never=cards,
            text=text,
            rule="BG-17" if slot == "leader" else "BG-12",
            beats_leader_rule=strong,
        )
        limits = limits.add(narrow)
    return limits
