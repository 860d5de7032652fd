"""Where data lives: `.sietch/` in the checkout, or in the current directory of an installed copy.

Run as root below a directory that the servers' account cannot enter (a 0700 home, say), the servers' data goes to a
directory that it can, and `.sietch/data-directory` remembers which.
"""

from __future__ import annotations

import fcntl
import hashlib
import os
import tempfile
from collections.abc import Callable
from pathlib import Path

from services.embedded.account import Account
from services.embedded.errors import EmbeddedError

Say = Callable[[str], None]

ADDRESS = "address"
"""The file that says which process runs this home's deployment, and where it listens."""


def default_home() -> Path:
    """`SIETCH_HOME`, else `.sietch` beside pyproject.toml of the checkout, else `.sietch` here."""
    if named := os.environ.get("SIETCH_HOME"):
        return Path(named).expanduser().absolute()
    root = Path(__file__).resolve().parents[2]
    base = root if (root / "pyproject.toml").exists() else Path.cwd()
    return base / ".sietch"


def address_here(home: Path | None = None) -> str:
    """Where the Sietch of this directory (by default `default_home()`) listens; empty while none runs here."""
    try:
        pid, url = ((home or default_home()) / ADDRESS).read_text().split()
        return url if Path(f"/proc/{int(pid)}").exists() or not Path("/proc/self").exists() else ""
    except (OSError, ValueError):
        return ""


class Home:
    """One deployment's directory: held by one process at a time."""

    def __init__(self, path: Path, account: Account | None, say: Say = lambda _: None) -> None:
        self.path = path
        self.account = account
        try:
            path.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise EmbeddedError(
                f"cannot make {path}: {error.strerror}; set SIETCH_HOME to another one"
            ) from None
        self._lock = self._hold()
        self.data = self._data_directory(say)
        self.logs = path / "logs"
        self.logs.mkdir(exist_ok=True)

    def _hold(self) -> int:
        handle = os.open(self.path / "lock", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            os.close(handle)
            raise EmbeddedError(
                f"another Sietch uses {self.path} already: stop it first, or set SIETCH_HOME to another directory"
            ) from None
        return handle

    def tell_address(self, url: str) -> None:
        """Leave word of where it listens, for whoever looks for it here: `address_here`."""
        fresh = self.path / f"{ADDRESS}.new"
        fresh.write_text(f"{os.getpid()} {url}\n")
        fresh.replace(self.path / ADDRESS)

    def release(self) -> None:
        """Let another process use this directory."""
        if self._lock >= 0:
            (self.path / ADDRESS).unlink(missing_ok=True)
            os.close(self._lock)
            self._lock = -1

    def folder(self, name: str) -> Path:
        """A directory for one server's data, made for its account, closed to others."""
        path = self.data / name
        path.mkdir(exist_ok=True)
        if self.account:
            self.account.own(path)
        path.chmod(0o700)
        return path

    def _data_directory(self, say: Say) -> Path:
        """The first of: the remembered one, `.sietch` itself, a folder under /var/lib, one in the temp directory."""
        if self.account is None:
            return self.path
        note = self.path / "data-directory"
        if note.exists():
            chosen = Path(note.read_text().strip())
            if chosen.is_dir() and self.account.can("-x", chosen):
                return chosen
        if self.account.can("-x", self.path):
            return self.path
        mark = hashlib.sha256(str(self.path.resolve()).encode()).hexdigest()[:12]
        for base in (Path("/var/lib"), Path(tempfile.gettempdir())):
            chosen = base / f"sietch-{mark}"
            if self._usable(chosen):
                note.write_text(f"{chosen}\n")
                say(
                    f"the account '{self.account.name}' cannot enter {self.path}: servers keep their data in {chosen}"
                )
                return chosen
        raise EmbeddedError(
            f"the account '{self.account.name}' can enter neither {self.path} nor a folder under /var/lib or "
            f"{tempfile.gettempdir()}: set SIETCH_HOME to a directory that it can enter"
        )

    def _usable(self, path: Path) -> bool:
        """Make the directory if need be; it must be ours (nobody may have laid it out for us) and enterable."""
        try:
            path.mkdir(mode=0o755, exist_ok=True)
            if path.is_symlink() or path.stat().st_uid != os.geteuid():
                return False
            path.chmod(0o755)
        except OSError:
            return False
        return self.account is None or self.account.can("-x", path)
