"""One whole game on a deployment that logs at debug level and sends its traces, with everything recorded."""

from __future__ import annotations

import asyncio
import json
import re
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager

import httpx
import msgspec
import nats
import psycopg

from services.embedded import Deployment
from services.room.ids import bot_token
from services.verifier.room import Room
from services.verifier.secrecy.asking import ask_for_everything
from services.verifier.secrecy.heard import BOTS, ENGINE, HOST, SPECTATOR, Heard, lines_of, seq_of
from services.verifier.secrecy.truth import Truth, Word
from services.verifier.streams import frames_of
from shared.wire import subjects
from shared.wire.messages import Watching
from tests.system.secrecy.wiretap import Wiretap

PEOPLE = ("atreides", "bene_gesserit")
PLAYERS = ("harkonnen", "guild", "emperor")
"""The seats that bots play."""
OFTEN = 40
"""Answers of people between two rounds of asking for everything, with every token."""
LEAVES = frozenset({"log", "metrics", "trace"})
"""What leaves a deployment: it names no room and no person, whoever may know of them at the table. (decision 0023)"""
NAMES = {"atreides": "Liet of the deep erg", "bene_gesserit": "Ramallo’s daughter"}
"""What people call themselves: words that stand nowhere else."""


def play_and_record(deployment: Deployment, recorder: Wiretap) -> Truth:
    """Play, record, and tell what was true."""
    with Room(deployment.url, seats=5, last_turn=3) as room:
        for faction in PEOPLE:
            room.sit(faction, NAMES[faction])
        for faction in PLAYERS:
            room.add_bot(faction, "random")
        begun = room.call("POST", f"{room.path}/start", {"force": True}, room.host)
        assert begun.status_code == 200, begun.text
        party = _Party(deployment, room, recorder)
        with party.listening():
            party.play()
            party.ask_for_everything()
        texts = {path.name: path.read_text(errors="replace") for path in deployment.log_folder.glob("*.log")}
        lines_of(recorder, "log", texts)
        for service in ("rules", "projection", "bot", "room"):
            for url in deployment.ops_urls(service):
                lines_of(recorder, "metrics", {service: httpx.get(f"{url}/metrics").text})
        return party.truth()


