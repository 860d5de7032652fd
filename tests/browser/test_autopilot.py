"""A seat that its player leaves to a bot for a while, in the middle of a question, on a phone. [NEXUS-65, NEXUS-36]"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from playwright.sync_api import Page, expect

from tests.browser.test_table import await_question, fits, picture, seat_page

OpenPage = Callable[..., Page]
Stage = Callable[[dict[str, object]], Any]

GATE = "window.nexus.guild_payment"
SHIPPING: dict[str, object] = {
    "modules": ["nexus"],
    "seats": ["atreides", "harkonnen", "emperor", "guild"],
    "circles": [1, 4, 7, 10],
    "turn": 2,
    "phase": "shipment",
    "storm": 18,
    "atreides": {"spice": 10},
    "harkonnen": {"nexus": "choam"},
    "emperor": {"nexus": "guild"},
}
SHIP: dict[str, object] = {
    "do": "ship",
    "forces": {"from": {"reserves": {"regular": 2}}, "to": "carthag:10"},
}


def question(page: Page) -> str:
    """The offer that is put to me."""
    found: str = page.evaluate("document.querySelector('form.question').dataset.offer")
    return found


def switch(page: Page, wanted: str) -> None:
    """Press the button that lets a bot play, or takes the seat back, and wait until the page says so."""
    page.get_by_role("tab", name="Seats").click()
    page.get_by_test_id("autopilot").click()
    expect(page.get_by_test_id("autopilot")).to_have_text(wanted)


def test_a_bot_passes_a_gate_for_a_player_who_then_takes_over(
    open_page: OpenPage, stage: Stage, pictures: Path
) -> None:
    """The gate stays the same; the bot answers it for its seat alone; the next question is the player's again."""
    room = stage(SHIPPING)
    room.play("atreides", "ship", SHIP)
    room.silence_but(GATE)
    page = seat_page(open_page, room, "harkonnen")
    await_question(page, GATE)
    asked = question(page)
    switch(page, "Play myself again")
    expect(page.locator(f'form.question[data-offer="{asked}"]')).to_have_count(0)
    fits(page)
    picture(page, pictures, "autopilot-390")
    switch(page, "Let a bot play for me")
    other = seat_page(open_page, room, "emperor")
    await_question(other, GATE)
    expect(other.get_by_test_id("autopilot")).to_have_count(0)
    room.silence("emperor")
    room.play("atreides", "move", {"do": "end"})
    await_question(page, "ship")
