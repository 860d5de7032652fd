"""The terms of a deal that the program can check and hold the parties to, for the rest of the turn. [DEAL-11]"""

from __future__ import annotations

from functools import cache

from services.rules.phases.pledges import BID, ENTER, SPARE
from shared.dune import facts
from shared.dune.events.deals import Deal
from shared.dune.events.pledges import PledgeMade
from shared.dune.settings import Faction
from shared.dune.shapes import OneOf, Option

__all__ = ["NOTHING", "pledges_from", "said", "term_options"]

NOTHING = "none"
SPARES = "spare"
NO_BID = "no_bid"
KEEP_OUT = "keep_out:"


@cache
def term_options(checkable: bool) -> OneOf:
    """What a side can promise not to do; nothing where a ruling leaves all to honour. [DEAL-04, DEAL-05, DEAL-11]"""
    nothing = Option(NOTHING, "Nothing that is checked")
    if not checkable:
        return OneOf((nothing,))
    strongholds = [t for t in facts.territories().values() if t.is_stronghold]
    return OneOf(
        (
            nothing,
            Option(SPARES, "Not to enter the other's territories this turn"),
            Option(NO_BID, "Not to bid for cards this turn"),
            *(Option(f"{KEEP_OUT}{t.id}", f"Not to enter {t.name} this turn") for t in strongholds),
        )
    )


def _words(term: str, other: Faction) -> str:
    if term == SPARES:
        return f"will not enter a territory of {facts.name(other)} this turn"
    if term == NO_BID:
        return "will not bid this turn"
    return f"will not enter {facts.name(term.removeprefix(KEEP_OUT))} this turn"


def said(deal: Deal) -> str:
    """The whole deal in words, as everybody reads it. [DEAL-02]"""
    parts = []
    if deal.give:
        parts.append(f"{facts.name(deal.by)} pays {deal.give} spice")
    if deal.take:
        parts.append(f"{facts.name(deal.to[0])} pays {deal.take} spice")
    if deal.by_term:
        parts.append(f"{facts.name(deal.by)} {_words(deal.by_term, deal.to[0])}")
    if deal.to_term:
        parts.append(f"{facts.name(deal.to[0])} {_words(deal.to_term, deal.by)}")
    return "; ".join((*parts, f"“{deal.text}”"))


def pledges_from(deal: Deal) -> tuple[PledgeMade, ...]:
    """What the parties are bound to by the checked terms. [DEAL-11]"""
    rows = ((deal.by, deal.by_term, deal.to[0]), (deal.to[0], deal.to_term, deal.by))
    return tuple(_pledge(deal, *row) for row in rows if row[1])


def _pledge(deal: Deal, faction: Faction, term: str, other: Faction) -> PledgeMade:
    if term == SPARES:
        form, what = SPARE, other
    elif term == NO_BID:
        form, what = BID, ""
    else:
        form, what = ENTER, term.removeprefix(KEEP_OUT)
    return PledgeMade(faction, form, what, "no", f"deal.{deal.number}", f"it {_words(term, other)}")
