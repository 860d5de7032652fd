"""A PostgreSQL of our own: made once, started in well under a second, stopped cleanly, its data kept.

It listens on a unix socket only (half the latency of loopback TCP, and no port that could be taken), with a random
scram password that is kept beside the data.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import secrets
import shutil
import signal
import subprocess
import tempfile
import time
from pathlib import Path
from urllib.parse import quote

import psycopg

from services.embedded import process
from services.embedded.binaries import PostgresPrograms, postgres_programs
from services.embedded.errors import EmbeddedError
from services.embedded.home import Home
from services.embedded.server import Server, environment

USER = "sietch"
DATABASE = "sietch"
STOP_SECONDS = 20.0
STATUS_LINE = 8
"""The line of its pid file in which PostgreSQL says `starting`, `ready` or `stopping` (since 10)."""
# sun_path holds 107 bytes, and the server adds "/.s.PGSQL.5432.lock" to the directory.
LONGEST_SOCKET_DIRECTORY = 80


class EmbeddedPostgres(Server):
    """One server below `home`. `durable=False` skips fsync: for tests, whose data need not survive the machine."""

    title = "PostgreSQL"
    stop_seconds = STOP_SECONDS
    stop_signal = signal.SIGINT
    """A fast shutdown: connections are cut, open transactions rolled back, data is safe."""

    def __init__(self, home: Home, *, durable: bool = True) -> None:
        super().__init__(home, "postgres")
        self._durable = durable
        self._programs: PostgresPrograms | None = None
        self._data = home.folder("postgres") / "data"
        self._sockets = self._socket_directory()
        self._password = self._stored_password()

    @property
    def url(self) -> str:
        """The libpq URL of the database `sietch`; it holds the password."""
        return self.url_of(DATABASE)

    def url_of(self, database: str) -> str:
        """The URL of another database of this server."""
        return f"postgresql://{USER}:{self._password}@/{database}?host={quote(str(self._sockets), safe='')}"

    def url_for(self, service: str) -> str:
        """The URL for a service's own role, which the migration makes. Its password follows from the owner's, not the
        other way round."""
        word = hashlib.sha256(f"{service} {self._password}".encode()).hexdigest()[:32]
        return f"postgresql://{USER}_{service}:{word}@/{DATABASE}?host={quote(str(self._sockets), safe='')}"

    # ------------------------------------------------------------------ making

    def _make(self, programs: PostgresPrograms) -> None:
        """initdb into a neighbour directory and rename, so that a half-made one is never taken for data."""
        fresh = self._data.with_name("data.new")
        shutil.rmtree(fresh, ignore_errors=True)
        words = self._data.with_name("password.new")
        words.write_text(self._password)
        words.chmod(0o600)
        if self._account:
            self._account.own(words)
        locale = (
            ["--locale-provider=builtin", "--builtin-locale=C.UTF-8"]
            if programs.major >= 17
            else ["--no-locale"]
        )
        command = [
            str(programs.bin / "initdb"),
            "-D",
            str(fresh),
            "-U",
            USER,
            "-A",
            "scram-sha-256",
            "-E",
            "UTF8",
        ]
        options = self._account.popen() if self._account else {}
        done = subprocess.run(
            [*command, f"--pwfile={words}", "--data-checksums", "--no-sync", "--no-instructions", *locale],
            capture_output=True,
            text=True,
            check=False,
            cwd="/",
            env=environment(),
            **options,
        )
        words.unlink()
        if done.returncode != 0:
            raise EmbeddedError(f"initdb could not make {self._data}: {done.stderr.strip()[-800:]}")
        fresh.rename(self._data)

    def _check_version(self, programs: PostgresPrograms) -> None:
        made_by = (self._data / "PG_VERSION").read_text().strip()
        if made_by != str(programs.major):
            raise EmbeddedError(
                f"the data in {self._data} was made by PostgreSQL {made_by}, and this is {programs.major}: move it "
                "away to begin anew, or upgrade it with pg_upgrade"
            )

    def _command(self) -> list[str]:
        """Make the data directory the first time, and say what is to be run."""
        programs = self._programs = self._programs or postgres_programs(self._account)
        self._clear_previous()
        if not (self._data / "PG_VERSION").exists():
            self._make(programs)
        self._check_version(programs)
        settings = {
            "listen_addresses": "",
            "unix_socket_directories": str(self._sockets),
            "max_connections": "120",
            "shared_buffers": "64MB" if not self._durable else "128MB",
            "fsync": "on" if self._durable else "off",
            "log_min_messages": "warning",
            "log_checkpoints": "off",
            # The log says what failed, and holds neither rows nor whole statements.
            "log_error_verbosity": "terse",
            "log_min_error_statement": "fatal",
            "timezone": "UTC",
            "log_timezone": "UTC",
        }
        command = [str(programs.bin / "postgres"), "-D", str(self._data)]
        for name, value in settings.items():
            command += ["-c", f"{name}={value}"]
        return command

    def _socket_directory(self) -> Path:
        """Beside the data where the path is short enough for a socket, else in the temp directory."""
        place = self._home.data / "run"
        if len(os.fsencode(place)) > LONGEST_SOCKET_DIRECTORY:
            place = Path(tempfile.mkdtemp(prefix="sietch-pg-"))
        place.mkdir(exist_ok=True)
        if self._account:
            self._account.own(place)
        place.chmod(0o755)
        return place

    def _stored_password(self) -> str:
        note = self._home.path / "postgres-password"
        if not note.exists():
            handle = os.open(note, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
            with os.fdopen(handle, "w") as file:
                file.write(secrets.token_hex(16))
        return note.read_text().strip()

    # ------------------------------------------------------------------ starting

    def _clear_previous(self) -> None:
        """Deal with what an earlier run left: let a server that is ending end, and remove a stale pid file."""
        note = self._data / "postmaster.pid"
        try:
            pid = int(note.read_text().split()[0])
        except (FileNotFoundError, ValueError, IndexError):
            return
        deadline = time.monotonic() + STOP_SECONDS
        asked = False
        while note.exists() and process.alive(pid) and self._is_ours(pid):
            if time.monotonic() > deadline:
                raise EmbeddedError(
                    f"PostgreSQL (process {pid}) of an earlier run does not end; stop it and try again"
                )
            if not asked and time.monotonic() > deadline - STOP_SECONDS + 3:
                with contextlib.suppress(ProcessLookupError):
                    os.kill(pid, signal.SIGINT)
                asked = True
            time.sleep(0.05)
        with contextlib.suppress(FileNotFoundError):
            note.unlink()

    def _is_ours(self, pid: int) -> bool:
        """Whether the process is a postgres on our data, and not a stranger that got the number later."""
        try:
            words = Path(f"/proc/{pid}/cmdline").read_bytes().split(b"\0")
        except OSError:
            return not Path("/proc/self").exists()
        return os.fsencode(self._data) in words

    def _missing(self) -> str | None:
        # It says itself how far it is, and logs every connection that comes too early as a fault.
        try:
            said = (self._data / "postmaster.pid").read_text().splitlines()
        except FileNotFoundError:
            said = []
        if len(said) < STATUS_LINE or said[STATUS_LINE - 1].strip() != "ready":
            return "it is starting"
        try:
            self._first_query()
        except psycopg.OperationalError as error:
            return str(error).strip()
        return None

    def _first_query(self) -> None:
        with psycopg.connect(self.url_of("postgres"), autocommit=True, connect_timeout=5) as connection:
            row = connection.execute("SELECT 1 FROM pg_database WHERE datname = %s", (DATABASE,)).fetchone()
            if row is None:
                connection.execute(f"CREATE DATABASE {DATABASE}")
