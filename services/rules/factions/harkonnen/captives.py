"""Captured leaders. [HARK-08..HARK-22, HARK-33, HARK-35]"""

from __future__ import annotations

import msgspec

from services.rules.engine.cancel import cancel_window
from services.rules.engine.flow import Answers, Flow, Next
from services.rules.engine.hooks import contributes
from services.rules.engine.moments import at
from services.rules.engine.offering import offer
from services.rules.engine.play import Play
from services.rules.engine.rulings import ruling
from services.rules.engine.watching import watches
from services.rules.factions.harkonnen import NAME
from services.rules.phases.battle_quotes import PlanParts
from services.rules.phases.leaders import (
    available_leaders,
    captives_held,
    dies_face_down,
    leader_place,
    may_serve,
)
from shared.dune import facts
from shared.dune.events.captives import CaptiveKilled, CaptiveReturned, LeaderCaptured
from shared.dune.events.forces import SpicePaid
from shared.dune.events.pieces import LeaderKilled
from shared.dune.offers import Offer
from shared.dune.settings import Faction
from shared.dune.shapes import Fields, Json, Off, Option, Variant
from shared.dune.table import BANK, Piece, Table, zone
from shared.dune.zones import captives_of

CAPTURE = "harkonnen.capture"
GAIN = 2
"""Spice for a leader killed. [HARK-12]"""
UNSEEN_DEATH = 3
"""Steps in the revival cycle of a leader that was never revived and is killed by capture. [HARK-21, REVIVAL-17]"""
ADVANCED = ("advanced",)


@contributes(PlanParts, rule="HARK-14", order=5, modes=ADVANCED)
def captives_fight(parts: PlanParts, table: Table) -> PlanParts:
    """A captive is used in a plan like an own leader. [HARK-14, HARK-19, BATTLE-18]"""
    if parts.faction != NAME:
        return parts
    able = [leader for leader in captives_held(table, NAME) if may_serve(table, leader, parts.territory)]
    options = tuple(Option(leader, f"{_told(leader)}, your captive") for leader in able)
    return msgspec.structs.replace(parts, leaders=(*parts.leaders, *options))


def _told(leader: Piece) -> str:
    return f"{facts.name(leader)} ({facts.leader(leader).strength})"


@at("battle.after", rule="HARK-15", order=10, modes=ADVANCED)
def give_back(table: Table, subject: Json) -> Flow | None:
    """A captive that fought and lives goes back, before anything else is decided. [HARK-15, HARK-35]"""
    plan = table.names(f"battle.plan.{NAME}")
    if not plan or plan[0] not in captives_held(table, NAME):
        return None
    unused = subject["how"] == "traitor" and subject["winner"] == NAME
    if unused and ruling(table, "captive_after_traitor_win") == "kept":
        return None
    return GiveBack(plan[0])


class GiveBack(Flow, tag="harkonnen.give_back", frozen=True, omit_defaults=True):
    """One captive has served. [HARK-15]"""

    leader: Piece

    def start(self, play: Play) -> Next:
        """All have seen it in the plan."""
        _return(play, self.leader, shown=True)
        return self.done()


def _return(play: Play, leader: Piece, *, shown: bool) -> None:
    owner = facts.leader(leader).faction
    was_open = captives_held(play.table, NAME)[leader] == captives_of(owner, NAME, shown=True)
    play.emit(CaptiveReturned(NAME, owner, leader, shown or was_open, was_open))


@watches(LeaderKilled, rule="HARK-16")
def last_leader_dies(play: Play, killed: LeaderKilled) -> None:
    """Without a leader of its own Harkonnen holds no captive. [HARK-16]"""
    if killed.faction == NAME:
        return_if_leaderless(play)


def return_if_leaderless(play: Play) -> None:
    """If all its own leaders are dead, all captives return at once. [HARK-16]"""
    if not play.table.leaders(NAME):
        for leader in captives_held(play.table, NAME):
            _return(play, leader, shown=False)


@at("battle.after", rule="HARK-08", order=20, modes=ADVANCED)
def may_capture(table: Table, subject: Json) -> Flow | None:
    """After each battle that Harkonnen itself wins, however. [HARK-08, HARK-22, TRAITOR-15, BATTLE-60, REACT-67]

    It is asked whenever, for all that everybody knows, there could be a leader to take. [HARK-10, SECRET-10]
    """
    if subject["winner"] != NAME:
        return None
    if subject["how"] == "traitor" and ruling(table, "capture_after_traitor") == "off":
        return None
    sides = (subject["aggressor"], subject["defender"])
    loser = next(side for side in sides if side != NAME)
    seems = _seem_alive(table, loser)
    if not any(may_serve(table, leader, subject["territory"]) for leader in seems):
        return None
    return Capture(loser, subject["territory"])


