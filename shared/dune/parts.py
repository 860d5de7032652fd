"""Parts of a whole as whole numbers: strength is counted in halves where the rules know halves. [BATTLE-32]"""

from __future__ import annotations

__all__ = ["fraction"]


def fraction(number: int, per: int) -> str:
    """A number of parts, of which `per` make one, for people: 7 halves are `3½`."""
    whole, left = divmod(number, per)
    if not left:
        return str(whole)
    part = "½" if 2 * left == per else f"{left}/{per}"
    return f"{whole}{part}" if whole else part
