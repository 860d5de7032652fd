"""`python -m services.room`: one replica of the room service."""

import shared.ops.loading  # noqa: F401  # first: the rest loads the faster

# isort: split
from services.room.service import serve
from services.room.settings import RoomSettings
from shared.ops.service import run

if __name__ == "__main__":
    run("room", RoomSettings, serve)
