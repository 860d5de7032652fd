"""Logs: one JSON line (or one readable line on a console) per thing that happened, to standard output.

`notice` marks the few lines that an operator of one machine wants to read; `sietch up` prints those. Nothing
secret is ever a field: no token, no hidden piece of a game, no body of a request.
"""

from __future__ import annotations

import logging
import sys
from collections.abc import MutableMapping
from typing import Literal, TextIO

import orjson
import structlog

Level = Literal["debug", "info", "warning", "error"]


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
    """How a line is written. Traces are plain: one with local variables would carry what is hidden into the logs."""
    if style == "json":
        return [
            structlog.processors.format_exc_info,
            structlog.processors.JSONRenderer(serializer=_dumps),
        ]
    plain = structlog.dev.plain_traceback
    return [structlog.dev.ConsoleRenderer(colors=sys.stdout.isatty(), exception_formatter=plain)]


def get_logger(name: str) -> structlog.typing.FilteringBoundLogger:
    """A logger whose lines carry `part=name`."""
    logger: structlog.typing.FilteringBoundLogger = structlog.get_logger(part=name)
    return logger


def notice(text: str, **fields: object) -> None:
    """One readable line that matters to who runs the servers: a room was made, a game ended. Never a secret."""
    structlog.get_logger(part="notice").info(text, notice=True, **fields)


def _dumps(value: object, **_: object) -> str:
    return orjson.dumps(value, default=str, option=orjson.OPT_NON_STR_KEYS).decode()


def _stamp(service: str, instance: str) -> structlog.typing.Processor:
    def add(_: object, __: str, event: MutableMapping[str, object]) -> MutableMapping[str, object]:
        event["service"] = service
        event["instance"] = instance
        return event

    return add
