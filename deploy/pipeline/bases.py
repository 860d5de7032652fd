"""The images that Sietch is made of and stands beside, by role: one list for whoever builds, composes and tests."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path

from deploy.pipeline.errors import PipelineError

BASES_FILE = Path("deploy/image/bases.env")
# What the image itself is made of; the rest runs beside it.
WITHIN = ("PYTHON_BUILD_IMAGE", "PYTHON_RUN_IMAGE")


def read_bases(path: Path = BASES_FILE, env: Mapping[str, str] | None = None) -> dict[str, str]:
    """Role to reference: the environment wins, then `.env` of the checkout, then the list.

    Raises PipelineError when the list cannot be read.
    """
    named = _lines(path)
    own = path.parent.parent.parent / ".env"
    said = {**(_lines(own) if own.exists() else {}), **(os.environ if env is None else env)}
    return {role: said.get(role) or reference for role, reference in named.items()}


def within(named: Mapping[str, str]) -> dict[str, str]:
    """Those that the image is made of."""
    return {role: named[role] for role in WITHIN if role in named}


def one(named: Mapping[str, str], role: str) -> str:
    """The reference for a role. Raises PipelineError when the list has none."""
    try:
        return named[role]
    except KeyError:
        raise PipelineError(f"{BASES_FILE} does not name {role}") from None


def _lines(path: Path) -> dict[str, str]:
    try:
        lines = path.read_text().splitlines()
    except OSError as error:
        raise PipelineError(f"{path} cannot be read: {error.strerror}") from None
    pairs = (line.partition("=") for line in lines if "=" in line and not line.lstrip().startswith("#"))
    return {name.strip(): value.strip() for name, _, value in pairs}
