"""Every identity against every subject, said and heard, on a real server: what is not written down is refused."""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import re
import signal
import time
from collections.abc import AsyncIterator, Iterable, Iterator
from pathlib import Path

import pytest

from services.embedded import EmbeddedNats, process
from services.embedded.binaries import nats_program
from services.embedded.home import Home
from shared.wire import subjects
from tests.service.wire import permissions as written
from tests.waiting import PATIENCE

IDENTITIES = ("rules", "room", "projection", "bot")
Address = tuple[int, dict[str, str]]
"""The port of a server, and the password of each user."""


class Link:
    """A connection that speaks the protocol itself: the server's refusals are seen as they come."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._reader, self._writer = reader, writer

    async def say(self, lines: Iterable[str]) -> list[str]:
        """Send lines and a ping; what came back until the pong."""
        self._writer.write("".join(f"{line}\r\n" for line in (*lines, "PING")).encode())
        await self._writer.drain()
        heard = []
        while True:
            try:
                line = (await asyncio.wait_for(self._reader.readline(), PATIENCE)).decode().rstrip("\r\n")
            except ConnectionResetError:
                return [*heard, "closed"]
            if line == "PONG":
                return heard
            if not line and self._reader.at_eof():
                return [*heard, "closed"]
            heard.append(line)


@contextlib.asynccontextmanager
async def linked(port: int, **who: str) -> AsyncIterator[Link]:
    """A connection as a user, or as nobody."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    await reader.readline()
    writer.write(f"CONNECT {json.dumps({'verbose': False, 'pedantic': False, **who})}\r\n".encode())
    try:
        yield Link(reader, writer)
    finally:
        writer.close()
        with contextlib.suppress(OSError):
            await writer.wait_closed()


@pytest.fixture(scope="module")
def embedded(server_home: Home) -> Iterator[Address]:
    """The server of `make run`."""
    home = Home(server_home.path / "permissions", server_home.account)
    server = EmbeddedNats(home)
    server.start()
    urls = {name: server.url_of(name) for name in (*IDENTITIES, "sietch")}
    found = {name: re.fullmatch(r"nats://\w+:(\w+)@127\.0\.0\.1:(\d+)", url) for name, url in urls.items()}
    assert all(found.values())
    yield int(found["bot"][2]), {name: match[1] for name, match in found.items() if match}
    server.stop()
    home.release()


@pytest.fixture(scope="module")
def deployed(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Address]:
    """A server with `deploy/nats/sietch.conf`: only its ports and its folder are of this machine."""
    folder = tmp_path_factory.mktemp("nats")
    text = Path("deploy/nats/sietch.conf").read_text()
    for line, ours in (
        (r"^host: .*$", "host: 127.0.0.1"),
        (r"^port: .*$", f'port: -1\nports_file_dir: "{folder}"'),
        (r"^http: .*$", ""),
        (r'store_dir: "/data"', f'store_dir: "{folder}/data"'),
    ):
        text, count = re.subn(line, ours, text, flags=re.MULTILINE)
        assert count == 1, f"the configuration has no {line}"
    (folder / "sietch.conf").write_text(text)
    passwords = {name: f"password-of-{name}" for name in (*IDENTITIES, "sietch")}
    env = {f"SIETCH_NATS_{name.upper()}_PASSWORD": word for name, word in passwords.items()}
    command = [str(nats_program(None)), "-c", str(folder / "sietch.conf")]
    named = os.environ | env | {"SIETCH_NATS_SERVER_NAME": "test"}
    server = process.start(command, last_signal=signal.SIGKILL, env=named)
    try:
        deadline = time.monotonic() + PATIENCE
        while not (notes := list(folder.glob("*.ports"))) or not notes[0].read_text():
            assert server.poll() is None, "the server does not take the configuration"
            assert time.monotonic() < deadline
            time.sleep(0.05)
        port = int(json.loads(notes[0].read_text())["nats"][0].rpartition(":")[2])
        yield port, passwords
    finally:
        process.stop(server, signal.SIGTERM, 5.0)


@pytest.fixture(params=["embedded", "deployed"])
def address(request: pytest.FixtureRequest) -> Address:
    found: Address = request.getfixturevalue(request.param)
    return found


def refused(heard: list[str], what: str) -> set[str]:
    """The subjects of the server's refusals; anything else that it says is a fault of the test."""
    found = [re.fullmatch(rf"-ERR 'Permissions Violation for {what} \"([^\"]+)\".*'", line) for line in heard]
    assert all(found), [line for line, match in zip(heard, found, strict=True) if not match][:3]
    return {match[1].lower() for match in found if match}


