"""The table of which effect of a Nexus card is shown how is that of the games and cases."""

from __future__ import annotations

from services.ruleindex.index import ROOT
from tests.nexus.effects import EFFECTS, ON_PHONES
from tests.nexus.games import rows
from tests.nexus.shown import CASES, COUNTERS, document


def test_the_table_is_up_to_date() -> None:
    """After a game was found or a scene added: `python -m tests.nexus.shown > docs/nexus-effects.md`."""
    assert (ROOT / "docs/nexus-effects.md").read_text("utf-8") == document()


def test_what_is_cancelled_has_a_case_with_the_counter() -> None:
    assert set(COUNTERS) <= set(EFFECTS)
    for case in COUNTERS.values():
        assert "karama" in (text := (CASES / case).read_text("utf-8")) or "stop" in text, case


def test_the_cards_on_phones_have_a_whole_game_for_each_effect() -> None:
    wanted = {effect for effect, (native, _) in EFFECTS.items() if native in ON_PHONES}
    assert wanted <= {row.effect for row in rows().values()}
