"""The engine's front: begin a game, answer or expire an offer, check an answer; save and load.

Everything here is a pure function: a game is a value, a decision is a new game with the events that led to it, and
a refusal is a value that changed nothing.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import msgspec
from msgspec import Struct

from services.rules.engine.chance import Chance
from services.rules.engine.flow import Flow, Frame, decode_stack, encode_stack
from services.rules.engine.orders import ORDER_CLOCK, ordered_answer
from services.rules.engine.play import Play
from services.rules.engine.standing import (
    Listed,
    standing_actions,
    standing_list,
    standing_offer,
    standing_reasons,
)
from services.rules.engine.trampoline import Run, answer_top, ask_again, push, run
from shared.dune.events import Event
from shared.dune.events.base import SPECTATOR
from shared.dune.offers import Checkpoint, Offer, Standing, Waiting, in_short
from shared.dune.settings import Faction
from shared.dune.shapes import Json
from shared.dune.table import Table

__all__ = [
    "Decision",
    "Game",
    "Refusal",
    "answer",
    "begin_on",
    "begin_with",
    "check",
    "describe_offer",
    "expire",
    "find_offer",
    "load",
]


class Refusal(Struct, frozen=True):
    """Why a command was refused: a stable code, a text for people, the rule, and where in the answer it went wrong."""

    code: str
    text: str
    rule: str = ""
    args: dict[str, str | int] = {}


STALE = Refusal("stale", "this question is not open for you (any more); look at the table again")
"""What an answer to an offer hears that is not open for its seat."""


class Game(Struct, frozen=True):
    """A game as a value: the table, the stack of flows, chance, and the counters that offer ids and views need.

    `open`: all that the top of the stack asked and still takes an answer to. `waiting`, for everybody: whom it asked,
    whoever has answered already. `listed` spares the next decision work, wherever it comes from; it is not saved.
    [GEN-11, WINPOL-06]
    """

    table: Table
    stack: tuple[Frame, ...]
    chance: str
    asked: dict[Faction, int]
    sequences: dict[str, int]
    open: tuple[Offer, ...] = ()
    standing: tuple[Standing, ...] = ()
    waiting: tuple[Waiting, ...] = ()
    listed: Listed = Listed()

    def checkpoint(self) -> Checkpoint:
        """What is stored with a commit, beside the events."""
        return Checkpoint(
            encode_stack(self.stack, self.open),
            self.chance,
            self.open,
            in_short(self.standing),
            self.waiting,
            self.asked,
            self.sequences,
        )

    def offers_of(self, seat: Faction) -> list[Offer]:
        """The open and the standing offers of a seat, the latter with their choices."""
        own = [offer for offer in self.open if offer.seat == seat]
        made = (standing_offer(self.table, self.stack, row) for row in self.standing if row.seat == seat)
        return [*own, *(offer for offer in made if offer is not None)]


class Decision(Struct, frozen=True):
    """An accepted command: the game after it, and the facts that happened."""

    game: Game
    events: tuple[Event, ...]


def load(table: Table, saved: Checkpoint) -> Game:
    """The game that a table and its checkpoint describe.

    ValueError where the questions that stand open are not those that wait on the stack: a frame that is missing, or
    that nothing asked, is no permission to go on without it. [NEXUS-48]
    """
    stack = decode_stack(saved.stack, saved.open)
    top = stack[-1] if stack and not table.result else _NOBODY
    if (_open(top), _waiting(top)) != (saved.open, saved.waiting):
        raise ValueError(
            "the saved game does not hold together: its open questions are not those of its stack"
        )
    return Game(
        table,
        stack,
        saved.chance,
        saved.asked,
        saved.sequences,
        saved.open,
        saved.standing,
        saved.waiting,
    )


def begin_with(flow: Flow, table: Table, seed: int) -> Decision:
    """Begin with a root flow on a table; the seed decides all chance."""
    return begin_on(table, (Frame(flow),), seed)


def begin_on(table: Table, stack: tuple[Frame, ...], seed: int) -> Decision:
    """Begin in the middle of a game: on this table, with this stack of flows."""
    game = Game(table, stack, Chance.of(seed).state, {}, {})
    play, state = Play(game.table, Chance(game.chance)), Run(game.stack, game.asked)
    run(play, state)
    return _decided(game, play, state)


def renewed(game: Game) -> Game:
    """The same game with its open and standing offers derived anew from its table: for worlds that were changed."""
    play, state = Play(game.table, Chance(game.chance)), Run(game.stack, game.asked)
    ask_again(play, state)
    return msgspec.structs.replace(_decided(game, play, state).game, sequences=game.sequences)


def find_offer(game: Game, seat: Faction, offer_id: str) -> Offer | None:
    """The open or standing offer of a seat by its id."""
    if (found := _open_offer(game, seat, offer_id)) is not None:
        return found
    listed = next((row for row in game.standing if row.id == offer_id and row.seat == seat), None)
    return None if listed is None else standing_offer(game.table, game.stack, listed)


def describe_offer(game: Game, seat: Faction, offer_id: str) -> Offer | None:
    """What a seat may read by an id: an offer that it may answer, or why an anytime action can or cannot be done."""
    found = find_offer(game, seat, offer_id)
    owner, _, kind = offer_id.partition(".")
    if found is None and owner == seat and seat in game.table.seats:
        return standing_reasons(game.table, game.stack, seat, kind)
    return found


def _open_offer(game: Game, seat: Faction, offer_id: str) -> Offer | None:
    for offer in game.open:
        if offer.id == offer_id and offer.seat == seat:
            return offer
    return None


def check(game: Game, seat: Faction, offer_id: str, given: Json) -> Refusal | None:
    """Why an answer would be refused, or None; nothing is played."""
    found = _answerable(game, seat, offer_id, given)
    return found if isinstance(found, Refusal) else None


def _answerable(game: Game, seat: Faction, offer_id: str, given: Json) -> Offer | Refusal:
    found = find_offer(game, seat, offer_id)
    if found is None:
        return STALE
    if wrong := found.problem(given):
        return Refusal("illegal", wrong.text, wrong.rule, {"path": wrong.path})
    return found


def answer(game: Game, seat: Faction, offer_id: str, given: Json) -> Decision | Refusal:
    """Play one seat's answer to an offer: checked whole, then applied whole."""
    offer = _answerable(game, seat, offer_id, given)
    if isinstance(offer, Refusal):
        return offer
    given = _canonical(given)
    play, state = Play(game.table, Chance(game.chance)), Run(game.stack, game.asked)
    if _open_offer(game, seat, offer_id) is not None:
        answer_top(play, state, seat, given)
    else:
        push(state, standing_actions()[offer.kind].flow(game.table, seat, given, game.stack))
        run(play, state)
    return _decided(game, play, state)


