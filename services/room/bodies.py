"""The bodies that clients send, checked by msgspec before anything looks at them."""

from __future__ import annotations

from typing import Annotated, Any, Literal
from uuid import UUID

import msgspec
from msgspec import UNSET, Meta, Raw, Struct, UnsetType

from services.room.errors import malformed
from shared.dune import facts

MAX_DEPTH = 32
"""How deep JSON may nest. Answers and tables of cases stay below ten."""

FACTIONS = ("atreides", "bene_gesserit", "emperor", "fremen", "guild", "harkonnen")
"""The factions that a seat may ask for, or be dealt."""
POLICIES = ("easy", "random")
"""The bots that a seat may be given to."""

Name = Annotated[
    str,
    Meta(
        min_length=1,
        max_length=60,
        description="What people see of it is kept, at most 40 characters; something must be left.",
        extra_json_schema={"format": "visible-text"},
    ),
]
Word = Annotated[str, Meta(min_length=1, max_length=40, pattern="^[a-z0-9_.-]+$")]
# The document names them; the check is ours, for it can say what there is.
Faction = Annotated[Word, Meta(extra_json_schema={"enum": list(FACTIONS)})]
Policy = Annotated[Word, Meta(extra_json_schema={"enum": list(POLICIES)})]
Seconds = Annotated[float, Meta(ge=1, le=14 * 86_400)]


class Body(Struct, forbid_unknown_fields=True, omit_defaults=False):
    """Base of every body: a field that the API does not describe is refused, not ignored."""


class Clock(Body):
    """Seconds that a seat has for an offer of each clock class; a class that is not named has no limit."""

    seconds: dict[Word, Seconds]


class GameSettings(Body):
    """What a room is set to play. The rules service checks names of modules, decks and rulings at the start."""

    mode: Literal["basic", "advanced"] = "basic"
    seats: Annotated[int, Meta(ge=2, le=6)] = 6
    last_turn: Annotated[int, Meta(ge=1, le=facts.common().max_turns)] = 10
    modules: list[Word] = []
    decks: list[Word] = msgspec.field(default_factory=lambda: ["base"])
    rulings: dict[Word, Word] = {}
    clock: Clock | None = None


CommandId = Annotated[
    UUID,
    Meta(
        description="Random: whoever knows it may send the same again, and gets the tokens that it is worth."
    ),
]


class CreateRoom(Body):
    """`POST /api/rooms`. With `player`, the creator sits down at seat 1 at once."""

    name: Name = "A table on Arrakis"
    settings: GameSettings = msgspec.field(default_factory=GameSettings)
    player: Name | None = None
    command_id: CommandId | None = None


class Join(Body):
    """`POST /api/rooms/{code}/seats`. Without a faction, one is dealt at the start."""

    name: Name
    faction: Faction | None = None
    command_id: CommandId | None = None


class AddBot(Body):
    """`POST /api/rooms/{code}/bots`."""

    policy: Policy = "easy"
    faction: Faction | None = None
    command_id: CommandId | None = None


class ChangeSeat(Body):
    """`PATCH /api/rooms/{code}/seats/{seat}`: what is left out stays."""

    name: Name | UnsetType = UNSET
    faction: Faction | UnsetType | None = UNSET
    ready: bool | UnsetType = UNSET


class Autopilot(Body):
    """`PUT /api/rooms/{code}/seats/{seat}/autopilot`: the bot that plays the seat for its player; null: nobody does."""

    policy: Policy | None = None


class Start(Body):
    """`POST /api/rooms/{code}/start`. `seed` may be stated only where nobody could profit from knowing it."""

    force: bool = False
    seed: Annotated[int, Meta(ge=0, le=2**63 - 1)] | None = None
    command_id: UUID | None = None


class Action(Body):
    """`POST /api/rooms/{code}/actions`. The same `command_id` again gets the same outcome and acts once."""

    command_id: UUID
    offer: Annotated[str, Meta(min_length=1, max_length=200)]
    answer: Raw


class Check(Body):
    """`POST /api/rooms/{code}/check`: try an answer without playing it."""

    offer: Annotated[str, Meta(min_length=1, max_length=200)]
    answer: Raw


class NewToken(Body):
    """`POST /api/rooms/{code}/seats/{seat}/tokens`."""

    scope: Literal["seat:play", "seat:observe"]


class Expire(Body):
    """`POST /api/rooms/{code}/expire`: which seat's offer."""

    seat: Word
    offer: Annotated[str, Meta(min_length=1, max_length=200)]


class Scenario(Body):
    """`POST /api/scenarios`: the `[table]` of a conformance case."""

    table: Raw


def decode(raw: bytes, kind: type[Any]) -> Any:
    """A checked body. Raises ApiError 400 that says what does not fit; an empty body stands for `{}`."""
    raw = raw or b"{}"
    check_shape(raw)
    try:
        # What travels on as `Raw` was skipped over, not read: here it is, once, before anybody relies on it.
        read = msgspec.json.decode(raw)
        try:
            return msgspec.json.decode(raw, type=kind)
        except msgspec.ValidationError:
            # To JSON 2.0 is the integer 2; to our decoder it is not.
            return msgspec.json.decode(msgspec.json.encode(_with_integers(read)), type=kind)
    except msgspec.ValidationError as error:
        raise malformed(f"The body does not fit: {error}.") from None
    except msgspec.DecodeError:
        raise malformed("The body is not JSON.") from None


def _with_integers(value: Any) -> Any:
    """The same JSON with whole numbers as integers."""
    if isinstance(value, float):
        return int(value) if value.is_integer() and abs(value) < 2**63 else value
    if isinstance(value, dict):
        return {key: _with_integers(one) for key, one in value.items()}
    return [_with_integers(one) for one in value] if isinstance(value, list) else value


def check_shape(raw: bytes) -> None:
    """Refuse JSON that nests too deep, or text that no database can keep, before any decoder recurses into it."""
    if b"\\u0000" in raw:
        raise malformed("The body holds a NUL character, which no text here may have.")
    if raw.count(b"[") + raw.count(b"{") > MAX_DEPTH and depth(raw) > MAX_DEPTH:
        raise malformed(f"The body nests deeper than {MAX_DEPTH} levels.")


def depth(raw: bytes) -> int:
    """The deepest nesting of brackets outside strings."""
    deepest = level = 0
    in_string = escaped = False
    for byte in raw:
        if in_string:
            if escaped:
                escaped = False
            elif byte == 0x5C:
                escaped = True
            elif byte == 0x22:
                in_string = False
        elif byte == 0x22:
            in_string = True
        elif byte in b"[{":
            level += 1
            deepest = max(deepest, level)
        elif byte in b"]}":
            level -= 1
    return deepest


def changed_settings(current: dict[str, Any], raw: bytes) -> GameSettings:
    """Settings after a PATCH: the fields that the body names replace those of now. Raises ApiError 400."""
    patch = _with_integers(decode(raw, dict[str, Any]))
    try:
        return msgspec.convert({**current, **patch}, GameSettings)
    except msgspec.ValidationError as error:
        raise malformed(f"The settings do not fit: {error}.") from None
