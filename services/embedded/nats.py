"""A NATS server of our own, with JetStream, on a loopback port that it chooses itself and then keeps."""

from __future__ import annotations

import contextlib
import json
import os
import secrets
import signal
import socket
import subprocess
import time
from pathlib import Path

from services.embedded import process
from services.embedded.binaries import nats_program
from services.embedded.errors import EmbeddedError
from services.embedded.home import Home
from services.embedded.postgres import tail
from shared.wire.identities import IDENTITIES, authorization

START_SECONDS = 20.0
STOP_SECONDS = 5.0

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


class EmbeddedNats:
    """One server below `home`. A restart in the same process keeps its port, so that clients find it again."""

    def __init__(self, home: Home) -> None:
        self._home = home
        self._account = home.account
        self._folder = home.folder("nats")
        self._log = home.logs / "nats.log"
        self._child: subprocess.Popen[bytes] | None = None
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

    @property
    def running(self) -> bool:
        """Whether the server process is there."""
        return self._child is not None and self._child.poll() is None

    @property
    def pid(self) -> int | None:
        """The server's process id while it runs."""
        return self._child.pid if self._child is not None and self.running else None

    def start(self) -> None:
        """Start the server and return when it answers with JetStream on."""
        if self.running:
            return
        program = nats_program(self._account)
        config = self._write_config()
        with self._log.open("ab") as log:
            self._child = process.start(
                [str(program), "-c", str(config)],
                last_signal=signal.SIGTERM,
                account=self._account,
                env={"PATH": os.environ.get("PATH", "/usr/bin:/bin"), "TZ": "UTC"},
                stdout=log,
                stderr=log,
                cwd=Path("/"),
            )
        self._wait_ready()

    def stop(self) -> None:
        """A clean stop; streams are kept."""
        if self._child is not None:
            process.stop(self._child, signal.SIGTERM, STOP_SECONDS)

    def kill(self) -> None:
        """End the server at once (for tests of recovery)."""
        if self._child is not None:
            process.send(self._child, signal.SIGKILL)
            self._child.wait(10)

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

    def _wait_ready(self) -> None:
        deadline = time.monotonic() + START_SECONDS
        while time.monotonic() < deadline:
            if not self.running:
                raise EmbeddedError(f"NATS ended while starting; the end of {self._log}:\n{tail(self._log)}")
            if (port := self._read_port()) and self._answers(port):
                self._port = port
                return
            time.sleep(0.01)
        self.stop()
        raise EmbeddedError(f"NATS gave no answer within {START_SECONDS:g} s; see {self._log}")

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