def expected(allowed: set[str]) -> set[str]:
    assert allowed <= set(written.SUBJECTS), allowed - set(written.SUBJECTS)
    return {subject.lower() for subject in written.SUBJECTS if subject not in allowed}


@pytest.mark.parametrize("identity", IDENTITIES)
async def test_what_an_identity_may_not_say_is_refused(address: Address, identity: str) -> None:
    port, passwords = address
    said = [subject for subject in written.SUBJECTS if "*" not in subject and ">" not in subject]
    async with linked(port, user=identity, **{"pass": passwords[identity]}) as link:
        heard = await link.say(line for subject in said for line in (f"PUB {subject} 0", ""))
    assert refused(heard, "Publish to") == expected(written.PUBLISH[identity]) & {s.lower() for s in said}


@pytest.mark.parametrize("identity", IDENTITIES)
async def test_what_an_identity_may_not_hear_is_refused(address: Address, identity: str) -> None:
    port, passwords = address
    async with linked(port, user=identity, **{"pass": passwords[identity]}) as link:
        heard = await link.say(f"SUB {subject} {i}" for i, subject in enumerate(written.SUBJECTS))
    assert refused(heard, "Subscription to") == expected(written.SUBSCRIBE[identity])


@pytest.mark.parametrize("identity", IDENTITIES)
async def test_a_queue_is_open_to_its_own_service(address: Address, identity: str) -> None:
    port, passwords = address
    alone = written.SUBSCRIBE[identity]
    async with linked(port, user=identity, **{"pass": passwords[identity]}) as link:
        for group in ("rules", "room", "projection", "spies"):
            heard = await link.say(
                f"SUB {subject} {group} {group}{i}" for i, subject in enumerate(written.SUBJECTS)
            )
            mine = {subject for subject, queue in written.QUEUES[identity] if queue == group}
            assert refused(heard, "Subscription to") == expected(alone | mine), group


@pytest.mark.parametrize(
    "who", [{}, {"user": "bot"}, {"user": "bot", "pass": "guess"}, {"user": "nobody", "pass": ""}]
)
async def test_who_shows_no_password_says_and_hears_nothing(address: Address, who: dict[str, str]) -> None:
    async with linked(address[0], **who) as link:
        heard = await link.say(["SUB > 1"])
    # The server resets the connection, sometimes before its word is read.
    assert heard in (["-ERR 'Authorization Violation'", "closed"], ["closed"])


async def test_the_operator_may_do_everything(address: Address) -> None:
    port, passwords = address
    async with linked(port, user="sietch", **{"pass": passwords["sietch"]}) as link:
        heard = await link.say(f"SUB {subject} {i}" for i, subject in enumerate(written.SUBJECTS))
    assert [line for line in heard if line.startswith("-ERR")] == []


async def test_an_answer_is_allowed_once_to_whoever_was_asked(address: Address) -> None:
    port, passwords = address
    async with (
        linked(port, user="room", **{"pass": passwords["room"]}) as room,
        linked(port, user="rules", **{"pass": passwords["rules"]}) as rules,
    ):
        await room.say(["SUB _INBOX_room.x.1 1"])
        await rules.say(["SUB rules.decide rules 1"])
        await room.say(["PUB rules.decide _INBOX_room.x.1 0", ""])
        asked = await rules.say([])
        assert asked[0] == "MSG rules.decide 1 _INBOX_room.x.1 0"
        assert await rules.say(["PUB _INBOX_room.x.2 0", ""]) != [], "nobody asked for that"
        assert await rules.say(["PUB _INBOX_room.x.1 0", ""]) == []
        assert (await room.say([]))[0] == "MSG _INBOX_room.x.1 1 0"
        assert await rules.say(["PUB _INBOX_room.x.1 0", ""]) != [], "one answer to one request"


def test_every_subject_that_sietch_uses_is_in_the_matrix() -> None:
    known = {*written.OURS, *written.PATTERNS, *written.NAMES_ONLY, "annotations"}
    assert {name for name in vars(subjects) if not name.startswith("_")} == known
    made = {
        "rules_at": subjects.rules_at("w1", "decide"),
        "projection_at": subjects.projection_at("p1", "view"),
        "room_hint": subjects.room_hint("r1"),
        "commit": subjects.commit("r1"),
        "view": subjects.view("r1", "atreides"),
        "interest": subjects.interest("r1"),
        "bot_task": subjects.bot_task("r1"),
    }
    for name, subject in {**written.OURS, **written.PATTERNS}.items():
        assert subject == (made.get(name) or getattr(subjects, name))
