"""What the store holds, counted when Prometheus asks: rooms, what they wait for, hints and clocks that are behind.

One statement for all rooms, on indexes or on the rooms that are not settled. Every replica tells the same numbers, so
that they are right with any number of replicas: a dashboard takes their maximum. A room that nobody plays in costs
its share of one count, and of none where nobody asks.
"""

from __future__ import annotations

from services.room.store.store import Store
from shared.ops import scrape

ROOMS = scrape.Seen("room_rooms", "Rooms in the store", ("state",))
WON = scrape.Seen("room_finished_rooms", "Finished games in the store, by the way of winning", ("way",))
OFFERS = scrape.Seen(
    "room_offers_waiting",
    "Open offers of running games, by the flow and the step that asked",
    ("flow", "step"),
)
BOTS = scrape.Seen("room_bot_waits", "Running games that wait for a bot")
BOTS_OLDEST = scrape.Seen("room_bot_waits_oldest_seconds", "For how long the slowest of these has waited")
BEHIND = scrape.Seen(
    "room_hints_behind_commits",
    "Commits that NATS has not acknowledged yet, of rooms that changed over a second ago",
)
BEHIND_OLDEST = scrape.Seen("room_hints_behind_seconds", "For how long the oldest of these has been so")
OVERDUE = scrape.Seen("room_deadlines_overdue", "Deadlines that have passed and were not fired yet")
OVERDUE_OLDEST = scrape.Seen("room_deadlines_overdue_seconds", "For how long the oldest of these has been so")

SEEN = (ROOMS, WON, OFFERS, BOTS, BOTS_OLDEST, BEHIND, BEHIND_OLDEST, OVERDUE, OVERDUE_OLDEST)
"""Everything that one look finds."""

_COUNT = """
SELECT 'rooms', state, count(*), 0::float8 FROM rooms GROUP BY state
UNION ALL
SELECT 'won', coalesce(result ->> 'way', 'unknown'), count(*), 0 FROM rooms WHERE state = 'finished' GROUP BY 2
UNION ALL
SELECT 'offers', coalesce(offer ->> 'by', ''), count(*), 0
FROM rooms, jsonb_array_elements(open) AS offer WHERE NOT settled AND state = 'running' GROUP BY 2
UNION ALL
SELECT 'bots', '', count(*), coalesce(max(extract(epoch FROM clock_timestamp() - updated_at)), 0)
FROM rooms WHERE NOT settled AND bot_waits
UNION ALL
SELECT 'behind', '', coalesce(sum(version - published), 0),
    coalesce(max(extract(epoch FROM clock_timestamp() - updated_at)), 0)
FROM rooms WHERE NOT settled AND published < version AND updated_at < clock_timestamp() - interval '1 second'
UNION ALL
SELECT 'overdue', '', count(*), coalesce(max(extract(epoch FROM clock_timestamp() - due)), 0)
FROM deadlines WHERE due < statement_timestamp()"""

STATES = ("lobby", "running", "finished")


async def count(store: Store) -> None:
    """Set every gauge above. Raises StoreDown."""
    for state in STATES:
        ROOMS.set(0, state)
    for what, name, number, seconds in await store.write(_COUNT):
        value = float(number)
        if what == "rooms":
            ROOMS.set(value, name)
        elif what == "won":
            WON.set(value, name)
        elif what == "offers":
            flow, _, step = name.partition(".")
            OFFERS.set(value, flow or "unknown", step or "unknown")
        else:
            gauge, oldest = _PAIRS[what]
            gauge.set(value)
            oldest.set(max(0.0, float(seconds)))


_PAIRS = {
    "bots": (BOTS, BOTS_OLDEST),
    "behind": (BEHIND, BEHIND_OLDEST),
    "overdue": (OVERDUE, OVERDUE_OLDEST),
}


def watch(store: Store) -> None:
    """Have metrics tell it."""

    async def look() -> None:
        await count(store)

    scrape.looks["census"] = scrape.Look("census", look, SEEN)
