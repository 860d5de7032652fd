"""Rules workers over the bus: behind and loaded, races, checks, staging, and what they forget."""

from __future__ import annotations

import random
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AsyncExitStack
from typing import Any
from uuid import UUID, uuid4

import msgspec
import pytest
from msgspec import Raw

from services.rules.engine.explaining import Why, explained
from services.rules.engine.game import Decision, answer
from services.rules.service import RulesSettings, serve
from shared.dune.events import encode_event
from shared.dune.settings import Settings
from shared.dune.table import Table
from shared.wire import subjects
from shared.wire.client import Bus
from shared.wire.errors import NoResponders
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
    Refused,
    Reply,
    StageTable,
    StartGame,
)
from tests.service.recorded import Recorded, array, as_stored, draw, record, running

Start = Callable[..., Awaitable[str]]
TABLE = {"seats": ["atreides", "harkonnen"], "phase": "storm", "storm": 9}


def raw(value: object) -> Raw:
    return Raw(msgspec.json.encode(value))


@pytest.fixture
async def bus(nats_url: str) -> AsyncIterator[Bus]:
    bus = await Bus.connect(nats_url, "test")
    yield bus
    await bus.drain()


@pytest.fixture
async def worker(nats_url: str) -> AsyncIterator[Start]:
    """Start a worker by name; settings by keyword."""
    async with AsyncExitStack() as stack:

        async def start(name: str, **options: Any) -> str:
            settings = RulesSettings(nats_url=nats_url, instance=name, **options)
            await stack.enter_async_context(running(serve, settings))
            return name

        yield start


async def ask(bus: Bus, worker: str, asked: Decide, verb: str = "decide") -> Any:
    return await bus.request(subjects.rules_at(worker, verb), asked, Reply, 10.0)


def decide(
    game: Recorded,
    command: Command,
    *,
    at: int | None = None,
    load: bool = False,
    command_id: UUID | None = None,
) -> Decide:
    """The request that room makes of a command on a recorded game."""
    version = game.version if at is None else at
    saved = game.load(version) if load else None
    named = (command_id or uuid4()).bytes
    return Decide(game.room.hex, version, command, saved, game.tip(version), named)


def some_answer(game: Recorded, seed: int = 1) -> AnswerOffer:
    offer, given = draw(game.games[-1], random.Random(seed))
    return AnswerOffer(offer.seat, offer.id, raw(given))


def local(game: Recorded, command: AnswerOffer) -> Decision:
    played = answer(game.games[-1], command.seat, command.offer, msgspec.json.decode(command.answer))
    assert isinstance(played, Decision)
    return played


def texts(reply: Decided) -> list[bytes]:
    return [bytes(event) for event in reply.events]


async def test_a_start_and_what_follows_is_what_the_engine_decides(bus: Bus, worker: Start) -> None:
    await worker("one")
    game = record(0)
    settings = raw(Settings(seats=("atreides", "harkonnen", "guild")))
    asked = Decide(game.room.hex, 0, StartGame(settings, 1), None, b"", game.commands[0].bytes)
    begun = await ask(bus, "one", asked)
    assert isinstance(begun, Decided)
    assert (begun.version, begun.worker, begun.finished) == (1, "one", False)
    assert texts(begun) == game.events[0]
    assert bytes(begun.checkpoint) == game.checkpoint(1)
    assert [o.offer for o in begun.open] == [o.id for o in game.games[0].open]
    # The table is kept: the next command needs no load.
    command = some_answer(game)
    played = await ask(bus, "one", decide(game, command))
    assert isinstance(played, Decided)
    assert texts(played) == [encode_event(event) for event in local(game, command).events]


async def test_a_worker_without_the_table_says_so_and_takes_it_up(bus: Bus, worker: Start) -> None:
    await worker("one")
    game = record(60)
    command = some_answer(game)
    named = uuid4()
    behind = await ask(bus, "one", decide(game, command))
    assert behind == Behind("one", 0)
    loaded = await ask(bus, "one", decide(game, command, load=True, command_id=named))
    assert isinstance(loaded, Decided)
    # From a snapshot in the middle, another worker decides the same to the byte.
    await worker("two")
    table = raw(game.game(30).table)
    rest = Raw(array(as_stored(event) for events in game.events[30:] for event in events))
    snapshot = Load(table, rest, Raw(game.checkpoint(game.version)))
    asked = msgspec.structs.replace(decide(game, command, command_id=named), load=snapshot)
    other = await ask(bus, "two", asked)
    assert isinstance(other, Decided)
    assert texts(other) == texts(loaded) == [encode_event(e) for e in local(game, command).events]
    assert bytes(other.checkpoint) == bytes(loaded.checkpoint)
    # What it decided is at hand when it is committed.
    game.add(local(game, command), named)
    assert isinstance(await ask(bus, "one", decide(game, some_answer(game))), Decided)


