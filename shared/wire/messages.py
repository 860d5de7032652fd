"""What the services say to each other: frozen msgspec structs, JSON on the wire.

Game content travels as `Raw` JSON: only rules and projection look inside, so room and bot stay free of game
knowledge. A reply is always one of a tagged union; a refusal is a value, never an exception.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from msgspec import Raw, Struct
from msgspec.structs import force_setattr

# msgspec cannot decode the union of Raw and None: such a field is Raw to it, and `null` is made None afterwards.
if TYPE_CHECKING:
    MaybeRaw = Raw | None
else:
    MaybeRaw = Raw


class Message(Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """Base of every message: immutable, strict, defaults left out."""


def _null_to_none(message: Message, field: str) -> None:
    raw: Raw | None = getattr(message, field)
    if raw is not None and bytes(raw) == b"null":
        force_setattr(message, field, None)


# --------------------------------------------------------------------------- commands to rules


class StartGame(Message, frozen=True, tag="start"):
    """Begin the game of a room. `settings` is JSON of `shared.dune.settings.Settings`; `seed` is secret."""

    settings: Raw
    seed: int


class AnswerOffer(Message, frozen=True, tag="answer"):
    """One seat answers one open or standing offer. `answer` is the JSON that the offer's choice describes."""

    seat: str
    offer: str
    answer: Raw


class ExpireOffer(Message, frozen=True, tag="expire"):
    """The clock of one open offer ran out: rules play its default. [GEN-13]"""

    seat: str
    offer: str


class StageTable(Message, frozen=True, tag="stage"):
    """Begin a scenario room from the JSON of a conformance case's `[table]` (only where scenarios are allowed)."""

    case: Raw


class DescribeOffer(Message, frozen=True, tag="describe"):
    """Tell the whole of one open or standing offer of a seat (by `rules.check`): views list the latter in short."""

    seat: str
    offer: str


class Explain(Message, frozen=True, tag="explain"):
    """Tell a seat why prices, limits and strengths are what they are for it now (by `rules.check`)."""

    seat: str


Command = StartGame | AnswerOffer | ExpireOffer | StageTable | DescribeOffer | Explain


# --------------------------------------------------------------------------- rules.decide / rules.check


class Load(Message, frozen=True):
    """What a worker that said `Behind` lacks: a snapshot (JSON of the table) and the events after it.

    `table` is None when the events start at version 1. `events` is the JSON array of the events of all
    commits after the snapshot up to the wanted version, in order; `checkpoint` is that of the wanted version.
    """

    table: MaybeRaw
    events: Raw
    checkpoint: Raw

    def __post_init__(self) -> None:
        _null_to_none(self, "table")


class Decide(Message, frozen=True):
    """Decide one command on the room's table at `version` (0: no game yet). Also the body of `rules.check`.

    `tip` is the chain hash of the commit at `version` (empty at 0), and `command_id` the command's id: from both the
    worker computes the hash that its decision will have if it is committed, and so knows later whether it was.
    """

    room: str
    version: int
    command: Command
    load: Load | None = None
    tip: bytes = b""
    command_id: bytes = b""


class OpenOffer(Message, frozen=True):
    """The envelope of one open offer, all that room may know of it: whose it is, its kind and its clock class.

    `by` names the flow and the step that asked, as `Flow.step`: operators count by it what games wait for.
    """

    seat: str
    offer: str
    kind: str
    clock: str
    by: str = ""


class Decided(Message, frozen=True, tag="decided"):
    """A command was accepted: what happened, and where the game now stands.

    `events` are JSON objects to store, in order; `checkpoint` is opaque JSON; `open` lists the open offers (not
    the standing ones); `finished` says that the game is over; `snapshot` is the JSON of the whole table now and
    then (every 50 versions or so) for room to keep as a cache; `result` is public JSON once finished; `turn` and
    `phase` are how far the game is, for the directory.
    """

    worker: str
    version: int
    events: list[Raw]
    checkpoint: Raw
    open: list[OpenOffer]
    finished: bool = False
    result: MaybeRaw = None
    snapshot: MaybeRaw = None
    turn: int = 0
    phase: str = ""

    def __post_init__(self) -> None:
        _null_to_none(self, "result")
        _null_to_none(self, "snapshot")


