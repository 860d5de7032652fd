"""The rules' own sentences by id, for players: the reference without marks, options and citations.

`python -m services.ruleindex.sentences` writes `shared/dune/facts/sentences.json`; a test holds it to the reference.
"""

from __future__ import annotations

import re
from pathlib import Path

import msgspec

from services.ruleindex.index import ROOT, statements

__all__ = ["TARGET", "sentences", "written"]

TARGET = ROOT / "shared" / "dune" / "facts" / "sentences.json"
FILES = ("base.md", "factions-classic.md", "cards-base.md")
"""The files of the base game whose statements are sentences; the others are tables and disputed points."""
CITATION = re.compile(r"\s*\((?:RB|FAQ|KT|CE|ENG|Policy|card|cards|board facts)\b[^()]*\)\s*$")
OPTION = re.compile(r"\s*\bopt:\w+")


def sentences(root: Path = ROOT) -> dict[str, str]:
    """The sentence of each rule that is one, by id, in the order of the reference."""
    found = {}
    for entry in statements(root / "docs" / "rules"):
        if entry.file in FILES or entry.id.startswith("NEXUS-"):
            found[entry.id] = _plain(entry.text.split(" | ", 1)[-1])
    return found


def _plain(text: str) -> str:
    return OPTION.sub("", CITATION.sub("", text)).replace("`", "").replace("**", "").strip()


def written(root: Path = ROOT) -> bytes:
    """The file: one rule a line, so that a change of the reference is seen as one line here."""
    rows = (f"{_json(rule)}: {_json(text)}" for rule, text in sentences(root).items())
    return ("{\n" + ",\n".join(rows) + "\n}\n").encode()


def _json(text: str) -> str:
    return msgspec.json.encode(text).decode()


if __name__ == "__main__":
    TARGET.write_bytes(written())
