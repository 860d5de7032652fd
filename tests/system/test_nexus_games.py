"""Nexus cards in whole games over HTTP: drawn at a real closing Nexus, a real gate, a restart in the middle of it.

One game by default; `make nexus-tables` plays every effect that a search has found a game for.
"""

from __future__ import annotations

import os
from uuid import uuid4

import pytest
from typer.testing import CliRunner

from services.cli.verify import app as verify
from services.embedded import Deployment
from shared.dune.shapes import Variant
from tests.nexus.effects import receipt_of
from tests.nexus.games import Moment, Row, rows, with_
from tests.nexus.search import soonest
from tests.nexus.tables import WholeGame, restart

pytestmark = pytest.mark.slow

TABLES = bool(os.environ.get("SIETCH_NEXUS_TABLES"))
SOONEST = "soonest"
AFTERWARDS = 12
"""Answers for which the game is watched going on after a card was played."""


@pytest.fixture(params=list(rows()) if TABLES else [SOONEST])
def row(request: pytest.FixtureRequest) -> Row:
    return soonest("window.nexus.") if request.param == SOONEST else rows()[request.param]


def test_a_card_is_used_once_after_a_restart_in_the_middle(row: Row, deployment: Deployment) -> None:
    """Others have passed or owe their answer, everything stops and starts, and all stands as it was. [NEXUS-71]"""
    with WholeGame(deployment.url, row) as game:
        game.play()
        moment = game.moment()
        wrong_faces(game, moment)
        before = game.wholes()
        assert not game.plays()
        restart(deployment)
        assert game.wholes() == before
        assert game.moment() == moment
        answer, command = with_(moment.offer, row.effect), str(uuid4())
        for _ in range(2):  # whoever lost the reply sends it again
            game.take(row.seat, moment.offer, answer, command)
        game.settle()
        receipt = receipt_of(row.effect, row.seat)
        assert game.played() == [receipt]
        assert not game.seen("").counts.get(f"nexus.{row.seat}")
        cancelled = [event["power"] for event in game.told("PowerCancelled")]
        assert bool(row.counter) == any(power.startswith("nexus.") for power in cancelled)
        game.go_on(AFTERWARDS)
        assert game.played() == [receipt]
    done = CliRunner().invoke(verify, ["store", "--database-url", deployment.database_url])
    assert done.stdout.endswith("nothing is wrong\n"), done.output


@pytest.mark.skipif(not TABLES, reason="another whole game: make nexus-tables")
def test_a_card_is_kept_where_its_holder_passes(row: Row, deployment: Deployment) -> None:
    """The question ends, the card stays, and nobody is told of it."""
    if row.counter:
        pytest.skip("the same game without its counter is another row")
    with WholeGame(deployment.url, row) as game:
        game.play()
        moment = game.moment()
        holds = game.seen(row.seat).zones[f"nexus.{row.seat}"]
        while not game.room.over() and game.owes(moment):
            game.step()
            assert game.seen(row.seat).zones[f"nexus.{row.seat}"] == holds
        assert not game.plays()


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