async def test_a_decision_that_lost_the_race_is_not_built_upon(bus: Bus, worker: Start) -> None:
    await worker("one")
    await worker("two")
    game = record(40)
    first, second = some_answer(game, 1), some_answer(game, 2)
    assert (first.seat, first.answer) != (second.seat, second.answer)
    lost = await ask(bus, "one", decide(game, first, load=True))
    named = uuid4()
    won = await ask(bus, "two", decide(game, second, load=True, command_id=named))
    assert isinstance(lost, Decided) and isinstance(won, Decided)
    assert lost.version == won.version
    stood = decide(game, first)
    game.add(local(game, second), named)
    then = some_answer(game)
    # Same room, same version, another history: the loser must not go on with its own.
    assert await ask(bus, "one", decide(game, then)) == Behind("one", 0)
    assert isinstance(await ask(bus, "two", decide(game, then)), Decided)
    taken = await ask(bus, "one", decide(game, then, load=True))
    assert isinstance(taken, Decided)
    assert texts(taken) == [encode_event(event) for event in local(game, then).events]
    # And the same command again, as room sends it after a lost race, is decided on what was committed.
    again = await ask(
        bus, "one", msgspec.structs.replace(stood, version=game.version, tip=game.tip(game.version))
    )
    assert isinstance(again, Refused | Decided)
    if isinstance(again, Refused):
        assert again.code == "stale"


async def test_the_table_that_was_decided_on_stays_until_it_is_known(bus: Bus, worker: Start) -> None:
    """The append may have failed: the same worker decides the next command on the version before."""
    await worker("one")
    game = record(20)
    assert isinstance(await ask(bus, "one", decide(game, some_answer(game, 1), load=True)), Decided)
    assert isinstance(await ask(bus, "one", decide(game, some_answer(game, 2))), Decided)


async def test_a_check_plays_nothing(bus: Bus, worker: Start) -> None:
    await worker("one")
    game = record(20)
    good = some_answer(game)
    bad = AnswerOffer(good.seat, good.offer, raw({"do": "nothing of the kind"}))
    asked = decide(game, good, load=True)
    fine = await ask(bus, "one", asked, "check")
    assert isinstance(fine, Decided)
    assert fine.events == []
    assert bytes(fine.checkpoint) == game.checkpoint(game.version)
    wrong = await ask(bus, "one", decide(game, bad), "check")
    assert (wrong.code, bool(wrong.text)) == ("illegal", True)
    # The table stands where it stood: the very same answer is still good.
    assert isinstance(await ask(bus, "one", decide(game, good), "check"), Decided)
    played = await ask(bus, "one", decide(game, good))
    assert texts(played) == [encode_event(event) for event in local(game, good).events]
    expiring = await ask(bus, "one", decide(game, ExpireOffer(good.seat, good.offer)), "check")
    assert isinstance(expiring, Refused)


async def test_refusals_are_values(bus: Bus, worker: Start) -> None:
    await worker("one")
    game = record(20)
    good = some_answer(game)
    other = next(seat for seat in game.games[-1].table.seats if seat != good.seat)
    for command, code in (
        (AnswerOffer(other, good.offer, good.answer), "stale"),
        (AnswerOffer(good.seat, "nothing", good.answer), "stale"),
        (AnswerOffer(good.seat, good.offer, raw(None)), "illegal"),
        (AnswerOffer("nobody", good.offer, good.answer), "stale"),
        (ExpireOffer(other, good.offer), "stale"),
    ):
        reply = await ask(bus, "one", decide(game, command, load=True))
        assert isinstance(reply, Refused)
        assert (reply.code, reply.worker) == (code, "one")
        assert reply.text


