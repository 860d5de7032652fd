"""A whole game, heard at every audience's stream: nobody is sent a hidden piece before the rules show it to them.

What each may know is worked out anew here from the history that opens after the end; nothing of projection is asked.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Iterator
from itertools import pairwise
from typing import Any

import httpx
import msgspec
import psycopg
import pytest

from services.embedded import Deployment
from shared.dune.events import decode_event, evolve
from shared.dune.table import Table, all_pieces
from shared.wire import subjects
from shared.wire.client import Bus
from shared.wire.messages import View, ViewChanged, ViewRequest, Watching
from tests.system.playing import Room

pytestmark = pytest.mark.slow

PEOPLE = ("atreides", "bene_gesserit")
BOTS = ("harkonnen", "guild")
SPECTATOR = "spectator"
OPEN = {"treachery_discard", "treachery_removed", "plan", "leaders", "tanks"} | {
    f"spice_{pile}" for pile in ("discard_a", "discard_b", "aside")
}
"""Zones that lie open on the table. [SECRET-01]"""
OWN = {"hand", "traitors", "traitors_dealt", "traitors_out", "tanks_down"}
"""Zones that their owner alone looks into. [SECRET-03]"""
NAMED_ONLY = ("offers", "marks.battle.voice", "VoiceSpoken.what", "MarkSet.value")
"""Where a card may be named without anybody having shown it: in what can be chosen, and in what the Voice commands."""

Heard = dict[str, list[tuple[int, Any]]]
"""For each audience: sequence number and what came with it, in order."""


async def test_no_stream_carries_what_its_audience_may_not_know(deployment: Deployment) -> None:
    heard: Heard = {audience: [] for audience in (*PEOPLE, *BOTS, SPECTATOR)}
    with Room(deployment.url, seats=4, last_turn=3) as room:
        for faction in PEOPLE:
            room.sit(faction)
        for faction in BOTS:
            room.add_bot(faction, "random")
        room.start(21)
        bus = await Bus.connect(deployment.nats_url, "test")
        listening = [asyncio.create_task(follow(room, name, heard)) for name in (*PEOPLE, SPECTATOR)]
        await watch(bus, deployment, room, heard)
        await asyncio.to_thread(play, room)
        await asyncio.wait_for(asyncio.gather(*listening), 60)
        await bus.drain()
        known = list(knowledge(deployment, room))
    for audience, frames in heard.items():
        assert len(frames) > 30, f"{audience} was shown next to nothing"
        for seq, frame in frames:
            may_know = next(pieces for numbers, pieces in known if numbers.get(audience, 0) >= seq)
            leaks = sorted(set(found_in(frame, known[-1][1]["everything"] - may_know[audience])))
            assert leaks == [], f"{audience} at {seq}"
            view = frame.get("view", frame.get("patch"))
            assert set(view.get("spice", {})) <= {audience}, "the spice behind a shield is its owner's alone"
    assert known[-1][1]["everything"] - known[-1][1][SPECTATOR], (
        "nothing was hidden from a spectator to the end"
    )
    for audience in (*PEOPLE, SPECTATOR):
        numbers = [(seq, "patch" in frame) for seq, frame in heard[audience]]
        assert all(not changed or seq == before + 1 for (before, _), (seq, changed) in pairwise(numbers)), (
            "a sequence of one's own has no gaps"
        )


async def follow(room: Room, audience: str, heard: Heard) -> None:
    """Read a seat's stream until the game is over; connect again where it left off when it ends."""
    token = room.tokens.get(audience)
    headers = {"accept": "application/x-ndjson"} | ({"authorization": f"Bearer {token}"} if token else {})
    seq = 0
    async with httpx.AsyncClient(base_url=str(room.client.base_url), timeout=60) as client:
        while True:
            after = f"?after={seq}" if seq else ""
            async with client.stream("GET", f"{room.path}/stream{after}", headers=headers) as stream:
                async for line in stream.aiter_lines():
                    frame = msgspec.json.decode(line) if line.strip() else {}
                    if frame.get("event") not in ("view", "changed"):
                        continue
                    data = frame["data"]
                    seq = data["seq"]
                    heard[audience].append((seq, data))
                    if (data.get("view") or data["patch"]).get("result"):
                        return


