"""A NATS server of our own, with JetStream, on a loopback port that it chooses itself and then keeps."""

from __future__ import annotations

import contextlib
import json
import secrets
import socket
import time
from pathlib import Path

from services.embedded.binaries import nats_program
from services.embedded.errors import EmbeddedError
from services.embedded.home import Home
from services.embedded.server import Server, tail
from shared.wire.identities import IDENTITIES, authorization

CONFIG = """\
# Made by Sietch at every start; changes are lost.
server_name: sietch
host: 127.0.0.1
port: {port}
ports_file_dir: "{run}"
max_payload: 4MB
write_deadline: "5s"
jetstream {{ store_dir: "{store}", max_memory_store: 64MB, max_file_store: 4GB }}
{authorization}"""

OPERATOR = "sietch"
TAKEN = "address already in use"
"""What the server says of a port that somebody else has."""


class EmbeddedNats(Server):
    """One server below `home`. A restart in the same process keeps its port, so that clients find it again."""

    title = "NATS"

    def __init__(self, home: Home) -> None:
        super().__init__(home, "nats")
        self._folder = home.folder("nats")
        self._port = -1
        names = [OPERATOR, *(identity.name for identity in IDENTITIES)]
        self._passwords = {name: secrets.token_hex(16) for name in names}

    @property
    def url(self) -> str:
        """The operator's URL, with every permission; it holds the password. Known once the server was started."""
        return self.url_of(OPERATOR)

    def url_of(self, identity: str) -> str:
        """The URL of one service's identity (`shared.wire.identities`), with its permissions and no more."""
        if self._port < 0:
            raise EmbeddedError("NATS was not started yet, so it has no port")
        return f"nats://{identity}:{self._passwords[identity]}@127.0.0.1:{self._port}"

    def start(self) -> None:
        """As any server; a port that somebody else was given while this one was down is waited for."""
        until = time.monotonic() + self.start_seconds
        while True:
            try:
                super().start()
                return
            except EmbeddedError:
                if TAKEN not in tail(self._log) or time.monotonic() > until:
                    raise
                time.sleep(0.1)

    def _command(self) -> list[str]:
        return [str(nats_program(self._account)), "-c", str(self._write_config())]

    def _write_config(self) -> Path:
        run = self._folder / "run"
        run.mkdir(exist_ok=True)
        for old in run.glob("*.ports"):
            old.unlink()
        config = self._folder / "nats.conf"
        config.touch(mode=0o600)
        config.write_text(
            CONFIG.format(
                port=self._port,
                run=run,
                store=self._folder / "store",
                authorization=authorization(self._passwords),
            )
        )
        if self._account:
            self._account.own(run)
            self._account.own(config)
        return config

    def _missing(self) -> str | None:
        if not (port := self._read_port()):
            return "it names no port"
        if not self._answers(port):
            return "it does not answer, or has no JetStream"
        self._port = port
        return None

    def _read_port(self) -> int:
        """The port from the file that the server writes once it listens; 0 while there is none."""
        for note in (self._folder / "run").glob("*.ports"):
            with contextlib.suppress(OSError, ValueError, KeyError, IndexError):
                return int(json.loads(note.read_text())["nats"][0].rpartition(":")[2])
        return 0

    def _answers(self, port: int) -> bool:
        """Whether the server there takes our password, answers a ping and has JetStream."""
        try:
            with socket.create_connection(("127.0.0.1", port), timeout=2) as link:
                stream = link.makefile("rwb")
                info = json.loads(stream.readline().removeprefix(b"INFO "))
                hello = {
                    "verbose": False,
                    "pedantic": False,
                    "user": OPERATOR,
                    "pass": self._passwords[OPERATOR],
                }
                stream.write(b"CONNECT " + json.dumps(hello).encode() + b"\r\nPING\r\n")
                stream.flush()
                return bool(info.get("jetstream")) and stream.readline().startswith(b"PONG")
        except (OSError, ValueError):
            return False
