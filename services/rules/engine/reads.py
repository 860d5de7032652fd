"""Reads: what a question read of a table and a stack, so that its answer is kept while exactly that is the same.

A pure question is put to look-alikes of the table and the stack that note all that is read of them. Nothing is
declared, so nothing can be declared wrongly: what a look-alike cannot note cannot be read of it at all. A table shares
what did not change with the table before it, so that "the same" is a comparison of identities.
"""

from __future__ import annotations

from collections.abc import Callable, ItemsView, Iterator, KeysView, Mapping, Sequence, ValuesView
from types import FunctionType
from typing import Any, Generic, TypeAlias, TypeVar, cast, overload

from msgspec import Struct

from services.rules.engine.flow import Frame
from shared.dune.table import Table

__all__ = ["Answer", "Read", "Readers", "ask", "readers_of", "stale"]

WHOLE = None
STACK = "stack"
Read: TypeAlias = tuple[str, str | None]
"""A field of the table (or the stack) and the key that was looked up in it; `None`: all of the field."""
K = TypeVar("K")
V = TypeVar("V")
Readers: TypeAlias = dict[str, dict[str | None, list[K]]]
"""Who read what: the names of questions by field and key."""


class Answer(Struct, Generic[V], frozen=True):
    """What was found, and all that was read for it."""

    found: V
    reads: frozenset[Read]


def ask(
    question: Callable[[Table, tuple[Frame, ...]], V], table: Table, stack: tuple[Frame, ...]
) -> Answer[V]:
    """Put a pure question to a table and a stack, and note what it reads."""
    noted: set[Read] = set()
    watched = cast(Table, _WatchedTable(table, noted))
    found = question(watched, cast("tuple[Frame, ...]", _WatchedStack(stack, noted)))
    return Answer(found, frozenset(noted))


def readers_of(answers: Mapping[K, Answer[V]]) -> Readers[K]:
    """Which of these questions read what."""
    found: Readers[K] = {}
    for name, answer in answers.items():
        for field, key in answer.reads:
            found.setdefault(field, {}).setdefault(key, []).append(name)
    return found


def stale(readers: Readers[K], old: Table, new: Table) -> set[K]:
    """The questions that read something of the old table which is not the same in the new one, or read the stack."""
    found: set[K] = set()
    for field, by_key in readers.items():
        if field == STACK:
            found.update(by_key[WHOLE])
        elif (was := getattr(old, field)) is not (now := getattr(new, field)):
            for key, names in by_key.items():
                if key is WHOLE or was.get(key) is not now.get(key):
                    found.update(names)
    return found


class _WatchedTable:
    """Looks like a table: its fields are noted, its methods and properties read through this look-alike."""

    def __init__(self, table: Table, noted: set[Read]) -> None:
        self._table = table
        self._noted = noted

    def __eq__(self, other: object) -> bool:
        raise TypeError("whole tables cannot be compared here: compare what is meant of them")

    __hash__ = None  # type: ignore[assignment]

    def __getattr__(self, name: str) -> Any:
        raise TypeError(
            f"what is read of a table by {name!r} cannot be noted: use a field, a method or a property"
        )


def _noting(field: str) -> property:
    def read(self: _WatchedTable) -> Any:
        value = getattr(self._table, field)
        if isinstance(value, dict):
            return _WatchedDict(field, value, self._noted)
        self._noted.add((field, WHOLE))
        return value

    return property(read)


# A method runs on the look-alike itself, so that whatever it reads in its turn is noted too.
for _field in Table.__struct_fields__:
    setattr(_WatchedTable, _field, _noting(_field))
for _name, _member in vars(Table).items():
    if isinstance(_member, property | FunctionType) and not _name.startswith("__"):
        setattr(_WatchedTable, _name, _member)


class _WatchedDict(Mapping[str, Any]):
    """Looks like a dict of the table: a key that is looked up is noted, and that all was looked through."""

    def __init__(self, field: str, held: dict[str, Any], noted: set[Read]) -> None:
        self._field = field
        self._held = held
        self._noted = noted

    def __getitem__(self, key: str) -> Any:
        self._noted.add((self._field, key))
        return self._held[key]

    def get(self, key: str, default: Any = None) -> Any:
        self._noted.add((self._field, key))
        return self._held.get(key, default)

    def __contains__(self, key: object) -> bool:
        self._noted.add((self._field, cast(str, key)))
        return key in self._held

    def _all(self) -> dict[str, Any]:
        self._noted.add((self._field, WHOLE))
        return self._held

    def __iter__(self) -> Iterator[str]:
        return iter(self._all())

    def __len__(self) -> int:
        return len(self._all())

    def keys(self) -> KeysView[str]:
        return self._all().keys()

    def items(self) -> ItemsView[str, Any]:
        return self._all().items()

    def values(self) -> ValuesView[Any]:
        return self._all().values()


class _WatchedStack(Sequence[Frame]):
    """Looks like a stack: whoever reads anything of it depends on all of it."""

    def __init__(self, stack: tuple[Frame, ...], noted: set[Read]) -> None:
        self._stack = stack
        self._noted = noted

    def _all(self) -> tuple[Frame, ...]:
        self._noted.add((STACK, WHOLE))
        return self._stack

    @overload
    def __getitem__(self, index: int) -> Frame: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[Frame]: ...
    def __getitem__(self, index: int | slice) -> Frame | Sequence[Frame]:
        return self._all()[index]

    def __len__(self) -> int:
        return len(self._all())

    def __eq__(self, other: object) -> bool:
        return self._all() == other

    __hash__ = None  # type: ignore[assignment]
