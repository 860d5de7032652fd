"""The dashboards are what the generator makes, and ask for metrics that exist, in queries that Prometheus can read."""

from __future__ import annotations

import json
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from deploy.grafana.make import DASHBOARDS, FOLDER, text_of
from services.cli.metrics import Known
from tests.unit.deploy.queries import faults, labels_in

needs_promtool = pytest.mark.skipif(shutil.which("promtool") is None, reason="promtool is not installed")
FILES = sorted(FOLDER.glob("*.json"))


def targets() -> Iterator[tuple[str, dict[str, Any]]]:
    """Every query with the place where it stands."""
    for path in FILES:
        for panel in json.loads(path.read_text())["panels"]:
            for target in panel.get("targets", ()):
                yield f"{path.stem}: {panel['title']}", target


def test_the_files_are_what_the_generator_makes() -> None:
    """After a change: python -m deploy.grafana.make"""
    assert {path.stem for path in FILES} == set(DASHBOARDS) == {"players", "services", "games"}
    for path in FILES:
        assert path.read_text() == text_of(path.stem), path


def test_every_query_asks_for_what_there_is(known: list[Known]) -> None:
    found = [f"{where}: {wrong}" for where, target in targets() for wrong in faults(target["expr"], known)]
    assert found == []
    assert sum(1 for _ in targets()) > 60


def test_every_metric_is_on_some_dashboard_or_in_an_alert(known: list[Known]) -> None:
    """What nobody looks at need not be counted."""
    texts = " ".join(
        [*(path.read_text() for path in FILES), Path("deploy/prometheus/alerts.yml").read_text()]
    )
    unseen = {one.metric.name for one in known if one.metric.name not in texts}
    assert unseen <= {
        "sietch_projection_followed_rooms",
        "sietch_projection_views_passed_on_total",
        "sietch_room_published_total",
        "sietch_room_rooms_made_total",
        "sietch_rules_check_seconds",
        "sietch_rules_events_folded_total",
    }


def test_a_legend_names_only_labels_that_its_query_keeps() -> None:
    for where, target in targets():
        named = {part.split("}}")[0] for part in target["legendFormat"].split("{{")[1:]}
        if "by (" in target["expr"]:
            assert named <= labels_in(target["expr"]), where


def test_panels_do_not_overlap_and_have_places_of_their_own() -> None:
    for path in FILES:
        taken: set[tuple[int, int]] = set()
        panels = json.loads(path.read_text())["panels"]
        assert len({panel["id"] for panel in panels}) == len(panels)
        for place in (panel["gridPos"] for panel in panels):
            cells = {
                (x, y)
                for x in range(place["x"], place["x"] + place["w"])
                for y in range(place["y"], place["y"] + place["h"])
            }
            assert not cells & taken and max(x for x, _ in cells) < 24, path
            taken |= cells


def test_grafana_finds_dashboards_and_prometheus() -> None:
    folder = FOLDER.parent / "provisioning"
    (source,) = yaml.safe_load((folder / "datasources" / "prometheus.yml").read_text())["datasources"]
    assert {target["datasource"]["uid"] for _, target in targets()} == {source["uid"]}
    (provider,) = yaml.safe_load((folder / "dashboards" / "sietch.yml").read_text())["providers"]
    assert provider["options"]["path"] == "/etc/grafana/dashboards"


@needs_promtool
def test_prometheus_can_read_every_query(tmp_path: Path) -> None:
    """As rules of a file that is checked, for promtool reads no queries alone."""
    rules = [
        {"record": f"query:number:{at}", "expr": target["expr"].replace("$__rate_interval", "1m")}
        for at, (_, target) in enumerate(targets())
    ]
    path = tmp_path / "rules.yml"
    path.write_text(yaml.safe_dump({"groups": [{"name": "dashboards", "rules": rules}]}))
    done = subprocess.run(
        ["promtool", "check", "rules", str(path)], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
