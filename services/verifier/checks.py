"""The checks by name, in the order in which they are run: what is asked first is cheap, what hurts comes last."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from dataclasses import dataclass

from services.verifier.plan import Plan, Run

__all__ = ["CHECKS", "Check", "chosen"]


@dataclass(frozen=True)
class Check:
    """One check: its name, what it looks at, and the module whose `check(run)` does it.

    `needs` says why the plan leaves it out; empty: it can be run.
    """

    name: str
    about: str
    needs: Callable[[Plan], str] = lambda plan: ""
    module: str = ""

    def run(self, run: Run) -> None:
        """Look. Raises CannotRunError."""
        name = f"services.verifier.{self.module or self.name}"
        work: Callable[[Run], None] = importlib.import_module(name).check
        work(run)


def _scenarios(plan: Plan) -> str:
    return "" if plan.scenarios else "--without-scenarios: no table can be staged"


def _restarts(plan: Plan) -> str:
    return "" if plan.restart and plan.services else "no --restart-command and --services"


def _store(plan: Plan) -> str:
    return "" if plan.database_url else "no --database-url (see `sietch verify store --promises`)"


CHECKS: tuple[Check, ...] = (
    Check("surface", "health, headers, API document, pages and static files"),
    Check("access", "every operation with every kind of token"),
    Check("misuse", "bodies, answers, names and addresses that no client of good will sends"),
    Check(
        "games",
        "random games: all that the shapes allow is taken, all is shown in order, refusals change nothing",
    ),
    Check("bots", "games by bots are those that one process plays"),
    Check("cases", "the conformance cases over HTTP", _scenarios),
    Check("races", "answers, commands and lobbies at once"),
    Check(
        "secrecy", "every byte of a game, searched for what its audience may not know", module="secrecy.game"
    ),
    Check("limits", "limits are published and honoured"),
    Check("restarts", "services are restarted in the middle of games", _restarts),
    Check("store", "what was promised is stored, and every room's rows are sound", _store, "stored"),
)


def chosen(only: tuple[str, ...], skip: tuple[str, ...]) -> tuple[list[Check], dict[str, str]]:
    """The checks to run, and those that are left out with the option that says so. Raises ValueError."""
    known = {check.name for check in CHECKS}
    if unknown := [name for name in (*only, *skip) if name not in known]:
        raise ValueError(f"there is no check {unknown[0]!r}; there are {', '.join(sorted(known))}")
    left = {
        check.name: "--skip" if check.name in skip else "--only"
        for check in CHECKS
        if check.name in skip or (only and check.name not in only)
    }
    return [check for check in CHECKS if check.name not in left], left
