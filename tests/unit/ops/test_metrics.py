"""No label value makes a series that should not be, whatever it is given; looks are fresh, bounded, or absent."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Iterator
from uuid import UUID, uuid4

import pytest

from shared.ops import metrics, scrape
from shared.ops.refs import room_ref, without_rooms
from tests.waiting import PATIENCE

SEEN_BY = metrics.counter("test_seen", "For these tests", ("what",))
FOUND = scrape.Seen("test_found", "For these tests", ("what",))


@pytest.fixture
def look(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[float]]:
    """A look that finds the next of these numbers, and fails when there is none left."""
    numbers: list[float] = []

    async def find() -> None:
        FOUND.set(numbers.pop(0), "number")

    monkeypatch.setattr(scrape, "KEPT_SECONDS", PATIENCE)
    monkeypatch.setattr(scrape, "looks", {"test": scrape.Look("test", find, (FOUND,))})
    yield numbers
    FOUND.clear()


def found() -> float | None:
    return metrics.REGISTRY.get_sample_value("sietch_test_found", {"what": "number"})


@pytest.mark.parametrize(
    "value",
    [
        "0192f0c1a2b37c4d8e5f60718293a4b5",
        "0192f0c1-a2b3-7c4d-8e5f-60718293a4b5",
        "Chani's room",
        "x" * 81,
        "tab\t",
        'quote"',
        "новый",
        "Bearer " + "a1" * 16,
        "commit.0192f0c1a2b37c4d8e5f60718293a4b5",
    ],
)
def test_what_is_no_word_is_counted_as_other(value: str) -> None:
    before = SEEN_BY.labels("other")._value.get()
    SEEN_BY.labels(value).inc()
    SEEN_BY.labels(what=value).inc()
    assert SEEN_BY.labels("other")._value.get() == before + 2


@pytest.mark.parametrize(
    "value", ["/api/rooms/{code}/actions", "rules.at.*.decide", "409", "Bidding", "not_yours", ""]
)
def test_words_of_ours_are_kept(value: str) -> None:
    assert metrics.word(value) == value


def test_series_are_bounded() -> None:
    many = metrics.histogram("test_many_seconds", "For these tests", ("a", "b"))
    kept = metrics.Children(many)
    for number in range(3 * metrics.MOST_SERIES):
        many.labels("code", f"c{number}").observe(1)
        kept["code", f"d{number}"].observe(1)
    assert len(many._metrics) == metrics.MOST_SERIES + 1
    assert many.labels("other", "other")._sum.get() == 5 * metrics.MOST_SERIES
    assert len(kept) <= metrics.MOST_SERIES


async def test_a_look_is_taken_when_asked_and_kept_for_a_while(look: list[float]) -> None:
    look += [3.0, 4.0]
    assert found() is None, "nobody asked"
    assert b'sietch_test_found{what="number"} 3.0' in await scrape.render()
    await scrape.render()
    assert found() == 3.0, "asked again at once: the same"
    scrape.looks["test"]._good_until = 0.0
    await scrape.render()
    assert found() == 4.0


async def test_what_cannot_be_found_is_absent_and_counted(look: list[float]) -> None:
    look += [3.0]
    await scrape.render()
    scrape.looks["test"]._good_until = 0.0
    before = scrape.FAILED.labels("test")._value.get()
    text = await scrape.render()
    assert found() is None
    assert scrape.FAILED.labels("test")._value.get() == before + 1
    assert b"sietch_event_loop_lag_seconds_count" in text, "the process' own metrics are told all the same"


async def test_a_look_that_hangs_does_not_hold_the_others_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(scrape, "LOOK_SECONDS", 0.05)
    look = scrape.Look("test", lambda: asyncio.sleep(10 * PATIENCE), (FOUND,))
    await asyncio.wait_for(look.fresh(), PATIENCE)


async def test_a_dear_look_is_taken_seldom() -> None:
    taken = []

    async def find() -> None:
        taken.append(1)
        await asyncio.sleep(0.05)

    look = scrape.Look("test", find, ())
    await asyncio.gather(look.fresh(), look.fresh())
    assert taken == [1], "two who ask at once are told the same"
    left = look._good_until - time.monotonic()
    assert scrape.KEPT_SECONDS < left <= scrape.KEPT_MOST


def test_a_rooms_ref_is_short_and_the_same_for_every_form_of_its_id() -> None:
    room = UUID("01890a5d-ac96-774b-bcce-b302099a8057")
    assert room_ref(room) == room_ref(room.hex) == room_ref(str(room))
    assert len(room_ref(room)) == 8
    assert room_ref(uuid4()) != room_ref(uuid4())


def test_ids_in_the_words_of_others_become_refs() -> None:
    room = uuid4()
    told = without_rooms(f"slow consumer, subject: commit.{room.hex}, key ({room}) trace a1b2")
    assert (
        told
        == f"slow consumer, subject: commit.room:{room_ref(room)}, key (room:{room_ref(room)}) trace a1b2"
    )
