"""Worked examples of the Nexus cards on a phone: their cases, played through the pages of their seats.

[EX-BG-01, EX-BG-02, EX-BG-03, EX-BG-04] `make nexus-tables` plays them.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import httpx
import pytest
from playwright.sync_api import Page

from services.cases.run import run_case
from services.embedded.deployment import Deployment
from tests.browser.scenes import PageWorld
from tests.browser.test_nexus import CASES

SCENES = ("bene_gesserit/under_the_storm.toml", "bene_gesserit/fresh_advisors_turned.toml")
pytestmark = pytest.mark.skipif(
    not os.environ.get("SIETCH_NEXUS_TABLES"), reason="takes a minute: make nexus-tables"
)


@pytest.mark.parametrize("scene", SCENES)
def test_a_scene_is_played_on_a_phone(
    scene: str, sietch: Deployment, open_page: Callable[..., Page], pictures: Path
) -> None:
    """Whatever the case expects holds of the stored game; every page fits, complains of nothing, and loads again."""
    made: list[PageWorld] = []

    def make(described: dict[str, Any]) -> PageWorld:
        made.append(PageWorld(client, described, open_page))
        return made[-1]

    with httpx.Client(base_url=sietch.url, timeout=60) as client:
        assert run_case(CASES / scene, make).failed == []
        (world,) = made
        assert world.answered > 0
        world.look()
        for page in list(world._pages.values())[:1]:
            page.screenshot(path=pictures / f"scene-{Path(scene).stem}-390.png")
