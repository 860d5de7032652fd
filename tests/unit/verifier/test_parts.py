"""The verifier's parts by themselves: states and exit statuses, reports, promises, replies, patches, chosen checks."""

from __future__ import annotations

from functools import partial
from pathlib import Path

import httpx
import msgspec
import pytest
from typer.testing import CliRunner

from services.cli.verify import app
from services.projection.patch import merge_patch
from services.verifier.checks import CHECKS, Check, chosen
from services.verifier.findings import Finding, Outcome, Report, State, exit_status
from services.verifier.plan import MOST_ALIKE, CannotRunError, Plan, Run
from services.verifier.promises import Promises
from services.verifier.replies import judge
from services.verifier.report import markdown, summary
from services.verifier.running import one
from services.verifier.streams import apply_patch, frames_of

FINDING = Finding("500 a | b", "GET /api", "200")


def outcome(state: State, *findings: Finding) -> Outcome:
    return Outcome("surface", "all of it", state, 1.0, {"looks": 3}, findings, "" if findings else "why")


def report(*outcomes: Outcome) -> Report:
    return Report("http://x", "1", 1, False, "now", 2.0, outcomes)


@pytest.mark.parametrize(
    ("outcomes", "status"),
    [
        ((outcome("held"),), 0),
        ((outcome("held"), outcome("left out")), 0),
        ((outcome("left out"),), 2),
        ((), 2),
        ((outcome("held"), outcome("could not run")), 2),
        ((outcome("could not run"), outcome("found", FINDING)), 1),
    ],
)
def test_what_could_not_run_is_never_held(outcomes: tuple[Outcome, ...], status: int) -> None:
    assert exit_status(report(*outcomes)) == status


def test_a_report_for_people_and_one_for_machines() -> None:
    made = report(outcome("held"), outcome("found", FINDING), outcome("could not run"))
    assert "met:      500 a | b" in summary(made)
    assert "1 finding " in summary(made)
    assert "| surface | GET /api | 500 a \\| b | 200 |" in markdown(made)
    assert msgspec.json.decode(msgspec.json.encode(made), type=Report) == made


def run_of(work: object) -> Outcome:
    class Mine(Check):
        def run(self, run: Run) -> None:
            work(run)  # type: ignore[operator]

    return one(Mine("mine", "x"), Plan("http://127.0.0.1:9", Path("none")), 1e12, lambda *_: None)


def test_a_check_that_breaks_down_or_looks_at_nothing_could_not_run() -> None:
    def breaks(run: Run) -> None:
        raise KeyError("x")

    def cannot(run: Run) -> None:
        raise CannotRunError("because")

    def finds(run: Run) -> None:
        for number in range(MOST_ALIKE * 2):
            run.expect(False, f"{number}", "there", "otherwise")
        run.found("another", "there", "something else")
        raise CannotRunError("and then no more")

    assert (run_of(breaks).state, run_of(breaks).reason) == (
        "could not run",
        "the check broke down: KeyError: 'x'",
    )
    assert (run_of(cannot).state, run_of(cannot).reason) == ("could not run", "because")
    assert run_of(lambda run: None).reason == "nothing was looked at"
    assert run_of(lambda run: run.count("looks")).state == "held"
    found = run_of(finds)
    assert (found.state, len(found.findings)) == ("found", MOST_ALIKE + 1)
    late = one(CHECKS[0], Plan("http://127.0.0.1:9", Path("none"), seconds=1), 0.0, lambda *_: None)
    assert (late.state, "time" in late.reason) == ("could not run", True)


def test_what_is_done_at_once_is_done_whole_and_what_ends_one_ends_all() -> None:
    begun: list[str] = []

    def begins(run: Run, name: str) -> None:
        begun.append(name)
        run.expect(name != "odd", f"{name} is odd", "somewhere", "even")
        if name == "stuck":
            raise CannotRunError("it is stuck")

    def games(*names: str) -> Outcome:
        begun.clear()
        return run_of(lambda run: run.at_once([(name, partial(begins, run, name)) for name in names]))

    assert (games("a", "b", "c").state, sorted(begun)) == ("held", ["a", "b", "c"])
    assert (games("a", "odd", "c", "d").state, len(begun)) == ("found", 4)
    stuck = games("a", "stuck")
    assert (stuck.state, stuck.reason) == ("could not run", "it is stuck")
    assert games("odd", "stuck").state == "found"


