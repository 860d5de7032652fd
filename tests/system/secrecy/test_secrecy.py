"""A whole game, with every byte that any audience gets: nobody is sent what it may not know yet. And planted leaks.

What stands openly after the end: the whole history of a finished game, all secrets included, to whoever knows its code.
"""

from __future__ import annotations

import re
import shutil
import tempfile
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

from services.embedded import Deployment
from services.verifier.secrecy.heard import BOTS, ENGINE, HOST, NOBODY, SPECTATOR, Heard
from services.verifier.secrecy.searcher import leaks
from services.verifier.secrecy.truth import Truth
from shared.ops.metrics import word
from shared.ops.refs import room_ref
from tests.system.collector import Collector
from tests.system.secrecy.plants import PLANTS, Plant
from tests.system.secrecy.playing import PEOPLE, PLAYERS, play_and_record
from tests.system.secrecy.wiretap import Wiretap

pytestmark = pytest.mark.slow

Game = tuple[Truth, list[Heard]]


@pytest.fixture(scope="module")
def game() -> Iterator[Game]:
    """One game on a deployment of its own, and all that was heard of it."""
    folder = Path(tempfile.mkdtemp(prefix="sietch-test-"))
    folder.chmod(0o755)
    recorder = Wiretap()
    with Collector(recorder.export) as collector:
        env = {
            "SIETCH_RATE_FACTOR": "0",
            "SIETCH_LOG_LEVEL": "debug",
            "SIETCH_TRACE_RATIO": "1",
            "OTEL_EXPORTER_OTLP_ENDPOINT": collector.url,
        }
        with Deployment(folder, env=env, durable=False) as deployment:
            truth = play_and_record(deployment, recorder)
    yield truth, recorder.heard
    shutil.rmtree(folder, ignore_errors=True)


def test_nobody_is_sent_what_it_may_not_know(game: Game) -> None:
    truth, heard = game
    found = leaks(truth, heard)
    assert found == [], "\n".join([f"{len(found)} leaks", *dict.fromkeys(found[:40])])


def test_everybody_was_heard_on_every_way(game: Game) -> None:
    """A search of nothing finds nothing: so much must have been there to be searched."""
    truth, heard = game
    counts = Counter((one.channel, one.audience) for one in heard)
    print(sum(len(one.data) for one in heard), "bytes", dict(counts))
    for audience in (*PEOPLE, SPECTATOR, HOST):
        assert counts["stream", audience] > 30
        assert counts["http", audience] > 50
    for audience in (*PEOPLE, *PLAYERS, SPECTATOR):
        assert counts["nats", audience] > 30
    assert all(counts["look", seat] > 10 for seat in PLAYERS)
    assert counts["nats", BOTS] > 30
    assert counts["nats", ENGINE] > 100
    assert counts["trace", NOBODY] > 0
    assert counts["log", NOBODY] > 20
    assert counts["metrics", NOBODY] > 200
    statuses = {one.where.rpartition(" ")[2] for one in heard if one.channel == "http"}
    assert statuses >= {"200", "400", "401", "403", "404", "405", "409", "413", "422"}
    last = truth.moments[-1]
    assert truth.hidden(SPECTATOR, last), "nothing was hidden from a spectator to the end"


def test_labels_are_words_of_ours_and_few(game: Game) -> None:
    """Nothing that anybody sent made a series: every value of a label is plain, and no metric has many."""
    lines = [
        one.data.decode() for one in game[1] if one.channel == "metrics" and one.data.startswith(b"sietch")
    ]
    values = {
        value for line in lines for value in re.findall(r'\w+="((?:[^"\\]|\\.)*)"', line.partition("} ")[0])
    }
    assert [value for value in values - {"+Inf"} if word(value) != value] == []
    assert {"/api/rooms/{code}/actions", "view.*.*", "AnswerOffer"} <= values
    series = Counter((line.partition("{")[0]) for line in lines if "_bucket{" not in line)
    assert max(series.values()) < 200, series.most_common(3)


def test_the_room_is_named_by_its_ref_in_logs(game: Game) -> None:
    """So that whoever has the store finds what was logged of it."""
    truth, heard = game
    id_ = next(word.text for word in truth.words if word.what == "the room's id").decode()
    told = [one.data for one in heard if one.channel == "log" and room_ref(id_).encode() in one.data]
    assert any(b"the game begins" in line for line in told)
    assert any(b"the game is over" in line for line in told)


@pytest.mark.parametrize("plant", PLANTS, ids=lambda plant: plant.__name__)
def test_a_planted_leak_is_found(game: Game, plant: Plant) -> None:
    truth, heard = game
    planted, told = plant(truth, heard)
    found = leaks(truth, planted)
    assert any(told in leak for leak in found), f"not found: {told!r} among {found[:5]}"
