"""Which effect of a Nexus card is shown how: `python -m tests.nexus.shown > docs/nexus-effects.md`.

Whole games are the rows of `games.toml`; scenes are cases that are played through pages.
"""

from __future__ import annotations

from pathlib import Path

from shared.dune import facts
from tests.nexus.effects import CHAIN, EFFECTS, ON_PHONES, SCENES, STORM
from tests.nexus.games import Row, rows

__all__ = ["CASES", "COUNTERS", "document"]

CASES = Path(__file__).parents[1] / "cases/nexus_cards"
COUNTERS = {
    "second_element": "atreides/first_question_cancelled.toml",
    "turn_advisors": "bene_gesserit/turning_cancelled.toml",
    "borrow_voice": "bene_gesserit/borrowed_and_cancelled.toml",
    "count_as_sardaukar": "emperor/cunning_is_cancelled.toml",
    "fremen_cunning": "fremen/cunning_cancelled.toml",
    "nexus_second_shipment": "guild/cunning_cancelled.toml",
    "harkonnen_betrayal": "harkonnen/karama_first.toml",
    "nexus_take_payment": "guild/stopped_shipment.toml",
    "fremen_no_rides": "fremen/karama_before_the_ride.toml",
    "emperor_forced_payment": "emperor/ally_settles_with_karama.toml",
    "nexus_five_as_one": "richese/five_stopped.toml",
}
"""What may be cancelled, the use itself or what it is used on: the case of it."""

HEAD = """# Nexus cards: which effect is shown how

Written by `python -m tests.nexus.shown`; a test holds it against the games and cases.

- **Whole game**: the mode, the number of players, and after how many answers a game found by seed comes to the effect
  by real producers. `tests/system/test_nexus_games.py` plays it over HTTP twice: with Use (every service and both
  servers are restarted in the middle of the question, every view is then the same, whoever holds the wrong face is
  refused, a repeated request counts once) and with Pass (the card stays and nobody is told).
- **Counter**: a Karama, or another native answer, against it: in a whole game of its own, else in a case.
- **Phone**: at 390 px. *Game*: the same game in Chromium with Use, Pass, the wrong face, a refresh, a restart of
  everything and the counter where it has one (`tests/browser/test_nexus_games.py`). *Scene*: cases played through the
  pages of all seats (`test_nexus_scenes.py`). `test_nexus_windows.py` plays one window of each of the four cards.

`make nexus-tables` plays all of it (140 tests, about 40 minutes on two cores), `ONLY=` a part: a word of the names in
the table below (every file's name has `nexus_` in it, so that this chooses nothing), or several with `or`. `make test`
plays one whole game over HTTP and one window on a phone, follows the shortest games in process, and plays all cases of
the cards in process and over HTTP.

| Effect | Card | Panel | Whole game | Counter | Phone |
| --- | --- | --- | --- | --- | --- |"""


def document() -> str:
    """The whole text."""
    lines = [_line(effect, native, panel) for effect, (native, panel) in EFFECTS.items()]
    return "\n".join([HEAD, *lines]) + "\n"


def _line(effect: str, native: str, panel: str) -> str:
    found = rows().get(effect)
    card, mode = facts.name(native), panel.replace("_", " ")
    cells = (f"`{effect}`", card, mode, _game(found), _counter(effect), _phone(effect, native))
    return f"| {' | '.join(cells)} |"


def _game(row: Row | None) -> str:
    return f"{row.mode}, {len(row.seats)} players, {row.at} answers" if row else "none found; cases over HTTP"


def _counter(effect: str) -> str:
    if f"{effect}-cancelled" in rows():
        return "whole game"
    return f"`{COUNTERS[effect].removesuffix('.toml')}`" if effect in COUNTERS else "there is none"


def _phone(effect: str, native: str) -> str:
    scenes = [
        scene for scene in (*SCENES, STORM, CHAIN) if f'do = "{effect}"' in (CASES / scene).read_text("utf-8")
    ]
    ways = ["game"] if native in ON_PHONES and effect in rows() else []
    if scenes:
        ways.append("scene" if len(scenes) == 1 else f"{len(scenes)} scenes")
    return ", ".join(ways)


if __name__ == "__main__":
    print(document(), end="")