def _seem_alive(table: Table, faction: Faction) -> tuple[Piece, ...]:
    """The leaders of a faction of which not everybody knows that they are dead or used up."""
    unseen = (f"{kind}.{faction}.{other}" for kind in ("captives", "tanks_hidden") for other in table.seats)
    return (*table.leaders(faction), *(leader for name in unseen for leader in zone(table, name)))


class Capture(Flow, tag="harkonnen.capture", frozen=True, omit_defaults=True):
    """One capture: decided, perhaps cancelled, drawn, then killed or kept. [HARK-09, HARK-11, REACT-67..REACT-69]"""

    victim: Faction
    territory: str
    leader: Piece = ""

    def start(self, play: Play) -> Next:
        """Whether to capture; by ruling it is drawn first. [HARK-11]"""
        if play.ruling("capture_order") == "draw_decide":
            return self.goto("declare") if self._candidates(play.table) else self.done()
        return self.ask([self._offer(play.table)], then="decided")

    def decided(self, play: Play, answers: Answers) -> Next:
        """Declared, or not."""
        return self.goto("declare") if answers[NAME]["do"] == "capture" else self.done()

    def declare(self, play: Play) -> Next:
        """Others may cancel it before a leader is drawn. [HARK-33, REACT-68]"""
        text = f"Harkonnen are about to capture a leader of {facts.name(self.victim)}."
        window = cancel_window(CAPTURE, NAME, text, victim=self.victim, territory=self.territory)
        return self.call(window, then="draw")

    def draw(self, play: Play, outcome: Json) -> Next:
        """At random among the active leaders not used elsewhere. [HARK-09, GEN-21]"""
        if outcome is not None:
            return self.done()
        leader = play.chance.choice(self._candidates(play.table))
        play.emit(LeaderCaptured(NAME, self.victim, leader, play.ruling("capture_public") == "public"))
        return self.replace(leader=leader).goto("choose")

    def choose(self, play: Play) -> Next:
        """Kill it or keep it. [HARK-11, REACT-69]"""
        name = _told(self.leader)
        labels = {"keep": f"Keep {name}", "kill": f"Kill {name} for {GAIN} spice"}
        if play.ruling("capture_order") == "draw_decide":
            labels["release"] = f"Let {name} go"
        made = offer(
            NAME,
            "captive",
            f"You have captured {name} of {facts.name(self.victim)}.",
            Variant(dict.fromkeys(labels, Fields({})), labels),
            default={"do": "keep"},
            about={"victim": self.victim, "leader": self.leader, "territory": self.territory},
            rules=("HARK-11", "HARK-12", "HARK-13"),
        )
        return self.ask([made], then="chosen")

    def chosen(self, play: Play, answers: Answers) -> Next:
        """Killed it yields spice; kept it serves until it was used once. [HARK-12, HARK-13, HARK-16]"""
        match answers[NAME]["do"]:
            case "kill":
                self._kill(play)
            case "release":
                _return(play, self.leader, shown=False)
            case _:
                return_if_leaderless(play)
        return self.done()

    def _kill(self, play: Play) -> None:
        """Face down, and as if killed twice unless it had been revived before. [HARK-12, HARK-21]"""
        twice = play.ruling("captured_kill_death") == "counts_twice"
        steps = UNSEEN_DEATH if twice and not dies_face_down(play.table, self.leader) else 1
        was_open = play.ruling("capture_public") == "public"
        shown = was_open or play.ruling("captured_kill_hidden") == "public"
        play.emit(CaptiveKilled(NAME, self.victim, self.leader, shown, steps, was_open))
        play.emit(SpicePaid(BANK, GAIN, NAME, "a captured leader"))
        if shown:
            play.clear(leader_place(self.leader))

    def _candidates(self, table: Table) -> tuple[Piece, ...]:
        return available_leaders(table, self.victim, self.territory)

    def _offer(self, table: Table) -> Offer:
        victim = facts.name(self.victim)
        labels = {"no": "Do not capture", "capture": f"Capture a leader of {victim}"}
        if self._candidates(table):
            choice = Variant({"no": Fields({}), "capture": Fields({})}, labels)
        else:
            off = {"capture": Off(f"{victim} has no leader that you could take.", "HARK-10")}
            choice = Variant({"no": Fields({})}, labels, off)
        return offer(
            NAME,
            "capture",
            f"You won against {victim}: you may capture one of its leaders, drawn at random.",
            choice,
            default={"do": "no"},
            about={"victim": self.victim, "territory": self.territory},
            rules=("HARK-08", "HARK-09"),
            window=True,
        )