async def watch(bus: Bus, deployment: Deployment, room: Room, heard: Heard) -> None:
    """Hear what projection publishes for the seats of bots, and what the whole view tells them at first."""
    with psycopg.connect(deployment.database_url) as connection:
        (row,) = connection.execute("SELECT id FROM rooms WHERE code = %s", (room.code,)).fetchall()
    key = row[0].hex

    async def changed(_: str, change: ViewChanged) -> None:
        if change.audience in BOTS:
            heard[change.audience].append((change.seq, msgspec.json.decode(msgspec.json.encode(change))))

    await bus.subscribe(subjects.view(key, "*"), ViewChanged, changed)
    await bus.publish(subjects.interest(key), Watching(key, list(BOTS), time.time() + 600))
    for audience in BOTS:
        whole = await bus.request(subjects.PROJECTION_VIEW, ViewRequest(key, audience), View, 10.0)
        heard[audience].append((whole.seq, msgspec.json.decode(msgspec.json.encode(whole))))


def play(room: Room) -> None:
    """The people answer whatever they are asked, until the game is over."""
    deadline = time.monotonic() + 240
    while not room.over():
        assert time.monotonic() < deadline, "the game does not end"
        answered = [room.answer(faction) for faction in PEOPLE]
        if not any(answered):
            time.sleep(0.05)


Known = dict[str, set[str]]


def knowledge(deployment: Deployment, room: Room) -> Iterator[tuple[dict[str, int], Known]]:
    """After each commit: the sequence number of every audience, and the pieces that each has lawfully seen by then."""
    query = "SELECT checkpoint FROM commits JOIN rooms ON rooms.id = room WHERE code = %s ORDER BY commits.version"
    with psycopg.connect(deployment.database_url) as connection:
        saved = [bytes(row[0]) for row in connection.execute(query, (room.code,))]
    history = room.history()
    assert len(history) == len(saved)
    table = Table()
    known: Known = {audience: set() for audience in (*PEOPLE, *BOTS, SPECTATOR, "everything")}
    for commit, checkpoint in zip(history, saved, strict=True):
        for event in commit:
            table = evolve(table, decode_event(msgspec.json.encode(event)))
            for piece, zone in all_pieces(table):
                kind, _, owner = zone.partition(".")
                known["everything"].add(piece)
                for audience in known:
                    if kind in OPEN or (kind in OWN and owner == audience):
                        known[audience].add(piece)
            for faction, shown in table.memory.items():
                known[faction].update(entry.partition("=")[2] for entry in shown)
        yield (
            msgspec.json.decode(checkpoint)["sequences"],
            {name: set(pieces) for name, pieces in known.items()},
        )


def found_in(value: Any, hidden: set[str], path: str = "") -> Iterator[str]:
    """Where in what was sent a hidden piece is named."""
    if isinstance(value, dict):
        kind = f"{value['event']}." if isinstance(value.get("event"), str) else ""
        for key, item in value.items():
            yield from found_in(key, hidden, path)
            yield from found_in(item, hidden, f"{kind or path}{key}" if kind else f"{path}{key}.")
    elif isinstance(value, list):
        for item in value:
            yield from found_in(item, hidden, path)
    elif isinstance(value, str):
        named = any(place in path for place in NAMED_ONLY)
        for piece in hidden:
            is_one = "#" in piece or ":" in piece
            if (is_one and piece in value) or (not named and piece == value):
                yield f"{path} {value}"


def test_the_search_finds_what_is_there() -> None:
    hidden = {"shield#2", "lasgun", "traitor:chani"}

    def found(frame: object) -> list[str]:
        return sorted(found_in(frame, hidden))

    assert found({"view": {"zones": {"hand.guild": ["shield#2", "shield#1"]}}}) == [
        "view.zones.hand.guild. shield#2"
    ]
    assert found({"events": [{"event": "CardDrawn", "card": "lasgun"}]}) == ["CardDrawn.card lasgun"]
    assert found({"patch": {"marks": {"x": "holds traitor:chani"}}}) == ["patch.marks.x. holds traitor:chani"]
    assert found({"patch": {"lasgun": 1}}) == ["patch. lasgun"]
    # A card may be named by its face where it can be commanded or chosen; a traitor or a numbered card never.
    assert found({"view": {"offers": [{"choice": ["lasgun"]}], "marks": {"battle.voice": ["lasgun"]}}}) == []
    assert found({"view": {"offers": [{"choice": ["shield#2"]}]}}) == ["view.offers.choice. shield#2"]
    assert found(
        {"events": [{"event": "VoiceSpoken", "what": "lasgun"}, {"event": "X", "what": "lasgun"}]}
    ) == ["X.what lasgun"]
