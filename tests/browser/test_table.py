"""The table in a real Chromium: a room, an auction and a battle on a phone, and what a table must never do."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page, expect

OpenPage = Callable[..., Page]
REVIEWED = ("battle_plan", "prediction")
Stage = Callable[[dict[str, object]], Any]

DUEL: dict[str, object] = {
    "seats": ["atreides", "harkonnen"],
    "turn": 2,
    "phase": "battle",
    "storm": 4,
    "seed": 1,
    "atreides": {"spice": 10, "hand": ["lasgun", "snooper"], "forces": {"arrakeen": 5}},
    "harkonnen": {"hand": ["shield"], "forces": {"arrakeen": 3}},
}
AUCTION: dict[str, object] = {
    "seats": ["emperor", "atreides", "guild"],
    "turn": 2,
    "phase": "bidding",
    "seed": 3,
    "emperor": {"spice": 12, "hand": ["crysknife"]},
}


def no_wider(page: Page) -> None:
    """Nothing scrolls sideways at the width that the page has."""
    size = page.viewport_size
    assert size is not None
    wide, width = page.evaluate("document.documentElement.scrollWidth"), size["width"]
    assert wide <= width, f"{wide} px wide at {width}"


def fits(page: Page) -> None:
    """Nothing scrolls sideways, at any width that phones have."""
    for width in (360, 390, 430):
        page.set_viewport_size({"width": width, "height": 844})
        no_wider(page)
    page.set_viewport_size({"width": 390, "height": 844})


def picture(page: Page, folder: Path, name: str) -> None:
    """A screenshot, once nothing moves any more."""
    page.wait_for_timeout(300)
    page.screenshot(path=folder / f"{name}.png")


def await_question(page: Page, kind: str) -> None:
    """Wait until this question is put to me."""
    page.wait_for_selector(f'[data-kind="{kind}"]', state="attached")


def open_question(page: Page, kind: str) -> None:
    """Unfold the question."""
    await_question(page, kind)
    if page.get_by_test_id("open-decision").is_visible():
        page.get_by_test_id("open-decision").click()
    expect(page.locator(f'[data-kind="{kind}"]')).to_be_visible()


def asked_kind(page: Page) -> str:
    """The kind of the question that is put to me now; empty if there is none."""
    found = page.locator("form.question[data-kind]")
    return (found.first.get_attribute("data-kind") or "") if found.count() else ""


def submit(page: Page, kind: str) -> None:
    """Send what is drafted; once more where answers to this kind are shown for review first."""
    button = page.get_by_test_id("submit").last
    button.click()
    if kind in REVIEWED:
        expect(page.get_by_role("button", name="Change it")).to_be_visible()
        button.click()


def take_default(page: Page) -> None:
    """Answer whatever is asked with what the form begins with, or by leaving it, by the buttons of the page."""
    kind = asked_kind(page)
    open_question(page, kind)
    offer = page.evaluate("document.querySelector('form.question').dataset.offer")
    idle = page.get_by_test_id("idle")
    if idle.count():
        idle.click()
    else:
        submit(page, kind)
    page.wait_for_function("id => document.querySelector('form.question')?.dataset.offer !== id", arg=offer)


def go_on_until(page: Page, kind: str, meanwhile: Callable[[], object] = lambda: None) -> None:
    """Answer by default, through the page, until this question comes."""
    for _ in range(60):
        meanwhile()
        page.wait_for_timeout(150)
        now = asked_kind(page)
        if now == kind:
            return
        if now:
            take_default(page)
    raise AssertionError(f"{kind} was not asked")


def seat_page(open_page: OpenPage, room: Any, seat: str, *, phone: bool = True) -> Page:
    """The table as a seat of a staged room sees it."""
    page = open_page(f"/r/{room.code}", phone=phone, cookies={room.code: room.seats[seat]})
    page.wait_for_selector("svg.map")
    return page


def test_a_room_is_made_and_its_game_begins(open_page: OpenPage, pictures: Path) -> None:
    """Through the pages alone: name, room, faction, bots, start, and the first questions of the game."""
    page = open_page("/")
    page.get_by_label("Your name").fill("Ann")
    page.get_by_label("Name of the room").fill("Sunday table")
    page.get_by_test_id("seats-3").click()
    page.get_by_test_id("make").click()
    page.wait_for_url(re.compile(r"/r/[A-Z0-9]+$"))
    page.get_by_test_id("faction-atreides").click()
    expect(page.get_by_test_id("faction-atreides")).to_have_attribute("aria-pressed", "true")
    page.get_by_test_id("bot-2").click()
    expect(page.get_by_text("bot, easy")).to_have_count(1)
    page.get_by_test_id("free-2").click()
    expect(page.get_by_text("bot, easy")).to_have_count(0)
    page.get_by_test_id("fill").click()
    expect(page.get_by_text("bot, easy")).to_have_count(2)
    page.get_by_test_id("ready").click()
    fits(page)
    picture(page, pictures, "lobby-390")
    page.get_by_test_id("start").click()
    page.wait_for_selector("svg.map")
    open_question(page, "traitor")
    page.locator('[data-kind="traitor"] .choice').nth(2).click()
    page.get_by_test_id("submit").click()
    go_on_until(page, "bid")
    fits(page)
    picture(page, pictures, "map-390")
    page.get_by_role("tab", name="Log").click()
    expect(page.get_by_role("log")).to_contain_text("Storm")


def test_a_card_is_bought_on_a_phone(open_page: OpenPage, stage: Stage, pictures: Path) -> None:
    room = stage(AUCTION)
    page = seat_page(open_page, room, "emperor")
    go_on_until(page, "bid", lambda: room.silence("atreides", "guild"))
    open_question(page, "bid")
    page.get_by_label("Your bid: one more").click()
    page.get_by_label("Your bid: one more").click()
    expect(page.get_by_test_id("submit")).to_have_text("Bid 3")
    expect(page.get_by_text("You hold no Karama.").first).to_be_attached()
    fits(page)
    picture(page, pictures, "auction-390")
    page.get_by_test_id("submit").click()
    room.silence("atreides", "guild")
    page.wait_for_timeout(200)
    page.get_by_role("tab", name="Log").click()
    expect(page.get_by_role("log")).to_contain_text(re.compile(r"Emperor bids 3"))


def test_a_battle_is_planned_and_fought_on_a_phone(open_page: OpenPage, stage: Stage, pictures: Path) -> None:
    """The plan's total follows the draft, what is off says why, and the plan is reviewed before it is committed."""
    room = stage(DUEL)
    page = seat_page(open_page, room, "atreides")
    go_on_until(page, "battle_plan", lambda: silence_but_plan(room))
    open_question(page, "battle_plan")
    for _ in range(3):
        page.get_by_label("Dial: one more").click()
    page.get_by_test_id("option-leader-gurney_halleck").click()
    page.get_by_test_id("option-weapon-lasgun").click()
    expect(page.get_by_test_id("battle-total")).to_contain_text("7")
    barred = page.locator('[data-kind="battle_plan"] .choice.off').first
    expect(barred).to_have_attribute("aria-disabled", "true")
    expect(barred.locator(".reason")).not_to_be_empty()
    fits(page)
    picture(page, pictures, "battle-390")
    page.get_by_test_id("submit").click()
    expect(page.get_by_text("Review", exact=True)).to_be_visible()
    page.get_by_test_id("submit").click()
    page.wait_for_selector('[data-kind="battle_plan"]', state="detached")
    room.silence("harkonnen")
    page.wait_for_timeout(300)
    page.get_by_role("tab", name="Log").click()
    expect(page.get_by_role("log")).to_contain_text(
        re.compile("Atreides reveals: leader Gurney Halleck, dial 3")
    )


