"""The sentences that people read are those of the reference, without what only developers need."""

from __future__ import annotations

import re

from services.ruleindex.sentences import TARGET, written
from shared.dune.sentences import of_rules, sentences


def test_the_file_is_what_the_reference_says() -> None:
    assert TARGET.read_bytes() == written(), "run: python -m services.ruleindex.sentences"


def test_no_sentence_tells_pages_options_or_marks() -> None:
    marks = re.compile(r"\((?:RB|FAQ|KT|CE|ENG|Policy)\b[^()]*\)$|opt:|^\[|`|\*\*")
    assert [rule for rule, text in sentences().items() if not text or marks.search(text)] == []


def test_sentences_are_found_by_id_in_the_order_of_the_reference() -> None:
    found = of_rules(["SHIP-06", "SHIP-05", "REACT-01"])
    assert found == {
        "SHIP-05": "Price: 1 spice per force into a stronghold, 2 per force anywhere else.",
        "SHIP-06": "A half-rate shipment costs half of its full total, rounded up once.",
    }
