"""Subjects as labels and logs show them: no room, no audience, no worker."""

from __future__ import annotations

import pytest

from shared.ops.refs import room_ref
from shared.wire import subjects
from shared.wire.measured import pattern, told

ROOM = "0192f0c1a2b37c4d8e5f60718293a4b5"


@pytest.mark.parametrize(
    ("subject", "shown"),
    [
        (subjects.commit(ROOM), "commit.*"),
        (subjects.view(ROOM, "atreides"), "view.*.*"),
        (subjects.interest(ROOM), "watch.*"),
        (subjects.interest("*"), "watch.*"),
        (subjects.room_hint(ROOM), "room.hint.*"),
        (subjects.bot_task(ROOM), "bot.task.*"),
        (subjects.rules_at("w1", "decide"), "rules.at.*.decide"),
        (subjects.projection_at("a1b2c3", "view"), "projection.at.*.view"),
        (subjects.RULES_CHECK, "rules.check"),
        (subjects.ROOM_LOOK, "room.look"),
        (subjects.PROJECTION_HERE, "projection.here"),
        ("rules.at.w1.invented", "other"),
        (f"_INBOX_bot.{ROOM}", "other"),
        (ROOM, "other"),
        ("", "other"),
    ],
)
def test_a_subject_without_its_values(subject: str, shown: str) -> None:
    assert pattern(subject) == shown


def test_every_subject_that_there_is_has_a_pattern() -> None:
    plain = {
        value
        for name, value in vars(subjects).items()
        if name.isupper() and isinstance(value, str) and "." in value
    }
    made = {subjects.commit("*"), subjects.view("*", "*"), subjects.interest("*"), subjects.bot_task("*")}
    streams = {subjects.COMMIT_ALL, subjects.BOT_TASKS}
    for subject in (plain - streams) | made:
        assert pattern(subject) == subject


def test_a_log_line_names_the_room_by_its_ref() -> None:
    assert told(subjects.view(ROOM, "atreides")) == {"subject": "view.*.*", "room": room_ref(ROOM)}
    assert told(subjects.RULES_DECIDE) == {"subject": "rules.decide"}
