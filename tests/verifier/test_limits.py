"""A deployment with the limits that players meet is judged by them, and is not red for having them."""

from __future__ import annotations

import pytest

from tests.verifier.planting import deployed, verified

pytestmark = pytest.mark.slow


def test_the_usual_limits_hold() -> None:
    with deployed(env={}) as sietch:
        assert verified("http", "--url", sietch.url, "--quick", "--only", "limits") == (0, [])
