"""What random games saw of every window: opened, asked, passed, and used by each reaction that belongs to it.

What must be seen follows from the reactions that are registered and from the powers that open a window to be cancelled;
`windows.toml` names those powers, and says why what is never seen cannot be.
"""

from __future__ import annotations

import tomllib
from collections import Counter
from collections.abc import Iterable, Mapping
from fnmatch import fnmatchcase
from functools import cache
from pathlib import Path

from msgspec import Struct

from services.rules.engine.windows import reactions_in
from shared.dune.offers import Offer
from shared.dune.shapes import Json

__all__ = ["expected", "facts_of_windows", "lines", "missing", "note_answer", "note_opened"]

PREFIX = "window."
OPENED, ASKED, PASS = "opened", "asked", "pass"


class Facts(Struct, frozen=True, forbid_unknown_fields=True):
    """`windows.toml`: powers with a window, the rare ones, those cancelled elsewhere, and what is never seen."""

    powers: list[str]
    advanced: list[str]
    rare: list[str]
    elsewhere: dict[str, str]
    unreachable: dict[str, str]


@cache
def facts_of_windows() -> Facts:
    """The data file beside this one."""
    return Facts(**tomllib.loads(Path(__file__).with_name("windows.toml").read_text("utf-8")))


def expected(mode: str, modules: tuple[str, ...]) -> dict[str, list[str]]:
    """Every kind of window that there is in a game of this mode, with the reactions that belong to it."""
    known = reactions_in(mode, modules)
    named = {kind for reaction in known for kind in reaction.kinds if "*" not in kind}
    facts = facts_of_windows()
    powers = set(facts.powers) - (set(facts.advanced) if mode == "basic" else set())
    kinds = named | {f"cancel.{power}" for power in powers}
    return {
        kind: sorted(r.name for r in known if any(fnmatchcase(kind, pattern) for pattern in r.kinds))
        for kind in sorted(kinds)
    }


def note_opened(seen: Counter[str], before: Iterable[Offer], after: Iterable[Offer]) -> None:
    """Count windows that opened, once each, and the seats that are asked in them."""
    known = {offer.id for offer in before}
    fresh = [o.kind.removeprefix(PREFIX) for o in after if o.kind.startswith(PREFIX) and o.id not in known]
    seen.update(f"{kind} {ASKED}" for kind in fresh)
    seen.update(f"{kind} {OPENED}" for kind in set(fresh))


def note_answer(seen: Counter[str], offer: Offer, given: Json) -> None:
    """Count a pass, or the reaction that a seat used."""
    if offer.kind.startswith(PREFIX):
        seen[f"{offer.kind.removeprefix(PREFIX)} {given['do']}"] += 1


def missing(seen: Mapping[str, int], mode: str, modules: tuple[str, ...]) -> list[str]:
    """What was never seen, though nothing says why it could not be: `<kind> <opened, pass or reaction>`."""
    wanted = [
        f"{kind} {what}" for kind, used in expected(mode, modules).items() for what in (OPENED, PASS, *used)
    ]
    reasons = facts_of_windows().unreachable
    return [name for name in wanted if not seen.get(name) and name not in reasons]


def lines(seen: Mapping[str, int], mode: str, modules: tuple[str, ...]) -> list[str]:
    """One line for each kind of window, with every count."""
    told = []
    for kind, used in expected(mode, modules).items():
        counts = ", ".join(f"{what} {seen.get(f'{kind} {what}', 0)}" for what in (OPENED, ASKED, PASS, *used))
        told.append(f"  {kind}: {counts}")
    return told
