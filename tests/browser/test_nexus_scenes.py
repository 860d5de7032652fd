"""Worked examples of the Nexus cards on a phone: their cases, played through the pages of their seats.

[EX-BG-01..EX-BG-05, EX-BG-12, EX-BG-19, EX-GUILD-38, EX-HARK-13, EX-HARK-19, EX-HARK-25, NEXUS-HARK-55]
`make nexus-tables` plays them. Scenes about a Homeworld wait for those.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import httpx
import pytest
from playwright.sync_api import Page, expect

from services.cases.run import run_case
from services.embedded.deployment import Deployment
from tests.browser.scenes import PageWorld
from tests.browser.test_nexus import CASES
from tests.browser.test_table import fits, open_question, picture
from tests.nexus.effects import CHAIN, SCENES, STORM

pytestmark = pytest.mark.skipif(
    not os.environ.get("SIETCH_NEXUS_TABLES"), reason="takes minutes: make nexus-tables"
)

Play = Callable[[str], PageWorld]


@pytest.fixture
def play(sietch: Deployment, open_page: Callable[..., Page]) -> Any:
    """Plays a case through the pages; whatever it expects holds of the stored game."""
    with httpx.Client(base_url=sietch.url, timeout=60) as client:

        def played(scene: str) -> PageWorld:
            made: list[PageWorld] = []

            def make(described: dict[str, Any]) -> PageWorld:
                made.append(PageWorld(client, described, open_page))
                return made[-1]

            assert run_case(CASES / scene, make).failed == []
            assert made[0].answered > 0
            return made[0]

        yield played


@pytest.mark.parametrize("scene", SCENES)
def test_a_scene_is_played_on_a_phone(scene: str, play: Play, pictures: Path) -> None:
    """Every page fits, complains of nothing, and loads again."""
    world = play(scene)
    world.look()
    picture(world.opened()[0], pictures, f"scene-{Path(scene).stem}-390")


def test_storm_is_the_reason_why_a_source_is_off(play: Play, pictures: Path) -> None:
    """The turned fighters stay where the storm is, and the control says why. [EX-BG-03, EX-BG-04]"""
    world = play(STORM)
    page = world.page("bene_gesserit")
    open_question(page, "move")
    page.get_by_test_id("do-move").click()
    source = page.get_by_test_id("from-arrakeen:9")
    expect(source).to_have_attribute("aria-disabled", "true")
    expect(source.locator(".reason")).to_contain_text("storm")
    fits(page)
    picture(page, pictures, "scene-under_the_storm-390")
    world.look()


def test_an_allied_call_is_played_to_the_private_draw(play: Play, pictures: Path) -> None:
    """Each seat reads on its own page what became of the chain, before and after a refresh. [NEXUS-HARK-55]"""
    world = play(CHAIN)
    seen(world)
    world.look()
    seen(world)
    caller, card = world.page("harkonnen"), world.show("atreides", "Mine")
    caller.locator(".covered .leaders").first.scroll_into_view_if_needed()
    picture(caller, pictures, "scene-allied-call-traitors-390")
    card.get_by_test_id("all-nexus").click()
    card.get_by_test_id("face-harkonnen").locator("summary").click()
    expect(card.get_by_test_id("panel-harkonnen-betrayal")).to_contain_text("yours")
    fits(card)
    picture(card, pictures, "scene-allied-call-card-390")


def seen(world: PageWorld) -> None:
    """The call was void, the winner looked at a card, spice was collected, the caller drew unseen by others."""
    log = world.show("atreides", "Log").get_by_role("log")
    for text in (
        "plays Nexus card Harkonnen:",
        "Atreides collects 2 spice",
        "draws from the traitor deck (1)",
    ):
        expect(log).to_contain_text(text)
    winner, caller = world.show("emperor", "Mine"), world.show("harkonnen", "Mine")
    for page in (winner, caller):
        page.get_by_test_id("cover").click()
    expect(winner.locator(".memory")).to_contain_text("Lasgun")
    expect(caller.locator(".covered .leaders").first.locator("li")).to_have_count(4)
