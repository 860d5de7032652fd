"""What can go wrong, by kind: each does one thing to a running deployment and says what it was."""

from __future__ import annotations

import random
import threading
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field

from services.embedded import Deployment
from services.embedded.child import Child
from shared.wire.streams import BOTS, COMMITS
from tests.chaos.dying import POINTS, arm, struck
from tests.chaos.meddling import Do, dropped, late, lost, meddle, never, twice
from tests.chaos.wires import Wired

SERVICES = ("rules", "projection", "bot", "room")
SERVERS = ("nats", "postgres")
ELSEWHERE = ("a change", "a room", "a start", "a lost task")
"""How points begin that games in peace do not come by."""
POINT_SECONDS, POINTS_TRIED = 10.0, 3
"""How long somebody may take to come by a point, and how many points are tried one after another."""
LATE = (5.0, 20.0)
"""Seconds for which a process is frozen before it wakes up again."""


@dataclass
class Field:
    """The deployment under fire: what is frozen at the moment, and the dice."""

    sietch: Deployment
    dice: random.Random
    frozen: dict[str, float] = field(default_factory=dict)
    tried: Counter[str] = field(default_factory=Counter)
    """How often somebody was to die at each point of a service's work."""
    died: set[str] = field(default_factory=set)
    """The points at which somebody did."""

    def replica(self, service: str) -> int:
        """One of a service's replicas; never the last one that is awake."""
        awake = [i for i, child in enumerate(self.sietch.children[service]) if child.name not in self.frozen]
        return self.dice.choice(awake)

    def whole(self) -> list[str]:
        """The services of which no replica is frozen: of the others one more would leave none."""
        return [
            name
            for name in SERVICES
            if not any(child.name in self.frozen for child in self.sietch.children[name])
        ]

    def wait_well(self, seconds: float = 120.0) -> None:
        """Return when everything that is not frozen is ready. Raises TimeoutError."""
        until = time.monotonic() + seconds
        for name in SERVICES:
            for child in self.sietch.children[name]:
                while child.name not in self.frozen and (reason := child.not_ready()):
                    if time.monotonic() > until:
                        raise TimeoutError(f"{child.name} is not ready: {reason}\n{child.log_tail()}")
                    time.sleep(0.05)

    def thaw(self) -> None:
        """Let everything go on that is frozen."""
        for children in self.sietch.children.values():
            for child in children:
                if child.name in self.frozen:
                    child.resume()
        self.frozen.clear()


Act = Callable[[Field], str | None]


@dataclass(frozen=True)
class Fault:
    """A kind of fault: how often it is chosen, and what it does (None: not now)."""

    kind: str
    weight: float
    act: Act


def _kill_one(service: str) -> Act:
    def act(on: Field) -> str | None:
        if service not in on.whole():
            return None
        index = on.replica(service)
        on.sietch.kill(service, index)
        return on.sietch.children[service][index].name

    return act


def _kill_all_of(services: tuple[str, ...] = ()) -> Act:
    """Both replicas of a service (one by lot, if none is named) or of several, as nearly at once as can be."""

    def act(on: Field) -> str | None:
        names = services or (on.dice.choice(SERVICES),)
        if not set(names) <= set(on.whole()):
            return None
        _kill_together(child for name in names for child in on.sietch.children[name])
        return ", ".join(names)

    return act


def _kill_together(children: object) -> None:
    threads = [threading.Thread(target=Child.kill, args=(child,)) for child in children]  # type: ignore[attr-defined]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


def _kill_servers(*servers: str) -> Act:
    """Servers are started again at once, as their service managers would."""

    def act(on: Field) -> str | None:
        for name in servers:
            on.sietch.kill(name)
        for name in servers:
            on.sietch.start(name)
        return ", ".join(servers)

    return act


def _kill_everything(on: Field) -> str | None:
    if len(on.whole()) < len(SERVICES):
        return None
    for name in SERVERS:
        on.sietch.kill(name)
    _kill_together(child for name in SERVICES for child in on.sietch.children[name])
    for name in SERVERS:
        on.sietch.start(name)
    return "everything"


def _kill_two(on: Field) -> str | None:
    """One replica of each of two services, at once."""
    whole = on.whole()
    if len(whole) < 2:
        return None
    names = on.dice.sample(whole, 2)
    _kill_together(on.sietch.children[name][on.replica(name)] for name in names)
    return " and ".join(names)


def _freeze(on: Field) -> str | None:
    """A process that hangs, keeps its connections, and wakes up late: whatever it had begun it then goes on with."""
    whole = on.whole()
    if len(whole) < len(SERVICES):
        return None
    service = on.dice.choice(SERVICES)
    child = on.sietch.children[service][on.replica(service)]
    seconds = on.dice.uniform(*LATE)
    child.pause()
    on.frozen[child.name] = time.monotonic() + seconds

    def wake() -> None:
        child.resume()
        on.frozen.pop(child.name, None)

    timer = threading.Timer(seconds, wake)
    timer.daemon = True
    timer.start()
    return f"{child.name} for {seconds:.0f} s"


def _meddle(stream: str, do: Do) -> Act:
    def act(on: Field) -> str | None:
        met = meddle(on.sietch.nats_url, stream, do, on.dice)
        return f"{met} messages of {stream}" if met else None

    return act


def _cut(on: Field) -> str | None:
    """The connection of a room replica to PostgreSQL breaks when the commit is made and before that is known."""
    wire = getattr(on.sietch, "wire", None)
    if wire is None or "room-1" in on.frozen:
        return None
    times = wire.cut(on.dice.randint(1, 4))
    return f"{times} times" if times else None


def _die_at_a_point(service: str) -> Act:
    """A replica dies between two steps of what it does: at those points first at which the fewest were to die."""

    def act(on: Field) -> str | None:
        if service not in on.whole() or not isinstance(on.sietch, Wired):
            return None
        points = [name for name in POINTS[f"services.{service}"] if not name.startswith(ELSEWHERE)]
        on.dice.shuffle(points)
        for point in sorted(points, key=lambda point: on.tried[point])[:POINTS_TRIED]:
            on.tried[point] += 1
            arm(on.sietch.points, point)
            if struck(on.sietch.points, POINT_SECONDS):
                on.died.add(point)
                return f"where {point}"
        return None

    return act


def _nothing(on: Field) -> str | None:
    return "for comparison"


AT_POINTS: tuple[Fault, ...] = tuple(
    Fault(f"kill {name} at a point of its work", 1.0, _die_at_a_point(name)) for name in SERVICES
)
FAULTS: tuple[Fault, ...] = (
    *(Fault(f"kill a {name}", 4.0, _kill_one(name)) for name in SERVICES),
    Fault("kill every replica of a service", 2.0, _kill_all_of()),
    Fault("kill two services' replicas", 2.0, _kill_two),
    Fault("kill all services", 1.0, _kill_all_of(SERVICES)),
    Fault("kill nats", 2.5, _kill_servers("nats")),
    Fault("kill postgres", 2.5, _kill_servers("postgres")),
    Fault("kill both servers", 0.7, _kill_servers(*SERVERS)),
    Fault("kill everything", 0.7, _kill_everything),
    Fault("freeze a replica", 1.5, _freeze),
    Fault("cut before the answer of a commit", 3.0, _cut),
    *(
        Fault(f"{name}: {do.__name__}", 0.5, _meddle(stream, do))
        for name, stream in (("bots' tasks", BOTS.name), ("commits' hints", COMMITS.name))
        for do in (never, late, dropped, twice, lost)
    ),
    *AT_POINTS,
    Fault("nothing", 1.5, _nothing),
)