def silence_but_plan(room: Any) -> None:
    """Let the opponent answer everything that comes before the plans."""
    for offer in room.view("harkonnen").get("offers", []):
        if offer["kind"] != "battle_plan":
            room.silence("harkonnen")
            return


def test_a_place_is_chosen_on_the_map_or_in_the_list(open_page: OpenPage, stage: Stage) -> None:
    """The same shipment twice: tapped on the map, then sought in the list; both draft the same answer."""
    table = {**AUCTION, "phase": "shipment", "seats": ["harkonnen", "atreides"], "harkonnen": {"spice": 10}}
    del table["emperor"]
    room = stage(table)
    page = seat_page(open_page, room, "harkonnen")
    go_on_until(page, "ship", lambda: room.silence("atreides"))
    open_question(page, "ship")
    page.get_by_role("button", name="Choose on the map").click()
    page.locator('[data-territory="carthag"]').click()
    expect(page.get_by_test_id("to-carthag:10")).to_have_attribute("aria-pressed", "true")
    expect(page.get_by_test_id("submit")).to_have_text(re.compile("to Carthag"))
    page.get_by_test_id("search-places").fill("sietch tabr")
    page.get_by_test_id("to-sietch_tabr:13").click()
    expect(page.get_by_test_id("submit")).to_have_text(re.compile("to Sietch Tabr"))
    page.get_by_test_id("submit").click()
    page.wait_for_selector('[data-kind="ship"]', state="detached")


