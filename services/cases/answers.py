"""A case's answer, completed to what an offer takes: a card by its face, and what is left out as nothing.

A case cannot write "nothing" (its file format has no null), and it names cards by what is printed on them. So a field
left out of an answer is nothing where nothing can be chosen, and `shield` stands for the first Shield that is
among the options, one that can be chosen before one that cannot.
"""

from __future__ import annotations

from typing import Any

from shared.dune import facts
from shared.dune.shapes import Fields, ManyOf, OneOf, Option, Shape, Variant

__all__ = ["completed"]


def completed(shape: Shape, given: Any) -> Any:
    """The answer with faces turned into pieces and missing fields into nothing; anything wrong stays as it is."""
    match shape:
        case Variant(variants=variants) if isinstance(given, dict) and given.get("do") in variants:
            rest = {key: value for key, value in given.items() if key != "do"}
            return {"do": given["do"], **completed(variants[given["do"]], rest)}
        case Fields(fields=fields) if isinstance(given, dict):
            return {**given, **_fields(fields, given)}
        case OneOf(options):
            return _piece(options, given, ())
        case ManyOf(options=options) if isinstance(given, list):
            found: list[Any] = []
            for item in given:
                found.append(_piece(options, item, tuple(found)))
            return found
    return given


def _fields(fields: dict[str, Shape], given: dict[str, Any]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for key, shape in fields.items():
        if key in given:
            found[key] = completed(shape, given[key])
        elif isinstance(shape, OneOf) and any(option.value is None for option in shape.options):
            found[key] = None
    return found


def _piece(options: tuple[Option, ...], given: Any, taken: tuple[Any, ...]) -> Any:
    if not isinstance(given, str) or any(option.value == given for option in options):
        return given
    matching = [
        option
        for option in sorted(options, key=lambda option: bool(option.off))
        if isinstance(option.value, str) and facts.face(option.value) == given and option.value not in taken
    ]
    return matching[0].value if matching else given
