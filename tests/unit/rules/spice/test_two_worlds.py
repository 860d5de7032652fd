"""What others may not know makes no difference to what a seat is shown in charity, the blow and the Mentat Pause."""

from __future__ import annotations

import pytest

from services.cases.world import EngineWorld

SEATS = ["atreides", "fremen", "harkonnen"]
BLOW = {
    "phase": "spice_blow",
    "storm": 3,
    "deck": {"spice": ["shai_hulud", "red_chasm"]},
    "discard": {"spice_a": ["old_gap"]},
    "fremen": {"forces": {"old_gap:8": 3}},
}


def played(described: dict[str, object]) -> EngineWorld:
    """A world in which everybody passes once and Harkonnen answers last."""
    world = EngineWorld({"seats": SEATS, **described})
    for seat in SEATS:
        for offer in world.asked(seat)[:1]:
            if offer.window:
                assert world.act(seat, offer, {"do": "pass"}) == ""
    return world


@pytest.mark.parametrize(
    ("one", "other"),
    [
        pytest.param(
            {"phase": "charity", "harkonnen": {"spice": 1}},
            {"phase": "charity", "harkonnen": {"spice": 9}},
            id="charity declined or not open",
        ),
        pytest.param(
            {**BLOW, "harkonnen": {"hand": ["karama"]}},
            {**BLOW, "harkonnen": {"hand": ["shield"]}},
            id="immunity let stand with or without Karama",
        ),
        pytest.param(
            {"phase": "mentat", "turn": 3, "harkonnen": {"hand": ["truthtrance"], "spice": 3}},
            {"phase": "mentat", "turn": 3, "harkonnen": {"hand": ["shield"], "spice": 8}},
            id="pause with or without a card to play",
        ),
    ],
)
def test_others_see_the_same(one: dict[str, object], other: dict[str, object]) -> None:
    """[SECRET-10, WINPOL-01, WINPOL-02]"""
    first, second = played(one), played(other)
    for audience in ("atreides", "fremen", "spectator"):
        assert first.seen(audience) == second.seen(audience)
    assert first.waiting() == second.waiting()


def test_a_claim_is_seen() -> None:
    """The comparison above is not blind: a claim makes a difference. [CHARITY-03]"""
    described: dict[str, object] = {"seats": SEATS, "phase": "charity", "harkonnen": {"spice": 1}}
    passed, claimed = EngineWorld(described), EngineWorld(described)
    for seat in SEATS:
        assert passed.act(seat, passed.asked(seat)[0], {"do": "pass"}) == ""
        answer = {"do": "claim"} if seat == "harkonnen" else {"do": "pass"}
        assert claimed.act(seat, claimed.asked(seat)[0], answer) == ""
    assert passed.seen("atreides") != claimed.seen("atreides")