def test_the_keyboard_reads_the_map(open_page: OpenPage, stage: Stage) -> None:
    """One stop in the tab order, arrows to the neighbour, Enter opens its sheet, Escape gives the focus back."""
    room = stage(DUEL)
    page = seat_page(open_page, room, "harkonnen", phone=False)
    assert page.locator('.map [role="button"][tabindex="0"]').count() == 1
    page.locator('[data-territory="arrakeen"]').focus()
    label = page.locator('[data-territory="arrakeen"]').get_attribute("aria-label") or ""
    assert "Atreides 5" in label
    assert "Harkonnen 3" in label
    page.keyboard.press("ArrowLeft")
    expect(page.locator('[data-territory="imperial_basin"]')).to_be_focused()
    page.keyboard.press("Enter")
    expect(page.get_by_test_id("territory-sheet")).to_contain_text("Imperial Basin")
    page.keyboard.press("Escape")
    expect(page.locator('[data-territory="imperial_basin"]')).to_be_focused()


def test_a_reload_keeps_the_question_and_a_draft_is_no_answer(open_page: OpenPage, stage: Stage) -> None:
    room = stage(DUEL)
    page = seat_page(open_page, room, "atreides")
    kind = room.view("atreides")["offers"][0]["kind"]
    open_question(page, kind)
    page.locator(f'[data-kind="{kind}"] .choice').first.click()
    page.reload()
    page.wait_for_selector("svg.map")
    await_question(page, kind)
    assert room.view("atreides")["offers"][0].get("committed") is None


def test_a_lost_connection_is_taken_up_again(open_page: OpenPage, stage: Stage) -> None:
    room = stage(DUEL)
    page = seat_page(open_page, room, "harkonnen")
    page.context.set_offline(True)
    room.silence("atreides")
    page.context.set_offline(False)
    page.evaluate("window.dispatchEvent(new Event('online'))")
    wanted = room.view("harkonnen")["offers"][0]["kind"]
    await_question(page, wanted)


def test_a_spectator_sees_no_secret(open_page: OpenPage, stage: Stage) -> None:
    """Nothing that the network brings a watcher names a card of a hand."""
    room = stage(DUEL)
    page = open_page("about:blank")
    bodies: list[str] = []
    page.on(
        "response", lambda r: bodies.append(r.text()) if "/api/" in r.url and "stream" not in r.url else None
    )
    page.goto(f"/r/{room.code}")
    page.wait_for_selector("svg.map")
    shown = page.evaluate(f"fetch('/api/rooms/{room.code}/view').then((answer) => answer.text())")
    for secret in ("lasgun", "shield#", "snooper"):
        assert secret not in json.dumps(bodies)
        assert secret not in shown
    expect(page.get_by_text("You are watching.")).to_be_visible()


def test_what_may_be_done_at_any_time_is_one_tap_away(
    open_page: OpenPage, stage: Stage, pictures: Path
) -> None:
    """A bribe, from the list of standing offers, through the same widgets."""
    room = stage({**AUCTION, "phase": "bidding"})
    page = seat_page(open_page, room, "emperor")
    page.get_by_test_id("more").click()
    page.get_by_test_id("standing-bribe").click()
    page.wait_for_selector('[data-kind="bribe"]')
    fits(page)
    picture(page, pictures, "more-390")
    page.get_by_test_id("more-sheet").get_by_test_id("submit").click()
    page.get_by_test_id("more-sheet").wait_for(state="detached")
    assert any(one.get("bribes") for one in room.view("emperor")["factions"].values())


def test_a_form_whose_occasion_has_passed_says_so_and_keeps_what_was_chosen(
    open_page: OpenPage, stage: Stage
) -> None:
    """What is offered in another turn has another id: the page asks for it anew. [NEXUS-42, NEXUS-71]"""
    room = stage({**AUCTION, "phase": "mentat"})
    page = seat_page(open_page, room, "emperor")
    page.get_by_test_id("more").click()
    page.get_by_test_id("standing-reveal").click()
    sheet = page.get_by_test_id("more-sheet")
    sheet.get_by_test_id("option-to-guild").click()
    expect(sheet.get_by_test_id("moved-on")).to_have_count(0)
    room.silence_but("storm_dial")
    expect(sheet.get_by_test_id("moved-on")).to_be_visible()
    expect(sheet.get_by_test_id("option-to-guild")).to_have_attribute("aria-pressed", "true")
    sheet.get_by_test_id("submit").click()
    sheet.wait_for(state="detached")


@pytest.mark.parametrize("phone", [True, False])
def test_targets_are_big_enough_for_a_thumb(
    open_page: OpenPage, stage: Stage, phone: bool, pictures: Path
) -> None:
    """Every button outside of the map has 44 px both ways; the map's places are in a list, too. [WCAG 2.5.8]"""
    room = stage(DUEL)
    page = seat_page(open_page, room, "atreides", phone=phone)
    picture(page, pictures, "battle-1280" if not phone else "table-390")
    small = page.evaluate(
        """() => [...document.querySelectorAll('button, summary, [role=tab]')].filter((item) => {
            const box = item.getBoundingClientRect();
            return box.width && (box.width < 43.5 || box.height < 43.5);
        }).map((item) => item.outerHTML.slice(0, 120))"""
    )
    assert small == []
