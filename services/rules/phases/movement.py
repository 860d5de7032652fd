"""One player's movement: one group, more with an extra, until the player ends its turn of action. [MOVE-01, MOVE-20]"""

from __future__ import annotations

from typing import ClassVar

import msgspec

from services.rules.engine.cancel import cancel_window, cancelled_mark
from services.rules.engine.flow import Answers, Flow, Next
from services.rules.engine.moments import Moment
from services.rules.engine.play import Play
from services.rules.phases.groups import Groups, cleaned, number_of
from services.rules.phases.movement_offer import move_offer, movement_extras, turn_endings
from services.rules.phases.movement_paths import reachable
from services.rules.phases.movement_quotes import march, move_range
from services.rules.phases.presence import only_stay
from shared.dune import facts
from shared.dune.events.forces import ForcesMoved
from shared.dune.settings import Faction
from shared.dune.shapes import Json
from shared.dune.table import Table

__all__ = ["Moving"]

HOW = "movement"


class Moving(Flow, tag="movement", frozen=True, omit_defaults=True):
    """The movement part of a turn of action: `left` movements are still to be made, `group` to `to` is declared.

    `extra`: how many further movements have been won. `lifted` names the power that was cancelled for one movement and
    works again after it. [KARAMA-02] Moment `movement.by_power`: a movement that needs a power has been declared, and
    nobody has cancelled it.
    """

    is_boundary: ClassVar[bool] = True

    faction: Faction
    left: int = 1
    extra: int = 0
    group: Groups = msgspec.field(default_factory=dict)
    to: str = ""
    lifted: str = ""

    def start(self, play: Play) -> Next:
        """Move, play an extra, or end. [REACT-52]"""
        return self.ask([move_offer(play.table, self.faction, self.left)], then="answered")

    def answered(self, play: Play, answers: Answers) -> Next:
        """Carry the answer out; a movement that needs a power is answered first. [REACT-50]"""
        answer = answers[self.faction]
        if answer["do"] == "end":
            return self._restored(play).done()
        if answer["do"] != "move":
            return self._else(play, answer)
        group, to = cleaned(answer["group"]["from"]), answer["group"]["to"]
        flow = self.replace(group=group, to=to)
        if power := needed_power(play.table, self.faction, group, to):
            number = facts.counted(number_of(group), "force")
            text = f"{facts.name(self.faction)} is about to move {number} to {facts.name(to)}."
            window = cancel_window(power, power.partition(".")[0], text, to=to, forces=number_of(group))
            return flow.call(window, then="power_answered")
        return flow.goto("arrive")

    def _else(self, play: Play, answer: Json) -> Next:
        """One more movement, or what follows the movements: then those of extras alone are left."""
        fields = {key: value for key, value in answer.items() if key != "do"}
        if ending := turn_endings().get(answer["do"]):
            left = min(self.left, self.extra)
            flow = ending.flow(play.table, self.faction, fields)
            return self._restored(play).replace(left=left).call(flow, then="ended")
        movement_extras()[answer["do"]].use(play, self.faction, fields)
        return self.replace(left=self.left + 1, extra=self.extra + 1).goto("start")

    def ended(self, play: Play, is_over: Json) -> Next:
        """The turn goes on with the movements that are left, unless it is over."""
        return self.done() if is_over else self.goto("start")

    def power_answered(self, play: Play, outcome: Json) -> Next:
        """Cancelled: the movement is declared anew within the range that is left. [FRE-38]"""
        if outcome is None:
            power = needed_power(play.table, self.faction, self.group, self.to)
            subject = {
                "faction": self.faction,
                "power": power,
                "to": self.to,
                "number": number_of(self.group),
            }
            return self.call(Moment("movement.by_power", subject), then="power_stands")
        power = needed_power(play.table, self.faction, self.group, self.to)
        if power and not play.table.is_set(cancelled_mark(power)):
            play.set_public(cancelled_mark(power), outcome["by"])
            return self.replace(lifted=power, group={}, to="").goto("start")
        return self.replace(group={}, to="").goto("start")

    def power_stands(self, play: Play, result: Json) -> Next:
        """If the power has gone meanwhile, the movement is declared anew within the range that is left."""
        if needed_power(play.table, self.faction, self.group, self.to):
            return self.goto("arrive")
        return self.replace(group={}, to="").goto("start")

    def arrive(self, play: Play) -> Next:
        """The group is there; then whoever answers an arrival. [MOVE-12]"""
        for source, kinds in self.group.items():
            play.emit(ForcesMoved(self.faction, kinds, source, self.to, HOW))
        subject = {
            "faction": self.faction,
            "to": self.to,
            "number": number_of(self.group),
            "entered": self._enters(),
        }
        flow = self._restored(play).replace(left=self.left - 1, group={}, to="")
        return flow.call(Moment("movement.arrived", subject), then="arrived")

    def _enters(self) -> bool:
        """Whether the group comes from another territory. [MOVE-14]"""
        ground = facts.territory_of(self.to).id
        return any(facts.territory_of(source).id != ground for source in self.group)

    def arrived(self, play: Play, result: Json) -> Next:
        """The turn goes on until the player ends it. [MOVE-20]"""
        return self.goto("start")

    def _restored(self, play: Play) -> Moving:
        if self.lifted:
            play.clear(cancelled_mark(self.lifted))
        return self.replace(lifted="")


def needed_power(table: Table, faction: Faction, group: Groups, to: str) -> str:
    """The Karama name of the power without which some of the group could not get there; empty if none is needed."""
    stays = all(map(only_stay, group.values()))
    range_ = move_range(table, faction, stays=stays)
    if not range_.power:
        return ""
    way = march(table, faction, stays=stays)
    plain = all(to in reachable(place, range_.plain, way.barred, way.ends) for place in group)
    return "" if plain else range_.power
