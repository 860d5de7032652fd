"""Which language of the game this is: what it makes of events is kept nowhere longer than it is spoken."""

from __future__ import annotations

import hashlib
from functools import cache
from pathlib import Path

__all__ = ["language"]


@cache
def language() -> str:
    """A digest of this package, its facts included: two programs with the same one fold the same events alike."""
    here = Path(__file__).parent
    files = sorted(path for path in here.rglob("*") if path.suffix in (".py", ".toml"))
    told = hashlib.sha256()
    for path in files:
        told.update(f"{path.relative_to(here)}\0{len(path.read_bytes())}\0".encode() + path.read_bytes())
    return told.hexdigest()
