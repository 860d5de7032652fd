"""Reading the rules reference, the code and the cases, and putting them together by rule id."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator
from pathlib import Path

from msgspec import Struct

from services.cases.model import find_cases, read_case
from shared.dune.rulings import rulings

__all__ = ["ROOT", "Entry", "build", "missing", "statements"]

ROOT = Path(__file__).resolve().parents[2]
EVERY_MODE = ("basic", "advanced")
BASE_FILES = ("base.md", "factions-classic.md", "cards-base.md", "windows.md", "rulings.md")
"""The files of the reference that make up the base game."""
CITED = re.compile(r"\b([A-Z][A-Z0-9]*(?:-[A-Z]+)?)-(\d+)(?:\.\.(?:[A-Z][A-Z0-9]*(?:-[A-Z]+)?-)?(\d+))?\b")
"""A citation in code: one id, or a range such as `FRE-08..FRE-17`."""
STATEMENT = re.compile(
    r"^(?:- |\| )\*\*([A-Z][A-Z0-9]*(?:-[A-Z]+)?-\d+)\*\*(?: \|)? ?(\[A\]|\[BASIC\])?\s*(.*)$"
)
NEXUS_ROW = re.compile(r"^\| ((?:NEXUS|EX)(?:-[A-Z]+)?-\d+) \| (.*?) ?\|$")
"""A row of the contract of the Nexus cards: a requirement with its mark and text, or a worked example."""
NEXUS = "nexus"
NEXUS_ROW_ID = re.compile(r"^(?:NEXUS|EX)-")
WAITS = "waits for "
"""How a reason begins that names the expansion or module without which there can be no case."""


class Entry(Struct):
    """One rule: where it stands, in which mode it holds, its text, and who cites it. `reason`: why no case can be."""

    id: str
    file: str
    modes: tuple[str, ...]
    text: str
    code: list[str] = []
    cases: list[str] = []
    reason: str = ""

    @property
    def waits(self) -> str:
        """What it waits for, if that is why it has no case; else empty."""
        return self.reason.removeprefix(WAITS) if self.reason.startswith(WAITS) else ""


def build(root: Path = ROOT) -> dict[str, Entry]:
    """The whole index, by rule id, in the order of the reference. CaseError for a malformed case."""
    found = {entry.id: entry for entry in statements(root / "docs" / "rules")}
    for folder in ("services", "shared"):
        for path in sorted((root / folder).rglob("*.py")):
            for rule in cited(path.read_text("utf-8")):
                if rule in found:
                    found[rule].code.append(str(path.relative_to(root)))
    for path in find_cases([root / "tests" / "cases"]):
        for rule in read_case(path).rules:
            if rule in found:
                found[rule].cases.append(str(path.relative_to(root)))
    for path in sorted((root / "tests" / "cases").rglob("reasons.toml")):
        for rule, reason in tomllib.loads(path.read_text("utf-8"))["reasons"].items():
            if rule in found:
                found[rule].reason = str(reason)
    return found


def missing(index: dict[str, Entry], mode: str) -> list[Entry]:
    """The rules of a mode of the base game that have neither a case nor a stated reason; `base` is both modes.

    `nexus`: the requirements and worked examples of the Nexus cards that have no case, and no reason but that they wait
    for an expansion.
    """
    if mode == NEXUS:
        rows = (entry for entry in index.values() if NEXUS_ROW_ID.match(entry.id))
        return [entry for entry in rows if not entry.cases and (not entry.reason or entry.waits)]
    wanted = {"basic": {"basic"}, "advanced": {"advanced"}, "base": {"basic", "advanced"}}[mode]
    base = [entry for entry in index.values() if entry.file in BASE_FILES]
    return [
        entry for entry in base if wanted.intersection(entry.modes) and not entry.cases and not entry.reason
    ]


def cited(text: str) -> set[str]:
    """The rule ids that a text cites, ranges spelt out."""
    found: set[str] = set()
    for match in CITED.finditer(text):
        prefix, first, last = match.groups()
        for number in range(int(first), int(last or first) + 1):
            found.add(f"{prefix}-{number:0{len(first)}d}")
    return found


def unknown_citations(root: Path = ROOT) -> dict[str, set[str]]:
    """Ids cited by cases that the reference does not have, by case: each is a slip of the pen."""
    known = {entry.id for entry in statements(root / "docs" / "rules")}
    slips: dict[str, set[str]] = {}
    for path in find_cases([root / "tests" / "cases"]):
        if strangers := set(read_case(path).rules) - known:
            slips[str(path.relative_to(root))] = strangers
    return slips


def statements(folder: Path) -> Iterator[Entry]:
    for path in sorted(folder.rglob("*.md")):
        for line in path.read_text("utf-8").splitlines():
            if match := STATEMENT.match(line):
                rule, tag, text = match.groups()
                yield Entry(rule, path.name, _modes(rule, tag, text), text, [], [])
            elif match := NEXUS_ROW.match(line):
                rule, text = match.groups()
                yield Entry(rule, path.name, EVERY_MODE, text, [], [])


def _modes(rule: str, tag: str | None, text: str) -> tuple[str, ...]:
    if rule.startswith("RULING-"):
        known = next((ruling for ruling in rulings().values() if ruling.id == rule), None)
        return known.modes if known else ("basic", "advanced")
    if tag == "[A]":
        return ("advanced",)
    return ("basic",) if tag == "[BASIC]" else ("basic", "advanced")