class Refused(Message, frozen=True, tag="refused"):
    """A command was refused and changed nothing. `code` is stable; `rule` a rule id or empty; `text` for people."""

    worker: str
    code: str
    text: str
    rule: str = ""
    args: dict[str, str | int] = {}


class Behind(Message, frozen=True, tag="behind"):
    """This worker does not hold the wanted version: ask again with `load`. `have` is what it holds (0: nothing)."""

    worker: str
    have: int


class Described(Message, frozen=True, tag="described"):
    """One offer as JSON of `shared.dune.offers.Offer`."""

    worker: str
    offer: Raw


class Explained(Message, frozen=True, tag="explained"):
    """What can be explained to a seat, as a JSON array: each number with its lines and their rule ids."""

    worker: str
    why: Raw


Reply = Decided | Refused | Behind | Described | Explained


# --------------------------------------------------------------------------- commits, views, bots


class Commit(Message, frozen=True):
    """One committed decision as projection receives it (from JetStream, or filled in from the store).

    `at`: when it was committed, as Unix time (0: not known); for measuring how far projection is behind.
    """

    room: str
    version: int
    events: list[Raw]
    checkpoint: Raw
    finished: bool = False
    at: float = 0.0


class ViewRequest(Message, frozen=True):
    """Ask projection for the whole view of one audience, at least as new as `version` (0: as the store is now).

    `log` says whether the latest events are wanted too: they are far longer than the view, and a bot reads none.
    """

    room: str
    audience: str
    version: int = 0
    log: bool = True


class View(Message, frozen=True, tag="view"):
    """A whole view: `seq` counts what this audience was shown; `view` is JSON of `shared.dune.views.SeatView`.

    `log` holds the latest events that the audience may see, oldest first, each with its line in `text`.
    """

    room: str
    audience: str
    seq: int
    view: Raw
    log: list[Raw] = []


class ViewChanged(Message, frozen=True, tag="changed"):
    """What changed for one audience: events it may see, and an RFC 7386 merge patch from view `seq - 1` to `seq`."""

    room: str
    audience: str
    seq: int
    events: list[Raw]
    patch: Raw


class NoView(Message, frozen=True, tag="none"):
    """Projection knows no such room or audience."""

    text: str


class BotTask(Message, frozen=True):
    """An open offer of a bot's seat. The bot asks for the seat's view, answers by `room.act`, then acknowledges.

    `token` proves the right to this one seat of this one room; the bot gives it back in `Act`. `version` is that of
    the commit that asks: whichever replica of room the bot then asks knows that the room has come so far.
    """

    room: str
    seat: str
    offer: str
    policy: str
    token: str = ""
    version: int = 0


class Act(Message, frozen=True):
    """A seat's action sent over NATS by the bot service. `token` and `version` are those of its task."""

    room: str
    seat: str
    command_id: str
    offer: str
    answer: Raw
    token: str = ""
    version: int = 0


class Look(Message, frozen=True):
    """A bot asks room for the view of its seat, by the token of its task: it never asks projection itself.

    The view is that of the task's `version` or a newer one.
    """

    room: str
    seat: str
    token: str
    version: int = 0


class ActReply(Message, frozen=True):
    """What the room said: `status` as over HTTP (200, 409, 422, ...), `body` the same JSON."""

    status: int
    body: Raw


class Watching(Message, frozen=True):
    """A room replica has streams open for these audiences of a room; projection builds only what is watched.

    Good for so many `seconds` after it comes: a span, for no two machines' clocks agree.
    """

    room: str
    audiences: list[str]
    seconds: float


class ReplicaHere(Message, frozen=True):
    """A projection replica is there and takes its share of the rooms; `gone`: it leaves now."""

    replica: str
    gone: bool = False


class Reached(Message, frozen=True):
    """A watched room has a commit of this version; in a reply: all up to this version was published to who watches."""

    room: str
    version: int


class RoomHint(Message, frozen=True):
    """Between room replicas: the lobby, seats or tokens of a room changed (`changed`), and who is connected where.

    `seats` are the lobby seats with an open stream at `replica`, good for so many `seconds` after it comes.
    """

    room: str
    replica: str
    seats: list[int]
    seconds: float
    changed: bool = False


Health = Literal["live", "ready", "draining"]
