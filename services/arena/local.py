"""A whole game in one process: the engine and the policies, and the same order of answers as through the services."""

from __future__ import annotations

import time
from collections.abc import Callable

import msgspec

from services.arena.report import Report, digest_of
from services.bot.policies import Policy, policy
from services.bot.policies.base import chance_of
from services.rules.engine.game import Decision, Game, Refusal, answer
from services.rules.newgame import begin
from shared.dune.events import Event, encode_event
from shared.dune.settings import Settings
from shared.dune.views import SeatView, encode_view, view

__all__ = ["MOST_DECISIONS", "play_game", "step"]

_views = msgspec.json.Decoder(SeatView)

MOST_DECISIONS = 20_000
"""More decisions than any game of ten turns needs; beyond it something goes in circles."""


def step(game: Game, policies: dict[str, Policy]) -> Decision:
    """One decision: the first open offer is answered by its seat's policy from that seat's view.

    The view is what comes over the wire, the order of names in it included: a policy that takes the first of equals
    takes the same one as through the services.
    """
    asked = next(offer for offer in game.open if offer.committed is None)
    seen = _views.decode(encode_view(view(game.table, game, asked.seat)))
    offer = next(offer for offer in seen.offers if offer.id == asked.id)
    given = policies[offer.seat].decide(seen, offer, chance_of(seen, offer))
    decision = answer(game, offer.seat, offer.id, given)
    if isinstance(decision, Refusal):
        raise RuntimeError(f"a policy's answer to {offer.kind} was refused: {decision.text} ({given!r})")
    return decision


def play_game(
    settings: Settings, seed: int, name: str = "easy", progress: Callable[[Game], None] | None = None
) -> Report:
    """Play to the end; RuntimeError if a policy answers illegally or the game does not end."""
    started = time.perf_counter()
    decision = begin(settings, seed)
    if isinstance(decision, Refusal):
        raise ValueError(decision.text)
    policies = {seat: policy(name) for seat in settings.seats}
    events: list[Event] = list(decision.events)
    commits = 1
    while decision.game.table.result is None:
        if commits > MOST_DECISIONS:
            raise RuntimeError(f"no end after {MOST_DECISIONS} decisions in turn {decision.game.table.turn}")
        decision = step(decision.game, policies)
        events.extend(decision.events)
        commits += 1
        if progress:
            progress(decision.game)
    table = decision.game.table
    return Report(
        result=msgspec.to_builtins(table.result),
        turns=table.turn,
        commits=commits,
        events=len(events),
        seconds=round(time.perf_counter() - started, 3),
        digest=digest_of(encode_event(event) for event in events),
        seats=settings.seats,
        seed=seed,
    )
