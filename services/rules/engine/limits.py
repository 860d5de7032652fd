"""Limits on offers: what a promise or an effect takes from a choice before it is put to its seat.

The flow that asks knows nothing of them. A limit keeps an offer complete: whatever it bars is shown as off with its
reason, and a limit that would leave nothing to choose, or no answer at all, is released. [TRUTH-08, DEAL-03]
"""

from __future__ import annotations

import random
from collections.abc import Callable
from fnmatch import fnmatchcase
from functools import cache

import msgspec
from msgspec import Struct

from services.rules.engine.scope import EVERY_MODE, Scope, scope_of
from shared.dune.offers import Choice, Offer
from shared.dune.shapes import Fields, Off, OneOf, Option, Shape, Target, Transfer, Variant
from shared.dune.table import Table

__all__ = [
    "Bar",
    "bar_options",
    "bar_targets",
    "bar_variants",
    "has_transfer",
    "limited",
    "limits",
    "with_choice",
]

OfferLimit = Callable[[Table, Offer], Offer]


class Bar(Struct, frozen=True):
    """Why something is barred: the sentence and the rule."""

    text: str
    rule: str


class _Row(Struct, frozen=True):
    pattern: str
    name: str
    rule: str
    apply: OfferLimit
    scope: Scope


_registry: list[_Row] = []


def limits(
    pattern: str, *, rule: str, modes: tuple[str, ...] = EVERY_MODE
) -> Callable[[OfferLimit], OfferLimit]:
    """Register a limit for a kind of offer (a pattern such as `ship*`), in games of these modes. [GEN-01]"""
    if not rule:
        raise ValueError("a limit needs the id of the rule that it implements")

    def register(function: OfferLimit) -> OfferLimit:
        name, scope = f"{function.__module__}.{function.__qualname__}", scope_of(function.__module__, modes)
        _registry.append(_Row(pattern, name, rule, function, scope))
        _registry.sort(key=lambda row: row.name)
        _rows_for.cache_clear()
        return function

    return register


@cache
def _rows_for(kind: str, mode: str, modules: tuple[str, ...]) -> tuple[_Row, ...]:
    """The limits that belong to a kind of offer in a game of this mode with these modules."""
    return tuple(
        row for row in _registry if row.scope.holds(mode, modules) and fnmatchcase(kind, row.pattern)
    )


def limited(table: Table, offer: Offer) -> Offer:
    """The offer with all limits that hold for its seat now."""
    for row in _rows_for(offer.kind, table.settings.mode, table.settings.modules):
        offer = row.apply(table, offer)
    return offer


def with_choice(offer: Offer, choice: Choice | None) -> Offer:
    """The offer with a narrower choice, and another default if the old one is barred; unchanged if nothing is left."""
    if choice is None:
        return offer
    default = offer.default
    if choice.problem(default) is not None:
        try:
            default = choice.sample(random.Random(0))
        except (LookupError, IndexError):
            return offer
    return msgspec.structs.replace(offer, choice=choice, default=default)


def bar_variants(choice: Choice, names: set[str], bar: Bar) -> Choice | None:
    """The choice without some things to do; None if nothing is left."""
    if not isinstance(choice, Variant):
        return choice
    left = {name: fields for name, fields in choice.variants.items() if name not in names}
    gone = [name for name in choice.variants if name in names]
    off = {**choice.off, **{name: Off(bar.text, bar.rule) for name in gone}}
    return Variant(left, choice.labels, off) if left else None


def bar_targets(choice: Choice, bars: Callable[[str, str], bool], bar: Bar) -> Choice | None:
    """The choice without the ways, from a source to a target, that `bars` names; None if nothing is left."""
    return _narrowed(choice, lambda shape: _without_ways(shape, bars, bar), bar)


def has_transfer(choice: Choice) -> bool:
    """Whether some forces can set out by this choice."""
    if isinstance(choice, Fields):
        return any(isinstance(shape, Transfer) for shape in choice.fields.values())
    return any(has_transfer(fields) for fields in choice.variants.values())


def bar_options(choice: Choice, field: str, bars: Callable[[object], bool], bar: Bar) -> Choice | None:
    """The choice without the options of a field that `bars` names; None if nothing is left."""

    def narrow(shape: Shape) -> Shape | None:
        if not isinstance(shape, OneOf):
            return shape
        options = tuple(_barred(option, bar) if bars(option.value) else option for option in shape.options)
        return OneOf(options) if any(not option.off for option in options) else None

    return _narrowed(choice, narrow, bar, field)


def _narrowed(
    choice: Choice, narrow: Callable[[Shape], Shape | None], bar: Bar, field: str = ""
) -> Choice | None:
    if isinstance(choice, Fields):
        return _fields(choice, narrow, field)
    left: dict[str, Fields] = {}
    off = dict(choice.off)
    for name, fields in choice.variants.items():
        found = _fields(fields, narrow, field)
        if found is None:
            off[name] = Off(bar.text, bar.rule)
        else:
            left[name] = found
    return Variant(left, choice.labels, off) if left else None


def _fields(fields: Fields, narrow: Callable[[Shape], Shape | None], field: str) -> Fields | None:
    found: dict[str, Shape] = {}
    for name, shape in fields.fields.items():
        if isinstance(shape, Fields | Variant):
            narrower: Shape | None = _narrowed(shape, narrow, Bar("", ""), field)
        else:
            narrower = narrow(shape) if not field or field == name else shape
        if narrower is None:
            return None
        found[name] = narrower
    return msgspec.structs.replace(fields, fields=found)


def _without_ways(shape: Shape, bars: Callable[[str, str], bool], bar: Bar) -> Shape | None:
    if not isinstance(shape, Transfer):
        return shape
    targets = tuple(left for target in shape.targets for left in _fewer_ways(target, bars, bar))
    narrower = msgspec.structs.replace(shape, targets=targets)
    return narrower if narrower.open_targets() else None


def _fewer_ways(target: Target, bars: Callable[[str, str], bool], bar: Bar) -> list[Target]:
    """What is left of a target: places that lose different ways part."""
    if target.off:
        return [target]
    left: dict[tuple[str, ...], list[str]] = {}
    for place in target.places:
        sources = tuple(source for source in target.sources if not bars(source, place))
        left.setdefault(sources, []).append(place)
    return [_left(target, tuple(places), sources, bar) for sources, places in left.items()]


def _left(target: Target, places: tuple[str, ...], sources: tuple[str, ...], bar: Bar) -> Target:
    """Some places of a target with the sources that still reach them; without any they are closed."""
    if sources or not target.sources:
        return msgspec.structs.replace(target, places=places, sources=sources)
    return msgspec.structs.replace(target, places=places, off=bar.text, rule=bar.rule)


def _barred(option: Option, bar: Bar) -> Option:
    return option if option.off else msgspec.structs.replace(option, off=bar.text, rule=bar.rule)
