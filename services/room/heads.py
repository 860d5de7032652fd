"""What this replica remembers of running rooms, so that an action asks the store nothing before rules are asked.

A remembered head is good for a try and never for an answer. An accepted action is appended only if the room still
stands at that version, its seats are as they were, nobody used the command id, and the token is valid at that moment,
all in one statement; and before a refusal is told, the room is read. So no replica need hear of what another one did,
of a seat given to a bot, or of a revoked token.
"""

from __future__ import annotations

import dataclasses
from collections import OrderedDict
from collections.abc import Sequence
from uuid import UUID

from services.room.store.append import NewCommit
from services.room.store.store import Grant, Head

ROOMS_REMEMBERED = 10_000
COMMANDS_REMEMBERED = 32
"""Newest command ids of a room: a repeat is looked up at once, instead of being decided in vain."""
TOKENS_REMEMBERED = 64


class _Room:
    """One running room: its head without anybody's tokens, the tokens that were valid, the newest command ids."""

    __slots__ = ("commands", "grants", "head")

    def __init__(self, head: Head) -> None:
        self.head = head
        self.grants: OrderedDict[bytes, Grant] = OrderedDict()
        self.commands: OrderedDict[bytes, None] = OrderedDict()


class Heads:
    """The rooms that were lately read or appended to, the least used forgotten first."""

    def __init__(self) -> None:
        self._rooms: OrderedDict[UUID, _Room] = OrderedDict()
        self._codes: dict[str, UUID] = {}

    def recall(
        self, room: UUID | str, hashes: Sequence[bytes] = (), command: UUID | None = None
    ) -> Head | None:
        """The head of a room by id or code with the tokens shown; None if the store has to be asked.

        That is so for a room or a token that is not known here, and for a repeated command.
        """
        name = self._codes.get(room) if isinstance(room, str) else room
        known = None if name is None else self._rooms.get(name)
        if known is None or (command is not None and command.bytes in known.commands):
            return None
        found = [known.grants[hash_] for hash_ in hashes if hash_ in known.grants]
        if len(found) != len(hashes):
            return None
        self._rooms.move_to_end(known.head.id)
        return dataclasses.replace(known.head, grants=tuple(found)) if found else known.head

    def newest(self, head: Head) -> Head:
        """The remembered head if it is newer than one that was read before waiting, with the same tokens."""
        known = self._rooms.get(head.id)
        if known is None or known.head.version <= head.version or head.outcome is not None:
            return head
        return dataclasses.replace(known.head, grants=head.grants)

    def learn(self, head: Head) -> None:
        """Remember a head that was just read, unless a newer one is known, and the tokens that were valid for it."""
        known = self._rooms.get(head.id)
        if head.state != "running":
            self.forget(head.id)
            return
        if known is None:
            known = self._keep(head)
        elif (known.head.version, known.head.lobby) < (head.version, head.lobby):
            known.head = _bare(head)
        for grant in head.grants:
            known.grants[grant.hash] = grant
            if len(known.grants) > TOKENS_REMEMBERED:
                known.grants.popitem(last=False)

    def advance(self, head: Head, commit: NewCommit) -> None:
        """Remember where a room stands after a commit that was appended here on top of `head`."""
        if commit.finished:
            self.forget(head.id)
            return
        after = dataclasses.replace(
            head, state="running", version=commit.expected + 1, hash=commit.hash, open=tuple(commit.open)
        )
        known = self._rooms.get(head.id) or self._keep(head)
        known.head = _bare(after)
        known.commands[commit.command_id.bytes] = None
        if len(known.commands) > COMMANDS_REMEMBERED:
            known.commands.popitem(last=False)
        self._rooms.move_to_end(head.id)

    def outdated(self, room: UUID, version: int) -> None:
        """A commit of this version was heard of: an older head is of no use any more."""
        known = self._rooms.get(room)
        if known is not None and known.head.version < version:
            self.forget(room)

    def forget(self, room: UUID) -> None:
        """Read this room again when it is needed."""
        known = self._rooms.pop(room, None)
        if known is not None:
            self._codes.pop(known.head.code, None)

    def _keep(self, head: Head) -> _Room:
        known = self._rooms[head.id] = _Room(_bare(head))
        self._codes[head.code] = head.id
        if len(self._rooms) > ROOMS_REMEMBERED:
            self.forget(next(iter(self._rooms)))
        return known


def _bare(head: Head) -> Head:
    """A head as it is remembered: nobody's tokens, nobody's command, and not certain."""
    return dataclasses.replace(head, grants=(), done_version=None, outcome=None, asked=b"", certain=False)
