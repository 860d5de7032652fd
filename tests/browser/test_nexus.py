"""Nexus cards in a real Chromium on a phone: chosen in the lobby, held, looked at, asked about and drawn."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import httpx
from playwright.sync_api import Page, expect

from services.embedded.deployment import Deployment
from tests.browser.test_table import fits, open_question, picture, seat_page

OpenPage = Callable[..., Page]
Stage = Callable[[dict[str, object]], Any]

HELD: dict[str, object] = {
    "mode": "basic",
    "modules": ["nexus"],
    "seats": ["atreides", "harkonnen", "guild"],
    "turn": 2,
    "phase": "revival",
    "seed": 1,
    "atreides": {"spice": 5},
    "harkonnen": {"spice": 5, "nexus": "harkonnen"},
    "guild": {"spice": 5},
}


def test_the_host_chooses_the_cards_and_their_interpretations(
    sietch: Deployment, open_page: OpenPage, pictures: Path
) -> None:
    """Names come from the rules' data; the module's interpretations come and go with it. [NEXUS-70]"""
    with httpx.Client(base_url=sietch.url, timeout=60) as http:
        wish = {"name": "Cards", "player": "Leto", "settings": {"seats": 3}}
        made = http.post("/api/rooms", json=wish).json()
        code = made["code"]

        def settings() -> dict[str, Any]:
            found: dict[str, Any] = http.get(f"/api/rooms/{code}").json()["settings"]
            return found

        page = open_page(f"/r/{code}", cookies={code: f"{made['seat_token']}.{made['host_token']}"})
        expect(page.get_by_test_id("module-nexus")).to_have_text("Nexus cards")
        expect(page.get_by_test_id("rulings-nexus")).to_have_count(0)
        page.get_by_test_id("module-nexus").click()
        rulings = page.get_by_test_id("rulings-nexus")
        rulings.locator("summary").click()
        page.get_by_test_id("ruling-nexus.public_counts-all_counts").click()
        expect(rulings.locator(".ruling.changed, [aria-pressed=true]").first).to_be_visible()
        page.wait_for_function("() => document.querySelector('.ruling.changed')")
        assert settings()["rulings"] == {"nexus.public_counts": "all_counts"}
        fits(page)
        picture(page, pictures, "nexus-lobby-390")
        page.get_by_test_id("module-nexus").click()
        expect(page.get_by_test_id("rulings-nexus")).to_have_count(0)
        assert (settings()["modules"], settings()["rulings"]) == ([], {})


def test_a_holder_sees_its_card_and_why_and_others_only_that_it_holds_one(
    open_page: OpenPage, stage: Stage, pictures: Path
) -> None:
    """The own face, its panels and reasons; public presence; the twelve reference faces. [NEXUS-21, NEXUS-69]"""
    room = stage(HELD)
    holder, other = seat_page(open_page, room, "harkonnen"), seat_page(open_page, room, "guild")
    own = holder.get_by_test_id("own-nexus")
    expect(own).to_contain_text("draw a traitor card")
    expect(holder.get_by_test_id("panel-harkonnen-cunning").first).to_contain_text("yours")
    expect(holder.get_by_test_id("nexus-uses").locator("li")).to_have_count(1)
    fits(holder)
    picture(holder, pictures, "nexus-held-390")
    holder.get_by_test_id("play-nexus").click()
    expect(holder.get_by_test_id("more-sheet").get_by_test_id("do-harkonnen_cunning")).to_be_visible()
    holder.reload()
    expect(holder.get_by_test_id("nexus-uses").locator("li")).to_have_count(1)
    other.get_by_role("tab", name="Seats").click()
    expect(other.get_by_test_id("holds-nexus-harkonnen")).to_be_visible()
    expect(other.get_by_test_id("holds-nexus-guild")).to_have_count(0)
    other.get_by_role("tab", name="Decks").click()
    expect(other.get_by_test_id("nexus-holders")).to_contain_text("Held now by Harkonnen")
    expect(other.get_by_test_id("rulings-nexus")).to_be_visible()
    other.get_by_test_id("all-nexus-decks").click()
    expect(other.locator(".nexus-face")).to_have_count(12)
    other.get_by_test_id("face-ixians").locator("summary").click()
    expect(other.get_by_test_id("panel-ixians-secret_ally")).to_contain_text("yours")
    fits(other)
    picture(other, pictures, "nexus-faces-390")


def test_the_guide_opens_at_the_panel(open_page: OpenPage) -> None:
    """By the anchor of the page, and by the short link. [EX-GUILD-38]"""
    page = open_page("/rules?topic=nexus-guild-betrayal")
    expect(page).to_have_url(re.compile(r"topic=nexus#nexus-guild-betrayal$"))
    expect(page.locator("#nexus-guild-betrayal")).to_be_in_viewport()
    expect(page.locator("#interpretations dt")).not_to_have_count(0)
    fits(page)


CASES = Path(__file__).resolve().parents[1] / "cases/nexus_cards"


def test_a_card_is_drawn_at_a_real_closing_draw(open_page: OpenPage, stage: Stage, pictures: Path) -> None:
    """A Nexus, an alliance, and the one who has none draws. [NEXUS-07, NEXUS-13]"""
    table = tomllib.loads((CASES / "draw/own_card_kept.toml").read_text("utf-8"))["table"]
    room = stage(table)
    room.silence_but("nexus_draw")
    alone, other = seat_page(open_page, room, "harkonnen"), seat_page(open_page, room, "emperor")
    open_question(alone, "nexus_draw")
    picture(alone, pictures, "nexus-draw-390")
    alone.get_by_test_id("do-draw").click()
    alone.get_by_test_id("option-own_face-keep").click()
    fits(alone)
    alone.get_by_test_id("submit").click()
    expect(alone.get_by_test_id("own-nexus")).to_contain_text("draw a traitor card")
    other.get_by_role("tab", name="Log").click()
    expect(other.get_by_role("log")).to_contain_text("Nexus cards have been drawn; held now by: Harkonnen.")