def _canonical(given: Json) -> Json:
    """An answer with its keys in one order: what is stored keeps none, and a restart must change nothing."""
    return msgspec.json.decode(msgspec.json.encode(given, order="sorted"))


def expire(game: Game, seat: Faction, offer_id: str) -> Decision | Refusal:
    """The clock of an open offer ran out: its default is played, or the answer already committed stands. [GEN-13]

    The clock of a standing order: what the order answers is played. [WINPOL-07]
    """
    found = _open_offer(game, seat, offer_id)
    if found is None:
        return Refusal("stale", "this question is not open any more")
    if found.committed is not None:
        return Refusal("stale", "this question was answered already")
    ordered = ordered_answer(game.table, found) if found.clock == ORDER_CLOCK else None
    return answer(game, seat, offer_id, found.default if ordered is None else ordered)


_NOBODY = Frame(Flow())
"""Stands for the top of the stack when the game is over: nothing is asked."""


def _decided(before: Game, play: Play, state: Run) -> Decision:
    listed = standing_list(play.table, state.stack, before.listed)
    top = state.stack[-1] if state.stack and not play.table.result else _NOBODY
    game = Game(
        play.table,
        state.stack,
        play.chance.state,
        state.asked,
        before.sequences,
        _open(top),
        listed.rows,
        _waiting(top),
        listed,
    )
    sequences = _sequences(before, game, play.events)
    return Decision(msgspec.structs.replace(game, sequences=sequences), tuple(play.events))


def _open(top: Frame) -> tuple[Offer, ...]:
    """What a frame asked and still takes an answer to; one that is not final can be changed until a window closes."""
    if not top.answers:
        return top.asked
    shown: list[Offer] = []
    for offer in top.asked:
        if offer.seat not in top.answers:
            shown.append(offer)
        elif offer.window and not offer.final:
            shown.append(msgspec.structs.replace(offer, committed=top.answers[offer.seat]))
    return tuple(shown)


def _waiting(top: Frame) -> tuple[Waiting, ...]:
    """Whom a frame asked, by the kind of question."""
    kinds: dict[str, list[Faction]] = {}
    for offer in top.asked:
        kinds.setdefault(offer.kind, []).append(offer.seat)
    return tuple([Waiting(kind, tuple(seats)) for kind, seats in kinds.items()])


def _sequences(before: Game, after: Game, events: list[Event]) -> dict[str, int]:
    """One more for each audience that is shown something: an event, its own offers, or whom the game waits for."""
    audiences = (*after.table.seats, SPECTATOR)
    if before.waiting != after.waiting:
        moved: Iterable[str] = audiences
    else:
        offered = _differing(before.open, after.open) | _differing(before.standing, after.standing)
        moved = [a for a in audiences if a in offered or any(event.fields_for(a) for event in events)]
    return before.sequences | {audience: before.sequences.get(audience, 0) + 1 for audience in moved}


def _differing(old: Sequence[Offer | Standing], new: Sequence[Offer | Standing]) -> set[Faction]:
    """The seats that have other offers of their own than before."""
    if old == new:
        return set()
    before, after = _by_seat(old), _by_seat(new)
    return {seat for seat in before.keys() | after.keys() if before.get(seat) != after.get(seat)}


def _by_seat(offers: Sequence[Offer | Standing]) -> dict[Faction, list[Offer | Standing]]:
    found: dict[Faction, list[Offer | Standing]] = {}
    for offer in offers:
        found.setdefault(offer.seat, []).append(offer)
    return found
