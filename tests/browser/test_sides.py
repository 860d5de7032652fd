"""Forces of two sides on the table: advisors look and read otherwise than fighters, and turn when they are told."""

from __future__ import annotations

import re
from pathlib import Path

from playwright.sync_api import expect

from tests.browser.test_table import OpenPage, Stage, fits, open_question, picture, seat_page

AMONG_OTHERS: dict[str, object] = {
    "mode": "advanced",
    "seats": ["bene_gesserit", "harkonnen"],
    "circles": [1, 4],
    "turn": 2,
    "phase": "shipment",
    "storm": 18,
    "seed": 1,
    "discard": {"treachery": ["karama", "karama"]},
    "bene_gesserit": {"forces": {"arrakeen": {"advisor": 2}, "old_gap:9": 1}},
    "harkonnen": {"forces": {"arrakeen": 3}},
}


def test_advisors_are_told_from_fighters_and_become_them(
    open_page: OpenPage, stage: Stage, pictures: Path
) -> None:
    """By shape on the map, in words for who hears it, and in the sheet of the territory. [BG-21, BG-37]"""
    room = stage(AMONG_OTHERS)
    page = seat_page(open_page, room, "bene_gesserit")
    staying = page.locator(".token.forces.stays")
    arrakeen = page.locator('[data-territory="arrakeen"]')
    expect(staying).to_have_count(1)
    expect(arrakeen).to_have_attribute("aria-label", re.compile("Bene Gesserit 2 advisors"))
    picture(page, pictures, "advisors")
    open_question(page, "announce_fighters")
    fits(page)
    page.get_by_test_id("option-territories-arrakeen").click()
    page.get_by_test_id("submit").click()
    expect(staying).to_have_count(0)
    expect(arrakeen).to_have_attribute("aria-label", re.compile("Bene Gesserit 2(?! advisors)"))
