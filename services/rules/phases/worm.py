"""A worm appears in a territory, and may devour what is there. [BLOW-06, BLOW-12, BLOW-13]"""

from __future__ import annotations

from services.rules.engine.flow import Flow, Next
from services.rules.engine.hooks import Quote, quote
from services.rules.engine.moments import Moment
from services.rules.engine.play import Play
from shared.dune import facts
from shared.dune.events.blow import WormAppeared
from shared.dune.events.forces import ForcesKilled, SpiceRemoved
from shared.dune.settings import Faction
from shared.dune.shapes import Json

__all__ = ["WORM", "WormAppears", "WormSpares", "devour_forces"]

WORM = "worm"
"""The cause of what a worm destroys; marks that begin with `worm.` last until it has devoured."""


class WormSpares(Quote, frozen=True, kw_only=True):
    """Whether a worm in a territory spares a faction's forces there: 0 or 1. [BLOW-13, BLOW-14]"""

    faction: Faction
    territory: str


class WormAppears(Flow, tag="worm.appears", frozen=True, omit_defaults=True):
    """One worm in one territory (empty: on a pile that shows none yet, so nothing is there to devour)."""

    territory: str
    devours: bool

    def start(self, play: Play) -> Next:
        """Everybody sees it; who is spared is settled before it devours. [REACT-11, REACT-12, REACT-13]"""
        play.emit(WormAppeared(self.territory or "nowhere", self.devours and bool(self.territory)))
        if not self.territory:
            return self.done()
        if not self.devours:
            return self.goto("appeared")
        return self.call(Moment("worm.devours", self.territory), then="devour")

    def devour(self, play: Play, result: Json) -> Next:
        """All forces and all spice in every location, in storm or not, except who is spared. [BLOW-06, BLOW-12]"""
        for faction in sorted(play.table.factions_in(self.territory)):
            if not quote(play.table, WormSpares(faction=faction, territory=self.territory)).value:
                devour_forces(play, faction, self.territory)
        for place in facts.locations_of(self.territory):
            if amount := play.table.spice_of(place):
                play.emit(SpiceRemoved(place, amount, WORM))
        play.clear("worm.")
        return self.goto("appeared")

    def appeared(self, play: Play) -> Next:
        """Whoever may do something with a worm takes note of it. [BLOW-09]"""
        return self.call(Moment("worm.appeared", self.territory), then="over")

    def over(self, play: Play, result: Json) -> Next:
        """The worm has had its effect."""
        return self.done()


def devour_forces(play: Play, faction: Faction, territory: str) -> None:
    """All forces of a faction in a territory go to the tanks. [BLOW-06]"""
    for place in facts.locations_of(territory):
        if kinds := play.table.kinds_at(place, faction):
            play.emit(ForcesKilled(faction, kinds, place, WORM))
