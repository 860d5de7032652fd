"""Every effect of a Nexus card in classic rosters, by the name of its use: the faction on the card, and the panel."""

from __future__ import annotations

from shared.dune.facts.nexus import nexus_card_of

__all__ = ["EFFECTS", "receipt_of"]

EFFECTS: dict[str, tuple[str, str]] = {
    "second_element": ("atreides", "cunning"),
    "stop_prescience": ("atreides", "betrayal"),
    "one_element": ("atreides", "secret_ally"),
    "turn_advisors": ("bene_gesserit", "cunning"),
    "stop_voice": ("bene_gesserit", "betrayal"),
    "borrow_voice": ("bene_gesserit", "secret_ally"),
    "count_as_sardaukar": ("emperor", "cunning"),
    "emperor_forced_payment": ("emperor", "betrayal"),
    "suppress_sardaukar": ("emperor", "betrayal"),
    "emperor_price_kept": ("emperor", "secret_ally"),
    "emperor_revival": ("emperor", "secret_ally"),
    "fremen_cunning": ("fremen", "cunning"),
    "fremen_no_rides": ("fremen", "betrayal"),
    "fremen_one_territory": ("fremen", "betrayal"),
    "fremen_protection": ("fremen", "secret_ally"),
    "fremen_revival": ("fremen", "secret_ally"),
    "nexus_second_shipment": ("guild", "cunning"),
    "nexus_take_payment": ("guild", "betrayal"),
    "nexus_ship": ("guild", "secret_ally"),
    "nexus_cross_ship": ("guild", "secret_ally"),
    "nexus_return": ("guild", "secret_ally"),
    "harkonnen_cunning": ("harkonnen", "cunning"),
    "harkonnen_betrayal": ("harkonnen", "betrayal"),
    "harkonnen_secret_ally": ("harkonnen", "secret_ally"),
    "nexus_five_as_one": ("richese", "secret_ally"),
    "ixian_secret_ally": ("ixians", "secret_ally"),
    "tleilaxu_secret_ally": ("tleilaxu", "secret_ally"),
    "choam_trade": ("choam", "secret_ally"),
    "choam_look": ("choam", "secret_ally"),
    "ecaz_secret_ally": ("ecaz", "secret_ally"),
    "moritani_secret_ally": ("moritani", "secret_ally"),
}


def receipt_of(effect: str, seat: str) -> tuple[str, str, str]:
    """Who plays which card by which panel when a seat uses an effect."""
    native, panel = EFFECTS[effect]
    return seat, nexus_card_of(native), panel
