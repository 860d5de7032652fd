"""Whole games in one process: the same seed gives the same game, and the report says what came of it."""

from __future__ import annotations

import json
import random

import msgspec
import pytest
from typer.testing import CliRunner

from services.arena import local
from services.arena.local import play_game
from services.arena.report import CLASSIC, digest_of, factions_for
from services.cli.play import app
from services.rules.engine.game import Game
from shared.dune.offers import Offer
from shared.dune.settings import Settings
from shared.dune.shapes import Json
from shared.dune.views import SeatView, encode_view

KEYS = {"result", "turns", "commits", "events", "seconds", "digest", "seats", "seed"}
SHORT = Settings(seats=("harkonnen", "guild"), last_turn=2)


@pytest.mark.parametrize("name", ["easy", "random"])
def test_the_same_seed_gives_the_same_game(name: str) -> None:
    first, again, other = (play_game(SHORT, seed, name) for seed in (3, 3, 4))
    assert first.digest == again.digest
    assert first.digest != other.digest
    assert first.result["winners"]
    assert 1 <= first.turns <= 2
    assert 1 < first.commits <= first.events
    assert (first.seats, first.seed) == (("harkonnen", "guild"), 3)


def test_policies_play_differently() -> None:
    assert play_game(SHORT, 3, "easy").digest != play_game(SHORT, 3, "random").digest


def test_progress_is_told_after_each_decision() -> None:
    seen: list[Game] = []
    report = play_game(SHORT, 3, progress=seen.append)
    assert len(seen) == report.commits - 1
    assert seen[-1].table.result is not None


def test_impossible_settings_are_named() -> None:
    with pytest.raises(ValueError, match="different factions"):
        play_game(Settings(seats=("guild", "guild")), 1)


def test_a_game_in_circles_is_stopped(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(local, "MOST_DECISIONS", 5)
    with pytest.raises(RuntimeError, match="no end after 5 decisions in turn 1"):
        play_game(SHORT, 1)


def test_an_illegal_policy_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    class Wrong:
        def decide(self, *_: object) -> dict[str, str]:
            return {"do": "cheat"}

    monkeypatch.setattr(local, "policy", lambda name: Wrong())
    with pytest.raises(RuntimeError, match=r"refused: .*cheat"):
        play_game(SHORT, 1)


def test_the_seed_draws_the_factions() -> None:
    assert factions_for(6, 7) == factions_for(6, 7)
    assert sorted(factions_for(6, 7)) == sorted(CLASSIC)
    assert len({factions_for(3, seed) for seed in range(20)}) > 5


def test_a_digest_knows_order_and_content_but_not_spelling() -> None:
    one, two = b'{"event":"A","n":1}', b'{"event":"B"}'
    assert digest_of([one, two]) == digest_of([b'{ "n": 1, "event": "A" }', two])
    assert len({digest_of(events) for events in ([one, two], [two, one], [one], [one, two, two])}) == 4


def test_the_command_prints_a_report_for_programs() -> None:
    words = ["--seats", "2", "--seed", "5", "--last-turn", "2", "--in-process", "--json"]
    done = CliRunner().invoke(app, words)
    assert (done.exit_code, done.stderr) == (0, "")
    report = json.loads(done.stdout)
    assert report.keys() == KEYS
    assert report["seats"] == list(factions_for(2, 5))


def test_the_command_tells_people_who_won_and_where_the_game_stood() -> None:
    done = CliRunner().invoke(app, ["--seats", "2", "--seed", "5", "--last-turn", "1", "--in-process"])
    assert done.exit_code == 0
    assert " won in turn 1 (" in done.stdout
    assert "turn 1, storm" in done.stderr


def test_nobody_at_the_address_is_told() -> None:
    done = CliRunner().invoke(app, ["--seats", "2", "--url", "http://127.0.0.1:9", "--json"])
    assert (done.exit_code, done.stdout) == (1, "")
    assert "http://127.0.0.1:9 cannot be reached" in done.stderr


def test_chance_is_the_games_own() -> None:
    """A game does not depend on what else drew from the process' chance."""
    random.seed(1)
    first = play_game(SHORT, 3, "random").digest
    random.seed(2)
    assert play_game(SHORT, 3, "random").digest == first


def test_a_policy_is_shown_what_comes_over_the_wire(monkeypatch: pytest.MonkeyPatch) -> None:
    """Seed 12007: a bot took the first of two equal leaders, in an order that views do not keep on their way."""
    easy = local.policy("easy")
    shown: list[bool] = []

    class Watching:
        def decide(self, view: SeatView, offer: Offer, rng: random.Random) -> Json:
            sent = msgspec.json.decode(encode_view(view), type=SeatView)
            shown.append(repr(sent) == repr(view) and offer in view.offers)
            return easy.decide(view, offer, rng)

    monkeypatch.setattr(local, "policy", lambda name: Watching())
    play_game(SHORT, 5)
    assert shown
    assert all(shown)
