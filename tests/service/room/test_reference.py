"""docs/api.md says what the service does."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from services.room.http import reference
from services.room.http.app import make_app
from shared.ops.health import Health


def test_the_page_is_what_the_document_says() -> None:
    assert reference.TARGET.read_text() == reference.reference(), "run python -m services.room.http.reference"


def test_checking_finds_an_outdated_page(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reference, "TARGET", tmp_path / "api.md")
    monkeypatch.setattr("sys.argv", ["reference", "--check"])
    assert reference.main() == 1
    monkeypatch.setattr("sys.argv", ["reference"])
    assert reference.main() == 0
    monkeypatch.setattr("sys.argv", ["reference", "--check"])
    assert reference.main() == 0


def test_every_route_of_the_api_is_described_and_every_link_leads_somewhere() -> None:
    page = reference.reference()
    for route in make_app(Health()).openapi()["paths"]:
        assert f"{route}`" in page
    targets = {title.lower() for title in re.findall(r"^### (\w+)$", page, re.M)}
    assert set(re.findall(r"\]\(#(\w+)\)", page)) <= targets
