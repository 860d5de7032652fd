"""What players get: answers, views, refusals."""

from __future__ import annotations

from typing import Any

from deploy.grafana.panels import Row, dashboard, heat, lines, number
from deploy.grafana.queries import ACTIONS, per_second, quantile, quantiles

HTTP = "sietch_room_http_seconds"
FAILING = per_second(f"{HTTP}_count", where='status=~"5.."')
LAG = "sietch_projection_lag_seconds"

NOW = Row(
    "Now",
    (
        number(
            "Open streams", "none", "sum(sietch_room_streams_open)", about="Tables that somebody looks at."
        ),
        number("Requests", "reqps", per_second(f"{HTTP}_count")),
        number(
            "Requests that fail",
            "percentunit",
            f"({FAILING} or vector(0)) / {per_second(f'{HTTP}_count')}",
            warn=0.01,
            about="Answered 5xx.",
        ),
        number("Actions", "reqps", per_second(f"{HTTP}_count", where=ACTIONS)),
        number("Answer, p99", "s", quantile(0.99, HTTP, where=ACTIONS), warn=0.5, about="Of an action."),
        number(
            "Shown, p95",
            "s",
            quantile(0.95, LAG),
            warn=1.0,
            about="From a commit to the sending of what it changed.",
        ),
    ),
)
ACTING = Row(
    "Actions",
    (
        lines(
            "Answers to actions",
            "reqps",
            (per_second(f"{HTTP}_count", "status", ACTIONS), "{{status}}"),
            about="200 accepted; 409 no longer open; 422 refused by a rule; 429 too many.",
            stacked=True,
        ),
        lines("Time to the answer", "s", *quantiles(HTTP, ACTIONS)),
        heat(
            "Time to the answer, all", f"sum by (le) (increase({HTTP}_bucket{{{ACTIONS}}}[$__rate_interval]))"
        ),
    ),
)
SEEING = Row(
    "Seeing",
    (
        lines("From a commit to the sending of views", "s", *quantiles(LAG)),
        lines(
            "Changes sent to audiences",
            "cps",
            (per_second("sietch_projection_changes_total"), "changes"),
            (per_second("sietch_room_deliver_seconds_count"), "taken by streams' hubs"),
        ),
        lines("Streams by replica", "none", ("sietch_room_streams_open", "{{instance}}"), stacked=True),
    ),
)
EVERY_ROUTE = Row(
    "Every route",
    (
        lines(
            "Requests by route", "reqps", (f"topk(10, {per_second(f'{HTTP}_count', 'route')})", "{{route}}")
        ),
        lines(
            "Errors by route and status",
            "reqps",
            (per_second(f"{HTTP}_count", "route, status", 'status=~"4..|5.."'), "{{status}} {{route}}"),
        ),
        lines("95th percentile by route", "s", (quantile(0.95, HTTP, "route"), "{{route}}")),
    ),
)
REFUSED = Row(
    "Refused",
    (
        lines(
            "Refusals by code",
            "cps",
            (per_second("sietch_room_refusals_total", "door, code"), "{{door}}: {{code}}"),
        ),
        lines("Rate limits", "cps", (per_second("sietch_room_rate_limited_total", "limit"), "{{limit}}")),
        lines(
            "Views sent whole again",
            "cps",
            (per_second("sietch_room_view_resyncs_total", "why"), "{{why}}"),
            about="A change was missed (gap), the bus was away (reconnect), or found to be late (quiet).",
        ),
    ),
)


def players() -> dict[str, Any]:
    """The dashboard."""
    return dashboard(
        "sietch-players", "Sietch: players", "What players get.", (NOW, ACTING, SEEING, EVERY_ROUTE, REFUSED)
    )
