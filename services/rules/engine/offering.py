"""Building offers: the id is given by the trampoline when the offer is put to its seat."""

from __future__ import annotations

from shared.dune.offers import Choice, Offer
from shared.dune.settings import Faction
from shared.dune.shapes import Fields, Json, OneOf, Option, Variant

__all__ = ["choose", "offer", "yes_no"]


def offer(
    seat: Faction,
    kind: str,
    why: str,
    choice: Choice,
    *,
    default: Json,
    about: dict[str, str | int | bool | list[str] | dict[str, int] | None] | None = None,
    rules: tuple[str, ...] = (),
    clock: str = "turn",
    window: bool = False,
    final: bool = False,
) -> Offer:
    """A question to a seat. ValueError if the default is not a legal answer: that would be a fault of the rules."""
    if found := choice.problem(default):
        raise ValueError(f"the default of {kind} for {seat} is not legal: {found.path}: {found.text}")
    return Offer("", seat, kind, why, choice, default, about or {}, rules, clock, window, final=final)


def choose(options: list[Option], label: str = "") -> Fields:
    """A choice of one option, answered as `{"choice": value}`."""
    return Fields({"choice": OneOf(tuple(options))}, labels={"choice": label} if label else {})


def yes_no(yes: str, no: str) -> Variant:
    """A choice between doing something and leaving it: `{"do": "yes"}` or `{"do": "no"}`; buttons say what they do."""
    return Variant({"yes": Fields({}), "no": Fields({})}, {"yes": yes, "no": no})
