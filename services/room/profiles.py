"""Profiles: named setups with which an operator starts one ready lobby in one composition. [NEXUS-76..NEXUS-79]

Pure: what each sets, and why a lobby does not fit. `starts.py` carries it out.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Protocol

from msgspec import Struct

__all__ = ["PROFILES", "Profile", "Sitting", "misfit", "settings_for"]


class Sitting(Protocol):
    """What is asked of a seat."""

    seat: int
    kind: str
    name: str
    faction: str | None
    ready: bool


class Profile(Struct, frozen=True):
    """A named setup: the modules it sets, the decks it allows, and the factions that seats must have asked for."""

    name: str
    text: str
    rule: str
    modules: tuple[str, ...] = ("nexus",)
    decks: tuple[tuple[str, ...], ...] = (("base",),)
    needs: tuple[str, ...] = ()
    least: int = 2
    most: int = 6


_ALL = (
    Profile(
        "nexus-core",
        "Nexus cards with any of the six factions, on the deck of 33 or of 36 that the room has chosen.",
        "NEXUS-76",
        decks=(("base",), ("base", "ecaz_moritani")),
    ),
    Profile(
        "guild-betrayal",
        "Nexus cards with the Guild seated, so that its payments can be taken.",
        "NEXUS-77",
        needs=("guild",),
    ),
    Profile(
        "harkonnen-betrayal",
        "Nexus cards with Harkonnen seated, so that a traitor's call can be made void.",
        "NEXUS-78",
        needs=("harkonnen",),
    ),
    Profile(
        "bene-gesserit-voice",
        "Nexus cards with the Bene Gesserit seated, so that the Voice can be stopped.",
        "NEXUS-76",
        needs=("bene_gesserit",),
    ),
    Profile(
        "atreides-inspection",
        "Nexus cards with Atreides seated, so that plans are asked about and questions are stopped.",
        "NEXUS-76",
        needs=("atreides",),
    ),
)
PROFILES = {profile.name: profile for profile in _ALL}
"""All profiles by name."""


def misfit(profile: Profile, state: str, settings: Mapping[str, Any], seats: Sequence[Sitting]) -> str:
    """Why a lobby cannot be started with a profile; empty if it fits. [NEXUS-79]"""
    if state != "lobby":
        return "its game has begun; a profile starts a fresh lobby only"
    taken = [seat for seat in seats if seat.kind != "open"]
    if not profile.least <= len(taken) <= profile.most:
        return f"{len(taken)} seats are taken; this profile is for {profile.least} to {profile.most}"
    if late := [seat.name for seat in taken if not seat.ready]:
        return f"not ready yet: {', '.join(late)}"
    wished = [seat.faction for seat in taken if seat.faction]
    if missing := [faction for faction in profile.needs if faction not in wished]:
        return f"nobody has asked for {', '.join(missing)}; a seat must have chosen it"
    return _other_choices(profile, settings)


def _other_choices(profile: Profile, settings: Mapping[str, Any]) -> str:
    """A profile takes nothing away that the room has chosen, and brings nothing that it does not name. [NEXUS-81]"""
    if others := sorted(set(settings["modules"]) - set(profile.modules)):
        return f"the room has chosen {', '.join(others)}, which this profile is without"
    if tuple(settings["decks"]) not in profile.decks:
        offered = "; or ".join(" with ".join(decks) for decks in profile.decks)
        return (
            f"the room has chosen the decks {' with '.join(settings['decks'])}; this profile is for {offered}"
        )
    return ""


def settings_for(profile: Profile, settings: Mapping[str, Any]) -> dict[str, Any]:
    """The room's settings with exactly the modules of the profile; all else stays as the room has it."""
    return {**settings, "modules": list(profile.modules)}
