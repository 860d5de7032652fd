"""docs/metrics.md says what the services count; names follow Prometheus' conventions."""

from __future__ import annotations

from pathlib import Path

from services.cli.metrics import Known, document
from tests.unit.deploy.queries import faults, labels_in, names_in

QUERY = (
    'sum by (route, le) (rate(sietch_room_http_seconds_bucket{status=~"5..",job="a"}[5m])) > 0.5 or up == 0'
)


def test_the_page_is_what_the_services_say(known: list[Known]) -> None:
    """After a change: sietch metrics > docs/metrics.md"""
    assert Path("docs/metrics.md").read_text() == document(known)


def test_names_say_what_they_count_in(known: list[Known]) -> None:
    for metric in (one.metric for one in known):
        assert metric.name.startswith("sietch_")
        assert metric.name.endswith("_total") == (metric.kind == "counter"), metric.name
        assert metric.kind != "histogram" or metric.name.endswith("_seconds"), metric.name
        assert metric.text and metric.text[0].isalnum() and not metric.text.endswith("."), metric.name


def test_no_label_is_made_for_a_room_or_a_person(known: list[Known]) -> None:
    """Labels are words that somebody thought about: a new one is added here with its kind of value."""
    words = {
        *("command", "kind", "verb", "policy", "mode", "way", "flow", "step", "limit", "what", "why", "look"),
        *("route", "method", "status", "door", "code", "outcome", "subject", "consumer", "pool", "state"),
        *("service", "version", "revision"),
    }
    assert {label for one in known for label in one.metric.labels} == words


def test_a_query_is_read_as_prometheus_reads_it(known: list[Known]) -> None:
    assert names_in(QUERY) == {"sietch_room_http_seconds_bucket", "up"}
    assert labels_in(QUERY) == {"route", "le", "status", "job"}
    assert list(faults(QUERY, known)) == []
    wrong = 'sum by (seat) (sietch_room_http_seconds) / sietch_room_nothing_total{room="a"}'
    assert sorted(faults(wrong, known)) == [
        "no metric here has the label room",
        "no metric here has the label seat",
        "no service has the metric sietch_room_http_seconds",
        "no service has the metric sietch_room_nothing_total",
    ]
