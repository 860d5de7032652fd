"""What random games saw of cards, powers and Nexus cards: how often each was used, and how often it was left.

A card or effect is used when its event says so; it is left when its holder could have used it and answered otherwise.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping

from services.rules.engine.game import Game
from services.rules.engine.windows import reactions_in
from services.rules.modules.nexus.plays import nexus_plays
from services.rules.phases.battle_powers import POWER
from services.rules.phases.shipment_flow import CANCEL
from shared.dune.events import Event
from shared.dune.events.battle import PlanRevealed
from shared.dune.events.cards import PowerCancelled
from shared.dune.events.nexus_cards import NexusCardPlayed
from shared.dune.events.pieces import CardDiscarded
from shared.dune.facts import face
from shared.dune.facts.nexus import has_nexus_cards, nexus_cards
from shared.dune.offers import Offer
from shared.dune.shapes import Json, Variant
from tests.anytime import anytime_offer

__all__ = ["EffectsSeen", "expected_effects", "missing_effects", "note_opened_powers"]

LEFT, USED = "left", "used"
WAYS = {
    "nexus_second_shipment": "cunning guild second_shipment",
    "nexus_ship": "secret_ally guild guild_shipment",
    "nexus_cross_ship": "secret_ally guild guild_shipment",
    "nexus_return": "secret_ally guild guild_shipment",
    "nexus_five_as_one": "secret_ally richese five_as_one",
}
"""Effects that are chosen as one of several things to do in a question of the game itself, by the name of the thing."""


def expected_effects(mode: str, modules: tuple[str, ...]) -> dict[str, str]:
    """Every effect of a Nexus card in a game of this mode, by the name of what its holder chooses."""
    if not has_nexus_cards(modules):
        return {}
    answered = [r for r in reactions_in(mode, modules) if getattr(r, "native", "")]
    known = [*answered, *nexus_plays(mode, modules)]
    return {one.name: f"{one.mode} {one.native} {one.name}" for one in known} | WAYS  # type: ignore[attr-defined]


def missing_effects(seen: Mapping[str, int], mode: str, modules: tuple[str, ...]) -> list[str]:
    """The effects that nobody used, or that everybody used who could."""
    names = sorted(set(expected_effects(mode, modules).values()))
    return [f"{name} {what}" for name in names for what in (USED, LEFT) if not seen.get(f"{name} {what}")]


def note_opened_powers(seen: Counter[str], before: Iterable[Offer], after: Iterable[Offer]) -> None:
    """Count the powers that windows name which opened: each was used, and could be cancelled there."""
    known = {offer.id for offer in before}
    opened: dict[str, set[str]] = {}
    for offer in after:
        if offer.kind.startswith("window.") and offer.id not in known:
            keys = (key for key in offer.about if key.startswith((POWER, CANCEL)))
            named = {key.removeprefix(POWER).removeprefix(CANCEL) for key in keys}
            power = offer.about.get("power", offer.kind.removeprefix("window."))
            opened.setdefault(offer.kind, set()).update(named or {str(power)})
    seen.update(power for powers in opened.values() for power in powers)


class EffectsSeen:
    """Counts for one game: `cards` and `powers` by use, `effects` of Nexus cards by whether they were used or left."""

    def __init__(self, mode: str, modules: tuple[str, ...]) -> None:
        self._effects = expected_effects(mode, modules)
        self._told: set[tuple[str, int, str]] = set()

    def note_events(self, cards: Counter[str], effects: Counter[str], events: Iterable[Event]) -> None:
        """Count the cards that were played or discarded, by the reason, and the Nexus cards."""
        for event in events:
            if isinstance(event, CardDiscarded):
                cards[f"{face(event.card)}: {event.reason}"] += 1
            elif isinstance(event, PlanRevealed):
                played = (event.leader, event.weapon, event.defense, *event.more.values())
                cards.update(f"{face(card)}: in a plan" for card in played if isinstance(card, str))
            elif isinstance(event, PowerCancelled):
                cards[f"cancelled {event.power}"] += 1
            elif isinstance(event, NexusCardPlayed):
                native = nexus_cards()[event.card].faction
                effects[f"{event.mode} {native} {event.effect} {USED}"] += 1

    def note_left(self, effects: Counter[str], game: Game, offer: Offer, given: Json) -> None:
        """Count the effects that the one who answers could have used by this answer, or instead of it."""
        if not self._effects:
            return
        if isinstance(offer.choice, Variant):
            used = self._effects.get(given["do"])
            could = {self._effects[name] for name in offer.choice.variants if name in self._effects}
            effects.update(f"{name} {LEFT}" for name in could - {used})
        key = (offer.seat, game.table.turn, game.table.phase)
        if offer.kind == "nexus_card" or key in self._told:
            return
        if any((row.seat, row.kind) == (offer.seat, "nexus_card") for row in game.standing):
            self._told.add(key)
            whole = anytime_offer(game, offer.seat, "nexus_card")
            if whole is not None and isinstance(whole.choice, Variant):
                effects.update(f"{self._effects[name]} {LEFT}" for name in whole.choice.variants)
