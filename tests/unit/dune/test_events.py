"""Events: what each declares is there, what nobody declared is seen by nobody, and each has its sentence."""

from __future__ import annotations

from string import Formatter

import msgspec
import pytest

from shared.dune.events import decode_event, encode_event, event_types, evolve, visible
from shared.dune.events.base import SPECTATOR, Event
from shared.dune.events.course import MarksCleared, MarkSet
from shared.dune.events.pieces import CardDrawn, PiecesLaid, PilesGathered, Shuffled
from shared.dune.table import Table, add_pieces, zone

KINDS = sorted(event_types().values(), key=lambda kind: kind.__name__)


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.__name__)
def test_what_an_event_declares_is_there(kind: type[Event]) -> None:
    """Who sees what, and the sentences, name fields of the event: a slip of the pen would hide or break a line."""
    fields = {field.name for field in msgspec.structs.fields(kind)}
    assert set(kind.public) <= fields
    assert set(kind.private) <= fields
    assert {name for shown in kind.private.values() for name in shown} <= fields
    for template in kind.lines:
        assert {name for _, name, _, _ in Formatter().parse(template) if name} <= fields


def test_names_of_events_are_stored_and_therefore_unique() -> None:
    """Two events of one name could not be told apart in the store."""
    assert len({kind.__struct_config__.tag for kind in KINDS}) == len(KINDS)


def test_a_drawn_card_is_known_to_its_owner_alone() -> None:
    """Others are told that a card was drawn. [SECRET-01]"""
    event = CardDrawn("fremen", "lasgun", "setup")
    own, other = visible(event, "fremen"), visible(event, "guild")
    assert own is not None
    assert other is not None
    assert own["card"] == "lasgun"
    assert "Lasgun" in own["text"]
    assert "card" not in other
    assert "asgun" not in str(other)
    assert visible(event, SPECTATOR) == other


@pytest.mark.parametrize(
    ("event", "seen"),
    [
        (MarkSet("x", 1, everybody=True), {"fremen", "guild", SPECTATOR}),
        (MarkSet("x", 1, seen_by=("fremen",)), {"fremen"}),
        (MarkSet("x", 1), set()),
        (MarksCleared(("x",)), {"fremen", "guild", SPECTATOR}),
        (MarksCleared(("x",), ("guild",), everybody=False), {"guild"}),
    ],
)
def test_a_secret_mark_is_told_to_those_named(event: Event, seen: set[str]) -> None:
    """That something secret was noted is itself a secret."""
    assert {who for who in ("fremen", "guild", SPECTATOR) if visible(event, who) is not None} == seen


def test_the_order_of_a_shuffled_deck_is_told_to_nobody() -> None:
    """Neither the order after a shuffle, nor what was laid down there."""
    for event in (Shuffled("treachery_deck", ("lasgun", "hajr")), PiecesLaid("treachery_deck", ("lasgun",))):
        assert "asgun" not in str([visible(event, who) for who in ("fremen", SPECTATOR)])


def test_piles_are_gathered_but_for_what_stays() -> None:
    """A deck is rebuilt from piles; pieces that a ruling keeps back stay where they lie. [BLOW-20]"""
    table = add_pieces(Table(), "spice_discard_a", ("shai_hulud#1", "broken_land"))
    table = add_pieces(table, "spice_discard_b", ("shai_hulud#2",))
    event = PilesGathered(("spice_discard_a", "spice_discard_b"), "spice_deck", ("broken_land",))
    after = evolve(table, event)
    assert set(zone(after, "spice_deck")) == {"shai_hulud#1", "shai_hulud#2"}
    assert zone(after, "spice_discard_a") == ("broken_land",)


def test_a_stored_event_is_read_back() -> None:
    """And what is no event is refused."""
    event = CardDrawn("fremen", "lasgun", "setup")
    assert decode_event(encode_event(event)) == event
    for data in (b"{}", b'{"event":"NeverHappened"}', b'{"event":"CardDrawn","faction":3}', b"[]"):
        with pytest.raises(msgspec.ValidationError):
            decode_event(data)
