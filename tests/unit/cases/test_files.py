"""What a person who writes a case is told: a malformed file by name and key, a case that does not hold by its entry."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from services.cli.case import app

HEAD = 'rules = ["STORM-03"]\nabout = "Two dial."\n'
TABLE = '[table]\nseats = ["atreides", "harkonnen"]\ncircles = [4, 13]\nphase = "storm"\nstorm = 9\n'
EXPECT = "[expect]\nstorm = 9\n"


def dial(seat: str, number: int, more: str = "") -> str:
    return f'[[play]]\nseat = "{seat}"\noffer = "storm_dial"\nanswer = {{ dial = {number} }}\n{more}\n'


def run(folder: Path, text: str, *options: str) -> tuple[int, str, str]:
    """Exit status, output and errors of `sietch case run` on one file `case.toml`."""
    path = folder / "case.toml"
    path.write_text(text)
    done = CliRunner().invoke(app, ["run", str(path), *options])
    return done.exit_code, done.stdout, done.stderr


MALFORMED = [
    pytest.param("rules = [", "Invalid value", id="no TOML"),
    pytest.param(TABLE + EXPECT, "`rules`", id="no rules"),
    pytest.param(HEAD + EXPECT, "`table`", id="no table"),
    pytest.param(HEAD + TABLE, "expects something", id="nothing is expected"),
    pytest.param(HEAD + 'tabel = "x"\n' + TABLE + EXPECT, "`tabel`", id="unknown key of the file"),
    pytest.param(HEAD + TABLE + dial("atreides", 1, 'answers = "x"') + EXPECT, "`answers`", id="of an entry"),
    pytest.param(
        HEAD + TABLE + '[[play]]\nseat = "atreides"\n' + EXPECT, "play 1: needs", id="half an entry"
    ),
    pytest.param(HEAD + TABLE + "sturm = 3\n" + EXPECT, "table.sturm", id="unknown key of the table"),
    pytest.param(HEAD + TABLE + 'turn = "two"\n' + EXPECT, "$.turn", id="wrong type in the table"),
    pytest.param(HEAD + TABLE.replace("= 9", "= 19") + EXPECT, "$.storm", id="no such sector"),
    pytest.param(
        HEAD + TABLE + "[table.fremen]\nspice = 1\n" + EXPECT, "table.fremen", id="not at the table"
    ),
    pytest.param(
        HEAD + TABLE + "[table.atreides]\nspise = 1\n" + EXPECT, "table.atreides", id="unknown key of a seat"
    ),
    pytest.param(
        HEAD + TABLE + '[table.atreides]\nhand = ["lasgun", "lasgun"]\n' + EXPECT,
        "'lasgun'",
        id="a card too many",
    ),
    pytest.param(
        HEAD + TABLE + "[table.atreides]\nforces = { arrakeen = 21 }\n" + EXPECT,
        "impossible",
        id="a force too many",
    ),
    pytest.param(
        HEAD + TABLE + "[table.atreides]\nforces = { arrakis = 1 }\n" + EXPECT, "arrakis", id="no such place"
    ),
    pytest.param(HEAD + TABLE.replace('storm"', 'strom"') + EXPECT, "strom", id="no such phase"),
    pytest.param(HEAD + TABLE + 'step = "nowhere"\n' + EXPECT, "nowhere", id="no such step"),
    pytest.param(
        HEAD + TABLE + dial("atreides", 1, 'kept = "early"') + EXPECT, "nothing was kept", id="nothing kept"
    ),
    pytest.param(HEAD + TABLE + '[table.rulings]\nno_such = "x"\n' + EXPECT, "no_such", id="no such ruling"),
]


@pytest.mark.parametrize(("text", "named"), MALFORMED)
def test_a_malformed_file_is_named_with_its_key(tmp_path: Path, text: str, named: str) -> None:
    code, out, err = run(tmp_path, text)
    assert (code, out) == (2, ""), out
    assert "case.toml: " in err
    assert named in err, err


def test_a_path_that_is_not_there_is_malformed(tmp_path: Path) -> None:
    done = CliRunner().invoke(app, ["run", str(tmp_path / "none")])
    assert (done.exit_code, "none: no such file" in done.stderr) == (2, True)


PLAYED = HEAD + TABLE + dial("atreides", 1) + dial("harkonnen", 2) + '[[play]]\nuntil = "phase.spice_blow"\n'


def test_a_case_that_holds(tmp_path: Path) -> None:
    code, out, _ = run(tmp_path, PLAYED + "[expect]\nstorm = 12\n")
    assert code == 0
    assert out.startswith("1 held, 0 failed")


WRONG = [
    pytest.param(PLAYED + "[expect]\nstorm = 11\n", "storm: is 12, not 11", id="at the end"),
    pytest.param(PLAYED + "[expect]\nsturm = 12\n", "sturm: unknown; known: ", id="no such path"),
    pytest.param(PLAYED + '[expect]\norder = { starts = ["x"] }\n', "order: is ", id="no such test"),
    pytest.param(
        PLAYED + "[expect]\norder = { count = 2, x = 1 }\n", "unknown test 'x'", id="one test unknown"
    ),
    pytest.param(PLAYED + '[expect]\n"legal.fremen.bid.x" = 1\n', "fremen is not asked bid", id="not asked"),
    pytest.param(
        HEAD + TABLE + dial("atreides", 4), "play 1: expected acceptance, got illegal (dial", id="refused"
    ),
    pytest.param(HEAD + TABLE + dial("atreides", 1, 'refused = "illegal"'), "got acceptance", id="accepted"),
    pytest.param(
        HEAD + TABLE + dial("atreides", 4, 'refused = "stale"'), "expected stale, got illegal", id="code"
    ),
    pytest.param(HEAD + TABLE + dial("fremen", 1), "fremen is not asked storm_dial, but []", id="who"),
    pytest.param(
        HEAD + TABLE + '[[play]]\nseat = "atreides"\noffer = "bid"\noffered = true\n',
        "bid is not open",
        id="offered",
    ),
    pytest.param(
        HEAD + TABLE + '[[play]]\nseat = "atreides"\noffer = "storm_dial"\noffered = false\n',
        "storm_dial is open",
        id="not offered",
    ),
    pytest.param(
        HEAD + TABLE + "[[play]]\nexpect = { storm = 10 }\n" + EXPECT, "play 1: storm: is 9", id="in between"
    ),
    pytest.param(HEAD + TABLE + '[[play]]\nuntil = "turn.11"\n' + EXPECT, "'turn.11' never came", id="never"),
]


@pytest.mark.parametrize(("text", "told"), WRONG)
def test_what_does_not_hold_is_told(tmp_path: Path, text: str, told: str) -> None:
    expects = "" if "[expect]" in text or "refused" in text or "offered" in text else EXPECT
    code, out, err = run(tmp_path, text + expects)
    assert (code, err) == (1, ""), err
    assert out.startswith("FAILED ") and "case.toml" in out
    assert told in out, out


def test_results_for_programs(tmp_path: Path) -> None:
    code, out, _ = run(tmp_path, PLAYED + "[expect]\nstorm = 11\n", "--json")
    found = json.loads(out)
    assert code == 1
    assert found["cases"] == [
        {
            "case": str(tmp_path / "case.toml"),
            "rules": ["STORM-03"],
            "failed": ["storm: is 12, not 11"],
            "skipped": "",
        }
    ]
    assert found["seconds"] > 0


def test_an_expired_clock_plays_the_default(tmp_path: Path) -> None:
    expired = '[[play]]\nseat = "atreides"\noffer = "storm_dial"\nexpire = true\n'
    code, out, _ = run(tmp_path, HEAD + TABLE + expired + '[expect]\nwaiting = ["atreides", "harkonnen"]\n')
    assert code == 0, out
    again = expired + expired.replace("expire = true", 'expire = true\nrefused = "stale"')
    code, out, _ = run(tmp_path, HEAD + TABLE + again)
    assert code == 1
    assert "atreides is not asked storm_dial" in out


def test_no_deployment_at_the_address_is_told(tmp_path: Path) -> None:
    code, out, err = run(tmp_path, PLAYED + EXPECT, "--url", "http://127.0.0.1:9")
    assert (code, out) == (1, "")
    assert "127.0.0.1:9 cannot be reached" in err
