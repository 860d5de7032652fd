"""Beginning a game from a room's settings: checked, completed by chance, refused with a reason if they are wrong."""

from __future__ import annotations

import msgspec

from services.rules.engine.chance import Chance
from services.rules.engine.game import Decision, Refusal, begin_with
from services.rules.engine.loader import load_rules
from services.rules.phases.course import GameFlow
from shared.dune import facts
from shared.dune.events.course import GameBegan
from shared.dune.rulesets import rulesets
from shared.dune.rulings import rulings
from shared.dune.settings import Settings
from shared.dune.table import Table

__all__ = ["begin", "complete", "problem"]


def problem(settings: Settings) -> Refusal | None:
    """Why a game cannot be played with these settings, or None. [GEN-02, GEN-03]"""
    ruleset = rulesets().get(settings.ruleset)
    if ruleset is None:
        return _bad(f"there is no ruleset {settings.ruleset!r}; known: {', '.join(rulesets())}")
    if settings.mode not in ruleset.modes:
        return _bad(f"the {settings.mode} game is not offered by ruleset {settings.ruleset}")
    if unknown := set(settings.modules) - set(ruleset.modules):
        return _bad(f"not offered: {', '.join(sorted(unknown))}")
    if len(set(settings.modules)) != len(settings.modules):
        return _bad(f"a module is named twice: {', '.join(settings.modules)}")
    if settings.decks not in ruleset.decks:
        offered = "; or ".join(" with ".join(decks) for decks in ruleset.decks)
        return _bad(f"these decks are not offered: {' with '.join(settings.decks)}; offered: {offered}")
    if not 2 <= len(settings.seats) <= 6 or len(set(settings.seats)) != len(settings.seats):
        return _bad("2 to 6 different factions are needed", "GEN-02")
    if strangers := set(settings.seats) - set(ruleset.factions):
        return _bad(f"not playable: {', '.join(sorted(strangers))}; playable: {', '.join(ruleset.factions)}")
    if not 1 <= settings.last_turn <= facts.common().max_turns:
        return _bad(f"the last turn must be from 1 to {facts.common().max_turns}", "GEN-03")
    if settings.circles and not _circles_fit(settings):
        return _bad("each seat needs a player circle of its own", "MAP-03")
    return _ruling_problem(settings)


def _circles_fit(settings: Settings) -> bool:
    circles = settings.circles
    known = set(circles) <= set(facts.player_circles())
    return (
        known
        and len(circles) == len(settings.seats) == len(set(circles))
        and list(circles) == sorted(circles)
    )


def _ruling_problem(settings: Settings) -> Refusal | None:
    for name, value in settings.rulings.items():
        known = rulings().get(name)
        if known is None:
            return _bad(f"there is no ruling {name!r}")
        if absent := known.why_absent(settings.mode, settings.modules, settings.decks):
            return _bad(f"ruling {name} {absent}", known.id)
        if value not in known.offered:
            text = f"ruling {name} offers {', '.join(known.offered)}, not {value!r}. {known.fixed}"
            return _bad(text.strip(), known.id)
    return None


def _bad(text: str, rule: str = "") -> Refusal:
    return Refusal("settings", text, rule)


def complete(settings: Settings, chance: Chance) -> Settings:
    """The settings with player circles drawn if the room named none; seats stay in circle order. [START-02, MAP-03]"""
    if settings.circles:
        return settings
    drawn = sorted(chance.shuffled(facts.player_circles())[: len(settings.seats)])
    return msgspec.structs.replace(settings, circles=tuple(drawn))


def begin(settings: Settings, seed: int) -> Decision | Refusal:
    """Begin a game: the same settings and seed give the same game."""
    load_rules()
    if refusal := problem(settings):
        return refusal
    full = complete(settings, Chance.of(seed ^ 0x5EED))
    began = GameBegan(full)
    decision = begin_with(GameFlow(), began.apply(Table()), seed)
    return Decision(decision.game, (began, *decision.events))
