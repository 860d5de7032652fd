"""What the log says of phases, bids, revivals, worms and the end, to everybody and to those who may know more."""

from __future__ import annotations

import pytest

from shared.dune.events import Event, visible
from shared.dune.events.bidding import BidMade, CardsReturned
from shared.dune.events.blow import WormAppeared
from shared.dune.events.course import GameEnded, PhaseBegan
from shared.dune.events.ending import BribesTaken, StrongholdsCounted
from shared.dune.events.revival import ExtraRevivalsOffered
from shared.dune.events.setup import TraitorsKeptBack
from shared.dune.events.storm import StormDistanceSet
from shared.dune.table import Result

PAIR = ("fremen", "atreides")
SPLIT = BidMade("fremen", 5, 3, "emperor", 2)
KEPT = TraitorsKeptBack("harkonnen", ("traitor:chani", "traitor:caid", "traitor:alia", "traitor:jamis"))
OVER = "The game is over."

SAID: list[tuple[Event, str, str]] = [
    (PhaseBegan("mentat"), "spectator", "Phase: Mentat Pause."),
    (StormDistanceSet(1), "spectator", "The storm will move 1 sector."),
    (StormDistanceSet(0), "spectator", "The storm will move 0 sectors."),
    (WormAppeared("red_chasm", True), "spectator", "Shai-Hulud appears in Red Chasm."),
    (WormAppeared("nowhere", False), "spectator", "Shai-Hulud appears."),
    (CardsReturned(("shield#1",), 1), "spectator", "Back to the treachery deck, unsold: 1 card."),
    (SPLIT, "spectator", "Fremen bids 5."),
    (SPLIT, "emperor", "Fremen bids 5; your part of it is 2."),
    (SPLIT, "fremen", "Fremen bids 5 spice: 3 of its own, 2 of its ally's."),
    (BidMade("fremen", 5, 5), "fremen", "Fremen bids 5 of its own spice."),
    (BidMade("fremen", 50, settle="karama"), "fremen", "Fremen bids 50, to be settled with Karama."),
    (BidMade("fremen", 50, settle="karama"), "emperor", "Fremen bids 50."),
    (
        ExtraRevivalsOffered("emperor", "fremen", 1, 2),
        "spectator",
        "Emperor offers to pay for 1 further revival of Fremen.",
    ),
    (KEPT, "spectator", "Harkonnen keeps its traitors."),
    (TraitorsKeptBack("guild", ("traitor:chani",)), "spectator", "Spacing Guild has chosen its traitor."),
    (TraitorsKeptBack("guild", ("traitor:chani",)), "guild", "Spacing Guild keeps Chani."),
    (BribesTaken("fremen", 3), "spectator", "Fremen takes the 3 spice in front of its shield."),
    (
        StrongholdsCounted({"fremen": 3, "guild": 0}, {"fremen": "atreides"}),
        "spectator",
        "Strongholds: Fremen with Atreides 3, Spacing Guild 0.",
    ),
    (
        GameEnded(Result(PAIR, "strongholds", 4)),
        "spectator",
        f"{OVER} Fremen and Atreides win: enough strongholds are held.",
    ),
    (
        GameEnded(Result(("bene_gesserit",), "prediction", 4)),
        "spectator",
        f"{OVER} Bene Gesserit wins: the prediction has come true.",
    ),
]


@pytest.mark.parametrize(("event", "reader", "text"), SAID, ids=[f"{who}: {text}" for _, who, text in SAID])
def test_the_log_says(event: Event, reader: str, text: str) -> None:
    told = visible(event, reader)
    assert told is not None
    assert told["text"] == text