def test_what_is_not_chosen_is_named() -> None:
    checks, left = chosen(("surface", "cases"), ("cases",))
    assert [check.name for check in checks] == ["surface"]
    assert (left["cases"], left["races"]) == ("--skip", "--only")
    with pytest.raises(ValueError, match="no check 'nothing'"):
        chosen(("nothing",), ())


def reply(status: int, body: object, **headers: str) -> httpx.Response:
    request = httpx.Request("GET", "http://x/api")
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return httpx.Response(status, headers=named, content=msgspec.json.encode(body), request=request)


ERROR = {"code": "stale", "text": "Look again.", "rule": "", "args": {}}


@pytest.mark.parametrize(
    ("heard", "wrong"),
    [
        (reply(200, {}), ""),
        (reply(409, ERROR), ""),
        (reply(503, ERROR, retry_after="1"), ""),
        (reply(429, ERROR, retry_after="1"), ""),
        (reply(500, ERROR), "500"),
        (reply(503, ERROR), "503"),
        (reply(418, ERROR), "418"),
        (reply(429, ERROR), "Retry-After"),
        (reply(400, {"detail": "x"}), "400"),
        (reply(400, ERROR | {"code": ""}), "400"),
        (reply(400, ERROR | {"text": "KeyError in table.py"}), "what is inside"),
        (reply(200, {}, server="uvicorn"), "a header"),
    ],
)
def test_every_reply_is_judged(heard: httpx.Response, wrong: str) -> None:
    found = list(judge(heard))
    assert bool(found) == bool(wrong)
    assert not wrong or wrong in found[0][0]


def test_patches_are_folded_as_they_are_made() -> None:
    before = {"a": 1, "b": {"c": [1, 2], "d": "x"}, "e": "gone"}
    after = {"a": 2, "b": {"c": [3], "d": "x", "f": {}}}
    assert apply_patch(before, merge_patch(before, after)) == after
    assert apply_patch([1], {"a": {"b": None, "c": 1}}) == {"a": {"c": 1}}
    assert before["b"] == {"c": [1, 2], "d": "x"}, "what was before stays"


def test_frames_of_both_kinds_are_read_alike() -> None:
    lines = ['{"event":"view","data":{"seq":1}}', ":", "", "event: view", 'data: {"seq":1}', ""]
    assert list(frames_of(iter(lines))) == [("view", b'{"seq":1}')] * 2


def test_promises_are_kept_in_a_file(tmp_path: Path) -> None:
    promises = Promises()
    promises.accepted("AAAAAA", "1", "guild")
    promises.refused("AAAAAA", "2", "guild")
    promises.shown("AAAAAA", "guild", 3, b'{"b":1,"a":2}')
    promises.shown("AAAAAA", "guild", 3, b'{"a":2, "b":1}')
    promises.finished("BBBBBB")
    path = tmp_path / "promises.json"
    promises.write(path)
    assert Promises.read(path) == promises.rooms
    first, second = promises.rooms
    assert (first.accepted, first.refused, second.finished) == ({"1": "guild"}, {"2": "guild"}, True)
    assert first.shown[0] == first.shown[1], "the order of keys is no difference"


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--url", "http://127.0.0.1:9", "--only", "nothing"], "no check 'nothing'"),
        (["--url", "http://127.0.0.1:9", "--restart-command", "x {service}"], "belong together"),
        (["--url", "http://127.0.0.1:9", "--restart-command", "x", "--services", "room"], "has no {service}"),
        (["--url", "http://127.0.0.1:9", "--report", "x.txt"], "a .json or a .md"),
        (["--url", "no address"], "cannot be reached"),
    ],
)
def test_wrong_usage_and_dead_addresses_end_with_two(words: list[str], said: str) -> None:
    done = CliRunner().invoke(app, ["http", *words])
    assert done.exit_code == 2
    assert said in done.stderr
