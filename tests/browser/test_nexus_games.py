"""Nexus cards of four factions on a phone, in whole games: drawn at a real closing Nexus, come to by real producers.

`make nexus-tables` plays them; a run by default does not, for `test_nexus_windows.py` shows the same pages from cases.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import Future
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from services.embedded.deployment import Deployment
from services.verifier.room import until
from shared.dune.facts import name as name_of
from shared.dune.facts.nexus import nexus_card_of
from shared.dune.shapes import Fields, Json, ManyOf, Number, OneOf, Transfer, Variant
from tests.browser.test_table import fits, open_question, picture, seat_page, submit
from tests.nexus.effects import EFFECTS, ON_PHONES, receipt_of
from tests.nexus.games import STANDING, Moment, Row, rows, stops, with_
from tests.nexus.tables import WholeGame, at_once, restart

OpenPage = Callable[..., Page]

NAMES = [name for name, row in rows().items() if EFFECTS[row.effect][0] in ON_PHONES]
pytestmark = pytest.mark.skipif(
    not os.environ.get("SIETCH_NEXUS_TABLES"), reason="whole games take minutes: make nexus-tables"
)
USE, KEEP = "use", "keep"


@pytest.fixture(scope="module")
def games(request: pytest.FixtureRequest, sietch: Deployment) -> Iterator[Mapping[str, Future[WholeGame]]]:
    """Two rooms for each row that was chosen, played to its moment: one to use the card in, one to keep it."""
    tests = [
        item for item in request.session.items if item.path == request.path and hasattr(item, "callspec")
    ]
    names = {str(item.callspec.params["name"]) for item in tests}

    def brought(row: Row) -> WholeGame:
        game = WholeGame(sietch.url, row)
        game.play()
        return game

    found = at_once(
        brought, {f"{what}-{name}": rows()[name] for name in sorted(names) for what in (USE, KEEP)}
    )
    yield found
    for one in found.values():
        if one.exception() is None:
            one.result().close()


@pytest.fixture(scope="module")
def restarted(games: Mapping[str, Future[WholeGame]], sietch: Deployment) -> None:
    """Everything was stopped and started, once, in the middle of all these games."""
    restart(sietch)


@pytest.mark.parametrize("name", NAMES)
def test_whoever_is_asked_reads_what_it_may(
    name: str, games: Mapping[str, Future[WholeGame]], open_page: OpenPage
) -> None:
    """The holder may use its card, after a refresh too; others read why not, or nothing. [NEXUS-58, NEXUS-71]"""
    game = games[f"{USE}-{name}"].result()
    moment = game.moment()
    wrong_face(seat_page(open_page, game, wrong(game, moment)), moment)
    holder = seat_page(open_page, game, game.row.seat)
    show(holder, moment)
    holder.reload()
    show(holder, moment)


@pytest.mark.usefixtures("restarted")
@pytest.mark.parametrize("name", NAMES)
def test_a_card_is_used_on_a_phone(
    name: str, games: Mapping[str, Future[WholeGame]], open_page: OpenPage, pictures: Path
) -> None:
    """After a restart of everything in the middle; others see no use before; its counter stops it. [NEXUS-71]"""
    game = games[f"{USE}-{name}"].result()
    moment, row = game.moment(), game.row
    assert not game.plays()
    holder = seat_page(open_page, game, row.seat)
    use(holder, moment)
    fits(holder)
    picture(holder, pictures, f"nexus-game-{row.name}-390")
    submit(holder, moment.offer.kind)
    sent(holder, game, moment)
    settled(game, open_page)
    assert game.played() == [receipt_of(row.effect, row.seat)]
    other = seat_page(open_page, game, wrong(game, moment))
    other.get_by_role("tab", name="Log").click()
    card = name_of(nexus_card_of(EFFECTS[row.effect][0]))
    expect(other.get_by_role("log")).to_contain_text(f"plays {card}:")
    holder.get_by_role("tab", name="Mine").click()
    expect(holder.get_by_test_id("own-nexus")).to_have_count(0)


@pytest.mark.usefixtures("restarted")
@pytest.mark.parametrize("name", [name for name in NAMES if not rows()[name].counter])
def test_a_card_is_kept_on_a_phone(
    name: str, games: Mapping[str, Future[WholeGame]], open_page: OpenPage
) -> None:
    """With Pass, where there is one, or by not playing it: the card stays in the hand and nothing is told."""
    game = games[f"{KEEP}-{name}"].result()
    moment, row = game.moment(), game.row
    holder = seat_page(open_page, game, row.seat)
    show(holder, moment)
    if row.kind == STANDING:
        holder.get_by_test_id("more-sheet").get_by_label("Close").click()
    elif moment.offer.window:
        holder.get_by_test_id("idle").click()
        sent(holder, game, moment)
    else:
        game.step()
    game.go_on(6)
    holder.get_by_role("tab", name="Mine").click()
    expect(holder.get_by_test_id("own-nexus")).to_be_visible()
    assert not game.plays()


def wrong(game: WholeGame, moment: Moment) -> str:
    """Who is asked the same with the wrong face, if anybody is; else anybody else."""
    others = [seat for seat in game.row.seats if seat not in (moment.seat, game.row.counter)]
    asked = [seat for seat in others if any(o.kind == moment.offer.kind for o in game.seen(seat).offers)]
    return (asked or others)[0]


def wrong_face(page: Page, moment: Moment) -> None:
    """Whoever is asked the same question reads why not; whoever is not asked is shown nothing of it."""
    if page.locator(f'[data-kind="{moment.offer.kind}"]').count():
        open_question(page, moment.offer.kind)
        found = page.get_by_test_id(f"do-{moment.effect}")
        expect(found).to_have_attribute("aria-disabled", "true")
        expect(found.locator(".reason")).not_to_be_empty()
    else:
        expect(page.get_by_test_id(f"do-{moment.effect}")).to_have_count(0)


def show(page: Page, moment: Moment) -> None:
    """Unfold the question, or what may be done at any time; the use can be chosen there."""
    if moment.offer.kind == STANDING:
        page.get_by_test_id("more").click()
        if page.get_by_test_id(f"standing-{STANDING}").count():
            page.get_by_test_id(f"standing-{STANDING}").click()
    else:
        open_question(page, moment.offer.kind)
    expect(page.get_by_test_id(f"do-{moment.effect}").last).not_to_have_attribute("aria-disabled", "true")


def use(page: Page, moment: Moment) -> None:
    """Choose the use and fill in what it needs."""
    show(page, moment)
    page.get_by_test_id(f"do-{moment.effect}").last.click()
    assert isinstance(moment.offer.choice, Variant)
    fill(page, moment.offer.choice.variants[moment.effect], with_(moment.offer, moment.effect))


def fill(page: Page, fields: Fields, answer: Json) -> None:
    """Each field by its widget."""
    for name, shape in fields.fields.items():
        value = answer[name]
        match shape:
            case OneOf():
                option = page.get_by_test_id(f"option-{name}-{value}").last
                if option.count() and option.get_attribute("aria-pressed") != "true":
                    option.click()
            case ManyOf():
                for one in value:
                    page.get_by_test_id(f"option-{name}-{one}").last.click()
            case Number():
                page.get_by_test_id(f"number-{name}").last.fill(str(value))
                page.get_by_test_id(f"number-{name}").last.blur()
            case Transfer():
                transfer(page, name, shape, value)


def transfer(page: Page, name: str, shape: Transfer, value: Json) -> None:
    """Forces from one group to one place."""
    for place, kinds in value["from"].items():
        group = next(
            source.together or source.place.split(":")[0] for source in shape.sources if source.place == place
        )
        if page.get_by_test_id(f"from-{group}").count():
            page.get_by_test_id(f"from-{group}").click()
        for kind, number in kinds.items():
            box = page.get_by_test_id(f"forces-{name}-{place}-{kind}")
            box.fill(str(number))
            box.blur()
    page.get_by_test_id(f"to-{value['to']}").click()


def sent(page: Page, game: WholeGame, moment: Moment) -> None:
    """Wait until the answer was taken, so that nobody answers for the seat meanwhile."""
    if moment.offer.kind == STANDING:
        expect(page.get_by_test_id("more-sheet")).to_have_count(0)
    else:
        until(lambda: not game.owes(moment), "the answer of the page")


def settled(game: WholeGame, open_page: OpenPage) -> None:
    """The others pass; whoever holds the counter plays it, on a phone as well."""
    if game.row.counter:
        for _ in range(20):
            found = game.owing()
            assert found is not None
            if found[0].seat == game.row.counter and stops(found[1]):
                page = seat_page(open_page, game, game.row.counter)
                open_question(page, found[1].kind)
                page.get_by_test_id("do-karama").click()
                page.get_by_test_id("submit").click()
                page.wait_for_selector(
                    f'[data-kind="{found[1].kind}"] [data-testid="submit"]', state="hidden"
                )
                break
            game.step()
    game.settle()
