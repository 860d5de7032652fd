"""Standing orders: a seat tells the program how to answer windows for it, and takes it back at will. [WINPOL-08]

They are private to their seat and do not depend on any hand, so an answer given by the program tells the others as
little as one given by hand. [WINPOL-07]
"""

from __future__ import annotations

from functools import cache
from typing import ClassVar

from services.rules.engine.flow import Flow, Frame, Next
from services.rules.engine.orders import order_mark
from services.rules.engine.play import Play
from services.rules.engine.standing import StandingAction, standing
from services.rules.engine.windows import reactions
from shared.dune.settings import Faction
from shared.dune.shapes import Fields, Json, OneOf, Option, Variant
from shared.dune.table import Table

__all__ = ["GiveOrder", "SetOrders", "with_order"]

FOREVER = "game"


@standing
class SetOrders(StandingAction):
    """Pass, use or be asked: for one kind of window, for a turn or for the game. [WINPOL-08]"""

    kind: ClassVar[str] = "orders"
    rule: ClassVar[str] = "WINPOL-08"
    why: ClassVar[str] = "Answer a kind of window by a standing order. Only you see your orders."
    stops_for_questions: ClassVar[bool] = False

    def choice(self, table: Table, seat: Faction, stack: tuple[Frame, ...]) -> Variant:
        """All kinds of windows that there are, and the very kind that is open for the seat now."""
        open_now = [offer.kind for offer in stack[-1].asked if offer.seat == seat and offer.window]
        kinds = [*_known_kinds(), *(kind for kind in open_now if kind not in _known_kinds())]
        return _shape(tuple(kinds), bool(table.names(order_mark(seat))))

    def default(self, table: Table, seat: Faction) -> Json:
        """Be asked."""
        return {"do": "ask", "window": next(iter(_known_kinds()))}

    def flow(self, table: Table, seat: Faction, answer: Json) -> Flow:
        """Remember it."""
        return GiveOrder(seat, answer)


class GiveOrder(Flow, tag="orders", frozen=True, omit_defaults=True):
    """One change of a seat's standing orders. [WINPOL-08]"""

    seat: Faction
    order: Json

    def start(self, play: Play) -> Next:
        """The newest order stands first and wins over wider ones."""
        held = play.table.names(order_mark(self.seat))
        play.set_secret(order_mark(self.seat), with_order(held, self.order, play.table.turn), self.seat)
        return self.done()


def with_order(held: tuple[str, ...], order: Json, turn: int) -> tuple[str, ...]:
    """The orders after one more: `pass`, `use` or `ask` for a kind of window; `forget` takes all back."""
    if order["do"] == "forget":
        return ()
    kept = tuple(row for row in held if row.partition("=")[0] != order["window"])
    name = order.get("reaction", order["do"])
    until = FOREVER if order.get("until", FOREVER) == FOREVER else str(turn)
    return (f"{order['window']}={name}@{until}", *kept)


@cache
def _known_kinds() -> dict[str, str]:
    """Patterns of window offers with what can be done in them."""
    found: dict[str, str] = {}
    for reaction in reactions().values():
        for kind in reaction.kinds:
            name = f"window.{kind}"
            found[name] = f"{found[name]}; {reaction.label}" if name in found else reaction.label
    return found


@cache
def _shape(kinds: tuple[str, ...], has_orders: bool) -> Variant:
    labels = _known_kinds()
    windows = OneOf(tuple(Option(kind, labels.get(kind, "The window open now")) for kind in kinds))
    until = OneOf((Option("turn", "This turn"), Option(FOREVER, "The whole game")))
    uses = OneOf(tuple(Option(r.name, r.label) for r in reactions().values() if r.may_be_ordered))
    told = {"window": "Window", "until": "For", "reaction": "Use"}
    variants = {
        "pass": Fields({"window": windows, "until": until}, labels=told),
        "ask": Fields({"window": windows}, labels=told),
    }
    if uses.options:
        variants["use"] = Fields({"window": windows, "reaction": uses, "until": until}, labels=told)
    if has_orders:
        variants["forget"] = Fields({})
    names = {"pass": "Pass for me", "ask": "Ask me", "use": "Use it for me", "forget": "Forget all my orders"}
    return Variant(variants, {name: names[name] for name in variants})
