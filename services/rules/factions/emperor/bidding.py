"""The Emperor is paid for treachery cards. [EMP-03]"""

from __future__ import annotations

from services.rules.engine.hooks import contributes
from services.rules.engine.rulings import ruling
from services.rules.factions.emperor import NAME
from services.rules.phases.bidding_quotes import CardPayment
from shared.dune.table import BANK, Table

POWER = "emperor.income"


@contributes(CardPayment, rule="EMP-03", cancel=POWER)
def receives_the_price(due: CardPayment, table: Table) -> CardPayment:
    """What another faction pays is the Emperor's, usable at once; for its own cards it pays the bank. [EMP-04, EMP-06]

    What it contributes itself to its ally's purchase comes back to it. [BID-19]
    """
    if NAME not in table.seats or due.buyer == NAME:
        return due
    own_part = BANK if ruling(table, "emperor_contribution") == "to_bank" else NAME
    return due.step(
        due.value,
        "The Emperor receives what others pay for treachery cards",
        "EMP-03",
        receiver=NAME,
        ally_receiver=own_part if due.ally == NAME else NAME,
        power=POWER,
    )
