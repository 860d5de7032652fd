"""What the services say to each other survives the wire, and only what is described gets through."""

from __future__ import annotations

from typing import Any
from uuid import UUID

import msgspec
import pytest
from msgspec import Raw

from shared.wire import chain, messages, subjects
from shared.wire.client import decode, encode
from shared.wire.errors import BadMessage
from shared.wire.messages import (
    AnswerOffer,
    Behind,
    Commit,
    Decide,
    Decided,
    ExpireOffer,
    Load,
    NoView,
    OpenOffer,
    Refused,
    Reply,
    StageTable,
    StartGame,
    View,
)

ROOM = "0" * 31 + "1"
RAW = Raw(b'{"a":[1,"\xc3\xbc"]}')
COMMANDS = [
    StartGame(RAW, 7),
    AnswerOffer("guild", "guild-3", RAW),
    ExpireOffer("guild", "guild-3"),
    StageTable(RAW),
]


@pytest.mark.parametrize("command", COMMANDS, ids=lambda command: type(command).__name__)
def test_a_command_arrives_as_it_was_sent(command: Any) -> None:
    sent = Decide(ROOM, 3, command, Load(None, Raw(b"[%s]" % bytes(RAW)), RAW), b"\x00\xff", b"\x01")
    got = decode(encode(sent), Decide)
    assert type(got.command) is type(command)
    assert encode(got) == encode(sent)
    assert (got.tip, got.command_id, got.load.table) == (b"\x00\xff", b"\x01", None)
    assert bytes(got.load.events) == b"[%s]" % bytes(RAW)


@pytest.mark.parametrize(
    "reply",
    [
        Decided("w", 4, [RAW], RAW, [OpenOffer("guild", "guild-4", "bid", "bid")]),
        Decided("w", 4, [], RAW, [], True, RAW, RAW),
        Refused("w", "illegal", "no", "STORM-03", {"path": "dial", "most": 3}),
        Behind("w", 0),
    ],
)
def test_a_reply_arrives_as_it_was_sent(reply: Any) -> None:
    got = decode(encode(reply), Reply)
    assert type(got) is type(reply)
    assert encode(got) == encode(reply)


def test_what_is_absent_is_none_and_what_is_there_is_raw() -> None:
    bare = decode(encode(Decided("w", 1, [], RAW, [])), Reply)
    assert (bare.result, bare.snapshot) == (None, None)
    full = decode(encode(Decided("w", 1, [], RAW, [], True, RAW, RAW)), Reply)
    assert (bytes(full.result), bytes(full.snapshot)) == (bytes(RAW), bytes(RAW))


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"{}",
        b'{"type":"decided"}',
        b'{"type":"unknown","worker":"w","have":1}',
        b'{"type":"behind","worker":"w","have":"x"}',
        b'{"type":"behind","worker":"w","have":1,"more":1}',
        b"\x81\xa4type",
    ],
)
def test_what_is_not_described_is_a_bad_message(data: bytes) -> None:
    with pytest.raises(BadMessage, match="a message on x"):
        decode(data, Reply, "a message on x")


def test_views_and_their_absence_are_told_apart() -> None:
    view = decode(encode(View(ROOM, "guild", 3, RAW, [RAW])), View | NoView)
    assert (view.seq, bytes(view.view)) == (3, bytes(RAW))
    assert decode(encode(NoView("none")), View | NoView) == NoView("none")


def test_every_message_is_immutable_and_strict() -> None:
    kinds = [
        kind
        for kind in vars(messages).values()
        if isinstance(kind, type) and issubclass(kind, messages.Message)
    ]
    assert len(kinds) > 15
    for kind in kinds:
        config = kind.__struct_config__
        assert config.frozen, kind
        assert config.forbid_unknown_fields or kind is messages.Message, kind


def test_subjects_hold_ids_only_and_match_their_wildcards() -> None:
    assert subjects.commit(ROOM) == f"commit.{ROOM}"
    assert subjects.view(ROOM, "guild") == f"view.{ROOM}.guild"
    assert subjects.rules_at("w1", "decide") == "rules.at.w1.decide"
    for made, wild in (
        (subjects.commit(ROOM), subjects.COMMIT_ALL),
        (subjects.bot_task(ROOM), subjects.BOT_TASKS),
        (subjects.room_hint(ROOM), subjects.ROOM_HINTS),
    ):
        assert made.startswith(wild.rstrip("*>"))


ONE = (b"", UUID(int=1), 1, UUID(int=2), [b'{"a":1}', b'{"b":2}'], b"{}")


@pytest.mark.parametrize(
    "other",
    [
        (b"x", *ONE[1:]),
        (ONE[0], UUID(int=3), *ONE[2:]),
        (*ONE[:2], 2, *ONE[3:]),
        (*ONE[:3], UUID(int=3), *ONE[4:]),
        (*ONE[:4], [b'{"b":2}', b'{"a":1}'], ONE[5]),
        (*ONE[:4], [b'{"a":1}'], ONE[5]),
        (*ONE[:4], [b'{"a":1}{"b":2}'], ONE[5]),
        (*ONE[:4], [b'{"a":1}', b'{"b":2}', b"{}"], b""),
        (*ONE[:5], b"{ }"),
    ],
)
def test_a_link_depends_on_all_that_it_chains(other: Any) -> None:
    assert len(chain.link(*ONE)) == 32
    assert chain.link(*ONE) == chain.link(*ONE)
    assert chain.link(*other) != chain.link(*ONE)


def test_canonical_json_is_the_same_however_it_was_spelt() -> None:
    assert chain.canonical('{ "b": [1, 2], "a": "\\u00fc" }') == '{"a":"ü","b":[1,2]}'.encode()
    with pytest.raises(msgspec.DecodeError):
        chain.canonical("{")


def test_a_commit_carries_events_byte_for_byte() -> None:
    got = decode(encode(Commit(ROOM, 2, [RAW, RAW], RAW, True)), Commit)
    assert [bytes(event) for event in got.events] == [bytes(RAW)] * 2
    assert bytes(got.checkpoint) == bytes(RAW)
