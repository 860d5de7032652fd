"""An Advanced battle in a real Chromium, on a phone: Voice and Prescience bind the plan, and the sheet says why."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

from playwright.sync_api import Page, expect

from tests.browser.test_table import fits, open_question, picture, seat_page
from tests.browser.test_why import why_of

OpenPage = Callable[..., Page]
Stage = Callable[[dict[str, object]], Any]

BATTLE: dict[str, object] = {
    "mode": "advanced",
    "seats": ["atreides", "harkonnen", "bene_gesserit"],
    "turn": 2,
    "phase": "battle",
    "storm": 18,
    "seed": 1,
    "atreides": {"spice": 3, "hand": ["crysknife"], "forces": {"arrakeen": 4}, "ally": "bene_gesserit"},
    "harkonnen": {"spice": 4, "hand": ["chaumas", "maula_pistol", "shield"], "forces": {"arrakeen": 5}},
    "bene_gesserit": {"spice": 2},
}
"""Bene Gesserit speak for their ally Atreides, which asks by Prescience; Harkonnen are bound by both."""


def test_voice_and_prescience_bind_a_plan_on_a_phone(
    open_page: OpenPage, stage: Stage, pictures: Path
) -> None:
    """The whole battle by three people: a command, an element asked and shown, and a plan that keeps to both."""
    room = stage(BATTLE)
    speaker, seer, bound = (
        seat_page(open_page, room, seat) for seat in ("bene_gesserit", "atreides", "harkonnen")
    )
    speak(speaker, "do-play", "option-card-poison_weapon")
    room.silence_but("prescience")
    open_question(seer, "prescience")
    seer.get_by_test_id("do-ask").click()
    seer.get_by_test_id("option-element-dial").click()
    seer.get_by_test_id("submit").click()
    room.silence_but("prescience_answer")
    open_question(bound, "prescience_answer")
    for _ in range(5):
        bound.get_by_label("Dial: one more").click()
    expect(bound.get_by_test_id("submit")).to_contain_text("2½")
    bound.get_by_test_id("submit").click()
    room.silence_but("battle_plan")
    plan(bound, pictures)
    seen_by(seer, pictures)


def speak(page: Page, verb: str, card: str) -> None:
    """Give the command of the Voice."""
    open_question(page, "voice")
    page.get_by_test_id(verb).click()
    page.get_by_test_id(card).click()
    page.get_by_test_id("submit").click()
    page.wait_for_selector('[data-kind="voice"]', state="detached")


def plan(page: Page, pictures: Path) -> None:
    """What binds is told with its rule; whatever it rules out is off with its reason; the rest is free."""
    open_question(page, "battle_plan")
    expect(page.get_by_test_id("bound-voice")).to_contain_text("The Voice: You must play Poison weapon")
    expect(page.get_by_test_id("bound-voice")).to_contain_text("BG-12")
    expect(page.get_by_test_id("bound-dial")).to_contain_text("You showed Atreides dial 2½ and must use it")
    expect(page.get_by_test_id("bound-dial")).to_contain_text("ATR-09")
    pistol = page.get_by_test_id("option-weapon-maula_pistol")
    expect(pistol).to_have_attribute("aria-disabled", "true")
    expect(pistol.locator(".reason")).to_contain_text("the Voice demands a poison weapon")
    page.get_by_test_id("option-leader-umman_kudu").click()
    page.get_by_test_id("option-weapon-chaumas").click()
    expect(page.get_by_test_id("battle-total")).to_contain_text("3½")
    page.get_by_test_id("number-spice").fill("3")
    page.get_by_test_id("number-spice").blur()
    expect(page.get_by_test_id("submit")).to_have_attribute("aria-disabled", "true")
    expect(page.get_by_test_id("submit").locator(".reason")).to_contain_text("make up this dial")
    page.get_by_label("Spice: one less").click()
    expect(page.get_by_test_id("submit")).not_to_have_attribute("aria-disabled", "true")
    why_of(page, "strength", "Half of it without 1 spice", "BATTLE-31")
    fits(page)
    picture(page, pictures, "advanced-battle-390")
    page.get_by_test_id("submit").click()
    page.get_by_test_id("submit").click()
    page.wait_for_selector('[data-kind="battle_plan"]', state="detached")


def seen_by(page: Page, pictures: Path) -> None:
    """The other side sees what was shown, makes its plan, and the log tells of halves."""
    open_question(page, "battle_plan")
    expect(page.get_by_test_id("bound-dial")).to_contain_text("Harkonnen showed Atreides dial 2½")
    expect(page.get_by_test_id("bound-voice")).to_contain_text("The Voice: Harkonnen must play Poison weapon")
    for _ in range(3):
        page.get_by_label("Dial: one more").click()
    fits(page)
    picture(page, pictures, "advanced-seer-390")
    page.get_by_test_id("submit").click()
    page.get_by_test_id("submit").click()
    page.wait_for_selector('[data-kind="battle_plan"]', state="detached")
    page.get_by_role("tab", name="Log").click()
    expect(page.get_by_role("log")).to_contain_text(
        re.compile("Harkonnen reveals: leader Umman Kudu, dial 2½, weapon Chaumas, .* 2 spice")
    )
