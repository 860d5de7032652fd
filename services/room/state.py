"""A room as everybody sees it: lobby or table, seats, who is connected, and who asks."""

from __future__ import annotations

from typing import Any

from msgspec import UNSET

from services.room.http.replies import RoomState, SeatState, You


def room_state(described: dict[str, Any], connected: set[int], you: You) -> RoomState:
    """Compose `Store.describe`'s row with the connections and the caller."""
    settings = dict(described["settings"])
    seats = [
        SeatState(
            seat=row["seat"],
            kind=row["kind"],
            name=row["name"],
            faction=row["faction"],
            ready=row["ready"],
            connected=row["kind"] == "bot" or row["seat"] in connected,
            policy=row["policy"] or UNSET,
        )
        for row in described["seats"] or ()
    ]
    result = described["result"]
    return RoomState(
        code=described["code"],
        name=described["name"],
        state=described["state"],
        settings=settings,
        seats=seats,
        you=you,
        result=UNSET if result is None else result,
    )
