"""The windows of four Nexus cards on a phone, from their cases: Use, Pass, the wrong face, a refresh, a restart."""

from __future__ import annotations

import os
import tomllib
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from services.embedded.deployment import Deployment
from tests.browser.test_nexus import CASES
from tests.browser.test_table import fits, open_question, picture, seat_page

OpenPage = Callable[..., Page]
Stage = Callable[[dict[str, object]], Any]
SERVICES = ("rules", "projection", "bot", "room")


@dataclass(frozen=True)
class Chain:
    """A window as a case comes to it: its kind, who holds the card, who is asked in vain, the use, what others read."""

    case: str
    kind: str
    holder: str
    other: str
    use: str
    card: str

    def setup(self) -> tuple[dict[str, Any], list[dict[str, Any]]]:
        """The table of the case, and what is answered there before the window opens."""
        case = tomllib.loads((CASES / self.case).read_text("utf-8"))
        plays = [step for step in case["play"] if "answer" in step]
        before = next(at for at, step in enumerate(plays) if step["offer"] == self.kind)
        return case["table"], plays[:before]


CHAINS = {
    "guild": Chain(
        "guild/payment_taken.toml",
        "window.nexus.guild_payment",
        "emperor",
        "atreides",
        "nexus_take_payment",
        "Spacing Guild",
    ),
    "harkonnen": Chain(
        "harkonnen/betrayal.toml",
        "window.nexus.harkonnen_traitor",
        "atreides",
        "emperor",
        "harkonnen_betrayal",
        "Harkonnen",
    ),
    "bene_gesserit": Chain(
        "bene_gesserit/a_voice_is_stopped.toml",
        "window.cancel.bene_gesserit.voice",
        "guild",
        "fremen",
        "stop_voice",
        "Bene Gesserit",
    ),
    "atreides": Chain(
        "atreides/a_question_is_stopped.toml",
        "window.cancel.atreides.prescience",
        "fremen",
        "harkonnen",
        "stop_prescience",
        "Atreides",
    ),
}


SHORT = "guild"
CHOSEN = list(CHAINS) if os.environ.get("SIETCH_NEXUS_TABLES") else [SHORT]
"""`make nexus-tables` opens all of them, a run by default one."""


@pytest.fixture(params=CHOSEN)
def chain(request: pytest.FixtureRequest) -> Chain:
    return CHAINS[request.param]


def _opened(chain: Chain, stage: Stage) -> Any:
    table, before = chain.setup()
    room = stage(table)
    for step in before:
        room.play(step["seat"], step["offer"], step["answer"])
    room.silence_but(chain.kind)
    return room


def _restart(sietch: Deployment) -> None:
    for name in SERVICES:
        sietch.stop(name)
    for name in SERVICES:
        sietch.children[name][0].start()
    sietch.wait_ready()


def test_the_card_is_used_after_a_refresh_and_a_restart_of_all_services(
    chain: Chain, sietch: Deployment, open_page: OpenPage, stage: Stage, pictures: Path
) -> None:
    """The window stands as it was; the wrong face has Pass alone, with the reason; the use counts once."""
    room = _opened(chain, stage)
    holder, other = seat_page(open_page, room, chain.holder), seat_page(open_page, room, chain.other)
    open_question(other, chain.kind)
    wrong = other.get_by_test_id(f"do-{chain.use}")
    expect(wrong).to_have_attribute("aria-disabled", "true")
    expect(wrong.locator(".reason")).to_contain_text("You do not hold the Nexus card")
    fits(other)
    picture(other, pictures, f"nexus-{chain.holder}-wrong-face-390")
    holder.reload()
    open_question(holder, chain.kind)
    expect(holder.get_by_test_id(f"do-{chain.use}")).not_to_have_attribute("aria-disabled", "true")
    for page in (holder, other):
        page.goto("about:blank")
    _restart(sietch)
    for page in (holder, other):
        page.goto(f"{sietch.url}/r/{room.code}")
    open_question(holder, chain.kind)
    if chain.kind.startswith("window.nexus."):
        expect(holder.get_by_test_id("own-panel")).to_have_text(f"You hold Nexus card {chain.card}, Betrayal")
    fits(holder)
    picture(holder, pictures, f"nexus-{chain.holder}-use-390")
    holder.get_by_test_id(f"do-{chain.use}").click()
    holder.get_by_test_id("submit").click()
    holder.wait_for_selector(f'[data-kind="{chain.kind}"] [data-testid="submit"]', state="hidden")
    room.silence(*[seat for seat in room.seats if _asks(room, seat, chain.kind)])
    other.get_by_role("tab", name="Log").click()
    expect(other.get_by_role("log")).to_contain_text(f"plays Nexus card {chain.card}:")
    holder.get_by_role("tab", name="Mine").click()
    expect(holder.get_by_test_id("own-nexus")).to_have_count(0)


def _asks(room: Any, seat: str, kind: str) -> bool:
    return any(o["kind"] == kind and o.get("committed") is None for o in room.view(seat).get("offers", []))


def test_the_card_is_kept_where_its_holder_passes(chain: Chain, open_page: OpenPage, stage: Stage) -> None:
    """With Pass nothing is told of the card, and it stays in the hand."""
    room = _opened(chain, stage)
    holder = seat_page(open_page, room, chain.holder)
    open_question(holder, chain.kind)
    holder.get_by_test_id("idle").click()
    holder.wait_for_selector(f'[data-kind="{chain.kind}"] [data-testid="submit"]', state="hidden")
    room.silence(*[seat for seat in room.seats if _asks(room, seat, chain.kind)])
    expect(holder.get_by_test_id("own-nexus")).to_contain_text(chain.card)
    holder.get_by_role("tab", name="Log").click()
    expect(holder.get_by_role("log")).not_to_contain_text("plays Nexus card")
