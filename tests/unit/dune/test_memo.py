"""The memory by identity: worked out once for each object, never confused between two."""

from __future__ import annotations

from shared.dune.memo import KEPT, by_identity


def test_the_same_object_is_worked_out_once() -> None:
    """An equal object is another one; what was asked longest ago is forgotten first."""
    asked: list[dict[str, int]] = []

    @by_identity
    def total(numbers: dict[str, int]) -> int:
        asked.append(numbers)
        return sum(numbers.values())

    one, same = {"a": 1, "b": 2}, {"a": 1, "b": 2}
    assert (total(one), total(one), total(same)) == (3, 3, 3)
    assert len(asked) == 2
    for number in range(KEPT):
        assert total({"a": number}) == number, "no identity is taken for that of an object that is gone"
    assert total(one) == 3 and len(asked) == KEPT + 3
