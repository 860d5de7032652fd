"""Views: an allow-list, so that whatever nobody declared stays hidden; and worlds that fit to them."""

from __future__ import annotations

import random

import msgspec
import pytest

from services.rules.staging import stage
from shared.dune.offers import Checkpoint, Offer, Standing, in_short
from shared.dune.shapes import Fields
from shared.dune.table import RESERVES, TANKS, Mark, Result, Table, mark, move_forces, move_piece, pay, put
from shared.dune.views import REPLAY, SPECTATOR, encode_view, shown, view
from shared.dune.worlds import sample_world

TABLE = stage(
    {
        "seats": ["atreides", "fremen", "guild"],
        "phase": "shipment",
        "turn": 3,
        "atreides": {"spice": 7, "hand": ["lasgun"], "traitors": ["chani"], "ally": "guild", "bribes": 2},
        "fremen": {"spice": 4, "forces": {"sietch_tabr": 5}, "tanks": {"regular": 2, "leaders": ["otheym"]}},
        "guild": {"hand": ["shield", "snooper"], "memory": ["spice_deck=shai_hulud#1"]},
        "spice": {"broken_land": 6},
    }
).game.table
NOTHING = Checkpoint(msgspec.Raw(b"[]"), "sha256ctr:1:0")


def test_what_nobody_declared_is_seen_by_nobody() -> None:
    """A zone of no known kind and a mark without an audience, however they are named."""
    table = put(TABLE, zones={**TABLE.zones, "new_idea": ("lasgun#9",), "new.atreides": ("shield#9",)})
    table = mark(table, "secret", Mark("hush"))
    table = mark(table, "told", Mark("psst", seen_by=("fremen",)))
    for audience in (*table.seats, SPECTATOR, REPLAY, "nobody"):
        shown = encode_view(view(table, NOTHING, audience)).decode()
        assert "#9" not in shown
        assert "new" not in shown
        assert "hush" not in shown
        assert ("psst" in shown) == (audience == "fremen")


def test_behind_the_shield_only_its_owner_looks() -> None:
    """Spice, hand, traitors and what was seen are one's own. [SECRET-01, SECRET-02]"""
    own, other, watcher = (view(TABLE, NOTHING, who) for who in ("atreides", "guild", SPECTATOR))
    assert own.spice == {"atreides": 7}
    assert own.zones["hand.atreides"] == ("lasgun",)
    assert own.zones["traitors.atreides"] == ("traitor:chani",)
    assert other.spice == {"guild": TABLE.spice_of("guild")}
    assert [entry.partition("#")[0] for entry in other.memory] == ["spice_deck=shai_hulud"]
    assert "hand.atreides" not in other.zones
    assert "traitors.atreides" not in other.zones
    assert (watcher.seat, watcher.spice, watcher.memory) == (None, {}, ())


def test_what_lies_openly_is_shown_to_all() -> None:
    """Forces, spice on the board, reserves, tanks, allies, bribes; hand counts in Bidding alone. [SECRET-03]"""
    shown = view(TABLE, NOTHING, SPECTATOR)
    assert shown.places["sietch_tabr:13"].forces == {"fremen": {"regular": 5}}
    assert sum(place.spice for place in shown.places.values()) == 6
    assert shown.factions["fremen"].tanks == {"regular": 2}
    assert shown.factions["atreides"].ally == "guild"
    assert shown.factions["atreides"].bribes == 2
    assert shown.zones["tanks.fremen"] == ("otheym",)
    assert shown.factions["guild"].cards is None
    assert view(put(TABLE, phase="bidding"), NOTHING, SPECTATOR).factions["guild"].cards == 2


