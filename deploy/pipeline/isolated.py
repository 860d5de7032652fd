"""A deployment of one image with fresh servers, in a network that leads nowhere.

Everything has a name of this run and is removed with it. Secrets are made for the run and reach containers through
the environment of the engine's client, never as words of a command line.
"""

from __future__ import annotations

import secrets
import time
from collections.abc import Sequence
from pathlib import Path
from types import TracebackType
from typing import Self

from msgspec import Struct

from deploy.pipeline.engine import Docker
from deploy.pipeline.errors import PipelineError
from deploy.pipeline.tools import Say

SERVICES = ("rules", "projection", "bot", "room")
STORING = ("room", "projection")
ROLES = (*STORING, "verifier")
"""Who has a role of its own in PostgreSQL, which the migration makes."""
NATS_CONFIG = Path("deploy/nats/sietch.conf")
DOOR = "http://room:8080"
READY_SECONDS = 300.0
"""Eight processes begin at once; on a busy machine with two cores that takes minutes."""
# As docker-compose.yml runs it.
HARDENED = ("--read-only", "--tmpfs", "/tmp", "--cap-drop", "ALL", "--security-opt", "no-new-privileges")

# Somebody always listens there, and a network that leads nowhere does not lead there.
OUTSIDE = ("1.1.1.1:443", "8.8.8.8:53", "9.9.9.9:53")

# Words: places that must not be reached, "--", places that must be. Says what is wrong, and ends with 1.
WAIT = """
import socket, sys, threading, time
cut = sys.argv.index("--")
def reach(place):
    host, _, port = place.rpartition(":")
    try: socket.create_connection((host, int(port)), timeout=3).close()
    except OSError as error: return str(error)
    return ""
out = []
def leave(place):
    if not reach(place): out.append(place)
threads = [threading.Thread(target=leave, args=(place,)) for place in sys.argv[1:cut]]
for thread in threads: thread.start()
for thread in threads: thread.join()
if out: sys.exit("the network leads out: " + ", ".join(sorted(out)) + " answers")
end = time.monotonic() + 180
for place in sys.argv[cut + 1:]:
    while (why := reach(place)):
        if time.monotonic() > end: sys.exit(f"{place} does not answer: {why}")
        time.sleep(0.2)
"""


class Servers(Struct, frozen=True):
    """References of the images of the servers that Sietch needs."""

    postgres: str
    nats: str


