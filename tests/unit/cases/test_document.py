"""docs/cases.md says what the code says."""

from __future__ import annotations

from services.cases.document import document
from services.ruleindex.index import ROOT


def test_the_page_of_cases_is_what_the_code_makes() -> None:
    """Made again whenever a kind of offer, an answer's field or the vocabulary changes."""
    made = document(ROOT / "tests" / "cases")
    kept = (ROOT / "docs" / "cases.md").read_text("utf-8")
    assert made == kept, "run: .venv/bin/sietch case document > docs/cases.md"
