"""Errors that nobody caught come into the log like all others, without their text: Python would print it."""

from __future__ import annotations

import asyncio
import sys
import threading
from types import TracebackType
from typing import Any

from shared.ops.logging import get_logger

__all__ = ["hear_all", "hear_loop"]

log = get_logger("faults")


def hear_all() -> None:
    """Log what nobody caught, in any thread, in our own way: Python would print its text."""

    def uncaught(kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
        if issubclass(kind, KeyboardInterrupt):
            return
        log.critical("nobody caught an error", exc_info=(kind, error, trace))

    def in_thread(args: threading.ExceptHookArgs) -> None:
        if args.exc_value is not None:
            uncaught(args.exc_type, args.exc_value, args.exc_traceback)

    def unraisable(args: Any) -> None:  # a namespace that only the interpreter makes
        if args.exc_value is not None:
            uncaught(args.exc_type, args.exc_value, args.exc_traceback)

    sys.excepthook = uncaught
    threading.excepthook = in_thread
    sys.unraisablehook = unraisable


def hear_loop(loop: asyncio.AbstractEventLoop) -> None:
    """The same for what is left in this loop's tasks and callbacks: asyncio would log their arguments too."""

    def left(_: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
        # "Exception in callback <its arguments>": what it is, without the rest.
        what = str(context.get("message", "")).partition(" callback")[0]
        log.error("an error was left in the event loop", problem=what, exc_info=context.get("exception"))

    loop.set_exception_handler(left)
