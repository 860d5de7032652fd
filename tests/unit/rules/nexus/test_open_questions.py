"""What the reference leaves open is a named ruling with its documented default, nothing else. [NEXUS-39]"""

from __future__ import annotations

import re

from services.ruleindex.index import ROOT, build
from shared.dune.rulings import rulings

ROW = re.compile(r"^\| `(nexus\.[a-z_.]+)`[^|]*\| ([a-z_]+) \| ([^|]+) \|")


def _register() -> dict[str, list[str]]:
    """The register of provisional options: name to values, the default first."""
    text = (ROOT / "docs" / "rules" / "nexus.md").read_text("utf-8")
    rows = (ROW.match(line) for line in text.splitlines())
    return {
        name: [default, *(value.strip() for value in others.split(",") if value.strip() != "–")]
        for name, default, others in (row.groups() for row in rows if row)
    }


def test_every_open_question_is_a_ruling_or_waits() -> None:
    """With the values and the default of the register; those of an expansion come with it."""
    index, known = build(), rulings()
    register = _register()
    assert len(register) > 40
    for name, values in register.items():
        if name in known:
            assert list(known[name].values) == values, name
        elif len(values) > 1:
            stating = [entry for entry in index.values() if f"`{name}`" in entry.text]
            assert stating and all(entry.waits for entry in stating), f"{name} is no ruling and does not wait"


def test_every_ruling_of_the_cards_is_in_the_register() -> None:
    """Nobody invents one."""
    assert {name for name in rulings() if name.startswith("nexus.")} <= _register().keys()
