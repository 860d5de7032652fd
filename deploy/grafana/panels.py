"""Panels and dashboards as Grafana's JSON wants them: the few kinds that Sietch's dashboards use.

Typed and small rather than general: a panel is a title, a unit and queries; places are given out from left to right.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal

from msgspec import Struct

__all__ = ["Panel", "Query", "Row", "bars", "dashboard", "heat", "lines", "number", "table"]

Kind = Literal["timeseries", "stat", "table", "bargauge", "heatmap"]
WIDTH = 24
SOURCE = {"type": "prometheus", "uid": "prometheus"}
"""The data source that `provisioning/` makes."""


class Query(Struct, frozen=True):
    """A PromQL query and what its series are called: `{{label}}` stands for a label's value."""

    expr: str
    legend: str = ""


class Panel(Struct, frozen=True):
    """One panel: what it shows, in which unit, how wide and high (in Grafana's grid of 24 columns)."""

    kind: Kind
    title: str
    unit: str
    queries: tuple[Query, ...]
    width: int
    height: int
    about: str = ""
    stacked: bool = False
    warn: float | None = None


class Row(Struct, frozen=True):
    """A headline with the panels below it."""

    title: str
    panels: tuple[Panel, ...]


def lines(
    title: str, unit: str, *queries: tuple[str, str], about: str = "", width: int = 8, stacked: bool = False
) -> Panel:
    """Series over time."""
    return Panel("timeseries", title, unit, _queries(queries), width, 8, about, stacked)


def number(
    title: str, unit: str, expr: str, *, about: str = "", warn: float | None = None, width: int = 4
) -> Panel:
    """One number as it is now; red from `warn` on."""
    return Panel("stat", title, unit, (Query(expr),), width, 4, about, warn=warn)


def bars(title: str, unit: str, expr: str, legend: str, *, about: str = "", width: int = 8) -> Panel:
    """One bar for each series as it is now, the longest first."""
    return Panel("bargauge", title, unit, (Query(f"sort_desc({expr})", legend),), width, 8, about)


def table(title: str, expr: str, *, about: str = "", width: int = 12) -> Panel:
    """The series as they are now, a column for each label."""
    return Panel("table", title, "none", (Query(expr),), width, 8, about)


def heat(title: str, expr: str, *, about: str = "", width: int = 8) -> Panel:
    """A histogram's buckets over time: `expr` sums increases by `le`."""
    return Panel("heatmap", title, "s", (Query(expr, "{{le}}"),), width, 8, about)


def _queries(pairs: Sequence[tuple[str, str]]) -> tuple[Query, ...]:
    return tuple(Query(expr, legend) for expr, legend in pairs)


def dashboard(uid: str, title: str, about: str, rows: Sequence[Row]) -> dict[str, Any]:
    """A dashboard's JSON."""
    return {
        "uid": uid,
        "title": title,
        "description": about,
        "tags": ["sietch"],
        "timezone": "browser",
        "schemaVersion": 39,
        "version": 1,
        "editable": False,
        "refresh": "15s",
        "time": {"from": "now-1h", "to": "now"},
        "links": [{"type": "dashboards", "tags": ["sietch"], "title": "Sietch", "asDropdown": False}],
        "panels": _placed(rows),
    }


def _placed(rows: Sequence[Row]) -> list[dict[str, Any]]:
    """All panels with their places."""
    made: list[dict[str, Any]] = []
    top = 0
    for row in rows:
        place = {"x": 0, "y": top, "w": WIDTH, "h": 1}
        made.append(
            {"id": len(made) + 1, "type": "row", "title": row.title, "gridPos": place, "collapsed": False}
        )
        top += 1
        left = height = 0
        for panel in row.panels:
            if left + panel.width > WIDTH:
                top, left, height = top + height, 0, 0
            place = {"x": left, "y": top, "w": panel.width, "h": panel.height}
            made.append({"id": len(made) + 1, "gridPos": place, **_panel(panel)})
            left, height = left + panel.width, max(height, panel.height)
        top += height
    return made


def _panel(panel: Panel) -> dict[str, Any]:
    now = panel.kind in ("stat", "table", "bargauge")
    formats = {"table": "table", "heatmap": "heatmap"}
    targets = [
        {
            "refId": chr(ord("A") + at),
            "datasource": SOURCE,
            "expr": query.expr,
            "legendFormat": query.legend or "__auto",
            "instant": now,
            "range": not now,
            "format": formats.get(panel.kind, "time_series"),
        }
        for at, query in enumerate(panel.queries)
    ]
    return {
        "type": panel.kind,
        "title": panel.title,
        "description": panel.about,
        "datasource": SOURCE,
        "targets": targets,
        "fieldConfig": {"defaults": _defaults(panel), "overrides": []},
        "options": _options(panel.kind),
    } | _transformed(panel.kind)


def _defaults(panel: Panel) -> dict[str, Any]:
    steps: list[dict[str, Any]] = [{"color": "green", "value": None}]
    if panel.warn is not None:
        steps.append({"color": "red", "value": panel.warn})
    found: dict[str, Any] = {
        "unit": panel.unit,
        "min": 0,
        "noValue": "none",
        "thresholds": {"mode": "absolute", "steps": steps},
    }
    if panel.kind == "timeseries":
        found["custom"] = {
            "drawStyle": "line",
            "lineWidth": 1,
            "fillOpacity": 25 if panel.stacked else 5,
            "showPoints": "never",
            "stacking": {"mode": "normal" if panel.stacked else "none"},
        }
    return found


def _options(kind: Kind) -> dict[str, Any]:
    last = {"calcs": ["lastNotNull"], "fields": "", "values": False}
    options: dict[Kind, dict[str, Any]] = {
        "timeseries": {
            "legend": {"displayMode": "list", "placement": "bottom", "showLegend": True},
            "tooltip": {"mode": "multi", "sort": "desc"},
        },
        "stat": {"reduceOptions": last, "colorMode": "value", "graphMode": "none", "textMode": "value"},
        "bargauge": {"reduceOptions": last, "orientation": "horizontal", "displayMode": "basic"},
        "table": {"showHeader": True, "cellHeight": "sm"},
        "heatmap": {
            "calculate": False,
            "yAxis": {"unit": "s"},
            "color": {"mode": "scheme", "scheme": "Oranges"},
            "cellGap": 1,
        },
    }
    return options[kind]


def _transformed(kind: Kind) -> dict[str, Any]:
    """A table without the columns that say nothing."""
    if kind != "table":
        return {}
    hidden = {"Time": True, "__name__": True, "Value": True, "service": True}
    return {"transformations": [{"id": "organize", "options": {"excludeByName": hidden}}]}
