"""What the table page knows of the game before it sees a view: names, card texts and the map, as one JSON file.

Only public facts that are printed on boards, cards and sheets; nothing of any room.
"""

from __future__ import annotations

import re
from functools import cache
from importlib import resources
from typing import Any

import msgspec

from services.room.web.map_drawing import anchors, geometry, territory_paths
from shared.dune import facts
from shared.dune.facts.forces import kinds_of_force
from shared.dune.facts.nexus import MODES, NexusCard, nexus_cards
from shared.dune.facts.special import special_leaders

__all__ = ["facts_json"]

REFERENCE = re.compile(r", see rules\.\w+")
"""A card's text may point to a row of the data file, which means nothing to a reader."""
ROOM_FOR_NAME = 0.035
"""Territories smaller than this (the planet's radius is 1) have their name drawn only when the map is enlarged."""


@cache
def facts_json() -> bytes:
    """The bundle, encoded once."""
    return msgspec.json.encode(
        {
            "sectors": facts.SECTORS,
            "polarRadius": geometry_radius(),
            "circles": facts.player_circles(),
            "territories": _territories(),
            "places": _places(),
            "factions": {f.id: _faction(f) for f in facts.factions().values()},
            "forces": {
                kind.id: {"one": kind.one, "many": kind.many, "stays": kind.stays}
                for kind in kinds_of_force().values()
            },
            "leaders": {
                leader.id: {"name": leader.name, "faction": leader.faction, "strength": leader.strength}
                for leader in facts.leaders().values()
            },
            "specials": {
                one.id: {"name": one.name, "faction": one.faction, "strength": one.strength}
                for one in special_leaders().values()
            },
            "cards": {card.id: _card(card) for card in facts.treachery_cards().values()},
            "nexus": {card.id: _nexus_card(card) for card in nexus_cards().values()},
            "spice": {
                card.id: {"name": card.name, "kind": card.kind, "place": card.location, "amount": card.amount}
                for card in facts.spice_cards().values()
            },
        }
    )


def geometry_radius() -> float:
    """The radius of the Polar Sink on the drawing, where the planet's is 1."""
    text = resources.files("shared.dune.facts").joinpath("map_geometry.json").read_text("utf-8")
    return float(msgspec.json.decode(text)["polar_radius"])


def _territories() -> dict[str, Any]:
    paths, drawn = territory_paths(), geometry()["territories"]
    return {
        t.id: {
            "name": t.name,
            "kind": t.kind,
            "sectors": t.sectors,
            "protected": t.storm_protected,
            "wall": t.shield_wall_dependent,
            "worm": t.worm_can_appear,
            "thopters": t.ornithopters,
            "adjacent": t.adjacent,
            "path": paths[t.id],
            "label": drawn[t.id]["label"],
            "tight": t.kind != "stronghold" and area(drawn[t.id]["outline"]) < ROOM_FOR_NAME,
        }
        for t in facts.territories().values()
    }


def area(outline: list[list[float]]) -> float:
    """The area within an outline."""
    after = outline[1:] + outline[:1]
    return abs(sum(a[0] * b[1] - b[0] * a[1] for a, b in zip(outline, after, strict=True))) / 2


def _places() -> dict[str, Any]:
    at = anchors()
    return {
        place.id: {"at": at[place.id], "near": place.neighbours, "blow": place.spice_blow}
        for place in facts.locations().values()
    }


def _faction(fact: facts.FactionFact) -> dict[str, Any]:
    return {"name": fact.name, "freeRevival": fact.free_revival, "handLimit": fact.hand_limit}


def _card(card: facts.TreacheryFact) -> dict[str, Any]:
    same = facts.treachery_cards().get(card.id.removesuffix("_richese"), card)
    effect = REFERENCE.sub("", card.effect or same.effect)
    return {"name": card.name, "kind": card.kind, "effect": effect, "slots": card.slots}


def _nexus_card(card: NexusCard) -> dict[str, Any]:
    panels = {
        mode: {"text": card.panel(mode), "when": card.when[mode], "counter": card.counter.get(mode, "")}
        for mode in MODES
    }
    return {"name": facts.name(card.id), "faction": card.faction, "panels": panels}