class _Party:
    """The room, everybody who listens, and the store behind it."""

    def __init__(self, deployment: Deployment, room: Room, recorder: Wiretap) -> None:
        self._deployment, self._room, self._recorder = deployment, room, recorder
        self._store = psycopg.connect(deployment.database_url, autocommit=True)
        query = "SELECT id, bot_key, hash FROM rooms WHERE code = %s"
        self._id, self._bot_key, _ = self._store.execute(query, (room.code,)).fetchall()[0]
        self._seats = {seat["faction"]: seat["seat"] for seat in room.call("GET", room.path).json()["seats"]}
        self._observer = "none yet"
        recorder.listen(room.client, self._who, self._version)
        issued = room.call(
            "POST",
            f"{room.path}/seats/{self._seats['atreides']}/tokens",
            {"scope": "seat:observe"},
            room.tokens["atreides"],
        )
        assert issued.status_code == 201, issued.text
        self._observer = issued.json()["token"]
        self._over = threading.Event()

    def _who(self, header: str) -> str:
        token = header.removeprefix("Bearer ")
        if token == self._observer:
            return "atreides"
        if token == self._room.host:
            return HOST
        return next((seat for seat, held in self._room.tokens.items() if held == token), SPECTATOR)

    def _version(self) -> int:
        query = "SELECT version FROM rooms WHERE id = %s"
        return int(self._store.execute(query, (self._id,)).fetchall()[0][0])

    # ------------------------------------------------------------------ who listens

    @contextmanager
    def listening(self) -> Iterator[None]:
        """Streams of every kind and NATS, while the block runs and until each has told the end."""
        everybody = [
            threading.Thread(target=self._follow, args=args, daemon=True)
            for args in (
                ("atreides", self._room.tokens["atreides"], "application/x-ndjson"),
                ("atreides", self._observer, "text/event-stream"),
                ("bene_gesserit", self._room.tokens["bene_gesserit"], "text/event-stream"),
                (HOST, self._room.host, "application/x-ndjson"),
                (SPECTATOR, "", "application/x-ndjson"),
                (SPECTATOR, "", "text/event-stream"),
            )
        ]
        bus = threading.Thread(target=lambda: asyncio.run(self._bus()), daemon=True)
        for thread in (*everybody, bus):
            thread.start()
        yield
        for thread in everybody:
            thread.join(60)
            assert not thread.is_alive(), "a stream did not tell the end"
        self._over.set()
        bus.join(30)

    def _follow(self, audience: str, token: str, kind: str) -> None:
        headers = {"accept": kind} | ({"authorization": f"Bearer {token}"} if token else {})
        seq, ended = 0, False
        where = f"{kind}{' of an observer' if token == self._observer else ''}"
        with httpx.Client(base_url=self._deployment.url, timeout=60) as client:
            while not ended:
                after = f"?after={seq}" if seq else ""
                with client.stream("GET", f"{self._room.path}/stream{after}", headers=headers) as stream:
                    for event, data in frames_of(stream.iter_lines()):
                        number = seq_of(data)
                        channel = "http" if number is None else "stream"
                        self._recorder.take(
                            Heard(
                                audience, channel, where, data, self._version(), number, dict(stream.headers)
                            )
                        )
                        seq = number or seq
                        if event in ("view", "changed") and b'"result":{' in data:
                            ended = True
                            break

    async def _bus(self) -> None:
        """All that is said on NATS, heard with the operator's permissions; and somebody who watches every seat."""
        client = await nats.connect(self._deployment.nats_url, inbox_prefix="_INBOX_test")
        await client.subscribe(">", cb=self._recorder.message)
        room = self._id.hex
        while not self._over.is_set():
            watching = Watching(room, [*PLAYERS, *PEOPLE, SPECTATOR], 60)
            await client.publish(subjects.interest(room), msgspec.json.encode(watching))
            for verb in ("PING", "INFO", "STATS"):
                await client.publish(f"$SRV.{verb}", b"", reply=client.new_inbox())
            await asyncio.sleep(2)
        await client.drain()

    # ------------------------------------------------------------------ who plays and asks

    def play(self) -> None:
        """The people answer whatever they are asked, and now and then everything is asked for, until the end."""
        deadline = time.monotonic() + 280
        count = 0
        while not self._room.over():
            assert time.monotonic() < deadline, "the game does not end"
            if count % OFTEN == 0:
                self.ask_for_everything()
            answered = [self._room.answer(faction) for faction in PEOPLE]
            count += 1
            if not any(answered):
                time.sleep(0.05)

    def ask_for_everything(self) -> None:
        """Every route with every token, in ways that work and in ways that must be refused."""
        tokens = (*self._room.tokens.values(), self._observer, self._room.host)
        ask_for_everything(self._room, tokens, (*PEOPLE, *PLAYERS))

    # ------------------------------------------------------------------ what was true

    def truth(self) -> Truth:
        """From the store: all commits; and everything that is secret by its very bytes."""
        commits = self._store.execute(
            "SELECT version, checkpoint FROM commits WHERE room = %s ORDER BY version", (self._id,)
        ).fetchall()
        rows = self._store.execute(
            "SELECT version, body::text FROM events WHERE room = %s ORDER BY version, index", (self._id,)
        ).fetchall()
        events: dict[int, list[bytes]] = {}
        for version, body in rows:
            events.setdefault(version, []).append(body.encode())
        checkpoints = {version: msgspec.json.decode(saved) for version, saved in commits}
        stored = [(events.get(version, []), saved["sequences"]) for version, saved in checkpoints.items()]
        hash_ = self._store.execute("SELECT hash FROM rooms WHERE id = %s", (self._id,)).fetchall()[0][0]
        self._store.close()
        seed = checkpoints[1]["chance"].split(":")[1]
        words = [
            Word("the seed", seed.encode(), frozenset({ENGINE})),
            Word("the chain's hash", hash_.hex().encode()),
        ]
        return Truth(PEOPLE, PLAYERS, stored, [*words, *self._words()])

    def _words(self) -> Iterator[Word]:
        room = self._room
        yield Word("the state of chance", b"sha256ctr:", frozenset({ENGINE}))
        yield Word("the key of the bots", bytes(self._bot_key).hex().encode())
        yield Word("the host's token", room.host.encode())
        yield Word("an observer's token", self._observer.encode(), frozenset({"atreides"}))
        for seat, token in room.tokens.items():
            yield Word(f"the token of {seat}", token.encode())
        for seat in PLAYERS:
            yield Word(
                f"a bot's token for {seat}", bot_token(self._bot_key, seat).encode(), frozenset({BOTS})
            )
        yield Word("the room's id", self._id.hex.encode(), channels=LEAVES)
        yield Word("the room's id with dashes", str(self._id).encode(), channels=LEAVES)
        yield Word("the room's code", room.code.encode(), channels=LEAVES)
        for name in NAMES.values():
            yield Word(f"the name of a player, {name}", name.encode(), channels=LEAVES)
            yield Word(f"that name in JSON, {name}", json.dumps(name)[1:-1].encode(), channels=LEAVES)
        roles = [self._deployment.database_url_for(service) for service in ("room", "projection")]
        for url in (self._deployment.database_url, *roles, self._deployment.nats_url):
            for word in re.findall(r"://[^:]+:([^@]+)@", url):
                yield Word("a server's password", word.encode())
