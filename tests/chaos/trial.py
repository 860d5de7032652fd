"""One run: a deployment, its rooms, the faults one after another, and what is found afterwards."""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import psycopg

from services.embedded import Deployment
from tests.chaos import checks, times, witness
from tests.chaos.faults import FAULTS, Fault, Field
from tests.chaos.people import Person
from tests.chaos.rooms import Keeper
from tests.chaos.times import Line, Struck
from tests.chaos.wires import Wired

MANY = 150
"""A run of so many kills must have met every kind of fault: one that never strikes shows nothing."""
NOT_YET = 0.25
"""How often the next fault is one of those kinds that have not struck yet, while there are any."""
IN_A_HURRY = 0.2
"""How often the next fault does not wait until the last room has gone on after the one before."""

Tell = Callable[[str], None]


@dataclass(frozen=True)
class Plan:
    """What is to be done: how many faults, over how many rooms of bots, from which seed; which kinds (by a word)."""

    kills: int = 200
    rooms: int = 40
    people: int = 4
    seed: int = 1
    only: str = ""
    pause: float = 0.5
    seconds: float = float("inf")
    """No further fault after this long: on a slow machine there are fewer."""
    first: tuple[Fault, ...] = ()
    """What strikes before anything is left to chance."""
    rest: tuple[float, float] = (0.3, 1.5)
    """Seconds between everything being well again and the next fault."""

    def faults(self) -> list[Fault]:
        """The kinds that may be chosen. Raises ValueError when `only` names none."""
        found = [fault for fault in FAULTS if self.only in fault.kind]
        if not found:
            raise ValueError(f"no kind of fault has {self.only!r} in its name")
        return found


@dataclass
class Outcome:
    """What came of it: the faults, the times by kind, and everything that is wrong."""

    struck: list[Struck] = field(default_factory=list)
    lines: list[Line] = field(default_factory=list)
    theirs: list[Line] = field(default_factory=list)
    """The same for the rooms with a person, who must hear of a question before answering it."""
    wrong: list[str] = field(default_factory=list)
    rooms: int = 0
    commits: int = 0


def run(plan: Plan, home: Path, tell: Tell) -> Outcome:
    """Run the plan on a deployment of its own below `home`."""
    env = {"SIETCH_SCENARIOS": "1", "SIETCH_RATE_FACTOR": "0", "SIETCH_PAUSE": str(plan.pause)}
    outcome = Outcome()
    with Wired(home, replicas=2, durable=True, env=env) as sietch:
        keep_snapshots(sietch.database_url)
        keeper = Keeper(sietch.url, sietch.database_url, plan.rooms, plan.seed * 1000)
        keeper.fill()
        tell(f"{plan.rooms} rooms of bots run")
        people = [Person(sietch.url, plan.seed * 1000 + n, plan.pause) for n in range(plan.people)]
        for person in people:
            person.start()
        keeper.start()
        time.sleep(2.0)
        on = Field(sietch, random.Random(plan.seed))
        strike(plan, on, outcome, tell)
        tell(f"at {len(on.died)} of {len(on.died | on.tried.keys())} points that were tried somebody died")
        if missed := on.tried.keys() - on.died:
            tell(f"nobody came by: {', '.join(sorted(missed))}")
        on.thaw()
        on.wait_well()
        keeper.stop()
        outcome.wrong += checks.go_on(sietch.database_url, [*keeper.seeds, *(p.code for p in people)])
        calm(sietch, people)
        judge(sietch.database_url, keeper.seeds, people, outcome, tell)
    return outcome


def keep_snapshots(database_url: str) -> None:
    """Snapshots are a cache and only the newest is kept; here all stay, so that each is held against the events."""
    with psycopg.connect(database_url, autocommit=True) as connection:
        connection.execute("CREATE RULE kept AS ON DELETE TO snapshots DO INSTEAD NOTHING")


def strike(plan: Plan, on: Field, outcome: Outcome, tell: Tell) -> None:
    """One fault after another, each at a moment of its own, until there were enough."""
    kinds, first = plan.faults(), list(plan.first)
    kills = 0
    end = time.monotonic() + plan.seconds
    while kills < plan.kills and time.monotonic() < end:
        on.wait_well()
        if outcome.struck and on.dice.random() > IN_A_HURRY:
            last = outcome.struck[-1]
            stuck = checks.went_on(on.sietch.database_url, last.at)
            outcome.wrong += [f"{checks.GO_ON_SECONDS:g} s after {last.what}: {room}" for room in stuck]
        time.sleep(on.dice.uniform(*plan.rest))
        fault = first.pop(0) if first else pick(kinds, outcome.struck, on.dice)
        at = time.time()
        what = fault.act(on)
        if what is None:
            continue
        outcome.struck.append(Struck(fault.kind, what, at))
        kills += bool(plan.only) or fault.kind.startswith("kill")
        tell(f"{kills:>4}  {fault.kind}: {what}")
    if kills >= MANY:
        outcome.wrong += [
            f"no fault of this kind has struck: {kind.kind}" for kind in missing(kinds, outcome.struck)
        ]


def missing(kinds: Sequence[Fault], struck: Sequence[Struck]) -> list[Fault]:
    """The kinds that have not struck yet."""
    met = {fault.kind for fault in struck}
    return [kind for kind in kinds if kind.kind not in met]


def pick(kinds: Sequence[Fault], struck: Sequence[Struck], dice: random.Random) -> Fault:
    """The next fault, by weight; now and then one of those that have not struck yet, for they are to be shown all."""
    rest = missing(kinds, struck)
    among = rest if rest and dice.random() < NOT_YET else kinds
    return dice.choices(among, [kind.weight for kind in among])[0]


def calm(sietch: Deployment, people: list[Person]) -> None:
    """Let nobody answer any more, wait until everybody has heard of everything, and let people leave."""
    for person in people:
        person.stop()
    for index in range(2):
        sietch.stop("bot", index)
    until = time.monotonic() + checks.GO_ON_SECONDS
    while any(person.seq < person.whole()["seq"] for person in people) and time.monotonic() < until:
        time.sleep(0.2)
    for person in people:
        person.over.set()
    for person in people:
        person.leave()


def judge(
    database_url: str, seeds: dict[str, int], people: list[Person], outcome: Outcome, tell: Tell
) -> None:
    """Everything that must hold afterwards, and the times."""
    with psycopg.connect(database_url) as connection:
        row = connection.execute("SELECT count(DISTINCT room), count(*) FROM commits").fetchone()
        assert row is not None
        outcome.rooms, outcome.commits = row
        row = connection.execute("SELECT count(*) FROM snapshots").fetchone()
        assert row is not None
        tell(f"{outcome.rooms} rooms, {outcome.commits} commits, {row[0]} snapshots")
    outcome.lines = times.table(outcome.struck, times.moments(database_url, list(seeds)))
    outcome.theirs = times.table(
        outcome.struck, times.moments(database_url, [person.code for person in people])
    )
    codes = {*seeds, *(person.code for person in people)}
    for name, check in (
        ("verify store", lambda: checks.store_is_sound(database_url)),
        ("no room for nobody", lambda: checks.rooms_are_known(database_url, codes)),
        ("nothing twice", lambda: checks.asked_once(database_url)),
        ("what people were told", lambda: witness.compare(database_url, people)),
        ("games as in peace", lambda: checks.games_are_the_same(database_url, seeds)),
    ):
        began = time.monotonic()
        found = check()
        outcome.wrong += found
        tell(f"{name}: {len(found) or 'nothing'} wrong ({time.monotonic() - began:.0f} s)")
