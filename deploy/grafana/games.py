"""Whether games go on, and what they wait for."""

from __future__ import annotations

from typing import Any

from deploy.grafana.panels import Row, bars, dashboard, lines, number
from deploy.grafana.queries import per_second, quantile

WAITING = "sietch_room_offers_waiting"
FINISHED = "sietch_room_games_finished_total"

NOW = Row(
    "Now",
    (
        number("Running", "none", 'max(sietch_room_rooms{state="running"})'),
        number("In the lobby", "none", 'max(sietch_room_rooms{state="lobby"})'),
        number("Finished", "none", 'max(sietch_room_rooms{state="finished"})'),
        number("Open offers", "none", f"sum(max by (flow, step) ({WAITING}))"),
        number(
            "Waiting for a bot",
            "s",
            "max(sietch_room_bot_waits_oldest_seconds)",
            warn=60,
            about="The slowest of all.",
        ),
        number("A clock is late", "s", "max(sietch_room_deadlines_overdue_seconds)", warn=15),
    ),
)
WHAT_GAMES_WAIT_FOR = Row(
    "What games wait for",
    (
        bars(
            "Offers waiting by flow and step",
            "none",
            f"max by (flow, step) ({WAITING})",
            "{{flow}} {{step}}",
            width=12,
        ),
        lines(
            "Offers waiting by flow",
            "none",
            (f"sum by (flow) (max by (flow, step) ({WAITING}))", "{{flow}}"),
            stacked=True,
            width=12,
        ),
    ),
)
COURSE = Row(
    "Course",
    (
        lines(
            "Commands",
            "cps",
            (per_second("sietch_room_commands_total", "kind, outcome"), "{{kind}} {{outcome}}"),
        ),
        lines("Rooms by state", "none", ("max by (state) (sietch_room_rooms)", "{{state}}"), stacked=True),
        lines(
            "Games",
            "none",
            ("sum by (mode) (increase(sietch_room_games_begun_total[1h]))", "begun, {{mode}}"),
            (f"sum by (way) (increase({FINISHED}[1h]))", "over: {{way}}"),
            about="Within an hour.",
        ),
        bars("Finished games by way", "none", "max by (way) (sietch_room_finished_rooms)", "{{way}}"),
        lines(
            "Refusals of rules by code",
            "cps",
            (per_second("sietch_rules_refusals_total", "code"), "{{code}}"),
            about="stale: somebody else was first.",
        ),
        lines(
            "Clocks that ran out",
            "cps",
            (per_second("sietch_room_deadlines_fired_total", "outcome"), "{{outcome}}"),
            ("max(sietch_room_deadlines_overdue)", "not fired yet (number)"),
        ),
    ),
)
BOTS = Row(
    "Bots",
    (
        lines(
            "Answers by policy and outcome",
            "cps",
            (per_second("sietch_bot_decisions_total", "policy, outcome"), "{{policy}} {{outcome}}"),
            about="200 accepted; gone, 409: no longer asked; 422: a fault of the policy.",
        ),
        lines("Games that wait for a bot", "none", ("max(sietch_room_bot_waits)", "games"), width=4),
        lines(
            "Thinking, p95",
            "s",
            (quantile(0.95, "sietch_bot_decide_seconds", "policy"), "{{policy}}"),
            width=4,
        ),
        lines(
            "Whole turn, p95",
            "s",
            (quantile(0.95, "sietch_bot_task_seconds", "policy"), "{{policy}}"),
            width=4,
        ),
        lines(
            "Task before it is taken, p95",
            "s",
            (quantile(0.95, "sietch_consumer_wait_seconds", where='consumer="bot"'), "task"),
            width=4,
        ),
    ),
)
LEFT_BEHIND = Row(
    "Left behind",
    (
        lines(
            "Found by the sweep",
            "cps",
            (per_second("sietch_room_swept_total", "what"), "{{what}}"),
            about="Hints and tasks that were lost and given again.",
        ),
        lines(
            "Commits that NATS has not taken", "none", ("max(sietch_room_hints_behind_commits)", "commits")
        ),
        lines("Races lost", "cps", (per_second("sietch_room_races_lost_total"), "decided again")),
    ),
)


def games() -> dict[str, Any]:
    """The dashboard."""
    return dashboard(
        "sietch-games",
        "Sietch: game health",
        "Whether games go on, and what they wait for.",
        (NOW, WHAT_GAMES_WAIT_FOR, COURSE, BOTS, LEFT_BEHIND),
    )
