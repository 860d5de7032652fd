"""The log speaks English: numbers, lists, and what an audience may see decide the sentence."""

from __future__ import annotations

import pytest

from services.rules.engine.loader import load_rules
from shared.dune.events import Event, event_types, visible
from shared.dune.events.battle import BattleLostByBoth, BattleWon, ElementShown, StrengthCounted, VoiceSpoken
from shared.dune.events.bidding import HandsCounted
from shared.dune.events.cards import PowerCancelled
from shared.dune.events.deals import DealAnswered
from shared.dune.events.forces import ForcesKilled, ForcesMoved, ForcesTurned, SpicePaid
from shared.dune.events.permissions import PermissionSet
from shared.dune.events.promises import PromiseMade
from shared.dune.events.shipment import ShipmentDeclared

WHAT = "The Guild ships at half price."
SAID: list[tuple[Event, str]] = [
    (
        ForcesKilled("emperor", {"regular": 1}, "arrakeen:9", "battle"),
        "Emperor loses 1 force in Arrakeen (battle).",
    ),
    (
        ForcesMoved("emperor", {"regular": 3}, "reserves", "carthag:10", "shipment"),
        "Emperor: 3 forces from the reserves to Carthag (shipment).",
    ),
    (
        ForcesTurned("bene_gesserit", "arrakeen:9", 1, "regular", "advisor", "accompanying"),
        "Bene Gesserit: in Arrakeen a force becomes an advisor (accompanying).",
    ),
    (
        ForcesTurned("bene_gesserit", "arrakeen:9", 3, "advisor", "regular", "alone there"),
        "Bene Gesserit: in Arrakeen 3 forces become fighters (alone there).",
    ),
    (SpicePaid("bank", 2, "emperor", "leaders killed"), "The bank pays 2 spice to Emperor (leaders killed)."),
    (
        ShipmentDeclared("emperor", "shipment", 1, "carthag:10", 1),
        "Emperor declares a shipment of 1 force to Carthag, price 1.",
    ),
    (
        ShipmentDeclared("emperor", "shipment", 4, "carthag:10", 4, 3, "fremen"),
        "Emperor declares a shipment of 4 forces to Carthag, price 4, of which Fremen pays 3.",
    ),
    (
        VoiceSpoken("bene_gesserit", "emperor", "play", "lasgun"),
        "Bene Gesserit commands Emperor to play: Lasgun.",
    ),
    (
        VoiceSpoken("bene_gesserit", "emperor", "forbid", "poison_weapon"),
        "Bene Gesserit commands Emperor not to play: poison weapon.",
    ),
    (
        BattleWon("emperor", "fremen", "arrakeen", "traitor"),
        "Emperor wins against Fremen in Arrakeen, with a traitor.",
    ),
    (
        BattleWon("emperor", "fremen", "arrakeen", "strength"),
        "Emperor wins against Fremen in Arrakeen, by strength.",
    ),
    (
        BattleLostByBoth(("emperor", "fremen"), "arrakeen", "explosion"),
        "Emperor and Fremen both lose in Arrakeen (explosion).",
    ),
    (
        PowerCancelled("guild.rate", "guild", "fremen", WHAT),
        f"Fremen cancels a power of Spacing Guild: {WHAT}",
    ),
    (StrengthCounted("emperor", 7, ("dial 2", "Caid 5")), "Emperor: 7 (dial 2; Caid 5)."),
    (DealAnswered(3, "fremen", "agree"), "Deal 3: Fremen agrees."),
    (DealAnswered(3, "fremen", "refuse"), "Deal 3: Fremen refuses."),
    (HandsCounted({"emperor": 1, "fremen": 4}), "Treachery cards held: Emperor 1 and Fremen 4."),
]


@pytest.mark.parametrize(("event", "text"), SAID, ids=[text for _, text in SAID])
def test_everybody_reads(event: Event, text: str) -> None:
    told = visible(event, "spectator")
    assert told is not None
    assert told["text"] == text


PRIVATE: list[tuple[Event, str, str]] = [
    (
        PromiseMade("emperor", "fremen", "cards", 4),
        "fremen",
        "Emperor promises Fremen up to 4 spice for cards.",
    ),
    (
        PromiseMade("emperor", "fremen", "cards", 0),
        "emperor",
        "Emperor promises Fremen nothing for cards any more.",
    ),
    (
        PermissionSet("guild", "fremen", "guild.ally_rate", "withheld", "Guild rates"),
        "fremen",
        "Spacing Guild withholds from Fremen: Guild rates.",
    ),
    (
        PermissionSet("guild", "fremen", "guild.ally_rate", "granted", "Guild rates"),
        "guild",
        "Spacing Guild lends Fremen: Guild rates.",
    ),
]


@pytest.mark.parametrize(("event", "reader", "text"), PRIVATE, ids=[text for _, _, text in PRIVATE])
def test_only_allies_read(event: Event, reader: str, text: str) -> None:
    told = visible(event, reader)
    assert told is not None
    assert told["text"] == text
    assert visible(event, "spectator") is None
    assert visible(event, "harkonnen") is None


def test_a_shorter_sentence_for_who_may_not_see_all() -> None:
    shown = ElementShown("atreides", "emperor", "weapon", "crysknife")
    told = {who: visible(shown, who) for who in ("atreides", "fremen")}
    assert [t and t["text"] for t in told.values()] == [
        "Emperor shows Atreides: weapon Crysknife.",
        "Emperor shows Atreides its weapon.",
    ]


def test_every_sentence_is_of_fields_that_exist() -> None:
    load_rules()
    for kind in event_types().values():
        fields = set(kind.__struct_fields__)
        declared = {*kind.public, *kind.private, *(f for row in kind.private.values() for f in row)}
        assert declared <= fields, f"{kind.__name__} declares {declared - fields}"
