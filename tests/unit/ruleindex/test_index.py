"""The rules index: what is cited, what is missing, and slips of the pen."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest
from typer.testing import CliRunner

from services.cli.rules import app
from services.ruleindex import index
from services.ruleindex.index import build, cited, missing, unknown_citations

REFERENCE = """# Base
- **STORM-01** The storm moves.
- **STORM-02** [A] Advanced only.
- **STORM-03** [BASIC] Basic only.
| **STORM-04** | As a row of a table.
- **STORM-05** Nothing can show this.
- STORM-06 is no statement.
"""
CASE = 'rules = ["STORM-01"]\nabout = "x"\n[table]\nseats = ["guild", "emperor"]\n[expect]\nstorm = 18\n'


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A small project: a reference, some code, a case and a reason."""
    for folder in ("docs/rules", "services/rules", "shared", "tests/cases/storm"):
        (tmp_path / folder).mkdir(parents=True)
    (tmp_path / "docs/rules/base.md").write_text(REFERENCE)
    (tmp_path / "docs/rules/other.md").write_text("- **OTHER-01** Of an expansion.\n")
    (tmp_path / "services/rules/storm.py").write_text('"""Moves it. [STORM-01..STORM-03]"""\n')
    (tmp_path / "tests/cases/storm/moves.toml").write_text(CASE)
    (tmp_path / "tests/cases/storm/reasons.toml").write_text('[reasons]\nSTORM-05 = "about people"\n')
    return tmp_path


def test_statements_code_cases_and_reasons_come_together(root: Path) -> None:
    found = build(root)
    assert list(found) == ["STORM-01", "STORM-02", "STORM-03", "STORM-04", "STORM-05", "OTHER-01"]
    assert found["STORM-01"].cases == ["tests/cases/storm/moves.toml"]
    assert [rule for rule, entry in found.items() if entry.code] == ["STORM-01", "STORM-02", "STORM-03"]
    assert found["STORM-05"].reason == "about people"
    assert found["STORM-02"].modes == ("advanced",)
    assert found["STORM-03"].modes == ("basic",)
    assert found["STORM-04"].modes == ("basic", "advanced")
    assert found["STORM-04"].text == "As a row of a table."


def test_missing_is_what_has_neither_case_nor_reason(root: Path) -> None:
    found = build(root)
    assert [entry.id for entry in missing(found, "basic")] == ["STORM-03", "STORM-04"]
    assert [entry.id for entry in missing(found, "advanced")] == ["STORM-02", "STORM-04"]
    assert [entry.id for entry in missing(found, "base")] == ["STORM-02", "STORM-03", "STORM-04"]


def test_a_slip_of_the_pen_is_found(root: Path) -> None:
    assert unknown_citations(root) == {}
    (root / "tests/cases/storm/moves.toml").write_text(CASE.replace("STORM-01", "STROM-01"))
    assert unknown_citations(root) == {"tests/cases/storm/moves.toml": {"STROM-01"}}


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("as [GEN-04] says", {"GEN-04"}),
        ("[FRE-08..FRE-11]", {"FRE-08", "FRE-09", "FRE-10", "FRE-11"}),
        ("[FRE-08..10]", {"FRE-08", "FRE-09", "FRE-10"}),
        ("CARD-LASGUN-02", {"CARD-LASGUN-02"}),
        ("A-1, B-22", {"A-1", "B-22"}),
        ("utf-8 and http-2", set()),
    ],
)
def test_citations(text: str, wanted: set[str]) -> None:
    assert cited(text) == wanted


def test_the_command_says_what_is_missing(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("services.cli.rules.build", lambda: build(root))
    monkeypatch.setattr("services.cli.rules.unknown_citations", lambda: unknown_citations(root))
    lacking = CliRunner().invoke(app, ["index", "--missing", "basic"])
    assert lacking.exit_code == 1
    assert [line.split()[0] for line in lacking.stdout.splitlines()] == ["STORM-03", "STORM-04"]
    reasons = root / "tests/cases/storm/reasons.toml"
    reasons.write_text('[reasons]\nSTORM-03 = "x"\nSTORM-04 = "x"\nSTORM-05 = "x"\n')
    complete = CliRunner().invoke(app, ["index", "--missing", "basic"])
    assert (complete.exit_code, complete.stdout) == (0, "")
    assert CliRunner().invoke(app, ["index", "--missing", "easy"]).exit_code == 2


def test_the_command_shows_a_rule() -> None:
    done = CliRunner().invoke(app, ["index", "STORM-03", "--json"])
    assert done.exit_code == 0
    assert '"id": "STORM-03"' in done.stdout
    assert "tests/cases/storm/two_dials_add_up.toml" in done.stdout
    assert "STORM-03" in CliRunner().invoke(app, ["index", "STORM-03"]).stdout


def test_every_rule_of_the_basic_game_has_a_case_or_a_reason() -> None:
    assert [entry.id for entry in missing(build(), "basic")] == []


def test_no_case_cites_a_rule_that_is_not_there() -> None:
    assert unknown_citations() == {}


def test_reasons_are_for_rules_that_are_there() -> None:
    found = build()
    for path in sorted((index.ROOT / "tests" / "cases").rglob("reasons.toml")):
        for rule in tomllib.loads(path.read_text("utf-8"))["reasons"]:
            assert rule in found, f"{path} gives a reason for {rule}, which is not there"
