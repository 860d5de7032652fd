"""The accompanying force may be an advisor where the shipment went. [BG-25..BG-27, BG-51, ALLY-20]"""

from __future__ import annotations

import msgspec

from services.rules.engine.hooks import Quote, contributes
from services.rules.engine.play import Play
from services.rules.engine.rulings import ruling
from services.rules.factions.bene_gesserit import NAME
from services.rules.factions.bene_gesserit.lock import lock
from services.rules.factions.bene_gesserit.sides import ADVANCED, ADVISOR, ally_is_in, fighters_in, turn_all
from services.rules.phases.separation import receive_guest
from shared.dune import facts
from shared.dune.shapes import Off
from shared.dune.table import Table

__all__ = ["WithShipment", "come_with_them"]


class WithShipment(Quote, frozen=True, kw_only=True):
    """Where else than to the Polar Sink the force may go when others ship to the location `to`. [BG-25]

    `off`: why it may not go with them now. Without a contribution nothing but the Polar Sink is spoken of.
    """

    to: str
    places: tuple[str, ...] = ()
    off: Off | None = None


@contributes(WithShipment, rule="BG-25", modes=ADVANCED)
def into_the_territory(there: WithShipment, table: Table) -> WithShipment:
    """Any sector of the territory free of storm, by ruling the same one alone, if no own fighters are there.

    [BG-25, BG-51, RULING-45]
    """
    territory = facts.territory_of(there.to)
    if fighters_in(table, territory.id):
        return msgspec.structs.replace(there, off=Off("You have fighters there.", "BG-25"))
    whole = ruling(table, "advisor_sector") == "any_sector"
    open_ = tuple(p for p in (territory.locations if whole else (there.to,)) if not table.in_storm(p))
    return msgspec.structs.replace(there, places=open_)


def come_with_them(play: Play, place: str) -> None:
    """The force that has just arrived is an advisor, stays one this turn, and need not part from an ally yet.

    [BG-25, BG-27, ALLY-20]
    """
    territory = facts.territory_of(place).id
    turn_all(play, territory, ADVISOR, "accompanying")
    lock(play, territory)
    if ally_is_in(play.table, territory):
        receive_guest(play, NAME, territory)