async def test_an_expired_clock_plays_the_default(bus: Bus, worker: Start) -> None:
    await worker("one")
    game = record(20)
    offer = next(offer for offer in game.games[-1].open if offer.committed is None)
    reply = await ask(bus, "one", decide(game, ExpireOffer(offer.seat, offer.id), load=True))
    wanted = local(game, AnswerOffer(offer.seat, offer.id, raw(offer.default)))
    assert texts(reply) == [encode_event(event) for event in wanted.events]


async def test_settings_and_tables_that_cannot_be_are_refused(bus: Bus, worker: Start) -> None:
    await worker("one")
    await worker("stager", scenarios=True)
    room = uuid4().hex

    async def begin(worker: str, command: Command) -> Any:
        return await ask(bus, worker, Decide(room, 0, command, None, b"", uuid4().bytes))

    for settings in ({"seats": ["guild"]}, {"seats": ["guild", "nobody"]}, {"mode": "odd"}, {"seats": 3}):
        reply = await begin("one", StartGame(raw(settings), 1))
        assert isinstance(reply, Refused), settings
    assert (await begin("one", StageTable(raw(TABLE)))).code == "no_scenarios"
    assert (await begin("stager", StageTable(raw({**TABLE, "phase": "x"})))).code == "malformed"
    staged = await begin("stager", StageTable(raw(TABLE)))
    assert isinstance(staged, Decided)
    assert staged.snapshot is not None, "a staged table cannot be made of its events"
    assert msgspec.json.decode(staged.snapshot, type=Table).storm == 9


async def test_an_offer_is_described_to_its_seat_only(bus: Bus, worker: Start) -> None:
    await worker("one")
    game = record(20)
    short = game.games[-1].standing[0]
    asked = decide(game, DescribeOffer(short.seat, short.id), load=True)
    reply = await ask(bus, "one", asked, "check")
    assert isinstance(reply, Described)
    assert msgspec.json.decode(reply.offer)["kind"] == short.kind
    other = next(seat for seat in game.games[-1].table.seats if seat != short.seat)
    refused = await ask(bus, "one", decide(game, DescribeOffer(other, short.id)), "check")
    assert refused.code == "stale"


async def test_why_is_told_to_a_seat_and_nothing_comes_of_asking(bus: Bus, worker: Start) -> None:
    await worker("one")
    game = record(20)
    seats = game.games[-1].table.seats
    told = [await ask(bus, "one", decide(game, Explain(seat), load=True), "check") for seat in seats]
    assert all(isinstance(reply, Explained) for reply in told)
    for seat, reply in zip(seats, told, strict=True):
        again = msgspec.json.decode(reply.why, type=tuple[Why, ...])
        assert again == explained(game.games[-1].table, seat)
    nobody = await ask(bus, "one", decide(game, Explain("nobody")), "check")
    assert isinstance(nobody, Refused) and nobody.code == "no_seat"


async def test_only_so_many_tables_are_kept(bus: Bus, worker: Start) -> None:
    await worker("one", hot_tables=1)
    games = [record(10, seed) for seed in (1, 2)]
    for game in games:
        assert isinstance(await ask(bus, "one", decide(game, some_answer(game), load=True)), Decided)
    assert isinstance(await ask(bus, "one", decide(games[1], some_answer(games[1]))), Decided)
    assert isinstance(await ask(bus, "one", decide(games[0], some_answer(games[0]))), Behind)


async def test_each_question_is_answered_by_one_worker_and_by_the_other_when_one_ends(
    bus: Bus, nats_url: str
) -> None:
    game = record(10)
    command = some_answer(game)
    names: set[str] = set()
    async with running(serve, RulesSettings(nats_url=nats_url, instance="one")):
        async with running(serve, RulesSettings(nats_url=nats_url, instance="two")):
            for _ in range(40):
                asked = decide(game, command, load=True)
                names.add((await bus.request(subjects.RULES_DECIDE, asked, Reply, 10.0)).worker)
        assert names == {"one", "two"}
        for _ in range(10):
            asked = decide(game, command, load=True)
            reply = await bus.request(subjects.RULES_DECIDE, asked, Reply, 10.0)
            assert reply.worker == "one"
        with pytest.raises(NoResponders):
            await ask(bus, "two", asked)
    with pytest.raises(NoResponders):
        await bus.request(subjects.RULES_DECIDE, asked, Reply, 1.0)
