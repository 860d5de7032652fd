"""The rules guide: pages for players in our own words, made of the same data that the rules read. [NEXUS-70]

Interpretations stand in it as interpretations; where a rule comes from is told in the documents of developers.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

from shared.dune import facts
from shared.dune.facts.nexus import MODES, NexusCard, nexus_cards
from shared.dune.offered import modules
from shared.dune.rulesets import rulesets
from shared.dune.rulings import Ruling, rulings
from shared.dune.sentences import sentences

__all__ = ["TOPICS", "Panel", "Section", "page", "topic_of"]

TOPICS = {
    "rules": "The rules, one by one",
    "nexus": "Nexus cards",
    "interpretations": "Interpretations of the game",
}
"""Topics by the name that an address has."""
CHAPTERS = {
    "GEN": "General",
    "MAP": "The board",
    "START": "Setup",
    "STORM": "Storm",
    "BLOW": "Spice blow",
    "NEXUSPHASE": "Nexus",
    "CHARITY": "CHOAM charity",
    "BID": "Bidding",
    "REVIVAL": "Revival",
    "SHIP": "Shipment",
    "MOVE": "Movement",
    "BATTLE": "Battle",
    "TRAITOR": "Traitors",
    "COLLECT": "Spice collection",
    "MENTAT": "Mentat pause and victory",
    "ALLY": "Alliances",
    "DEAL": "Deals",
    "SECRET": "What is secret",
    "CARD": "Treachery cards",
    "WEAP": "Weapons",
    "DEF": "Defenses",
    "LASGUN": "Lasgun and shield",
    "HERO": "Cheap heroes",
    "WORTH": "Worthless cards",
    "TRUTH": "Truthtrance",
    "KARAMA": "Karama",
    "GHOLA": "Tleilaxu Ghola",
    "HAJR": "Hajr",
    "WEATHER": "Weather Control",
    "ATOMICS": "Family Atomics",
    "ATR": "Atreides",
    "BG": "Bene Gesserit",
    "EMP": "Emperor",
    "FRE": "Fremen",
    "GUILD": "Spacing Guild",
    "HARK": "Harkonnen",
}
"""Parts of the rules by the beginning of their ids, in the order of the page."""
TITLES = {"cunning": "Cunning", "betrayal": "Betrayal", "secret_ally": "Secret Ally"}

NEXUS = {
    "drawing": (
        "Drawing",
        (
            "All twelve cards are in the game, whoever plays. Nobody begins with one.",
            "When a Nexus has happened in Spice Blow and an alliance exists at its end, everybody without an ally "
            "may draw a card. Who holds one already may keep it, or discard it and draw another.",
            "Whoever draws the card of its own faction may draw once more. Say beforehand whether you want that: "
            "all of it then happens at once, and nobody can tell who drew what.",
            "Nobody holds more than one. An empty deck is made anew of the discarded cards.",
        ),
    ),
    "holding": (
        "Holding",
        (
            "Everybody sees who holds a Nexus card, nobody else sees which. It is no treachery card and counts "
            "against no limit.",
            "Whoever enters an alliance gives its card up. A game of two can therefore never come to hold one.",
        ),
    ),
    "playing": (
        "Playing",
        (
            "Who is seated decides which panel is yours: Cunning with your own faction's card, Betrayal when another "
            "player has that faction, Secret Ally when nobody has it.",
            "You must be without an ally when you play it. It is discarded at once, for one effect, and does not come "
            "back, whatever becomes of the effect.",
            "Where a card can stop something, everybody who could hold such a card is asked, whether they do or not. "
            "Passing there is final. You may set a standing pass in advance; it never plays a card.",
        ),
    ),
}


@dataclass(frozen=True, slots=True)
class Panel:
    """One panel of a card; `needs` says what it waits for where it cannot be played. [NEXUS-72]"""

    id: str
    title: str
    text: str
    when: str
    counter: str
    needs: str


@dataclass(frozen=True, slots=True)
class Section:
    """A part of a page: its anchor, its lines, the panels in it, single rules by their ids."""

    id: str
    title: str
    lines: tuple[str, ...] = ()
    panels: tuple[Panel, ...] = ()
    rules: tuple[tuple[str, str], ...] = ()


def page(topic: str) -> tuple[list[Section], list[Ruling]]:
    """The sections of a topic and the interpretations that belong to it; KeyError for an unknown topic."""
    if topic not in TOPICS:
        raise KeyError(topic)
    module = topic if topic in modules() else ""
    found = [one for one in rulings().values() if one.offered and one.module == module]
    if topic == "rules":
        return _rules(), []
    return (_nexus() if topic == "nexus" else []), found


def topic_of(anchor: str) -> str:
    """The topic on whose page an anchor is (`nexus-guild-betrayal`, `BID-04`); empty for what is on none."""
    return _anchors().get(anchor, "")


@cache
def _anchors() -> dict[str, str]:
    found: dict[str, str] = {}
    for topic in TOPICS:
        sections, interpretations = page(topic)
        for section in sections:
            inner = (*(panel.id for panel in section.panels), *(rule for rule, _ in section.rules))
            found |= dict.fromkeys((section.id, *inner), topic)
        found |= {f"ruling-{one.name}": topic for one in interpretations}
    return found


@cache
def _rules() -> list[Section]:
    """Every rule of the game as its sentence: where a table says a rule's id, its anchor is here."""
    found: dict[str, list[tuple[str, str]]] = {prefix: [] for prefix in CHAPTERS}
    for rule, text in sentences().items():
        prefix = rule.rpartition("-")[0]
        if prefix in found:
            found[prefix].append((rule, text))
    return [
        Section(f"rules-{prefix.lower()}", CHAPTERS[prefix], rules=tuple(rows))
        for prefix, rows in found.items()
    ]


def _nexus() -> list[Section]:
    life = [Section(f"nexus-{name}", title, lines) for name, (title, lines) in NEXUS.items()]
    cards = [
        Section(
            f"nexus-{card.faction}",
            facts.name(card.id),
            panels=tuple(_panel(card, mode) for mode in MODES),
        )
        for card in nexus_cards().values()
    ]
    return life + cards


def _panel(card: NexusCard, mode: str) -> Panel:
    seated = card.faction in rulesets()["base-1"].factions
    needs = (
        ""
        if seated or mode == "secret_ally"
        else f"This faction cannot be played yet, so its {TITLES[mode]} is not available."
    )
    anchor = f"nexus-{card.faction}-{mode.replace('_', '-')}"
    return Panel(
        anchor,
        TITLES[mode],
        card.panel(mode),
        _sentence(card.when[mode]),
        _sentence(card.counter.get(mode, "")),
        needs,
    )


def _sentence(text: str) -> str:
    return f"{text[0].upper()}{text[1:]}." if text else ""
