"""Which metrics and labels a PromQL expression names: enough of its grammar to hold queries against the registries."""

from __future__ import annotations

import re
from collections.abc import Iterator

from services.cli.metrics import Known

__all__ = ["faults", "labels_in", "names_in"]

_TEXT = re.compile(r'"(?:[^"\\]|\\.)*"|\'[^\']*\'')
_MATCHERS = re.compile(r"\{([^{}]*)\}")
_GROUPS = re.compile(r"\b(?:by|without|on|ignoring|group_left|group_right)\s*\(([^()]*)\)")
_RANGE = re.compile(r"\[[^\]]*\]")
_WORD = re.compile(r"(?<![\w.$])([a-zA-Z_:][\w:]*)\b(?!\s*\()")
_LABEL = re.compile(r"([a-zA-Z_]\w*)\s*(?:=~|!~|!=|=)")
_NUMBER = re.compile(r"(?<![\w])\d[\w.]*")
KEYWORDS = {"and", "or", "unless", "offset", "bool", "by", "without", "on", "ignoring", "inf", "nan"}
FOREIGN = {"up", "ALERTS", "scrape_duration_seconds"}
"""What Prometheus makes itself."""
PROCESS = re.compile(
    r"process_(resident_memory_bytes|virtual_memory_bytes|cpu_seconds_total|start_time_seconds|open_fds|max_fds)"
)
EVERYWHERE = {"job", "instance"}


def _bare(query: str) -> str:
    """A query without texts and numbers; the values of variables are words."""
    return _NUMBER.sub("0", _TEXT.sub('""', query.replace("$__rate_interval", "5m")))


def names_in(query: str) -> set[str]:
    """The metrics that a query names."""
    plain = _RANGE.sub("", _MATCHERS.sub("", _GROUPS.sub("", _bare(query))))
    return {word for word in _WORD.findall(plain) if word.lower() not in KEYWORDS}


def labels_in(query: str) -> set[str]:
    """The labels that a query matches or groups by."""
    bare = _bare(query)
    matched = {name for inner in _MATCHERS.findall(bare) for name in _LABEL.findall(inner)}
    grouped = {part.strip() for inner in _GROUPS.findall(bare) for part in inner.split(",") if part.strip()}
    return matched | grouped


def faults(query: str, known: list[Known]) -> Iterator[str]:
    """Metrics and labels of a query that no service has."""
    metrics = {one.metric.name: one.metric for one in known}
    allowed = set(EVERYWHERE)
    for name in names_in(query):
        base = re.sub(r"_(bucket|count|sum)$", "", name)
        metric = metrics.get(name) or metrics.get(base)
        if name in FOREIGN or PROCESS.fullmatch(name):
            continue
        if metric is None or (metric.kind == "histogram") != (name != metric.name):
            yield f"no service has the metric {name}"
            continue
        allowed |= set(metric.labels) | ({"le"} if name.endswith("_bucket") else set())
    yield from (f"no metric here has the label {label}" for label in labels_in(query) - allowed)
