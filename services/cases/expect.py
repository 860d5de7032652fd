"""What a case may expect: the public vocabulary of the table, one small reader a path. `docs/cases.md` lists it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import msgspec

from services.cases.legal import legal_set, off_set
from services.cases.world import World, kinds_of
from shared.dune import facts
from shared.dune.table import RESERVES, TANKS

__all__ = ["READERS", "TESTS", "failures"]

Reader = Callable[[World, list[str]], Any]


def failures(world: World, expected: dict[str, Any]) -> list[str]:
    """What of the expectations does not hold, in words."""
    found: list[str] = []
    for path, wanted in expected.items():
        head, *rest = path.split(".")
        if head not in READERS:
            found.append(f"{path}: unknown; known: {', '.join(READERS)}")
            continue
        try:
            actual = READERS[head](world, rest)
        except (KeyError, IndexError, ValueError) as wrong:
            found.append(f"{path}: cannot be read: {wrong!r}")
            continue
        if text := _mismatch(actual, wanted):
            found.append(f"{path}: {text}")
    return found


def _mismatch(actual: Any, wanted: Any) -> str:
    if isinstance(wanted, dict) and wanted.keys() & TESTS.keys():
        for name, argument in wanted.items():
            if name not in TESTS:
                return f"unknown test {name!r}; known: {', '.join(TESTS)}"
            if not TESTS[name](actual, argument):
                return f"{name} {argument!r} does not hold of {_short(actual)}"
        return ""
    return "" if _plain(actual) == _plain(wanted) else f"is {_short(actual)}, not {wanted!r}"


def _plain(value: Any) -> Any:
    if isinstance(value, list | tuple):
        return sorted((_plain(item) for item in value), key=repr)
    if isinstance(value, dict):
        return {key: _plain(item) for key, item in value.items()}
    return value


def _short(value: Any) -> str:
    text = repr(value)
    return text if len(text) < 600 else text[:600] + "..."


def _matches(events: list[dict[str, Any]], wanted: dict[str, Any]) -> bool:
    return any(all(event.get(key) == value for key, value in wanted.items()) for event in events)


TESTS: dict[str, Callable[[Any, Any], bool]] = {
    "contains": lambda actual, items: all(item in actual for item in items),
    "never_contains": lambda actual, items: not any(item in actual for item in items),
    "lacks": lambda actual, items: not any(item in actual for item in items),
    "count": lambda actual, number: len(actual) == number,
    "first": lambda actual, items: list(actual)[: len(items)] == items,
    "order": lambda actual, items: list(actual) == items,
    "least": lambda actual, number: actual >= number,
    "most": lambda actual, number: actual <= number,
    "has": lambda actual, names: all(any(event["event"] == name for event in actual) for name in names),
    "has_not": lambda actual, names: not any(event["event"] in names for event in actual),
    "match": lambda actual, rows: all(_matches(actual, row) for row in rows),
    "no_match": lambda actual, rows: not any(_matches(actual, row) for row in rows),
    "sequence": lambda actual, names: _in_order([event["event"] for event in actual], names),
}


def _in_order(names: list[str], wanted: list[str]) -> bool:
    rest = iter(names)
    return all(name in rest for name in wanted)


def _forces(world: World, rest: list[str]) -> Any:
    """`forces.<place>[.<faction>]`: a location or a whole territory; numbers by faction, or one number."""
    table = world.table()
    places = [rest[0]] if rest[0] in facts.locations() else list(facts.locations_of(rest[0]))
    found: dict[str, int] = {}
    for place in places:
        for faction, kinds in table.forces.get(place, {}).items():
            found[faction] = found.get(faction, 0) + sum(kinds.values())
    return found.get(rest[1], 0) if len(rest) > 1 else found


def _kinds_at(world: World, rest: list[str]) -> Any:
    """`kinds.<place>.<faction>`: what stands at a location or in a whole territory, by kind."""
    table = world.table()
    places = [rest[0]] if rest[0] in facts.locations() else list(facts.locations_of(rest[0]))
    found: dict[str, int] = {}
    for place in places:
        for kind, number in table.kinds_at(place, rest[1]).items():
            found[kind] = found.get(kind, 0) + number
    return found


def _stock(place: str) -> Reader:
    def read(world: World, rest: list[str]) -> Any:
        if len(rest) > 1 and rest[1] == "leaders":
            return [
                *world.table().zones.get(f"tanks.{rest[0]}", ()),
                *world.table().zones.get(f"tanks_down.{rest[0]}", ()),
            ]
        kinds = world.table().kinds_at(place, rest[0])
        return kinds.get(rest[1], 0) if len(rest) > 1 else sum(kinds.values())

    return read


def _faces(prefix: str) -> Reader:
    def read(world: World, rest: list[str]) -> Any:
        name = ".".join([prefix, *rest] if prefix else rest)
        return [facts.face(piece) for piece in world.table().zones.get(name, ())]

    return read


def _spice(world: World, rest: list[str]) -> Any:
    """`spice.<faction|location|territory|bank>`: a territory's sectors together."""
    table = world.table()
    if rest[0] in facts.territories():
        return sum(table.spice_of(place) for place in facts.locations_of(rest[0]))
    return table.spice_of(".".join(rest))


