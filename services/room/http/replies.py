"""What the API answers: the structs that are encoded, and that the documentation is generated from."""

from __future__ import annotations

from typing import Any, Literal

from msgspec import UNSET, Raw, Struct, UnsetType

State = Literal["lobby", "running", "finished"]


class Reply(Struct):
    """Base of every reply."""


class Ok(Reply):
    """It was done."""

    ok: bool = True


class Error(Reply):
    """Why a request was refused: a stable code, a text for people, a rule id where a game rule refused it."""

    code: str
    text: str
    rule: str = ""
    args: dict[str, str | int] = {}


class Created(Reply):
    """A new room. The tokens are shown this once."""

    code: str
    host_token: str
    seat: int | UnsetType = UNSET
    seat_token: str | UnsetType = UNSET


class Joined(Reply):
    """A seat taken. The token is shown this once."""

    seat: int
    token: str


class Seated(Reply):
    """A seat given to a bot."""

    seat: int


class Issued(Reply):
    """A further token of a seat. Its text is shown this once; the id revokes it."""

    token: str
    id: str


class Listed(Reply):
    """One room of the directory. `turn` (from 1) and `phase` are how far its game is: 0 and empty before it begins."""

    code: str
    name: str
    state: State
    mode: str
    seats: int
    players: int
    turn: int
    phase: str
    created_at: str


class SeatState(Reply):
    """One seat as everybody sees it. `faction` is a wish in the lobby, and certain once the game has begun.

    `policy`: the bot that plays it, also of a person's seat on autopilot.
    """

    seat: int
    kind: Literal["open", "person", "bot"]
    name: str
    faction: str | None
    ready: bool
    connected: bool
    policy: str | UnsetType = UNSET


class You(Reply):
    """Who asks: a seat, the host, both, or neither. `scope` is what the seat's token allows.

    `clocks` has the seconds left for each of the seat's open offers that has a clock.
    """

    host: bool
    seat: int | UnsetType = UNSET
    scope: str | UnsetType = UNSET
    clocks: dict[str, float] | UnsetType = UNSET


class RoomState(Reply):
    """A room as everybody sees it, and who asks."""

    code: str
    name: str
    state: State
    settings: dict[str, Any]
    seats: list[SeatState]
    you: You
    result: Any | UnsetType = UNSET


class Whole(Reply):
    """A whole view: `seq` counts what this audience was shown; `log` holds the latest events it may see."""

    seq: int
    view: Raw
    log: list[Raw]


class WholeOffer(Reply):
    """One offer with its choice, default, reason and rules."""

    offer: Raw


class ReasonLine(Reply):
    """One step towards a number: what it says, the `value` after it, the id of its `rule`."""

    text: str
    value: int
    rule: str


class Explanation(Reply):
    """A number: its `topic`, what it is `about`, its `value`, and the `lines` that lead to it.

    Values count parts, `per` of which make one (2: halves).
    """

    topic: str
    about: str
    value: int
    lines: list[ReasonLine]
    per: int = 1


class Explanations(Reply):
    """Numbers of one seat, and the sentence of each rule that their lines name, by id."""

    why: list[Explanation]
    rules: dict[str, str]


class Table(Reply):
    """Everything about a scenario's table, secrets included, the events that were asked for, and how many commits."""

    table: Raw
    events: list[Raw]
    commits: int


class HistoryCommit(Reply):
    """One commit of a finished game: its number from 1, and its events in order, secrets included."""

    number: int
    events: list[Raw]


class History(Reply):
    """A page of a finished game's commits; `more` says that others follow."""

    commits: list[HistoryCommit]
    more: bool


class Staged(Reply):
    """A scenario room, running. The tokens are shown this once."""

    code: str
    host_token: str
    seats: dict[str, str]


class Chosen(Reply):
    """A module or deck that a room may choose; `guide` is its topic in the rules guide, empty without one."""

    id: str
    name: str
    text: str
    guide: str


class RulingState(Reply):
    """An interpretation: a point on which the rules are open. `offered` may be chosen, `values[0]` is the default.

    It is there in games of its `modes`, only with its `module` and `deck` where it belongs to one, and not with the
    modules that it is `settled_by`. `fixed`: why the other values are not offered.
    """

    id: str
    name: str
    question: str
    values: list[str]
    offered: list[str]
    modes: list[str]
    module: str
    deck: str
    settled_by: list[str]
    fixed: str


class Options(Reply):
    """What a room may be set to: modes, factions, modules, combinations of decks, and interpretations."""

    modes: list[str]
    factions: list[str]
    modules: list[Chosen]
    decks: list[list[Chosen]]
    rulings: list[RulingState]


class Rate(Reply):
    """A rate limit: on average `per_minute`, at most `burst` at once, counted for each `by`."""

    per_minute: float
    burst: float
    by: Literal["token or address", "address"]


class Limits(Reply):
    """Every limit that a client can run into. Bytes, seconds and counts as the names say.

    A client that takes nothing of what it is sent for `stalled_seconds` is cut off.
    """

    rates: dict[str, Rate]
    body_bytes: int
    scenario_bytes: int
    json_depth: int
    head_bytes: int
    head_seconds: float
    body_seconds: float
    stalled_seconds: float
    connections: int
    streams_per_client: int
    tokens_per_seat: int
    resume_changes: int
    keepalive_seconds: float
