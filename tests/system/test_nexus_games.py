"""Nexus cards in whole games over HTTP: drawn at a real closing Nexus, a real gate, a restart in the middle of it.

One game by default; `make nexus-tables` plays every effect that a search has found a game for.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from concurrent.futures import Future
from typing import Any
from uuid import uuid4

import pytest
from msgspec import Struct
from typer.testing import CliRunner

from services.cli.verify import app as verify
from services.embedded import Deployment
from shared.dune.shapes import Variant
from tests.nexus.effects import receipt_of
from tests.nexus.games import Moment, Row, rows, with_
from tests.nexus.search import soonest
from tests.nexus.tables import WholeGame, at_once, restart

pytestmark = pytest.mark.slow

TABLES = bool(os.environ.get("SIETCH_NEXUS_TABLES"))
SOONEST = "soonest"
USED = list(rows()) if TABLES else [SOONEST]
KEPT = [name for name, row in rows().items() if not row.counter]
"""The same game without its counter is another row; `make nexus-tables` plays all of them."""
AFTERWARDS = 12
"""Answers for which the game is watched going on after a card was played."""


class Ready(Struct, frozen=True):
    """A room at its moment; `before`: what everybody saw of it before the restart."""

    game: WholeGame
    moment: Moment
    before: dict[str, dict[str, Any]]


def brought(url: str, row: Row) -> Ready:
    """A game of its own, played to the moment; whoever holds the wrong face has tried, and passed."""
    game = WholeGame(url, row)
    game.play()
    moment = game.moment()
    wrong_faces(game, moment)
    assert not game.plays()
    return Ready(game, moment, game.wholes())


@pytest.fixture(scope="module")
def ready(request: pytest.FixtureRequest, deployment: Deployment) -> Iterator[Mapping[str, Future[Ready]]]:
    """A room for each test that was chosen, all at their moments when everything was stopped and started once."""
    tests = [item for item in request.session.items if item.path == request.path]
    named = {item.name: str(item.callspec.params["name"]) for item in tests if hasattr(item, "callspec")}
    named = {test: name for test, name in named.items() if name in USED}
    found = at_once(
        lambda row: brought(deployment.url, row),
        {t: soonest("window.nexus.") if name == SOONEST else rows()[name] for t, name in named.items()},
    )
    restart(deployment)
    yield found
    for one in found.values():
        if one.exception() is None:
            one.result().game.close()


@pytest.fixture
def table(request: pytest.FixtureRequest, ready: Mapping[str, Future[Ready]]) -> Ready:
    """The room of this test; whatever went wrong on the way to its moment is told here."""
    return ready[request.node.name].result()


@pytest.mark.parametrize("name", USED)
def test_a_card_is_used_once_after_a_restart_in_the_middle(
    name: str, table: Ready, deployment: Deployment
) -> None:
    """Others have passed or owe their answer, everything stops and starts, and all stands as it was. [NEXUS-71]"""
    game, moment, row = table.game, table.moment, table.game.row
    assert game.wholes() == table.before
    assert game.moment() == moment
    answer, command = with_(moment.offer, row.effect), str(uuid4())
    for _ in range(2):  # whoever lost the reply sends it again
        game.take(row.seat, moment.offer, answer, command)
    game.settle()
    receipt = receipt_of(row.effect, row.seat)
    assert game.played() == [receipt]
    assert not game.seen("").counts.get(f"nexus.{row.seat}")
    game.go_on(AFTERWARDS)
    assert game.played() == [receipt] and game.cancelled() == bool(row.counter)


@pytest.mark.skipif(not TABLES, reason="more whole games: make nexus-tables")
@pytest.mark.parametrize("name", KEPT)
def test_a_card_is_kept_where_its_holder_passes(name: str, table: Ready) -> None:
    """The question ends, the card stays, and nobody is told of it."""
    game, seat = table.game, table.game.row.seat
    holds = game.seen(seat).zones[f"nexus.{seat}"]
    while not game.room.over() and game.owes(table.moment):
        game.step()
        assert game.seen(seat).zones[f"nexus.{seat}"] == holds
    assert not game.plays()


def test_nothing_is_wrong_in_the_store(ready: Mapping[str, Future[Ready]], deployment: Deployment) -> None:
    """Whatever the rooms of these games have stored is judged from outside."""
    done = CliRunner().invoke(verify, ["store", "--database-url", deployment.database_url])
    assert done.stdout.endswith("nothing is wrong\n"), done.output


def wrong_faces(game: WholeGame, moment: Moment) -> None:
    """Who is asked the same holds the wrong face: it is told why not, refused when it tries, and passes."""
    for seat in game.row.seats:
        if seat == moment.seat:
            continue
        seen = game.seen(seat)
        asked = [o for o in seen.offers if o.kind == moment.offer.kind and o.committed is None]
        for offer in asked:
            assert isinstance(offer.choice, Variant)
            assert moment.effect not in offer.choice.variants
            before = game.room.whole(seat)
            reply = game.room.act(seat, offer.id, with_(moment.offer, moment.effect))
            assert reply.status_code == 422, reply.text
            assert game.room.whole(seat) == before
            if offer.window and offer.kind.startswith("window.nexus."):
                assert offer.choice.off[moment.effect].rule
                game.take(seat, offer, {"do": "pass"})
                break
        reply = game.room.act(seat, moment.offer.id, with_(moment.offer, moment.effect))
        assert reply.status_code in (403, 409), reply.text
