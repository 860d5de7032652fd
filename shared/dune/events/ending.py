"""Events of the end of a turn and of the game: strongholds counted, a prediction come true."""

from __future__ import annotations

from typing import ClassVar

from shared.dune.events.base import Event
from shared.dune.settings import Faction


class StrongholdsCounted(Event, tag=True, frozen=True):
    """How many strongholds count for each faction, or for each pair of allies. [MENTAT-03..MENTAT-06]"""

    counts: dict[Faction, int]

    public: ClassVar = ("counts",)
    lines: ClassVar = ("Strongholds: {counts}.",)


class PredictionFulfilled(Event, tag=True, frozen=True):
    """A prediction is shown: this faction was to win in this turn, and it did. [MENTAT-09, BG-03]"""

    faction: Faction
    predicted: Faction
    turn: int

    public: ClassVar = ("faction", "predicted", "turn")
    lines: ClassVar = ("{faction} had predicted that {predicted} would win in turn {turn}.",)