class Isolated:
    """`with Isolated(...) as made:` starts everything and removes it, however that ends."""

    def __init__(
        self,
        engine: Docker,
        image: str,
        servers: Servers,
        say: Say,
        *,
        replicas: int = 2,
        config: Path = NATS_CONFIG,
    ) -> None:
        self._engine = engine
        self._image = image
        self._servers = servers
        self._say = say
        self._replicas = replicas
        self._config = config
        self._run = f"sietch-verify-{secrets.token_hex(4)}"
        self._passwords = {name: secrets.token_hex(24) for name in ("postgres", "sietch", *SERVICES)}
        self._database = {name: secrets.token_hex(24) for name in ROLES}
        self._containers: list[str] = []
        self.network = self._run

    @property
    def owner_env(self) -> dict[str, str]:
        """The settings of the migration: the owner's URL, and the URL of each role; they hold passwords."""
        roles = {
            f"SIETCH_{name.upper()}_DATABASE_URL": self._url(f"sietch_{name}", self._database[name])
            for name in ROLES
        }
        return {"SIETCH_DATABASE_URL": self._url("sietch", self._passwords["postgres"])} | roles

    def database_env(self, name: str) -> dict[str, str]:
        """The setting by which a service, or the verifier, knows the store: by a role of its own."""
        return {"SIETCH_DATABASE_URL": self._url(f"sietch_{name}", self._database[name])}

    @staticmethod
    def _url(user: str, password: str) -> str:
        return f"postgresql://{user}:{password}@postgres:5432/sietch"

    def __enter__(self) -> Self:
        try:
            self._engine.ask("network", "create", "--internal", self.network)
            self._start_servers()
            self._say("servers run; bringing the schema")
            self._once("serve", "migrate", env=self.owner_env)
            self._start_services()
            self._wait_ready()
        except BaseException:
            self._remove()
            raise
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._remove()

    def verify(self, words: Sequence[str], reports: Path, say: Say) -> int:
        """Run the image's own `sietch verify …` in the network; reports go to `/reports`. Returns its exit status."""
        mount = f"type=bind,source={reports.resolve()},target=/reports"
        env = self.database_env("verifier")
        command = self._words("verifier", "--rm", *HARDENED, "--mount", mount, env=env)
        return self._engine.follow("run", *command, self._image, "verify", *words, say=say, env=env)

    def restart(self, service: str) -> None:
        """Stop every replica of a service (or a server) and start it again. Raises PipelineError."""
        names = [name for name in self._containers if self._service(name) == service]
        self._engine.ask("restart", "-t", "20", *names)

    def _service(self, container: str) -> str:
        name = container.removeprefix(f"{self._run}-")
        head, _, number = name.rpartition("-")
        return head if number.isdigit() else name

    def logs(self, folder: Path) -> None:
        """Keep what every container said, for whoever has to find out what went wrong. Raises PipelineError."""
        try:
            folder.mkdir()
        except FileExistsError:  # a link, say, that leads elsewhere
            raise PipelineError(f"the image made {folder}, where its logs belong: not written") from None
        for name in self._containers:
            lines: list[str] = []
            self._engine.follow("logs", "--tail", "2000", name, say=lines.append)
            (folder / f"{name.removeprefix(self._run + '-')}.log").write_text("\n".join(lines) + "\n")

    # ------------------------------------------------------------------ inside

    def _start_servers(self) -> None:
        postgres = {
            "POSTGRES_USER": "sietch",
            "POSTGRES_DB": "sietch",
            "POSTGRES_PASSWORD": self._passwords["postgres"],
        }
        self._create("postgres", self._servers.postgres, (), postgres)
        env = {
            f"SIETCH_NATS_{name.upper()}_PASSWORD": self._passwords[name] for name in ("sietch", *SERVICES)
        }
        env["SIETCH_NATS_SERVER_NAME"] = "nats"
        flags = ("--tmpfs", "/data:rw,mode=1777")
        name = self._create("nats", self._servers.nats, flags, env, "-c", "/etc/sietch-nats.conf")
        self._engine.ask("cp", str(self._config), f"{name}:/etc/sietch-nats.conf")
        for name in self._containers:
            self._engine.ask("start", name)
        waiter = self._words("waiter", "--rm", "--entrypoint", "python3", env={})
        places = (*OUTSIDE, "--", "postgres:5432", "nats:4222")
        self._engine.ask("run", *waiter, self._image, "-c", WAIT, *places, seconds=300)

    def _start_services(self) -> None:
        for service in SERVICES:
            env = {
                "SIETCH_NATS_URL": f"nats://{service}:{self._passwords[service]}@nats:4222",
                # Cases stage tables, and the verifier asks faster than people: both only here.
                "SIETCH_SCENARIOS": "1",
                "SIETCH_RATE_FACTOR": "0",
            } | (self.database_env(service) if service in STORING else {})
            for number in range(1, self._replicas + 1):
                flags = ("--network-alias", service, *HARDENED)
                name = self._create(f"{service}-{number}", self._image, flags, env, "serve", service)
                self._engine.ask("start", name)

    def _wait_ready(self) -> None:
        """Ask every replica's own probe until each is content."""
        deadline = time.monotonic() + READY_SECONDS
        waiting = [name for name in self._containers if name.rpartition("-")[2].isdigit()]
        while waiting:
            name = waiting[0]
            try:
                self._engine.ask("exec", name, "python3", "-S", "-m", "shared.ops.probe", seconds=60)
                waiting.pop(0)
            except PipelineError as error:
                if time.monotonic() > deadline:
                    last = self._engine.ask("logs", "--tail", "3", name)
                    raise PipelineError(
                        f"{name} is not ready after {READY_SECONDS:g} s: {error}\n{last}"
                    ) from None
                time.sleep(1)
        self._say(f"every service is ready, {self._replicas} of each")

    def _create(self, name: str, image: str, flags: Sequence[str], env: dict[str, str], *words: str) -> str:
        command = self._words(name, *flags, env=env)
        self._engine.ask("create", *command, image, *words, env=env, seconds=300)
        self._containers.append(f"{self._run}-{name}")
        return self._containers[-1]

    def _once(self, *words: str, env: dict[str, str]) -> None:
        self._engine.ask(
            "run", *self._words("once", "--rm", env=env), self._image, *words, env=env, seconds=300
        )

    def _words(self, name: str, *flags: str, env: dict[str, str]) -> list[str]:
        alias = [] if "--network-alias" in flags else ["--network-alias", name]
        named = [word for key in env for word in ("--env", key)]
        return ["--name", f"{self._run}-{name}", "--network", self.network, *alias, *flags, *named]

    def _remove(self) -> None:
        """Everything of this run, also what its client was cut off from."""
        try:
            found = self._engine.ask("ps", "--all", "--quiet", "--filter", f"name={self._run}-").split()
        except PipelineError as error:
            self._say(f"{error}: only what is known is removed")
            found = self._containers
        for command in (("rm", "--force", "--volumes", *found), ("network", "rm", self.network)):
            if command[0] == "rm" and not found:
                continue
            try:
                self._engine.ask(*command)
            except PipelineError as error:
                self._say(f"could not be removed: {error}")
