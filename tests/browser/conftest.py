"""A whole deployment and a real Chromium for the tests of the table."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from uuid import uuid4

import httpx
import pytest
from playwright.sync_api import Browser, BrowserContext, ConsoleMessage, Page, expect, sync_playwright

from services.embedded.deployment import Deployment

CHROMIUM = ("chromium", "chromium-browser", "google-chrome")
FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]
PHONE = {"width": 390, "height": 844}
DESKTOP = {"width": 1280, "height": 800}
SCALE = int(os.environ.get("SIETCH_PICTURES_SCALE", "1"))
"""Pixels of a phone's picture for each of its page: 2 for documents, which takes Chromium much longer to draw."""
PATIENCE = 90_000
"""Milliseconds: a machine that is busy with other tests is slow, not wrong."""


@pytest.fixture(scope="session")
def sietch() -> Iterator[Deployment]:
    """Everything, started once for all tests of this folder; staged tables are allowed."""
    home = Path(tempfile.mkdtemp(prefix="sietch-browser-"))
    home.chmod(0o755)
    env = {"SIETCH_SCENARIOS": "1", "SIETCH_RATE_FACTOR": "0"}
    with Deployment(home, env=env, durable=False) as deployment:
        yield deployment
    shutil.rmtree(home, ignore_errors=True)


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    """Chromium as Debian packages it."""
    path = next((found for name in CHROMIUM if (found := shutil.which(name))), None)
    if path is None:
        pytest.fail("these tests need Chromium: run .ci/chromium, or install the package 'chromium'")
    expect.set_options(timeout=PATIENCE)
    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=path, args=FLAGS)
        yield chromium
        chromium.close()


def _is_complaint(message: ConsoleMessage) -> bool:
    """Whether a console says that something is wrong.

    The browser notes each refusal there. That an offer is stale by the time its choice is read is none: the game went
    on while the page asked, and the page goes by the view that follows.
    """
    is_stale = "status of 409" in message.text and "/offers/" in message.location.get("url", "")
    return message.type == "error" and not is_stale


@pytest.fixture
def open_page(sietch: Deployment, browser: Browser) -> Iterator[Callable[..., Page]]:
    """Open a page of the deployment, on a phone or a desktop. A complaint in its console fails the test."""
    contexts: list[BrowserContext] = []
    complaints: list[str] = []

    def open_one(path: str = "/", *, phone: bool = True, cookies: dict[str, str] | None = None) -> Page:
        context = browser.new_context(
            base_url=sietch.url,
            viewport=PHONE if phone else DESKTOP,  # type: ignore[arg-type]
            device_scale_factor=SCALE if phone else 1,
            has_touch=phone,
            is_mobile=phone,
            reduced_motion="reduce",  # what moves draws the map anew at each frame, on every page that is open
        )
        contexts.append(context)
        for code, token in (cookies or {}).items():
            context.add_cookies(
                [{"name": f"sietch_{code}", "value": token, "url": f"{sietch.url}/api/rooms/{code}"}]
            )
        context.set_default_timeout(PATIENCE)
        page = context.new_page()
        page.on("console", lambda m: complaints.append(m.text) if _is_complaint(m) else None)
        page.on("pageerror", lambda error: complaints.append(f"uncaught: {error}"))
        page.goto(path)
        return page

    yield open_one
    for context in contexts:
        context.close()
    assert not complaints, complaints


class Staged:
    """A scenario room: its code, the token of every seat, and the seats that the test answers for."""

    def __init__(self, url: str, table: dict[str, object]) -> None:
        self._http = httpx.Client(base_url=url, timeout=60)
        made = self._http.post("/api/scenarios", json={"table": table})
        assert made.status_code == 201, made.text
        body = made.json()
        self.code: str = body["code"]
        self.seats: dict[str, str] = body["seats"]

    def view(self, seat: str) -> dict[str, object]:
        """The whole view of a seat."""
        shown = self._http.get(f"/api/rooms/{self.code}/view", headers=self._as(seat))
        assert shown.status_code == 200, shown.text
        found: dict[str, object] = shown.json()["view"]
        return found

    def silence(self, *seats: str) -> int:
        """Answer every open question of these seats with its default, until none is left; says how many there were."""
        answered = 0
        for _ in range(60):
            before = answered
            for seat in seats:
                for offer in self.view(seat).get("offers", []):  # type: ignore[attr-defined]
                    if offer.get("committed") is None:
                        answered += self._answer(seat, offer)
            if answered == before:
                return answered
        raise AssertionError(f"the questions of {seats} do not end")

    def silence_but(self, kind: str) -> None:
        """Answer whatever any seat is asked with its default, until somebody is asked a question of this kind."""
        for _ in range(60):
            offers = [(s, o) for s in self.seats for o in self.view(s).get("offers", [])]  # type: ignore[attr-defined]
            if any(offer["kind"] == kind for _, offer in offers):
                return
            for seat, offer in offers:
                if offer.get("committed") is None:
                    self._answer(seat, offer)
        raise AssertionError(f"{kind} was not asked")

    def play(self, seat: str, kind: str, answer: dict[str, object]) -> None:
        """Answer the question of this kind that a seat is asked, whatever else is asked before with its default."""
        self.silence_but(kind)
        offer = next(o for o in self.view(seat)["offers"] if o["kind"] == kind)  # type: ignore[attr-defined]
        whole = answer if "do" in answer else {**offer["default"], **answer}
        assert self._answer(seat, {**offer, "default": whole}) == 1

    def _answer(self, seat: str, offer: dict[str, object]) -> int:
        body = {"command_id": str(uuid4()), "offer": offer["id"], "answer": offer["default"]}
        done = self._http.post(f"/api/rooms/{self.code}/actions", json=body, headers=self._as(seat))
        assert done.status_code in (200, 409), done.text
        return int(done.status_code == 200)

    def _as(self, seat: str) -> dict[str, str]:
        return {"Authorization": f"Bearer {self.seats[seat]}"}

    def close(self) -> None:
        """Close the connection."""
        self._http.close()


@pytest.fixture
def stage(sietch: Deployment) -> Iterator[Callable[[dict[str, object]], Staged]]:
    """Make a scenario room from the `[table]` of a case."""
    made: list[Staged] = []

    def make(table: dict[str, object]) -> Staged:
        made.append(Staged(sietch.url, table))
        return made[-1]

    yield make
    for one in made:
        one.close()


@pytest.fixture(scope="session")
def pictures() -> Path:
    """Where screenshots go: `test-results/browser`, which is not kept in the repository."""
    folder = Path(__file__).resolve().parents[2] / "test-results/browser"
    folder.mkdir(parents=True, exist_ok=True)
    return folder
