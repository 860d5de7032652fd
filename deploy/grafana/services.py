"""The processes: rate, errors and duration of each, and what they work with."""

from __future__ import annotations

from typing import Any

from deploy.grafana.panels import Row, dashboard, lines, table
from deploy.grafana.queries import JOBS, STAGES, mean, per_second, quantile, quantiles, stage_name

BUS, CONSUMER = "sietch_bus_handled_seconds", "sietch_consumer_handled_seconds"
LOOP = "sietch_event_loop_lag_seconds"

REPLICAS = Row(
    "Replicas",
    (
        table(
            "Replicas",
            f"sietch_build_info{{{JOBS}}}",
            about="Each process that was scraped, and what it runs.",
            width=12,
        ),
        lines("Replicas that answer", "none", (f"sum by (job) (up{{{JOBS}}})", "{{job}}"), width=6),
        lines(
            "Starts",
            "none",
            (f"sum by (job) (changes(process_start_time_seconds{{{JOBS}}}[15m]))", "{{job}}"),
            about="Restarts within a quarter of an hour.",
            width=6,
        ),
        lines(
            "Processor",
            "percentunit",
            (f"rate(process_cpu_seconds_total{{{JOBS}}}[$__rate_interval])", "{{job}} {{instance}}"),
            about="Of one core: a process cannot use more.",
        ),
        lines("Memory", "bytes", (f"process_resident_memory_bytes{{{JOBS}}}", "{{job}} {{instance}}")),
        lines(
            "Event-loop lag, p95",
            "s",
            (quantile(0.95, LOOP, "job, instance"), "{{job}} {{instance}}"),
            about="How late a sleeper is woken: above 0.1 s something computes for too long.",
        ),
    ),
)
STAGES_OF_AN_ACTION = Row(
    "Stages of an action",
    (
        lines(
            "Stages of an action, mean",
            "s",
            *((mean(f"sietch_{s}_seconds"), stage_name(s)) for s in STAGES),
            width=12,
        ),
        lines(
            "Stages of an action, p95",
            "s",
            *((quantile(0.95, f"sietch_{s}_seconds"), stage_name(s)) for s in STAGES),
            width=12,
        ),
    ),
)
MESSAGES = Row(
    "Messages",
    (
        lines(
            "Handled by subject", "cps", (per_second(f"{BUS}_count", "job, subject"), "{{job}} {{subject}}")
        ),
        lines(
            "Not done",
            "cps",
            (
                per_second(f"{BUS}_count", "job, subject, outcome", 'outcome!="done"'),
                "{{job}} {{subject}} {{outcome}}",
            ),
            (
                per_second("sietch_bus_asked_seconds_count", "job, subject, outcome", 'outcome!="answered"'),
                "{{job}} asks {{subject}}: {{outcome}}",
            ),
            (
                per_second("sietch_bus_published_total", "job, subject", 'outcome="failed"'),
                "{{job}} publishes {{subject}}: failed",
            ),
        ),
        lines("Handling, p95", "s", (quantile(0.95, BUS, "job, subject"), "{{job}} {{subject}}")),
        lines(
            "Requests between services, p95",
            "s",
            (quantile(0.95, "sietch_bus_asked_seconds", "job, subject"), "{{job}} asks {{subject}}"),
        ),
        lines(
            "Published",
            "cps",
            (per_second("sietch_bus_published_total", "job, subject"), "{{job}} {{subject}}"),
        ),
        lines(
            "Connections to NATS made again",
            "none",
            ("sum by (job) (increase(sietch_bus_reconnects_total[$__rate_interval]))", "{{job}}"),
        ),
    ),
)
STREAMS = Row(
    "Streams",
    (
        lines(
            "Messages that wait",
            "none",
            ("max by (consumer) (sietch_consumer_waiting_messages)", "{{consumer}}"),
            width=6,
        ),
        lines(
            "Oldest of them",
            "s",
            ("max by (consumer) (sietch_consumer_oldest_seconds)", "{{consumer}}"),
            width=6,
        ),
        lines(
            "Handled by outcome",
            "cps",
            (per_second(f"{CONSUMER}_count", "consumer, outcome"), "{{consumer}} {{outcome}}"),
            width=6,
        ),
        lines(
            "Wait before handling, p95",
            "s",
            (quantile(0.95, "sietch_consumer_wait_seconds", "consumer"), "{{consumer}}"),
            width=6,
        ),
    ),
)
STORE = Row(
    "Store",
    (
        lines(
            "Connections used",
            "none",
            ('sum by (job, pool) (sietch_store_connections{state="used"})', "{{job}} {{pool}}"),
            ("sum by (job, pool) (sietch_store_connections)", "{{job}} {{pool}}: all"),
            width=6,
        ),
        lines(
            "Who waits for one",
            "none",
            ("sum by (job, pool) (sietch_store_waiting)", "{{job}} {{pool}}"),
            width=6,
        ),
        lines(
            "Wait for one, p95",
            "s",
            (quantile(0.95, "sietch_store_wait_seconds", "job, pool"), "{{job}} {{pool}}"),
            width=6,
        ),
        lines("Append", "s", *quantiles("sietch_room_append_seconds"), width=6),
    ),
)
RULES_AND_PROJECTION = Row(
    "Rules and projection",
    (
        lines(
            "Decisions, p95",
            "s",
            (quantile(0.95, "sietch_rules_decide_seconds", "command"), "{{command}}"),
            width=6,
        ),
        lines(
            "Asked again",
            "cps",
            (per_second("sietch_room_rules_detours_total", "why"), "{{why}}"),
            width=6,
            about="behind: the worker lacked the table and was sent it.",
        ),
        lines(
            "Rooms held hot",
            "none",
            ("sietch_rules_hot_tables", "rules {{instance}}"),
            ("sietch_projection_hot_rooms", "projection {{instance}}"),
            width=6,
        ),
        lines(
            "Commits not folded yet",
            "none",
            ("sum(sietch_projection_unfolded_commits)", "heard"),
            ("max(sietch_room_hints_behind_commits)", "not taken by NATS"),
            (per_second("sietch_projection_commits_filled_total"), "read from the store, each second"),
            width=6,
        ),
    ),
)


def services() -> dict[str, Any]:
    """The dashboard."""
    return dashboard(
        "sietch-services",
        "Sietch: services",
        "Rate, errors and duration of every service.",
        (REPLICAS, STAGES_OF_AN_ACTION, MESSAGES, STREAMS, STORE, RULES_AND_PROJECTION),
    )
