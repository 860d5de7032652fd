"""Bodies, answers, names and paths that no client of good will sends."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

__all__ = ["CONTENT_TYPES", "NAMES", "ODD", "PATHS", "UNREADABLE", "mutants"]

NESTED = 2000
UNREADABLE: dict[str, bytes] = {
    "cut off": b'{"name": "x"',
    "a list": b"[]",
    "null": b"null",
    "a number": b"1",
    "a text": b'"x"',
    "an unknown field": b'{"__proto__": {"host": true}}',
    "trailing words": b'{} {"name": "x"}',
    "a comment": b'{"name": "x" /* x */}',
    "single quotes": b"{'name': 'x'}",
    "a byte order mark": b"\xef\xbb\xbf{}",
    "UTF-16": '{"name": "x"}'.encode("utf-16"),
    "a NUL byte": b'{"name": "x\x00"}',
    "an escaped NUL": b'{"name": "x\\u0000", "table": "\\u0000"}',
    "half a surrogate pair": b'{"name": "\\ud800", "table": "\\ud800", "answer": "\\ud800"}',
    "no UTF-8": b'{"name": "\xff\xfe"}',
    "overlong UTF-8": b'{"name": "\xc0\x80"}',
    "NaN": b'{"seed": NaN, "seats": NaN, "answer": NaN, "table": NaN, "name": NaN}',
    "infinity": b'{"seed": Infinity, "answer": -Infinity, "table": Infinity, "name": Infinity}',
    "a float too large": b'{"seed": 1e999, "last_turn": 1e999, "answer": 1e999, "table": 1e999, "name": 1e999}',
    "an endless number": b'{"seed": ' + b"9" * 5000 + b', "answer": ' + b"9" * 5000 + b"}",
    "deep lists": b'{"answer": ' + b"[" * NESTED + b"]" * NESTED + b"}",
    "deep objects": b'{"table": ' + b'{"a":' * NESTED + b"1" + b"}" * NESTED + b"}",
    "brackets that never close": b"[" * 16_000,
    "wrong types": b'{"name": {}, "faction": [], "policy": 1, "ready": "yes", "force": "no", "seats": "2", '
    b'"scope": 1, "offer": 1, "command_id": 1, "seat": 1, "table": 1}',
    "nulls": b'{"name": null, "policy": null, "ready": null, "force": null, "seats": null, "scope": null, '
    b'"offer": null, "command_id": null, "seat": null, "table": null}',
    "negative numbers": b'{"seed": -1, "seats": -1, "last_turn": -1, "table": -1}',
    "half numbers": b'{"seed": 0.5, "seats": 2.5, "last_turn": 1.5, "table": 0.5}',
    "numbers of 64 bits and more": b'{"seed": 9223372036854775808, "seats": 18446744073709551616, "table": 1}',
}
"""Bodies that are no body, by what is wrong with them."""
CONTENT_TYPES = (
    "text/plain",
    "application/x-www-form-urlencoded",
    "multipart/form-data; boundary=x",
    "text/json",
    "",
)
"""Kinds of content that are not JSON."""
ODD: tuple[Any, ...] = (
    None,
    True,
    -1,
    0.5,
    10**9,
    2**63,
    -(2**64),
    1e308,
    "",
    "nothing",
    "\u202e\u200b",
    "x" * 10_000,
    [],
    [[]],
    ["sardaukar"] * 500,
    {},
    {"": ""},
    {"x": {"x": {"x": [1]}}},
)
"""Values that fit nowhere, or nearly nowhere."""
NAMES = {
    "Ünïcødé ☃ 沙丘 كثيب": "Ünïcødé ☃ 沙丘 كثيب",
    "a\u0301bc": "ábc",
    "  many   spaces  ": "many spaces",
    "\u202egnirts\u202c": "gnirts",
    "<script>alert(1)</script>": "<script>alert(1)</script>",
    "🏜️": "🏜️",
    "'; DROP TABLE rooms; --": "'; DROP TABLE rooms; --",
    "%s %d {0} ${x}": "%s %d {0} ${x}",
}
"""Names as they are sent, and what people see of them."""
BLANKS = ("\u200b\u200b", " ", "\u0301", "\u2800", "\u3164")
"""Names of which nothing can be seen."""
PATHS = (
    "/api/rooms/%00",
    "/api/rooms/%ff",
    "/api/rooms/" + "A" * 6000,
    "/api/rooms/..%2f..",
    "/api/rooms/ABC234%0d%0aX: y",
    "/api/rooms/{code}/stream?after=-1",
    "/api/rooms/{code}/stream?after=x",
    "/api/rooms/{code}/stream?after=99999999999999999999",
    "/api/rooms/{code}/history?after=%00",
    "/api/rooms/{code}/offers/%00",
    "/api/rooms/{code}/offers/" + "x" * 4000,
    "/api/rooms/{code}/offers/%e2%80%ae",
    "/api/rooms?state=%00",
)
"""Addresses that name nothing."""


def mutants(answer: Any) -> Iterator[Any]:
    """An answer with each of its parts in turn replaced, left out or doubled."""
    yield from ODD
    if isinstance(answer, dict):
        yield {**answer, "more": 1}
        yield {**answer, "$ref": "#"}
        for key, value in answer.items():
            yield {name: kept for name, kept in answer.items() if name != key}
            for odd in mutants(value) if isinstance(value, dict | list) else ODD:
                yield {**answer, key: odd}
    elif isinstance(answer, list) and answer:
        yield [*answer, *answer]
        yield answer[:-1]
        for odd in ODD:
            yield [odd, *answer[1:]]
