"""A whole deployment as one process tree: servers, schema, services; in order up, in reverse order down.

    with Deployment(home_path) as sietch:
        httpx.get(sietch.url + "/api/limits")
        sietch.kill("rules")

Used by `sietch up` and by tests. `SIETCH_DATABASE_URL` and `SIETCH_NATS_URL` (in `env` or in the environment) win
over the embedded servers; beside the former `SIETCH_ROOM_DATABASE_URL` and so on name the roles of services.
"""

from __future__ import annotations

import hashlib
import os
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from types import TracebackType
from typing import Self

import psycopg

from services.embedded.account import unprivileged
from services.embedded.child import Child, Kind
from services.embedded.errors import EmbeddedError
from services.embedded.home import Home, default_home
from services.embedded.nats import EmbeddedNats
from services.embedded.postgres import EmbeddedPostgres
from shared.dune.language import language

# What others need comes first; the front door opens last.
SERVICES = ("rules", "projection", "bot", "room")
STORING = ("room", "projection")
ROLES = (*STORING, "verifier")
"""Who has a role of its own in the embedded PostgreSQL; room's migration says with which rights."""
READY_SECONDS = 60.0

Tell = Callable[[Kind, str, str], None]


class Deployment:
    """PostgreSQL, NATS and the services on this machine. `port` 0 lets the system choose the HTTP port."""

    def __init__(
        self,
        home: Path | None = None,
        *,
        port: int = 0,
        host: str = "127.0.0.1",
        replicas: int | Mapping[str, int] = 1,
        services: Sequence[str] = SERVICES,
        env: Mapping[str, str] | None = None,
        durable: bool = True,
        tell: Tell = lambda kind, name, text: None,
    ) -> None:
        self._env = dict(os.environ) | dict(env or {})
        self._host = host
        self._port = port
        self._tell = tell
        self._services = [name for name in SERVICES if name in services]
        self._counts = {
            name: replicas if isinstance(replicas, int) else replicas.get(name, 1) for name in self._services
        }
        self._home = Home(home or default_home(), unprivileged(), lambda text: tell("notice", "sietch", text))
        self._durable = durable
        self._socket: socket.socket | None = None
        self._hold = (-1, -1)
        self.postgres: EmbeddedPostgres | None = None
        self.nats: EmbeddedNats | None = None
        self.children: dict[str, list[Child]] = {}

    # ------------------------------------------------------------------ what one asks of it

    @property
    def url(self) -> str:
        """The address of the front door."""
        if self._socket is None:
            raise EmbeddedError("the deployment was not started yet, so it has no address")
        host, port = self._socket.getsockname()[:2]
        return f"http://{f'[{host}]' if ':' in host else host}:{port}"

    @property
    def database_url(self) -> str:
        """The owner's URL of the database; it holds the password."""
        return self.postgres.url if self.postgres else self._env["SIETCH_DATABASE_URL"]

    def database_url_for(self, service: str) -> str:
        """The URL by which a service (or `verifier`) logs in: as itself; where nobody names its role as the owner."""
        if self.postgres:
            return self.postgres.url_for(service)
        return self._env.get(_role(service)) or self.database_url

    @property
    def nats_url(self) -> str:
        """URL of NATS; it holds the password."""
        return self.nats.url if self.nats else self._env["SIETCH_NATS_URL"]

    def ops_urls(self, service: str) -> list[str]:
        """The ops addresses of a service's replicas, in order: `/livez`, `/readyz`, `/metrics`."""
        ports = [child.ports.get("ops") for child in self.children[service]]
        return [f"http://127.0.0.1:{port}" for port in ports if port]

    def replica_urls(self, service: str) -> list[str]:
        """The own HTTP (room) or ops addresses of a service's replicas, in order."""
        ports = [child.ports.get("http") or child.ports.get("ops") for child in self.children[service]]
        return [f"http://127.0.0.1:{port}" for port in ports if port]

    @property
    def log_folder(self) -> Path:
        """Where each process's log lies."""
        return self._home.logs

    # ------------------------------------------------------------------ up and down

    def up(self) -> None:
        """Start everything and return when every service is ready. Raises EmbeddedError, with everything stopped."""
        try:
            self._start_nats()
            self._open_door()
            self._make_postgres()
            # Loading a service's code takes longer than starting a server: they do it beside each other.
            self._hold = os.pipe()
            self._start_services(self._services)
            if self.postgres is not None:
                self.postgres.start()
            self._migrate()
            self._let_go()
            self.wait_ready()
            self._home.tell_address(self.url)
        except BaseException:
            self.down()
            raise

    def down(self) -> None:
        """Stop everything in reverse order; data is kept."""
        for name in reversed(self._services):
            replicas = self.children.get(name, [])
            with ThreadPoolExecutor(max_workers=max(1, len(replicas))) as pool:
                list(pool.map(Child.stop, replicas))
        for server in (self.nats, self.postgres):
            if server is not None:
                server.stop()
        if self._socket is not None:
            self._socket.close()
        self._let_go()
        if self._hold[0] >= 0:
            os.close(self._hold[0])
        self._hold = (-1, -1)
        self._home.release()

    def __enter__(self) -> Self:
        self.up()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.down()

    def wait_ready(self, services: Sequence[str] | None = None, seconds: float = READY_SECONDS) -> None:
        """Return when all replicas of the named services (all by default) are ready, else EmbeddedError saying why."""
        deadline = time.monotonic() + seconds
        for name in services or self._services:
            for child in self.children[name]:
                while reason := child.not_ready():
                    if time.monotonic() > deadline or child.restarts >= 5:
                        raise EmbeddedError(
                            f"{child.name} did not become ready: {reason}\nthe end of its log "
                            f"({self._home.logs}/{child.name}.log):\n{child.log_tail()}"
                        )
                    time.sleep(0.02)

    # ------------------------------------------------------------------ faults, for tests

    def stop(self, name: str, index: int = 0) -> None:
        """End one replica of a service, `nats` or `postgres` cleanly; it stays down until `start`."""
        self._one(name, index).stop()

    def start(self, name: str, index: int = 0) -> None:
        """Start what was stopped or killed; returns when it is ready."""
        one = self._one(name, index)
        one.start()
        if isinstance(one, Child):
            self.wait_ready([name])

    def kill(self, name: str, index: int = 0, *, restart: bool = True) -> None:
        """SIGKILL. A service is started again by supervision unless `restart` is False; a server stays down."""
        one = self._one(name, index)
        if isinstance(one, Child):
            one.kill(restart=restart)
        else:
            one.kill()

    def pause(self, name: str, index: int = 0) -> None:
        """Freeze one replica of a service."""
        self.children[name][index].pause()

    def resume(self, name: str, index: int = 0) -> None:
        """Let a frozen replica go on."""
        self.children[name][index].resume()

    def _one(self, name: str, index: int) -> Child | EmbeddedNats | EmbeddedPostgres:
        if name == "nats" and self.nats:
            return self.nats
        if name == "postgres" and self.postgres:
            return self.postgres
        if name not in self.children:
            raise EmbeddedError(f"this deployment runs no '{name}' of its own")
        return self.children[name][index]

    # ------------------------------------------------------------------ parts

    def _start_nats(self) -> None:
        if not self._env.get("SIETCH_NATS_URL"):
            self.nats = EmbeddedNats(self._home)
            self.nats.start()

    def _make_postgres(self) -> None:
        if not self._env.get("SIETCH_DATABASE_URL"):
            self.postgres = EmbeddedPostgres(self._home, durable=self._durable)

    def _let_go(self) -> None:
        """Let those begin that were held until the database has its schema; whoever starts later is not held."""
        read, write = self._hold
        if write >= 0:
            os.close(write)
            self._hold = (read, -1)

    def _start_services(self, names: Sequence[str]) -> None:
        for name in names:
            self.children[name] = [self._child(name, index) for index in range(self._counts[name])]
            for child in self.children[name]:
                child.start()

    def _migrate(self) -> None:
        """Bring the schema up to date; passed over when this very code did so to this very database before."""
        note = self._home.path / "schema"
        urls = {_role(service): self.database_url_for(service) for service in ROLES}
        roles = {name: url for name, url in urls.items() if url != self.database_url}
        store = Path(__file__).parents[1] / "room" / "store"
        files = [*sorted(store.glob("migrations/**/*.py")), store / "roles.py"]
        parts = [*(path.read_bytes() for path in files), *(url.encode() for url in roles.values())]
        parts.append(language().encode())  # of which it forgets what others made
        code = hashlib.sha256(b"\0".join(parts)).hexdigest()
        if note.exists() and note.read_text() == f"{code} {schema_revision(self.database_url)}\n":
            return
        command = [sys.executable, "-m", "services.room.migrate"]
        done = subprocess.run(
            command,
            env=self._environment({"SIETCH_DATABASE_URL": self.database_url} | roles),
            capture_output=True,
            text=True,
            check=False,
        )
        if done.returncode != 0:
            text = (done.stderr or done.stdout).strip()[-1500:]
            raise EmbeddedError(f"the database could not be brought to the newest schema:\n{text}")
        note.write_text(f"{code} {schema_revision(self.database_url)}\n")

    def _open_door(self) -> None:
        """Bind the port that all room replicas accept from: while one restarts, callers wait instead of failing."""
        family = socket.AF_INET6 if ":" in self._host else socket.AF_INET
        door = socket.socket(family, socket.SOCK_STREAM)
        door.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            door.bind((self._host, self._port))
        except OSError as error:
            door.close()
            raise EmbeddedError(
                f"cannot listen on {self._host}:{self._port}: {error.strerror}; choose another with --port or "
                "SIETCH_HTTP_PORT"
            ) from None
        door.listen(1024)
        self._socket = door

    def _environment(self, more: Mapping[str, str]) -> dict[str, str]:
        return (
            self._env
            | {
                "SIETCH_LOG": "json",
                "PYTHONUNBUFFERED": "1",
            }
            | dict(more)
        )

    def _child(self, service: str, index: int) -> Child:
        name = service if self._counts[service] == 1 else f"{service}-{index + 1}"
        more = {
            "SIETCH_OPS_HOST": "127.0.0.1",
            "SIETCH_OPS_PORT": "0",
            "SIETCH_NATS_URL": self.nats.url_of(service) if self.nats else self.nats_url,
            # Rules and bots know no database, whatever the environment says.
            "SIETCH_DATABASE_URL": self.database_url_for(service) if service in STORING else "",
            # And nobody knows another's role.
            **dict.fromkeys(map(_role, ROLES), ""),
        }
        fds: list[int] = []
        if service in STORING:
            fds.append(self._hold[0])
            more["SIETCH_HOLD_FD"] = str(self._hold[0])
        if service == "room":
            assert self._socket is not None
            fds.append(self._socket.fileno())
            more |= {
                "SIETCH_HTTP_FD": str(self._socket.fileno()),
                "SIETCH_HTTP_HOST": "127.0.0.1",
                "SIETCH_HTTP_PORT": "0",
            }
        command = [sys.executable, "-m", f"services.{service}"]
        log = self._home.logs / f"{name}.log"
        return Child(name, command, self._environment(more), log, self._tell, fds)


def _role(service: str) -> str:
    """The setting that names a service's role for the migration."""
    return f"SIETCH_{service.upper()}_DATABASE_URL"


def schema_revision(url: str) -> str:
    """The revision that a database says it has; empty for one without a schema. Raises EmbeddedError."""
    try:
        with psycopg.connect(url, connect_timeout=10) as connection:
            row = connection.execute("SELECT version_num FROM alembic_version").fetchone()
    except psycopg.errors.UndefinedTable:
        return ""
    except psycopg.OperationalError as error:
        raise EmbeddedError(
            f"the database (SIETCH_DATABASE_URL) cannot be reached: {error}".strip()
        ) from None
    return str(row[0]) if row else ""
