"""The rules service on NATS: keeps hot tables, decides commands, and says `behind` when it does not hold a version.

A decision is not yet a commit: another worker may win the race. A worker therefore keeps a table under the chain
hash that its decision will have, and uses it only when room names that hash as the tip of the room.
"""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from uuid import UUID

import msgspec
from msgspec import Raw
from opentelemetry.trace import SpanKind

from services.rules.engine.explaining import explained
from services.rules.engine.game import (
    STALE,
    Decision,
    Game,
    Refusal,
    answer,
    check,
    describe_offer,
    expire,
    load,
)
from services.rules.engine.loader import load_rules
from services.rules.newgame import begin
from services.rules.staging import MalformedError, stage
from shared.dune.events import decode_events, encode_event, evolve
from shared.dune.offers import Checkpoint
from shared.dune.settings import Settings
from shared.dune.table import Table
from shared.ops import metrics
from shared.ops.logging import get_logger
from shared.ops.service import Runtime
from shared.ops.settings import Count, ServiceSettings
from shared.ops.stages import Stage
from shared.wire import subjects
from shared.wire.chain import link
from shared.wire.client import Bus
from shared.wire.discovery import announce
from shared.wire.messages import (
    AnswerOffer,
    Behind,
    Command,
    Decide,
    Decided,
    Described,
    DescribeOffer,
    ExpireOffer,
    Explain,
    Explained,
    Load,
    OpenOffer,
    Refused,
    Reply,
    StageTable,
    StartGame,
)

__all__ = ["RulesSettings", "Worker", "serve"]

log = get_logger("rules")

SNAPSHOT_EVERY = 50
"""Versions between two snapshots that room is handed to keep as a cache."""

DECIDE = Stage("rules.decide", "One decision, without the wire", ("command", "outcome"), SpanKind.SERVER)
CHECK = Stage(
    "rules.check",
    "One answer tried, offer described or number explained, without the wire",
    kind=SpanKind.SERVER,
)
FOLDED = metrics.counter("rules_events_folded", "Events folded to take up a table")
HOT = metrics.gauge("rules_hot_tables", "Rooms whose table this worker keeps")
REFUSALS = metrics.counter("rules_refusals", "Refusals by code", ("code",))

_table_json = msgspec.json.Decoder(Table)
_checkpoint_json = msgspec.json.Decoder(Checkpoint)


class RulesSettings(ServiceSettings, frozen=True, kw_only=True):
    """Settings of the rules service: how many rooms' tables a worker keeps, and whether scenarios may be staged."""

    hot_tables: Count = 2000
    scenarios: bool = False


