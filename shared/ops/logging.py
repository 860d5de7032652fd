"""Logs: one JSON line (or one readable line on a console) per thing that happened, to standard output.

`notice` marks the few lines that an operator of one machine wants to read; `sietch up` prints those. Nothing
secret is ever a field: no token, no hidden piece of a game, no body of a request. Of an error a line tells its kind and
where it came from, never its text: that may name a hidden card or hold a row of the store. Only the operating system's
errors keep theirs, which is about files and connections. A room is named by its ref, never by its id (`refs.py`).
Within a trace a line carries the ids of trace and span.
"""

from __future__ import annotations

import logging
import sys
import traceback
from collections.abc import MutableMapping
from typing import Literal, TextIO

import orjson

from shared.ops import tracing
from shared.ops.refs import shown
from shared.ops.without import without

# Where rich is installed structlog loads all of it, to draw traces that are not drawn here: a tenth of a start.
with without("rich"):
    import structlog

Level = Literal["debug", "info", "warning", "error"]

DEEPEST_TRACE = 25
"""Lines of a trace that are kept, the innermost ones."""
LONGEST_CHAIN = 6
"""Errors of a chain of causes that are told."""


def setup_logging(
    service: str,
    instance: str,
    style: Literal["json", "console"] = "json",
    level: Level = "info",
    out: TextIO | None = None,
) -> None:
    """Route structlog and the standard library's loggers to `out` (standard output) in one style."""
    number = getattr(logging, level.upper())
    shared: list[structlog.typing.Processor] = [
        structlog.contextvars.merge_contextvars,
        structlog.processors.add_log_level,
        structlog.processors.TimeStamper(fmt="iso", utc=True),
        _stamp(service, instance),
        _rooms,
        _trace,
    ]
    last = _renderers(style)
    stream = out or sys.stdout
    structlog.configure(
        processors=[*shared, *last],
        wrapper_class=structlog.make_filtering_bound_logger(number),
        logger_factory=structlog.PrintLoggerFactory(stream),
        cache_logger_on_first_use=True,
    )
    handler = logging.StreamHandler(stream)
    handler.setFormatter(
        structlog.stdlib.ProcessorFormatter(
            foreign_pre_chain=shared,
            processors=[structlog.stdlib.ProcessorFormatter.remove_processors_meta, *last],
        )
    )
    logging.basicConfig(handlers=[handler], level=max(number, logging.WARNING), force=True)


def _renderers(style: Literal["json", "console"]) -> list[structlog.typing.Processor]:
    """How a line is written. The trace is made before anybody else's renderer could show texts or local variables."""
    where = structlog.processors.ExceptionRenderer(_where)
    if style == "json":
        return [where, structlog.processors.JSONRenderer(serializer=_dumps)]
    return [where, structlog.dev.ConsoleRenderer(colors=sys.stdout.isatty())]


def _where(exc_info: structlog.typing.ExcInfo) -> str:
    """Kinds of an error and of those that led to it, each with the lines that it came through."""
    told: list[str] = []
    error: BaseException | None = exc_info[1]
    while error is not None and len(told) < LONGEST_CHAIN:
        frames = traceback.extract_tb(error.__traceback__)[-DEEPEST_TRACE:]
        lines = [f"  {frame.filename}:{frame.lineno} in {frame.name}" for frame in frames]
        told.append("\n".join([*lines, named(error)]))
        error = error.__cause__ or (None if error.__suppress_context__ else error.__context__)
    return "\nwhich led to:\n".join(reversed(told))


def named(error: BaseException) -> str:
    """What a log line may say of an error: its kind, and the operating system's own words."""
    kind = type(error).__qualname__
    words = error.strerror if isinstance(error, OSError) else None
    return f"{kind}: {words}" if words else kind


def get_logger(name: str) -> structlog.typing.FilteringBoundLogger:
    """A logger whose lines carry `part=name`."""
    logger: structlog.typing.FilteringBoundLogger = structlog.get_logger(part=name)
    return logger


def notice(text: str, **fields: object) -> None:
    """One readable line that matters to who runs the servers: a room was made, a game ended. Never a secret."""
    structlog.get_logger(part="notice").info(text, notice=True, **fields)


def _dumps(value: object, **_: object) -> str:
    return orjson.dumps(value, default=str, option=orjson.OPT_NON_STR_KEYS).decode()


def _rooms(_: object, __: str, event: MutableMapping[str, object]) -> MutableMapping[str, object]:
    """No room by its id, whoever says it: in a field of ours, or in what NATS or PostgreSQL complain of."""
    for name, value in event.items():
        event[name] = shown(value)
    return event


def _trace(_: object, __: str, event: MutableMapping[str, object]) -> MutableMapping[str, object]:
    """Which action a line belongs to, if to any."""
    span = tracing.current()
    if span is not None:
        event["trace"], event["span"] = f"{span.trace_id:032x}", f"{span.span_id:016x}"
    return event


def _stamp(service: str, instance: str) -> structlog.typing.Processor:
    def add(_: object, __: str, event: MutableMapping[str, object]) -> MutableMapping[str, object]:
        event["service"] = service
        event["instance"] = instance
        return event

    return add
