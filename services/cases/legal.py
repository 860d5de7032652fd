"""The exact legal set of a choice, at a path: the strongest thing that a case can assert."""

from __future__ import annotations

from typing import Any

from shared.dune.shapes import Amounts, Fields, ManyOf, Number, OneOf, Pairs, Shape, Text, Transfer, Variant

__all__ = ["legal_set", "off_set"]


def legal_set(shape: Shape, path: list[str]) -> Any:
    """The legal values at a path: values of a choice, names of what can be done, bounds, or places.

    Transfer: `to` (open targets), `from` (sources), `to.<place>` (sources that reach it), `most.<place>`,
    `prices.<place>`. Number: `[low, high]`. Amounts: its keys with their most; `total` for its bounds. Fields:
    `<one>+<other>` for two numbers that go together: each value of the one with those of the other that fit it.
    """
    match shape:
        case Variant(variants=variants):
            return list(variants) if not path else legal_set(variants[path[0]], path[1:])
        case Fields(fields=fields):
            if path and "+" in path[0]:
                return _pairs(shape, path[0])
            return list(fields) if not path else legal_set(fields[path[0]], path[1:])
        case OneOf() | ManyOf():
            return ["none" if value is None else value for value in shape.legal()]
        case Number(low=low, high=high):
            return {"low": low, "high": high}
        case Amounts():
            return {"low": shape.least, "high": shape.most} if path == ["total"] else shape.keys
        case Transfer():
            return _transfer(shape, path)
        case Text():
            return {"most": shape.most}


def _pairs(fields: Fields, name: str) -> dict[str, list[int]]:
    one, _, other = name.partition("+")
    need = next(n for n in fields.needs if isinstance(n, Pairs) and (n.first, n.second) == (one, other))
    first, second = fields.fields[one], fields.fields[other]
    assert isinstance(first, Number)
    rows = {
        str(value): [n for n in need.fitting(value) if second.problem(n) is None]
        for value in range(first.low, first.high + 1)
    }
    return {value: fitting for value, fitting in rows.items() if fitting}


def _transfer(shape: Transfer, path: list[str]) -> Any:
    if not path or path == ["to"]:
        return shape.open_places()
    if path == ["from"]:
        return {source.place: source.kinds for source in shape.sources}
    target = shape.target(path[1])
    if target is None:
        raise KeyError(f"a transfer has no place {path[1]!r}")
    match path[0]:
        case "to":
            return list(target.sources) if not target.off else []
        case "most":
            return shape.most(target)
        case "prices":
            return list(shape.prices(target))
    raise KeyError(f"a transfer has no {path[0]!r}")


def off_set(shape: Shape, path: list[str]) -> Any:
    """What is shown at a path but cannot be chosen: value to rule id (to its reason where there is no rule id)."""
    match shape:
        case Variant():
            if path and path[0] in shape.variants:
                return off_set(shape.variants[path[0]], path[1:])
            return {name: why.rule or why.off for name, why in shape.off.items()}
        case Fields():
            return off_set(shape.fields[path[0]], path[1:])
        case OneOf() | ManyOf():
            return {str(o.value): o.rule or o.off for o in shape.options if o.off}
        case Transfer() if path == ["from"]:
            return {source.place: source.rule or source.off for source in shape.barred}
        case Transfer():
            return {
                place: target.rule or target.off
                for target in shape.targets
                if target.off
                for place in target.places
            }
    return {}
