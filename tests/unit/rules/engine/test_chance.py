"""Chance: uniform, the same for ever for a seed, and resumed where it stopped. [START-20, GEN-21]"""

from __future__ import annotations

from collections import Counter

import pytest

from services.rules.engine.chance import Chance


def test_golden_values() -> None:
    """A seed means the same game in every release: running games and replays depend on it."""
    chance = Chance.of(7)
    assert [chance.below(20) for _ in range(8)] == [19, 7, 0, 19, 7, 7, 18, 18]
    assert Chance.of(7).shuffled("abcdefgh") == tuple("gfcheabd")
    assert chance.state == "sha256ctr:7:8"


def test_it_goes_on_where_it_stopped() -> None:
    """From its saved state, whatever was drawn before."""
    chance = Chance.of(3)
    chance.shuffled(range(20))
    resumed = Chance(chance.state)
    assert [chance.below(100) for _ in range(20)] == [resumed.below(100) for _ in range(20)]


@pytest.mark.parametrize("bound", [2, 3, 6, 20])
def test_numbers_are_uniform(bound: int) -> None:
    """Within five standard deviations; the draws are fixed by the seed, so this never fails by bad luck."""
    drawn = Counter(Chance.of(seed).below(bound) for seed in range(4000))
    deviation = (4000 / bound * (1 - 1 / bound)) ** 0.5
    assert set(drawn) == set(range(bound))
    assert all(abs(number - 4000 / bound) < 5 * deviation for number in drawn.values())


def test_each_order_is_as_likely_as_any_other() -> None:
    """Of a shuffle of three there are six."""
    drawn = Counter(Chance.of(seed).shuffled("abc") for seed in range(3000))
    assert len(drawn) == 6
    assert all(400 < number < 600 for number in drawn.values())


def test_bounds() -> None:
    """Both ends are reached, and one item is itself."""
    chance = Chance.of(1)
    assert {chance.between(1, 3) for _ in range(60)} == {1, 2, 3}
    assert {chance.choice("xy") for _ in range(60)} == {"x", "y"}
    assert (chance.below(1), chance.shuffled(["a"]), chance.shuffled([])) == (0, ("a",), ())


def test_a_draw_beyond_the_last_whole_multiple_is_made_again(monkeypatch: pytest.MonkeyPatch) -> None:
    """Otherwise small numbers would be a little more likely."""
    import services.rules.engine.chance as module

    blocks = iter([b"\xff" * 8, b"\x00" * 7 + b"\x05"])

    class Hash:
        def digest(self) -> bytes:
            return next(blocks)

    monkeypatch.setattr(module.hashlib, "sha256", lambda data: Hash())
    chance = Chance.of(1)
    assert chance.below(6) == 5
    assert chance.state == "sha256ctr:1:2"


def test_a_state_of_another_generator_is_refused() -> None:
    """A game that was saved by another program must not go on with other dice."""
    with pytest.raises(ValueError, match="mersenne"):
        Chance("mersenne:1:0")
