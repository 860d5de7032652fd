"""The stages of an action: one word for the span, the metric and the line of the log of each.

    FOLD = Stage("projection.fold", "One commit folded and its views built")

    with FOLD() as step:
        ...

makes the span `projection.fold`, an observation of the histogram `sietch_projection_fold_seconds`, and within a trace
the line `projection.fold` in the log (level debug). Labels are words of ours: no room, no seat, nothing of a game.
"""

from __future__ import annotations

import time
from types import TracebackType
from typing import Self

from opentelemetry import trace
from opentelemetry.trace import Span, SpanKind, Status, StatusCode
from prometheus_client import Histogram

from shared.ops import metrics, tracing
from shared.ops.logging import get_logger

log = get_logger("stage")

FAILED = "failed"
"""The value of every label of a step that an error ended before it said better."""

_ERROR = Status(StatusCode.ERROR)


class Stage:
    """A named stage, with labels whose values each step says before it ends. Make it once, at import."""

    def __init__(
        self, name: str, text: str, labels: tuple[str, ...] = (), kind: SpanKind = SpanKind.INTERNAL
    ) -> None:
        self.name = name
        self.kind = kind
        self.labels = labels
        self._histogram = metrics.histogram(f"{name.replace('.', '_')}_seconds", text, labels)
        self.unsaid = (FAILED,) * len(labels)
        self.children: dict[tuple[str, ...], Histogram] = {} if labels else {(): self._histogram}

    def __call__(self) -> Step:
        """One pass through this stage, to be used in a `with` block."""
        return Step(self)

    def child(self, values: tuple[str, ...]) -> Histogram:
        """The metric of these labels; kept in `children`, for it is slow to find."""
        child: Histogram = self._histogram.labels(*values)
        self.children[values] = child
        return child


class Step:
    """One pass through a stage. An error ends its span as failed, by its kind: a text could hold what is hidden."""

    __slots__ = ("_span", "_stage", "_started", "_within", "said")

    def __init__(self, stage: Stage) -> None:
        self._stage = stage
        self._span: Span | None = None
        self.said = stage.unsaid

    def say(self, *values: str) -> None:
        """The values of the stage's labels."""
        self.said = values

    def __enter__(self) -> Self:
        if tracing.is_on():
            self._span = tracing.begin(self._stage.name, self._stage.kind)
            self._within = tracing.within(trace.set_span_in_context(self._span))
            self._within.__enter__()
        self._started = time.perf_counter()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace_: TracebackType | None
    ) -> None:
        if self._started:
            self.end(kind)
        if self._span is not None:
            self._within.__exit__()

    def end(self, error: type[BaseException] | None = None) -> None:
        """The stage is over, though not the block: for one that goes on with something else."""
        seconds = time.perf_counter() - self._started
        self._started = 0.0
        (self._stage.children.get(self.said) or self._stage.child(self.said)).observe(seconds)
        if trace.get_current_span() is not trace.INVALID_SPAN:
            self._tell(seconds, error)

    def _tell(self, seconds: float, error: type[BaseException] | None) -> None:
        told = dict(zip(self._stage.labels, self.said, strict=True))
        if error is not None:
            told["error"] = error.__name__
        log.debug(self._stage.name, milliseconds=round(seconds * 1000, 3), **told)
        if self._span is not None:
            if error is not None:
                self._span.set_status(_ERROR)
            self._span.set_attributes({f"sietch.{name}": value for name, value in told.items()})
            self._span.end()
