"""The rules guide: an anchor for every panel, interpretations as such, and no way to another server."""

from __future__ import annotations

import re

import pytest
from fastapi.testclient import TestClient

from services.room.http.app import make_app
from services.room.web import guide
from shared.dune.facts.nexus import MODES, nexus_cards
from shared.dune.rulings import rulings
from shared.dune.sentences import sentences
from shared.ops.health import Health


def _get(path: str) -> tuple[int, str]:
    found = TestClient(make_app(Health())).get(path)
    return found.status_code, found.text


def test_each_panel_of_the_twelve_cards_has_an_anchor_and_its_text() -> None:
    status, text = _get("/rules?topic=nexus")
    assert status == 200
    for card in nexus_cards().values():
        for mode in MODES:
            assert f'id="nexus-{card.faction}-{mode.replace("_", "-")}"' in text
    assert len(re.findall(r'class="panel-text"', text)) == 36
    assert text.count("not available") == 12


def test_the_interpretations_of_a_module_stand_on_its_page_and_nowhere_else() -> None:
    for topic, module in (("nexus", "nexus"), ("interpretations", "")):
        status, text = _get(f"/rules?topic={topic}")
        assert status == 200
        expected = {one.name for one in rulings().values() if one.offered and one.module == module}
        assert set(re.findall(r'id="ruling-([^"]+)"', text)) == expected
        assert "is an interpretation, not a ruling" in text


def test_every_rule_of_the_game_can_be_linked_to() -> None:
    """A table says ids, people read sentences. Worked figures are no rules, and Nexus cards have their own page."""
    status, text = _get("/rules?topic=rules")
    assert status == 200
    anchors = re.findall(r'<div id="([A-Z]+-\d+)">', text)
    assert anchors == list(dict.fromkeys(anchors))
    left = {rule.rpartition("-")[0] for rule in set(sentences()) - set(anchors)}
    assert {prefix for prefix in left if not prefix.startswith("NEXUS")} == {"FIG"}
    assert 'href="#rules-ship"' in text


def test_a_page_for_players_leads_to_no_other_server() -> None:
    for topic in guide.TOPICS:
        assert not re.findall(r'(?:href|src)="(?!/)[^"#]', _get(f"/rules?topic={topic}")[1])


@pytest.mark.parametrize(
    ("anchor", "topic"),
    [
        ("nexus-guild-betrayal", "nexus"),
        ("nexus-playing", "nexus"),
        ("BID-04", "rules"),
        ("ruling-nexus.public_counts", "nexus"),
    ],
)
def test_an_anchor_may_be_asked_for_as_a_topic(anchor: str, topic: str) -> None:
    """A short link leads to its place on the page. [EX-GUILD-38]"""
    client = TestClient(make_app(Health()))
    found = client.get(f"/rules?topic={anchor}", follow_redirects=False)
    assert found.status_code == 307
    assert found.headers["location"] == f"/rules?topic={topic}#{anchor}"
    assert f'id="{anchor}"' in client.get(found.headers["location"]).text


def test_an_unknown_topic_is_refused_by_name() -> None:
    status, text = _get("/rules?topic=spice")
    assert status == 404
    assert "no topic" in text
