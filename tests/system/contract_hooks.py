"""What Schemathesis is told of the API beyond its document: how texts of a format of ours are made."""

from __future__ import annotations

import schemathesis
from hypothesis import strategies as st

_anything = st.text(st.characters(codec="utf-8", exclude_characters="\0"), max_size=29)
_seen = st.text(st.characters(categories=("L", "N"), max_codepoint=0x02FF), min_size=1, max_size=2)

schemathesis.openapi.format("visible-text", st.tuples(_anything, _seen, _anything).map("".join))
