"""Seats in the lobby, and how they become the seats of a game. Pure: no storage, no clock."""

from __future__ import annotations

import random
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from services.room.bodies import FACTIONS
from services.room.errors import ApiError, conflict, malformed

if TYPE_CHECKING:
    from services.room.store.tables import Seat

NAME_LENGTH = 40
TOKENS_PER_SEAT = 16
"""Valid tokens that a seat may have at once."""
MARKS_IN_A_ROW = 3
"""Combining marks that one letter of a name may carry: more of them are drawn over the rows above and below."""
BLANK = frozenset("\u034f\u115f\u1160\u17b4\u17b5\u2800\u3164\uffa0")
"""Characters that count as letters, marks or symbols, and show nothing."""


@dataclass(frozen=True, slots=True)
class Dealt:
    """Where a lobby seat sits in the game: its faction, and its place in the player circle (0 is first)."""

    seat: int
    faction: str
    position: int


def clean_name(text: str) -> str:
    """A name as it is shown: composed (NFC), nothing invisible, single spaces, at most 40 characters.

    Raises ApiError 400 when nothing is left that can be seen.
    """
    kept: list[str] = []
    marks = 0
    for letter in unicodedata.normalize("NFC", text):
        kind = unicodedata.category(letter)[0]
        if letter.isspace():
            kept.append(" ")
        elif kind != "C" and letter not in BLANK:
            marks = marks + 1 if kind == "M" else 0
            if marks <= MARKS_IN_A_ROW:
                kept.append(letter)
    name = " ".join("".join(kept).split())[:NAME_LENGTH].strip()
    if all(unicodedata.category(letter)[0] in "MZ" for letter in name):
        raise malformed("A name needs at least one character that can be seen.")
    return name


def find(seats: Sequence[Seat], number: int) -> Seat:
    """The seat with this number. Raises ApiError 404."""
    for seat in seats:
        if seat.seat == number:
            return seat
    raise ApiError(404, "no_seat", f"This room has no seat {number}.")


def first_open(seats: Sequence[Seat]) -> Seat:
    """The free seat with the lowest number. Raises ApiError 409 when the room is full."""
    for seat in seats:
        if seat.kind == "open":
            return seat
    raise conflict("full", "Every seat of this room is taken. You can still watch.")


def want_faction(seats: Sequence[Seat], seat: Seat, faction: str | None) -> None:
    """Let a seat ask for a faction (None: any). Raises ApiError 400 for an unknown, 409 for a taken one."""
    if faction is not None:
        if faction not in FACTIONS:
            raise malformed(f"There is no faction {faction!r}; there are {', '.join(FACTIONS)}.")
        if any(other.faction == faction for other in seats if other.seat != seat.seat):
            raise conflict("faction_taken", "Another seat has already asked for that faction.")
    seat.faction = faction


def sit(seat: Seat, kind: str, name: str, policy: str | None = None) -> None:
    """Put a person or a bot on a free seat. A bot is always ready."""
    seat.kind, seat.name, seat.policy, seat.ready = kind, name, policy, kind == "bot"


def vacate(seat: Seat) -> None:
    """Free a seat."""
    seat.kind, seat.name, seat.faction, seat.policy, seat.ready = "open", "", None, None, False


def check_start(seats: Sequence[Seat], force: bool) -> list[Seat]:
    """The seats that will play. Raises ApiError 409 when somebody is not ready (unless `force`) or too few sit."""
    taken = [seat for seat in seats if seat.kind != "open"]
    if len(taken) < 2:
        raise conflict("too_few", "A game needs at least two seats; add a bot or wait for somebody.")
    waiting = [seat.name for seat in taken if not seat.ready]
    if waiting and not force:
        raise conflict("not_ready", f"Not ready yet: {', '.join(waiting)}. The host may start anyway.")
    return taken


def deal(taken: Sequence[Seat], chance: random.Random | None) -> list[Dealt]:
    """Factions and places in the circle. With `chance` both are random; without, lobby order and listed factions.

    A seat keeps the faction that it asked for.
    """
    free = [faction for faction in FACTIONS if all(seat.faction != faction for seat in taken)]
    order = list(range(len(taken)))
    if chance is not None:
        chance.shuffle(free)
        chance.shuffle(order)
    return [
        Dealt(seat.seat, seat.faction or free.pop(0), position)
        for seat, position in zip(taken, order, strict=True)
    ]


def game_settings(settings: dict[str, Any], ruleset: str, dealt: Sequence[Dealt]) -> dict[str, Any]:
    """The settings of the game that rules is told to begin: the room's, without what only the room needs."""
    circle = [place.faction for place in sorted(dealt, key=lambda place: place.position)]
    kept = {key: value for key, value in settings.items() if key not in ("seats", "clock")}
    return {**kept, "ruleset": ruleset, "seats": circle}
