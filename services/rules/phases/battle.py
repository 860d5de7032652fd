"""The Battle Phase: who is aggressor, and which of its battles comes next. [BATTLE-05..BATTLE-09]"""

from __future__ import annotations

from services.rules.engine.flow import Answers, Flow, Next
from services.rules.engine.offering import choose, offer
from services.rules.engine.play import Play
from services.rules.phases.battle_fight import Battle
from services.rules.phases.battle_grounds import Clash, battles_of, next_aggressor
from services.rules.phases.course import phase
from shared.dune import facts
from shared.dune.offers import Offer
from shared.dune.settings import Faction
from shared.dune.shapes import Json, Option

__all__ = ["BattlePhase"]


@phase("battle")
class BattlePhase(Flow, tag="battle", frozen=True, omit_defaults=True):
    """One Battle Phase. Leaders that fought return to their pools with the marks of the phase. [BATTLE-15]"""

    def start(self, play: Play) -> Next:
        """The list of battles is made anew after each one. [BATTLE-05, BATTLE-09]"""
        return self.goto("choose" if next_aggressor(play.table) else "over")

    def choose(self, play: Play) -> Next:
        """The aggressor picks territory and opponent; a single battle needs no question.

        [BATTLE-06, BATTLE-08, REACT-54]
        """
        aggressor = next_aggressor(play.table)
        if aggressor is None:
            return self.goto("over")
        return self.ask([_battle_offer(aggressor, battles_of(play.table, aggressor))], then="chosen")

    def chosen(self, play: Play, answers: Answers) -> Next:
        """Fight it."""
        ((aggressor, answer),) = answers.items()
        battles = battles_of(play.table, aggressor)
        clash = next(clash for clash in battles if _key(clash, battles) == answer["choice"])
        return self.call(Battle(clash), then="fought")

    def fought(self, play: Play, result: Json) -> Next:
        """On to the next."""
        return self.goto("start")

    def over(self, play: Play) -> Next:
        """No battle is left."""
        return self.done()


def _battle_offer(aggressor: Faction, battles: tuple[Clash, ...]) -> Offer:
    options = [Option(_key(clash, battles), _label(clash, battles)) for clash in battles]
    why = "You are the aggressor: choose which battle to fight next."
    return offer(
        aggressor,
        "battle",
        why,
        choose(options, "Battle"),
        default={"choice": options[0].value},
        rules=("BATTLE-05", "BATTLE-06"),
    )


def _is_split(clash: Clash, battles: tuple[Clash, ...]) -> bool:
    """Whether storm parts this battle from another one of the same two in the same territory. [BATTLE-04]"""
    return any(
        other != clash and (other.territory, other.defender) == (clash.territory, clash.defender)
        for other in battles
    )


def _key(clash: Clash, battles: tuple[Clash, ...]) -> str:
    where = clash.places[0] if _is_split(clash, battles) else clash.territory
    return f"{where}/{clash.defender}"


def _label(clash: Clash, battles: tuple[Clash, ...]) -> str:
    where = clash.places[0] if _is_split(clash, battles) else clash.territory
    return f"{facts.name(where)}, against {facts.name(clash.defender)}"
