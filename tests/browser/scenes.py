"""A case played on a phone through the pages of its seats: what it answers itself is chosen, filled in and sent."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import httpx
from playwright.sync_api import Page, expect

from services.cases.http import HttpWorld
from shared.dune.offers import Offer
from shared.dune.shapes import Fields, Json, ManyOf, Number, OneOf, Transfer, Variant
from tests.browser.test_nexus_games import transfer
from tests.browser.test_table import fits, no_wider, open_question, submit

__all__ = ["PageWorld"]

OpenPage = Callable[..., Page]


class PageWorld(HttpWorld):
    """A staged room whose seats sit at pages. Defaults that only pass the time, and what is refused, go over HTTP.

    A gate is answered after a refresh; the same answer sent once more comes too late. [NEXUS-44, NEXUS-71]
    """

    def __init__(self, client: httpx.Client, described: dict[str, Any], open_page: OpenPage) -> None:
        super().__init__(client, described)
        self._open_page = open_page
        self._pages: dict[str, Page] = {}
        self.answered = 0

    def act(self, seat: str, offer: Offer, given: dict[str, Any]) -> str:
        """By the page of the seat, as a person does it."""
        if given is offer.default or offer.problem(given) is not None:
            return super().act(seat, offer, given)
        page = self.page(seat)
        if offer.final:
            page.reload()
        _show(page, offer)
        _fill(page, offer.choice, given)
        no_wider(page)
        _send(page, offer, given)
        self._shown, self._read, self._truth = {}, {}, None
        self.answered += 1
        assert not offer.final or super().act(seat, offer, given) == "stale", "the page has answered for good"
        return ""

    def page(self, seat: str) -> Page:
        """The page at which a seat sits, opened when it is first needed."""
        if seat not in self._pages:
            code = self._room.rpartition("/")[2]
            page = self._open_page(f"/r/{code}", cookies={code: self._tokens[seat]})
            page.wait_for_selector("svg.map")
            self._pages[seat] = page
        return self._pages[seat]

    def opened(self) -> list[Page]:
        """The pages that are open, the first of them first."""
        return list(self._pages.values())

    def show(self, seat: str, tab: str) -> Page:
        """The page of a seat, with one of its panels open."""
        page = self.page(seat)
        page.get_by_role("tab", name=tab).click()
        return page

    def look(self) -> None:
        """Every page that is open fits, also after it was loaded anew."""
        for page in self.opened():
            fits(page)
            page.reload()
            page.wait_for_selector("svg.map")
            fits(page)


def _show(page: Page, offer: Offer) -> None:
    """Unfold the question, or find what may be done at any time."""
    if offer.clock or page.locator(f'[data-kind="{offer.kind}"]').count():
        open_question(page, offer.kind)
        return
    page.get_by_test_id("more").click()
    found = page.get_by_test_id(f"standing-{offer.kind}")
    if found.count():
        found.click()


def _fill(page: Page, choice: Fields | Variant, given: Json) -> None:
    """Choose what to do, then each field by its widget."""
    fields: Fields
    if isinstance(choice, Variant):
        button = page.get_by_test_id(f"do-{given['do']}").last
        if button.count() and button.get_attribute("aria-pressed") != "true":
            button.click()
        fields = choice.variants[given["do"]]
    else:
        fields = choice
    for name, shape in fields.fields.items():
        _field(page, name, shape, given.get(name))


def _field(page: Page, name: str, shape: object, value: Json) -> None:
    match shape:
        case OneOf() if value is not None:
            option = page.get_by_test_id(f"option-{name}-{value}").last
            if option.get_attribute("aria-pressed") != "true":
                option.click()
        case ManyOf():
            for one in shape.legal():
                option = page.get_by_test_id(f"option-{name}-{one}").last
                if (option.get_attribute("aria-pressed") == "true") != (one in value):
                    option.click()
        case Number():
            box = page.get_by_test_id(f"number-{name}").last
            box.fill(f"{value / shape.per:g}")
            box.blur()
        case Transfer():
            transfer(page, name, shape, value)


def _send(page: Page, offer: Offer, given: Json) -> None:
    """Send it, once more where it is shown for review, and wait until it has left the page."""
    idle = page.get_by_test_id("idle")
    # What silence means has a button of its own, and is not among the things to do.
    own_button = "do" in given and not page.get_by_test_id(f"do-{given['do']}").count() and idle.count()
    if own_button:
        idle.click()
    else:
        submit(page, offer.kind)
    sent = f'[data-offer="{offer.id}"] [data-testid="submit"]'
    expect(page.locator(sent).first).to_be_hidden()
