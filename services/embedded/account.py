"""Which account servers run as. PostgreSQL refuses root, so root lends it an account that exists already.

No account is made, and no directory's mode is changed.
"""

from __future__ import annotations

import os
import pwd
import subprocess
from pathlib import Path
from typing import Any

from msgspec import Struct

from services.embedded.errors import EmbeddedError


class Account(Struct, frozen=True):
    """An unprivileged account; None everywhere in this package means: as whoever we are."""

    name: str
    uid: int
    gid: int

    def popen(self) -> dict[str, Any]:
        """Arguments for subprocess that make the child this account."""
        return {"user": self.uid, "group": self.gid, "extra_groups": []}

    def own(self, path: Path) -> None:
        """Give a file or directory to this account."""
        os.chown(path, self.uid, self.gid)

    def can(self, test: str, path: Path) -> bool:
        """Whether this account passes the shell's `test` (`-x`, `-w`, `-r`) on the path."""
        command = ["/bin/sh", "-c", f'test {test} "$1"', "sh", str(path)]
        return subprocess.run(command, check=False, cwd="/", **self.popen()).returncode == 0


def unprivileged() -> Account | None:
    """The account for servers when we are root; None when we are not root and need none."""
    if os.geteuid() != 0:
        return None
    for name in ("postgres", "nobody"):
        try:
            entry = pwd.getpwnam(name)
        except KeyError:
            continue
        if entry.pw_uid != 0:
            return Account(name, entry.pw_uid, entry.pw_gid)
    raise EmbeddedError(
        "PostgreSQL does not run as root, and neither an account 'postgres' nor 'nobody' exists here: "
        "run Sietch as an ordinary user, or set SIETCH_DATABASE_URL to a running server"
    )