def _mark(world: World, rest: list[str]) -> Any:
    return msgspec.to_builtins(world.table().value(".".join(rest), "absent"))


def _result(world: World, rest: list[str]) -> Any:
    result = world.table().result
    if result is None:
        return "none"
    return {"winners": list(result.winners), "way": result.way} if not rest else getattr(result, rest[0])


def _events(world: World, rest: list[str]) -> Any:
    return [msgspec.json.decode(msgspec.json.encode(event)) for event in world.events()]


def _kinds(world: World, rest: list[str]) -> Any:
    """`offers.<seat>`: the kinds that are asked now; `standing.<seat>`: those that are always there."""
    return [offer.kind for offer in world.asked(rest[0])]


def _standing(world: World, rest: list[str]) -> Any:
    return [offer.kind for offer in world.standing(rest[0])]


def _offer(world: World, rest: list[str]) -> Any:
    """`about.<seat>.<kind>`: the public facts that come with an offer; `why.`, `default.` likewise."""
    kind = ".".join(rest[1:])
    if (found := world.find(rest[0], kind)) is None:
        raise KeyError(f"{rest[0]} is not asked {kind}")
    return found


def _legal(world: World, rest: list[str]) -> Any:
    """`legal.<seat>.<kind>.<path>`: the exact legal set at a path of an offer's choice."""
    return legal_set(*_choice(world, rest))


def _off(world: World, rest: list[str]) -> Any:
    return off_set(*_choice(world, rest))


def _choice(world: World, rest: list[str]) -> tuple[Any, list[str]]:
    for kind in kinds_of(world, rest[0]):
        words = kind.split(".")
        if rest[1 : 1 + len(words)] == words and (found := world.find(rest[0], kind)):
            return found.choice, rest[1 + len(words) :]
    raise KeyError(f"{rest[0]} is not asked {'.'.join(rest[1:])}")


READERS: dict[str, Reader] = {
    "forces": _forces,
    "kinds": _kinds_at,
    "reserves": _stock(RESERVES),
    "tanks": _stock(TANKS),
    "zone": _faces(""),
    "hand": _faces("hand"),
    "leaders": _faces("leaders"),
    "traitors": _faces("traitors"),
    "spice": _spice,
    "bribes": lambda world, rest: world.table().spice_of(f"bribe.{rest[0]}"),
    "mark": _mark,
    "memory": lambda world, rest: list(world.table().memory.get(rest[0], ())),
    "ally": lambda world, rest: world.table().ally_of(rest[0]) or "none",
    "storm": lambda world, rest: world.table().storm,
    "turn": lambda world, rest: world.table().turn,
    "phase": lambda world, rest: world.table().phase,
    "order": lambda world, rest: list(world.table().order),
    "setting": lambda world, rest: msgspec.to_builtins(getattr(world.table().settings, rest[0])),
    "result": _result,
    "events": _events,
    "offers": _kinds,
    "standing": _standing,
    "waiting": lambda world, rest: world.waiting(),
    "about": lambda world, rest: _offer(world, rest).about,
    "why": lambda world, rest: _offer(world, rest).why,
    "default": lambda world, rest: _offer(world, rest).default,
    "legal": _legal,
    "off": _off,
    "view": lambda world, rest: world.seen(rest[0]),
}
"""The first word of every expectation path, and how it is read."""
