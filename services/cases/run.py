"""Playing a case: its entries in order, then what must hold. A failure says which entry and what was found."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from msgspec import Struct

from services.cases.answers import completed
from services.cases.expect import failures
from services.cases.model import Case, CaseError, Play, read_case
from services.cases.world import EngineWorld, World, kinds_of
from services.rules.staging import MalformedError
from shared.dune.offers import Offer

__all__ = ["Outcome", "run_case"]

MOST_DEFAULTS = 2_000
"""Answers that `until` plays before it gives up: more than a whole game needs."""


class Outcome(Struct, frozen=True):
    """How a case ended: `failed` lists what did not hold; empty when all did."""

    path: str
    rules: tuple[str, ...]
    failed: list[str]
    skipped: str = ""


class _FailureError(Exception):
    pass


def run_case(path: Path, make: Callable[[dict[str, Any]], World] = EngineWorld) -> Outcome:
    """Run one file; CaseError if it is malformed, an impossible table included."""
    case = read_case(path)
    try:
        world = make(case.table)
    except MalformedError as wrong:
        raise CaseError(f"{path}: {wrong}") from wrong
    failed: list[str] = []
    try:
        _play(case, world)
        failed = failures(world, case.expect)
    except _FailureError as wrong:
        failed = [str(wrong)]
    return Outcome(str(path), case.rules, failed)


def _play(case: Case, world: World) -> None:
    kept: dict[str, Offer] = {}
    for number, entry in enumerate(case.play, 1):
        where = f"play {number}"
        if entry.until:
            _pass_until(world, entry.until, where)
        elif entry.seat:
            _answer(world, entry, where, kept)
        if entry.expect and (found := failures(world, entry.expect)):
            raise _FailureError(f"{where}: {found[0]}")


def _answer(world: World, entry: Play, where: str, kept: dict[str, Offer]) -> None:
    offer = kept[entry.kept] if entry.kept else world.find(entry.seat, entry.offer)
    if entry.offered is not None:
        if (offer is not None) != entry.offered:
            raise _FailureError(
                f"{where}: {entry.offer} is {'not ' if offer is None else ''}open for {entry.seat}"
            )
        if entry.answer is None:
            return
    if offer is None:
        kinds = sorted(kinds_of(world, entry.seat))
        raise _FailureError(
            f"{where}: {entry.seat} is not asked {entry.offer}, but {kinds}; waiting: {world.waiting()}"
        )
    if entry.keep:
        kept[entry.keep] = offer
        return
    if entry.expire:
        code = world.expire(entry.seat, offer)
    else:
        before = world.table() if entry.refused else None
        given = offer.default if entry.answer is None else completed(offer.choice, entry.answer)
        code = world.act(entry.seat, offer, given)
        if code and before is not None and world.table() != before:
            raise _FailureError(f"{where}: refused, but the table changed")
    if code != entry.refused:
        wrong = offer.problem(completed(offer.choice, entry.answer)) if entry.answer is not None else None
        detail = f" ({wrong.path}: {wrong.text})" if wrong else ""
        raise _FailureError(
            f"{where}: expected {entry.refused or 'acceptance'}, got {code or 'acceptance'}{detail}"
        )


def _pass_until(world: World, moment: str, where: str) -> None:
    """Everybody plays the default of what is asked until the moment; the moment may have come already with `offer.`."""
    seen, seats = len(world.events()), world.table().seats
    for _ in range(MOST_DEFAULTS):
        if _reached(world, moment, seen):
            return
        offer = _first_asked(world, seats)
        if offer is None:
            break
        world.act(offer.seat, offer, offer.default)
    if not _reached(world, moment, seen):
        raise _FailureError(f"{where}: {moment!r} never came; waiting: {world.waiting()}")


def _first_asked(world: World, seats: tuple[str, ...]) -> Offer | None:
    """The first question without an answer, in player-circle order. Only seats that are waited for are looked at."""
    waited = set(world.waiting())
    for seat in seats:
        if seat in waited:
            for offer in world.asked(seat):
                if offer.committed is None:
                    return offer
    return None


def _reached(world: World, moment: str, seen: int) -> bool:
    kind, _, name = moment.partition(".")
    match kind:
        case "offer":
            return any(world.find(seat, name) for seat in world.waiting())
        case "phase":
            return any(getattr(event, "phase", "") == name for event in world.events()[seen:])
        case "turn":
            return world.table().turn >= int(name)
        case "game":
            return world.table().result is not None
    return any(type(event).__name__ == moment for event in world.events()[seen:])
