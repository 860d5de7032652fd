"""The forms of query that the dashboards are made of."""

from __future__ import annotations

JOBS = 'job=~"room|rules|projection|bot"'
ACTIONS = 'route="/api/rooms/{code}/actions"'

STAGES = (
    *("room_http", "room_head", "room_rules", "rules_decide", "room_append", "room_publish"),
    *("projection_fold", "projection_publish", "projection_view", "room_deliver"),
    *("bot_task", "bot_decide", "room_act", "room_look"),
)
"""The stages of an action, in the order in which they come. (docs/operations.md)"""


def per_second(counter: str, by: str = "", where: str = "") -> str:
    """A counter's rate, summed by some labels."""
    matched = f"{{{where}}}" if where else ""
    return f"sum{f' by ({by})' if by else ''} (rate({counter}{matched}[$__rate_interval]))"


def quantile(share: float, histogram: str, by: str = "", where: str = "") -> str:
    """A quantile of a histogram, by some labels."""
    groups = f"le, {by}" if by else "le"
    return f"histogram_quantile({share:g}, {per_second(f'{histogram}_bucket', groups, where)})"


def quantiles(histogram: str, where: str = "") -> tuple[tuple[str, str], ...]:
    """Median, 95th and 99th percentile."""
    return tuple(
        (quantile(share, histogram, where=where), f"p{share * 100:g}") for share in (0.5, 0.95, 0.99)
    )


def mean(histogram: str) -> str:
    """A histogram's mean."""
    return f"{per_second(f'{histogram}_sum')} / {per_second(f'{histogram}_count')}"


def stage_name(stage: str) -> str:
    """A stage as spans and logs call it."""
    return stage.replace("_", ".", 1)