class Worker:
    """Decides for many rooms, one decision at a time: the work is computing, so there is nothing to wait for."""

    def __init__(self, name: str, hot_tables: int, scenarios: bool) -> None:
        load_rules()
        self.name = name
        self._most = hot_tables
        self._scenarios = scenarios
        self._hot: OrderedDict[str, dict[bytes, Game]] = OrderedDict()

    def decide(self, asked: Decide) -> Reply:
        """Decide one command; what it leads to is kept in case it is committed."""
        with DECIDE() as step:
            reply = self._decide(asked, play=True)
            step.say(type(asked.command).__name__, type(reply).__name__)
        if isinstance(reply, Refused):
            REFUSALS.labels(code=reply.code).inc()
        return reply

    def check(self, asked: Decide) -> Reply:
        """Say whether a command would be accepted; nothing is kept but the table it needed."""
        with CHECK():
            return self._decide(asked, play=False)

    def _decide(self, asked: Decide, play: bool) -> Reply:
        command = asked.command
        if isinstance(command, StartGame | StageTable):
            outcome = self._begin(command)
        else:
            game = self._game(asked)
            if game is None:
                return Behind(self.name, 0)
            if isinstance(command, DescribeOffer):
                return self._described(game, command)
            if isinstance(command, Explain):
                return self._explained(game, command)
            outcome = _played(game, command) if play else _checked(game, command)
        if isinstance(outcome, Refusal):
            return Refused(self.name, outcome.code, outcome.text, outcome.rule, outcome.args)
        return self._decided(asked, outcome)

    def _described(self, game: Game, command: DescribeOffer) -> Reply:
        found = describe_offer(game, command.seat, command.offer)
        if found is None:
            return Refused(self.name, STALE.code, STALE.text)
        return Described(self.name, Raw(msgspec.json.encode(found, order="sorted")))

    def _explained(self, game: Game, command: Explain) -> Reply:
        if command.seat not in game.table.seats:
            return Refused(self.name, "no_seat", "nobody plays this faction here")
        return Explained(self.name, Raw(msgspec.json.encode(explained(game.table, command.seat))))

    def _begin(self, command: StartGame | StageTable) -> Decision | Refusal:
        if isinstance(command, StageTable):
            if not self._scenarios:
                return Refusal(
                    "no_scenarios", "this deployment stages no scenarios (SIETCH_SCENARIOS=1 allows it)"
                )
            try:
                return stage(msgspec.json.decode(command.case))
            except MalformedError as wrong:
                return Refusal("malformed", str(wrong))
        try:
            settings = msgspec.json.decode(command.settings, type=Settings)
        except msgspec.ValidationError as wrong:
            return Refusal("settings", f"the settings are not usable: {wrong}")
        return begin(settings, command.seed)

    def _game(self, asked: Decide) -> Game | None:
        held = self._hot.get(asked.room, {}).get(asked.tip)
        if held is None and asked.load is not None:
            held = _loaded(asked.load)
            self._keep(asked.room, {asked.tip: held})
        return held

    def _decided(self, asked: Decide, decision: Decision) -> Decided:
        version, game = asked.version + 1, decision.game
        events = [encode_event(event) for event in decision.events]
        checkpoint = msgspec.json.encode(game.checkpoint(), order="sorted")
        if asked.command_id:
            room, command = UUID(hex=asked.room), UUID(bytes=asked.command_id)
            tip = link(asked.tip, room, version, command, events, checkpoint)
            before = self._hot.get(asked.room, {})
            kept = {asked.tip: before[asked.tip]} if asked.tip in before else {}
            if game.table.result is None:
                self._keep(asked.room, {**kept, tip: game})
            else:
                self._forget(asked.room)
        staged = isinstance(asked.command, StageTable)
        return Decided(
            worker=self.name,
            version=version,
            events=[Raw(event) for event in events],
            checkpoint=Raw(checkpoint),
            open=_asked(game),
            finished=game.table.result is not None,
            result=None if game.table.result is None else Raw(msgspec.json.encode(game.table.result)),
            snapshot=Raw(msgspec.json.encode(game.table))
            if staged or version % SNAPSHOT_EVERY == 0
            else None,
            turn=game.table.turn,
            phase=game.table.phase,
        )

    def _keep(self, room: str, games: dict[bytes, Game]) -> None:
        self._hot[room] = games
        self._hot.move_to_end(room)
        if len(self._hot) > self._most:
            self._hot.popitem(last=False)
        HOT.set(len(self._hot))

    def _forget(self, room: str) -> None:
        """Of a game that is over nothing is asked any more; should its last commit have lost a race, room sends it."""
        self._hot.pop(room, None)
        HOT.set(len(self._hot))


def _asked(game: Game) -> list[OpenOffer]:
    """The envelopes of what is asked: all of it by the top of the stack."""
    top = game.stack[-1] if game.stack else None
    by = "" if top is None else f"{type(top.flow).__name__}.{top.asked_by}"
    return [OpenOffer(o.seat, o.id, o.kind, o.clock, by) for o in game.open if o.committed is None]


def _loaded(saved: Load) -> Game:
    """The game that room sent: the fold of its events on the snapshot, with the checkpoint. Runs no rules."""
    table = Table() if saved.table is None else _table_json.decode(saved.table)
    events = decode_events(saved.events)
    for event in events:
        table = evolve(table, event)
    FOLDED.inc(len(events))
    return load(table, _checkpoint_json.decode(saved.checkpoint))


def _played(game: Game, command: Command) -> Decision | Refusal:
    if isinstance(command, ExpireOffer):
        return expire(game, command.seat, command.offer)
    assert isinstance(command, AnswerOffer)
    return answer(game, command.seat, command.offer, msgspec.json.decode(command.answer))


def _checked(game: Game, command: Command) -> Decision | Refusal:
    if isinstance(command, AnswerOffer):
        given = msgspec.json.decode(command.answer)
        return check(game, command.seat, command.offer, given) or Decision(game, ())
    return Refusal("illegal", "only answers can be checked")


async def serve(runtime: Runtime[RulesSettings]) -> None:
    """Answer `rules.decide` and `rules.check`, for the queue group and for this worker alone, until asked to end."""
    settings = runtime.settings
    worker = Worker(settings.instance, settings.hot_tables, settings.scenarios)
    bus = await Bus.connect(settings.nats_url, "rules", creds=settings.nats_creds)
    runtime.health.add("nats", bus.check)

    async def decide(asked: Decide) -> Reply:
        return worker.decide(asked)

    async def check_only(asked: Decide) -> Reply:
        return worker.check(asked)

    for subject, handler in ((subjects.RULES_DECIDE, decide), (subjects.RULES_CHECK, check_only)):
        own = subjects.rules_at(worker.name, subject.rpartition(".")[2])
        await bus.serve(subject, Decide, handler, queue=subjects.RULES_QUEUE, concurrency=1)
        await bus.serve(own, Decide, handler, concurrency=1)
    await announce(bus, "rules", worker.name)
    runtime.health.started = True
    log.info("ready", worker=worker.name)
    await runtime.drain.requested()
    await asyncio.sleep(0)
    await bus.drain(settings.drain_seconds)
