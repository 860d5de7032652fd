"""What holds for all unit tests: properties are tried alike in each run, and a busy machine fails none."""

from __future__ import annotations

from hypothesis import HealthCheck, settings

settings.register_profile(
    "sietch", max_examples=60, deadline=None, derandomize=True, suppress_health_check=[HealthCheck.too_slow]
)
settings.load_profile("sietch")
