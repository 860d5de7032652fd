"""What the Bidding Phase asks of factions, cards and modules: how many cards are dealt, who is paid for one."""

from __future__ import annotations

from services.rules.engine.hooks import Quote
from shared.dune.settings import Faction
from shared.dune.table import BANK

__all__ = ["AuctionSize", "CardPayment", "CardShares"]


class AuctionSize(Quote, frozen=True, kw_only=True):
    """How many cards are dealt for auction. [BID-02]"""


class CardPayment(Quote, frozen=True, kw_only=True):
    """A price about to be paid: its value is the whole bid, its `receiver` who gets it. [BID-17]

    `power` is the Karama name of the power by which somebody other than the bank is paid; empty if none is. The
    ally's part may go elsewhere: `ally_receiver`. [BID-19]
    """

    buyer: Faction
    ally: Faction = ""
    receiver: str = BANK
    ally_receiver: str = BANK
    power: str = ""


class CardShares(Quote, frozen=True, kw_only=True):
    """Who pays which part of a price: its value is what is due of it, 0 if the buyer keeps its spice. [BID-18]

    `to_owner`: whether it goes to whom it is due; else the bank has it.
    """

    buyer: Faction
    own: int = 0
    ally: Faction = ""
    ally_part: int = 0
    to_owner: bool = True
