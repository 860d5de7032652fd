"""What a case file says, read strictly: a malformed file is named with its key and what was expected."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

import msgspec
from msgspec import Struct

__all__ = ["Case", "CaseError", "Play", "find_cases", "read_case"]


class CaseError(ValueError):
    """A malformed case file: exit status 2."""


class Play(Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """One entry of `[[play]]`: an answer, a clock that runs out, a check of what is offered, or time that passes.

    With `offer` and `answer`: the seat answers that kind of offer. `refused`: it must be refused with this code and
    nothing changes. `offered = false`: that kind must not be open for the seat (`true`: it must). `expire`: the
    seat's clock runs out. `until`: everybody plays the default of whatever is asked until that moment. `expect`: what
    must hold now, with the vocabulary of the case's own `[expect]`.

    `keep`: what is open now is remembered by this name, and not answered; `kept`: the answer is sent to what was
    remembered so, as a request does that was delayed.
    """

    seat: str = ""
    offer: str = ""
    answer: dict[str, Any] | None = None
    refused: str = ""
    offered: bool | None = None
    expire: bool = False
    keep: str = ""
    kept: str = ""
    until: str = ""
    expect: dict[str, Any] = {}


class Case(Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """A whole case. `http = false` keeps it from running over HTTP, with the reason in `why_not_http`."""

    rules: tuple[str, ...]
    about: str
    table: dict[str, Any]
    play: tuple[Play, ...] = ()
    expect: dict[str, Any] = {}
    http: bool = True
    why_not_http: str = ""


def read_case(path: Path) -> Case:
    """The case in a file; CaseError naming file and key if it is malformed."""
    try:
        case = msgspec.convert(tomllib.loads(path.read_text("utf-8")), Case)
    except (tomllib.TOMLDecodeError, msgspec.ValidationError) as wrong:
        raise CaseError(f"{path}: {wrong}") from wrong
    if not case.rules or not (
        case.expect or any(p.expect or p.refused or p.offered is not None for p in case.play)
    ):
        raise CaseError(f"{path}: a case cites rules and expects something")
    for number, entry in enumerate(case.play, 1):
        if not entry.until and not entry.expect and not (entry.seat and entry.offer):
            raise CaseError(f"{path}: play {number}: needs `seat` and `offer`, or `until`, or `expect`")
        if entry.kept and entry.kept not in {earlier.keep for earlier in case.play[: number - 1]}:
            raise CaseError(f"{path}: play {number}: nothing was kept as {entry.kept!r} before")
    return case


def find_cases(paths: list[Path]) -> list[Path]:
    """All case files below the paths, in a steady order; CaseError for a path that does not exist."""
    found: list[Path] = []
    for path in paths:
        if not path.exists():
            raise CaseError(f"{path}: no such file or folder")
        files = sorted(path.rglob("*.toml")) if path.is_dir() else [path]
        found.extend(file for file in files if file.name != "reasons.toml")
    return found
