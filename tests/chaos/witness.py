"""What people were told against what the store holds: every reply and every frame."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from typing import Any
from uuid import UUID

import msgspec
import psycopg

from services.projection.hot import HotRoom
from services.projection.store import StoredCommit, StoredRoom
from shared.dune.offers import Checkpoint
from tests.chaos.people import Person, Told
from tests.service.recorded import array


def commits_of(connection: psycopg.Connection[Any], code: str) -> list[tuple[UUID, str, StoredCommit]]:
    """A room's commits in order: command, seat, and what was committed."""
    query = """
        SELECT c.command_id, c.seat, c.version, c.checkpoint, ARRAY(SELECT e.body::text FROM events e
            WHERE e.room = c.room AND e.version = c.version ORDER BY e.index)
        FROM commits c JOIN rooms r ON r.id = c.room WHERE r.code = %s ORDER BY c.version"""
    return [
        (command, seat, StoredCommit(version, [body.encode() for body in bodies], bytes(checkpoint)))
        for command, seat, version, checkpoint, bodies in connection.execute(query, (code,))
    ]


def compare(database_url: str, people: Sequence[Person]) -> list[str]:
    """Everything in which a person was told something else than the store holds."""
    with psycopg.connect(database_url) as connection:
        found: list[str] = []
        for person in people:
            commits = commits_of(connection, person.code)
            found += person.faults
            found += _replies(person, commits)
            found += _questions(person, commits)
            found += _frames(person, [commit for _, _, commit in commits])
        return found


def _replies(person: Person, commits: Sequence[tuple[UUID, str, StoredCommit]]) -> Iterator[str]:
    """A 200 means one commit of that seat; a refusal means none."""
    kept = {str(command): seat for command, seat, _ in commits}
    for told in person.told:
        if 200 in told.statuses and kept.get(told.command) != person.faction:
            yield f"room {person.code}: {told} was accepted, and is not in the store"
        if any(status in (409, 422) for status in told.statuses) and told.command in kept:
            yield f"room {person.code}: {told} was refused, and is in the store"
    taken = [told for told in person.told if 200 in told.statuses]
    if len({told.offer for told in taken}) != len(taken):
        yield f"room {person.code}: one question was answered twice: {_doubled(taken)}"
    mine = sum(seat == person.faction for _, seat, _ in commits)
    known = {told.command for told in person.told}
    if strange := [c for c, seat in kept.items() if seat == person.faction and c not in known]:
        yield f"room {person.code}: {len(strange)} of {mine} answers of {person.faction} were never given"


def _doubled(taken: Sequence[Told]) -> list[Told]:
    offers = [told.offer for told in taken]
    return [told for told in taken if offers.count(told.offer) > 1]


def _frames(person: Person, commits: Sequence[StoredCommit]) -> Iterator[str]:
    """Each frame is the one that the store's commits make for that seat."""
    changes, views = _made(person.faction, commits)
    for event, data in person.frames:
        seq = data["seq"]
        right = changes.get(seq) if event == "changed" else views.get(seq)
        if right is None and event == "changed" and seq in views:
            continue  # the first commit: nothing before it to differ from
        told = data["view"] if event == "view" else {"events": data["events"], "patch": data["patch"]}
        if told != right:
            yield f"room {person.code}: frame {event} {seq} is not what the store makes of it"
            return
    if person.frames and person.view != views[person.seq]:
        yield f"room {person.code}: the frames up to {person.seq} do not add up to the view"
    if max(views) != person.seq:
        yield f"room {person.code}: the person saw up to {person.seq}, the store is at {max(views)}"


def _made(seat: str, commits: Sequence[StoredCommit]) -> tuple[dict[int, Any], dict[int, Any]]:
    """The changes and the views of a seat by sequence, folded from the store."""
    first = commits[0]
    hot = HotRoom("", StoredRoom(1, None, array(first.events), first.checkpoint, []), False)
    views, changes = {}, {}
    start = hot.whole(seat)
    assert start is not None
    views[start.seq] = json.loads(bytes(start.view))
    for commit in commits[1:]:
        for change in hot.apply(commit, [seat]):
            changes[change.seq] = {
                "events": [json.loads(bytes(event)) for event in change.events],
                "patch": json.loads(bytes(change.patch)),
            }
            whole = hot.whole(seat)
            assert whole is not None
            views[change.seq] = json.loads(bytes(whole.view))
    return changes, views


def _questions(person: Person, commits: Sequence[tuple[UUID, str, StoredCommit]]) -> Iterator[str]:
    """What the person answered is never open for an answer again, from that very commit on."""
    taken = {told.command: told.offer for told in person.told if 200 in told.statuses}
    done: set[str] = set()
    for command, _, commit in commits:
        done |= {taken[str(command)]} if str(command) in taken else set()
        checkpoint = msgspec.json.decode(commit.checkpoint, type=Checkpoint)
        open_ = {offer.id for offer in checkpoint.open if offer.committed is None}
        if again := open_ & done:
            yield f"room {person.code} at {commit.version}: answered, and asked again: {', '.join(again)}"
            return
