"""Log lines: one JSON object each, marked notices, traces without local variables."""

from __future__ import annotations

import io
import json
import logging
from collections.abc import Callable, Iterator
from typing import Literal
from uuid import uuid4

import pytest
import structlog

from shared.ops.logging import get_logger, notice, setup_logging
from shared.ops.refs import room_ref

HIDDEN = "lasgun#1"


@pytest.fixture
def out() -> Iterator[io.StringIO]:
    stream = io.StringIO()
    before = logging.getLogger().handlers[:]
    setup_logging("rules", "i1", out=stream)
    yield stream
    structlog.reset_defaults()
    logging.basicConfig(handlers=before, force=True)


def lines(out: io.StringIO) -> list[dict[str, object]]:
    return [json.loads(line) for line in out.getvalue().splitlines()]


def test_a_line_says_who_and_what(out: io.StringIO) -> None:
    get_logger("test.who").info("decided", events=3)
    (line,) = lines(out)
    assert line["event"] == "decided"
    assert line["events"] == 3
    assert (line["service"], line["instance"], line["part"]) == ("rules", "i1", "test.who")


def test_a_room_is_never_named_by_its_id(out: io.StringIO) -> None:
    """Whoever says it: we in a field, a server in its complaint, another library in its own line."""
    room = uuid4()
    get_logger("test.rooms").warning(
        f"about {room}", room=room, hex=room.hex, reason=f"commit.{room.hex}: late", n=7
    )
    logging.getLogger("elsewhere").warning("dropped: %s", f"view.{room.hex}.guild")
    ours, theirs = lines(out)
    ref = room_ref(room)
    assert (ours["room"], ours["hex"], ours["n"]) == (ref, ref, 7)
    assert (ours["event"], ours["reason"]) == (f"about room:{ref}", f"commit.room:{ref}: late")
    assert theirs["event"] == f"dropped: view.room:{ref}.guild"


def test_a_notice_is_marked_for_people(out: io.StringIO) -> None:
    notice("room K7QF made")
    assert lines(out)[0]["notice"] is True


def test_below_the_level_nothing_is_written(out: io.StringIO) -> None:
    get_logger("test.level").debug("noise")
    assert out.getvalue() == ""


def test_other_libraries_log_in_the_same_form(out: io.StringIO) -> None:
    logging.getLogger("elsewhere").warning("careful with %s", "that")
    assert lines(out)[0]["event"] == "careful with that"


def fail() -> None:
    """Errors upon errors, each of which names a hidden card."""
    held = {HIDDEN: "in the left hand"}
    try:
        del held["the other " + HIDDEN]
    except KeyError as error:
        try:
            raise LookupError(f"no {HIDDEN}") from error
        except LookupError as wrong:
            wrong.add_note(HIDDEN)
            raise ValueError(held) from wrong


@pytest.mark.parametrize("style", ["json", "console"])
@pytest.mark.parametrize(
    "tell",
    [
        lambda error: get_logger("test.trace").exception("failed"),
        lambda error: get_logger("test.trace").error("failed", exc_info=error),
        lambda error: logging.getLogger("elsewhere").exception("failed"),
        lambda error: logging.getLogger("elsewhere").error("failed", exc_info=error),
    ],
)
def test_a_trace_tells_kinds_and_lines_but_no_text_and_no_variable(
    out: io.StringIO, style: Literal["json", "console"], tell: Callable[[Exception], None]
) -> None:
    setup_logging("rules", "i1", style, out=out)
    try:
        fail()
    except ValueError as error:
        tell(error)
    told = out.getvalue()
    assert HIDDEN not in told
    assert "left hand" not in told
    places = [told.index(kind) for kind in ("KeyError", "LookupError", "ValueError")]
    assert places == sorted(places), "the cause comes first"
    assert told.count("in fail") == 3


def test_the_operating_system_may_say_what_was_wrong(out: io.StringIO) -> None:
    try:
        raise ConnectionRefusedError(111, "Connection refused")
    except OSError:
        get_logger("test.os").exception("failed")
    assert str(lines(out)[0]["exception"]).endswith("ConnectionRefusedError: Connection refused")
