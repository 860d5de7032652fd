"""The store behind the deployment: sound, and keeping what this run was promised."""

from __future__ import annotations

import psycopg

from services.verifier.plan import CannotRunError, Run
from services.verifier.store.judge import judge_store


def check(run: Run) -> None:
    """Judge it."""
    promised = run.plan.promises.rooms
    try:
        census = judge_store(
            run.plan.database_url, promised, lambda done, total: run.step(done, total, "rooms")
        )
    except psycopg.Error as wrong:
        raise CannotRunError(f"the store cannot be read: {type(wrong).__name__}") from None
    if not census.rooms and not census.faults:
        raise CannotRunError("the store holds no room: is it the one behind this address?")
    for name, number in (("rooms", census.rooms), ("commits", census.commits), ("events", census.events)):
        run.count(name, number)
    run.count("answers promised", sum(len(one.accepted) for one in promised))
    run.count("views promised", sum(len(one.shown) for one in promised))
    for fault in census.faults:
        where = (f"room {fault.room}" if fault.room else "the store") + (
            f", version {fault.version}" if fault.version else ""
        )
        run.found(fault.text, where, "a store that follows from its events and keeps what was promised")
