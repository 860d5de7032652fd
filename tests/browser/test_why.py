"""*Why?* on a phone: a fee, a strength and what victory needs open their lines, by finger and by keyboard."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

from playwright.sync_api import Locator, Page, expect

from tests.browser.test_table import fits, open_question, picture, seat_page

OpenPage = Callable[..., Page]
Stage = Callable[[dict[str, object]], Any]

SHIPPING: dict[str, object] = {
    "mode": "advanced",
    "seats": ["guild", "harkonnen"],
    "turn": 2,
    "phase": "shipment",
    "storm": 4,
    "seed": 1,
    "harkonnen": {"spice": 10, "forces": {"carthag": 3, "arrakeen": 2}},
    "guild": {"spice": 5},
}


def test_a_fee_and_what_victory_needs_say_why(open_page: OpenPage, stage: Stage, pictures: Path) -> None:
    """The price of a shipment from its question, the strongholds that count from the seats; who watches has no control.

    The strength of a battle is asked for in `test_advanced.py`.
    """
    room = stage(SHIPPING)
    room.silence_but("ship")
    page = seat_page(open_page, room, "harkonnen")
    if not page.locator('[data-kind="ship"]').count():
        room.silence("guild")
    open_question(page, "ship")
    sheet = opened(page, page.locator("form.question").get_by_test_id("why-shipment"))
    expect(sheet).to_contain_text("2 forces into a stronghold")
    line = sheet.locator("li", has_text="1 spice for each force")
    expect(line).to_contain_text("2")
    line.get_by_role("link", name="Rule SHIP-05").press("Enter")
    rule = sheet.locator("#rule-SHIP-05")
    expect(rule).to_be_focused()
    expect(rule).to_contain_text("Price: 1 spice per force into a stronghold, 2 per force anywhere else.")
    fits(page)
    picture(page, pictures, "why-fee-390")
    guide = rule.get_by_role("link", name="SHIP-05 in the rules guide")
    expect(guide).to_have_attribute("href", "/rules?topic=rules#SHIP-05")
    closed(page, sheet)
    page.get_by_test_id("fold").click()
    page.get_by_role("tab", name="Seats").click()
    sheet = opened(page, page.get_by_test_id("why-victory"))
    mine = sheet.get_by_role("region", name="Strongholds of Harkonnen")
    expect(mine.locator("li")).to_have_text(
        [re.compile("Arrakeen counts.*1"), re.compile("Carthag counts.*2")]
    )
    needed = sheet.get_by_role("region", name="Strongholds that Harkonnen must hold")
    expect(needed).to_contain_text("MENTAT-07")
    picture(page, pictures, "why-victory-390")
    closed(page, sheet)
    watching = open_page(f"/r/{room.code}")
    watching.get_by_role("tab", name="Seats").click()
    expect(watching.locator(".seats-panel .seat").first).to_be_visible()
    expect(watching.get_by_test_id("why-victory")).to_have_count(0)


def why_of(page: Page, topic: str, *texts: str) -> None:
    """Open the reasons of a question's number, read them, and close them again."""
    sheet = opened(page, page.locator("form.question").get_by_test_id(f"why-{topic}"))
    for text in texts:
        expect(sheet).to_contain_text(text)
    fits(page)
    closed(page, sheet)


def opened(page: Page, control: Locator) -> Locator:
    """The sheet behind a control, opened by the keyboard."""
    control.focus()
    control.press("Enter")
    sheet = page.get_by_test_id("why-sheet")
    expect(sheet.locator(".why-number").first).to_be_visible()
    return sheet


def closed(page: Page, sheet: Locator) -> None:
    """Escape closes it, and the focus is back at the control."""
    page.keyboard.press("Escape")
    expect(sheet).to_have_count(0)
    expect(page.locator(".why-button:focus")).to_have_count(1)
