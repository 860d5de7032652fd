"""The rules' own sentences by id, as they are shown to people beside a number, a choice or a refusal."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache
from importlib import resources

import msgspec

__all__ = ["of_rules", "sentences"]


@cache
def sentences() -> dict[str, str]:
    """Every rule that is a sentence, by id; written from the reference (`services/ruleindex/sentences.py`)."""
    text = resources.files("shared.dune.facts").joinpath("sentences.json").read_text("utf-8")
    return msgspec.json.decode(text, type=dict[str, str])


def of_rules(rules: Iterable[str]) -> dict[str, str]:
    """The sentences of these rules, in the order of the reference; a rule that is a row of a table has none."""
    wanted = set(rules)
    return {rule: text for rule, text in sentences().items() if rule in wanted}
