"""Running the checks of a plan one after another: whatever goes wrong in one is its outcome, and the next goes on."""

from __future__ import annotations

import time
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Protocol
from urllib.parse import urlsplit, urlunsplit

import httpx

from services.cases.http import DeploymentError
from services.verifier.checks import CHECKS, Check, chosen
from services.verifier.findings import Finding, Outcome, Report, State
from services.verifier.plan import CannotRunError, Plan, Run
from services.verifier.room import WrongReplyError
from shared.ops.service import VERSION

__all__ = ["DeadError", "Teller", "verify"]

KNOCK_SECONDS = 10.0
"""How long the address is tried before it counts as dead."""


class DeadError(RuntimeError):
    """Nothing answers at the address; the text says what was tried."""


class Teller(Protocol):
    """Whoever shows how far it is."""

    def begins(self, check: str, about: str) -> None:
        """A check begins."""

    def step(self, done: int, total: int, text: str) -> None:
        """The check has come so far."""

    def ends(self, outcome: Outcome) -> None:
        """A check is over."""


def verify(plan: Plan, teller: Teller) -> Report:
    """Run a plan's checks. Raises DeadError when nothing answers, ValueError for an unknown name of a check."""
    checks, left = chosen(plan.only, plan.skip)
    began, started = datetime.now(UTC), time.monotonic()
    knock(plan.url)
    outcomes: dict[str, Outcome] = {}
    for check in checks:
        teller.begins(check.name, check.about)
        outcomes[check.name] = one(check, plan, started + plan.seconds, teller.step)
        teller.ends(outcomes[check.name])
    for check in CHECKS:
        if check.name in left:
            outcomes[check.name] = Outcome(check.name, check.about, "left out", 0.0, reason=left[check.name])
    return Report(
        url=_plain(plan.url),
        version=VERSION,
        seed=plan.seed,
        quick=plan.quick,
        began=began.isoformat(timespec="seconds"),
        seconds=round(time.monotonic() - started, 1),
        outcomes=tuple(outcomes[check.name] for check in CHECKS),
    )


def knock(url: str) -> None:
    """Return when the address answers anything at all. Raises DeadError."""
    deadline = time.monotonic() + KNOCK_SECONDS
    while True:
        try:
            httpx.get(f"{url}/livez", timeout=5.0)
            return
        except (httpx.TransportError, httpx.InvalidURL, httpx.UnsupportedProtocol) as wrong:
            if time.monotonic() > deadline or not isinstance(wrong, httpx.TransportError):
                raise DeadError(
                    f"{_plain(url)} cannot be reached ({type(wrong).__name__}); is it running, and is this its address?"
                ) from None
        time.sleep(0.2)


def one(check: Check, plan: Plan, until: float, tell: Callable[[int, int, str], None]) -> Outcome:
    """The outcome of one check."""
    started = time.monotonic()
    run = Run(plan, until, tell)
    reason = check.needs(plan)
    state: State = "left out" if reason else "held"
    if not reason:
        try:
            run.tick()
            check.run(run)
        except CannotRunError as wrong:
            state, reason = "could not run", str(wrong)
        except WrongReplyError as wrong:
            run.found(wrong.what, wrong.where, wrong.expected)
        except (httpx.TransportError, TimeoutError, DeploymentError) as wrong:
            run.found(f"{type(wrong).__name__}: {wrong}", "while it was looked at", "an answer in time")
        except Exception as wrong:  # noqa: BLE001 - a check that breaks down has not held; the others go on
            state, reason = "could not run", f"the check broke down: {type(wrong).__name__}: {wrong}"
        finally:
            run.close()
    if run.findings:
        state = "found"
    elif state == "held" and not run.looked:
        state, reason = "could not run", "nothing was looked at"
    seconds = round(time.monotonic() - started, 1)
    findings: tuple[Finding, ...] = tuple(run.findings)
    return Outcome(check.name, check.about, state, seconds, dict(run.looked), findings, reason)


def _plain(url: str) -> str:
    """An address without user and password."""
    parts = urlsplit(url)
    return urlunsplit(parts._replace(netloc=parts.netloc.rpartition("@")[2]))
