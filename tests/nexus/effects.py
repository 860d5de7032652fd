"""Every effect of a Nexus card in classic rosters, by the name of its use; scenes of them."""

from __future__ import annotations

from shared.dune.facts.nexus import nexus_card_of

__all__ = ["CHAIN", "EFFECTS", "ON_PHONES", "SCENES", "STORM", "receipt_of"]

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

ON_PHONES = ("atreides", "bene_gesserit", "guild", "harkonnen")
"""Whose cards are played in whole games on phones, too."""

SCENES = (
    "atreides/both_cancel_at_once.toml",
    "bene_gesserit/borrowed_and_cancelled.toml",
    "bene_gesserit/fresh_advisors_turned.toml",
    "bene_gesserit/turning_cancelled.toml",
    "guild/own_payment.toml",
    "guild/return_taken.toml",
    "guild/all_pass.toml",
    "guild/ally_pays_a_part.toml",
    "guild/free_reserves.toml",
    "guild/stopped_shipment.toml",
    "harkonnen/karama_first.toml",
    "harkonnen/one_pass_of_two.toml",
)
STORM = "bene_gesserit/under_the_storm.toml"
CHAIN = "harkonnen/an_allied_call_to_the_mentat_pause.toml"
"""Cases below `tests/cases/nexus_cards` that are played through the pages of their seats."""


def receipt_of(effect: str, seat: str) -> tuple[str, str, str]:
    """Who plays which card by which panel when a seat uses an effect."""
    native, panel = EFFECTS[effect]
    return seat, nexus_card_of(native), panel
