"""What the services count, asked of them once."""

from __future__ import annotations

import pytest

from services.cli.metrics import Known, declared


@pytest.fixture(scope="session")
def known() -> list[Known]:
    return declared()
