"""The powers that Karama can cancel are exactly those of the faction sheets. [KARAMA-03]"""

from __future__ import annotations

import re
from pathlib import Path

from shared.dune import facts

CANCELLABLE = {
    "atreides.auction_look",  # ATR-35
    "atreides.spice_look",  # ATR-36
    "atreides.prescience",  # ATR-37
    "atreides.kwisatz_haderach",  # ATR-38
    "bene_gesserit.voice",  # BG-45
    "bene_gesserit.accompany",  # BG-46
    "bene_gesserit.worthless_karama",  # BG-47
    "bene_gesserit.charity",  # BG-49
    "bene_gesserit.flip",  # BG-48
    "emperor.income",  # EMP-19
    "emperor.gift",  # EMP-20
    "emperor.extra_revivals",  # EMP-21
    "emperor.sardaukar",  # EMP-22
    "fremen.movement",  # FRE-38
    "fremen.immunity",  # FRE-39
    "fremen.ride",  # FRE-39
    "fremen.protection",  # FRE-40
    "fremen.ally_revival",  # FRE-41
    "fremen.storm_look",  # FRE-42
    "fremen.worm_placing",  # FRE-43
    "fremen.storm_losses",  # FRE-44
    "fremen.storm_entry",  # FRE-44
    "fremen.fedaykin",  # FRE-45
    "fremen.free_strength",  # FRE-46
    "guild.payment",  # GUILD-27
    "guild.rate",  # GUILD-28
    "guild.ally_rate",  # GUILD-29
    "guild.planet_shipping",  # GUILD-30
    "guild.order",  # GUILD-31
    "harkonnen.ally_traitor",  # HARK-31
    "harkonnen.extra_card",  # HARK-32
    "harkonnen.capture",  # HARK-33
}

OWN_RESPONSES = {
    "nexus.atreides.second_element",  # NEXUS-ATR-20
    "nexus.bene_gesserit.fighters",  # NEXUS-BG-14
    "nexus.bene_gesserit.voice",  # NEXUS-BG-36
    "nexus.emperor.sardaukar",  # NEXUS-EMP-06
    "nexus.fremen.cunning",  # NEXUS-FRE-07
    "nexus.guild.cunning",  # NEXUS-GUILD-05
    "nexus.harkonnen.cunning",  # NEXUS-HARK-22, by ruling alone
}
"""Uses of Nexus cards that Karama can cancel, as the index of their effects says. [NEXUS-32, NEXUS-84]"""


def test_the_cancellable_uses_of_nexus_cards_are_those_of_the_index() -> None:
    """Whatever a module declares as POWER is open to Karama."""
    pattern = re.compile(r'^POWER = "(nexus\.[a-z_.]+)"', re.MULTILINE)
    root = Path(__file__).parents[4] / "services" / "rules" / "modules"
    found = {name for path in root.rglob("*.py") for name in pattern.findall(path.read_text("utf-8"))}
    assert found == OWN_RESPONSES


def test_the_cancellable_powers_are_those_of_the_sheets() -> None:
    """No power is missing, and nothing else has a name under which it could be cancelled.

    The names of flows look alike and are left out.
    """
    factions = "|".join(facts.factions())
    pattern = re.compile(rf'(?<!tag=)"((?:{factions})\.[a-z_]+)"')
    root = Path(__file__).parents[4] / "services" / "rules"
    found = {name for path in root.rglob("*.py") for name in pattern.findall(path.read_text("utf-8"))}
    assert found == CANCELLABLE
