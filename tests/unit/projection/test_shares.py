"""Whose room is whose: one replica's each, alike for all that know the same; little moves when one comes or goes."""

from __future__ import annotations

from collections import Counter

from services.projection.shares import JOIN_SECONDS, SILENT_SECONDS, Shares

ROOMS = [f"{number:032x}" for number in range(3000)]


class Clock:
    """A clock that a test moves."""

    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now


def together(clock: Clock, *names: str) -> list[Shares]:
    """Replicas that have been there for a while and have just heard each other."""
    replicas = [Shares(name, clock) for name in names]
    clock.now += JOIN_SECONDS
    hear(replicas)
    return replicas


def hear(replicas: list[Shares]) -> None:
    """One beat of each."""
    for one in replicas:
        for other in replicas:
            if other.takes_part():
                one.heard(other.me, gone=False)


def test_a_room_belongs_to_one_replica_and_all_agree() -> None:
    replicas = together(Clock(), "a", "b", "c")
    owners = [{one.owner(room) for one in replicas} for room in ROOMS]
    assert all(len(found) == 1 for found in owners)
    shares = Counter(found.pop() for found in owners)
    assert set(shares) == {"a", "b", "c"}
    assert min(shares.values()) > len(ROOMS) / 3 * 0.85


def test_who_is_alone_has_all_rooms_from_the_beginning() -> None:
    clock = Clock()
    only = Shares("a", clock)
    assert all(only.mine(room) for room in ROOMS)
    clock.now += JOIN_SECONDS
    assert only.takes_part()
    only.leave()
    assert all(only.mine(room) for room in ROOMS), "there is nobody else"


def test_who_is_new_listens_before_it_takes_rooms() -> None:
    clock = Clock()
    old = together(clock, "a", "b")
    new = Shares("c", clock)
    hear([*old, new])
    before = {room: old[0].owner(room) for room in ROOMS}
    assert not new.takes_part()
    assert all(new.owner(room) == before[room] for room in ROOMS)
    for _ in range(7):
        clock.now += 1
        hear([*old, new])
    assert new.takes_part()
    after = {room: new.owner(room) for room in ROOMS}
    assert all(one.owner(room) == after[room] for one in old for room in ROOMS)
    moved = [room for room in ROOMS if before[room] != after[room]]
    assert moved
    assert {after[room] for room in moved} == {"c"}, "nothing else moves"


def test_who_leaves_or_falls_silent_or_answers_nobody_has_no_rooms() -> None:
    clock = Clock()
    one, two, three = together(clock, "a", "b", "c")
    before = {room: one.owner(room) for room in ROOMS}
    three.leave()
    assert one.heard("c", gone=True)
    assert two.lost("c")
    for room in ROOMS:
        assert one.owner(room) == two.owner(room) == three.owner(room) != "c"
        assert before[room] in ("c", one.owner(room))
    clock.now += SILENT_SECONDS + 0.1
    assert all(one.mine(room) for room in ROOMS)
