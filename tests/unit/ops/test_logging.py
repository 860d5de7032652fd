"""Log lines: one JSON object each, marked notices, traces without local variables."""

from __future__ import annotations

import io
import json
import logging
from collections.abc import Iterator

import pytest
import structlog

from shared.ops.logging import get_logger, notice, setup_logging


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


def test_a_notice_is_marked_for_people(out: io.StringIO) -> None:
    notice("room K7QF made")
    assert lines(out)[0]["notice"] is True


def test_below_the_level_nothing_is_written(out: io.StringIO) -> None:
    get_logger("test.level").debug("noise")
    assert out.getvalue() == ""


def test_other_libraries_log_in_the_same_form(out: io.StringIO) -> None:
    logging.getLogger("elsewhere").warning("careful with %s", "that")
    assert lines(out)[0]["event"] == "careful with that"


def test_a_trace_shows_no_local_variable(out: io.StringIO) -> None:
    hidden = "lasgun in " + "the left hand"
    try:
        raise ValueError(len(hidden))
    except ValueError:
        get_logger("test.trace").exception("failed")
    assert "ValueError" in out.getvalue()
    assert "lasgun in the left" not in out.getvalue()