BROKEN_LAND = next(place for place in TABLE.spice if place.startswith("broken_land:"))
CHANGED: dict[str, Table] = {
    "nothing": put(TABLE, turn=4),
    "phase": put(TABLE, phase="bidding"),
    "zones": move_piece(TABLE, "lasgun", "hand.atreides", "treachery_discard"),
    "own zone": move_piece(TABLE, "lasgun", "hand.atreides", "hand.guild"),
    "forces": move_forces(TABLE, "fremen", {"regular": 2}, "sietch_tabr:13", TANKS),
    "reserves": move_forces(TABLE, "fremen", {"regular": 2}, TANKS, RESERVES),
    "spice": pay(TABLE, 2, BROKEN_LAND, "fremen"),
    "bribes": pay(TABLE, 2, "bribe.atreides", "atreides"),
    "mark": mark(TABLE, "told", Mark("psst", seen_by=("fremen",))),
    "allies": put(TABLE, allies={}),
    "settings": put(TABLE, settings=msgspec.structs.replace(TABLE.settings, circles=(4, 3, 2))),
    "result": put(TABLE, result=Result(("guild",), "strongholds", 3)),
}


@pytest.mark.parametrize("what", CHANGED)
def test_what_is_kept_from_the_table_before_is_what_did_not_change(what: str) -> None:
    """Each part of a table that views are made of: what follows another table shows the same as if it stood alone."""
    table = CHANGED[what]
    for one, other in ((TABLE, table), (table, TABLE)):
        assert shown(other, shown(one)) == shown(other)


def test_questions_are_shown_to_the_asked() -> None:
    """Nobody else learns what may be answered."""
    saved = msgspec.structs.replace(
        NOTHING,
        open=(Offer("guild-1", "guild", "ship", "Ship?", Fields({}), {}),),
        anytime=in_short((Standing("guild.bribe.3", "guild", "bribe", "Pay?"),)),
    )
    assert [offer.id for offer in view(TABLE, saved, "guild").offers] == ["guild-1"]
    assert [offer.id for offer in view(TABLE, saved, "guild").standing] == ["guild.bribe.3"]
    for audience in ("fremen", SPECTATOR, REPLAY):
        assert not view(TABLE, saved, audience).offers
        assert not view(TABLE, saved, audience).standing


def test_the_replay_sees_everything_once_the_game_is_over() -> None:
    """And not before."""
    before = view(TABLE, NOTHING, REPLAY)
    assert "hand.atreides" not in before.zones
    assert before.spice == {}
    after = view(put(TABLE, result=Result(("guild",), "strongholds", 3)), NOTHING, REPLAY)
    assert after.zones["hand.atreides"] == ("lasgun",)
    assert after.spice["atreides"] == 7


@pytest.mark.parametrize("audience", ["atreides", "fremen", "guild"])
def test_a_world_fits_to_what_its_seat_sees(audience: str) -> None:
    """Whatever is dealt for the unknown, the seat sees the same; and the unknown does differ."""
    seen = view(TABLE, NOTHING, audience)
    worlds: list[Table] = [sample_world(seen, random.Random(seed)) for seed in range(12)]
    assert all(encode_view(view(world, NOTHING, audience)) == encode_view(seen) for world in worlds)
    others = [seat for seat in TABLE.seats if seat != audience]
    assert len({world.hand(others[0]) for world in worlds}) > 3
    assert len({world.spice_of(others[0]) for world in worlds}) > 3
    pieces = sorted(piece for held in TABLE.zones.values() for piece in held)
    assert all(sorted(p for held in world.zones.values() for p in held) == pieces for world in worlds)


def test_a_prediction_that_all_know_of_is_guessed() -> None:
    """That there is one is public, so a world has one; never the own faction, never a turn that is not played."""
    table = stage(
        {
            "seats": ["bene_gesserit", "guild"],
            "phase": "mentat",
            "last_turn": 4,
            "bene_gesserit": {"prediction": ["guild", 3]},
        }
    ).game.table
    seen = view(table, NOTHING, "guild")
    guesses = {sample_world(seen, random.Random(n)).names("prediction.bene_gesserit") for n in range(40)}
    assert guesses == {("guild", str(turn)) for turn in range(1, 5)}
    own = view(table, NOTHING, "bene_gesserit")
    assert sample_world(own, random.Random(1)).names("prediction.bene_gesserit") == ("guild", "3")
