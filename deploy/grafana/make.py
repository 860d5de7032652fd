"""Sietch's dashboards: `python -m deploy.grafana.make` writes them to `deploy/grafana/dashboards/`.

Gauges of the store and of streams are told alike by every replica: their maximum counts. Everything else is summed.
"""

from __future__ import annotations

import json
from pathlib import Path

from deploy.grafana.games import games
from deploy.grafana.players import players
from deploy.grafana.services import services

FOLDER = Path(__file__).parent / "dashboards"
DASHBOARDS = {"players": players, "services": services, "games": games}
"""Every dashboard by the name of its file."""


def text_of(name: str) -> str:
    """A dashboard's file."""
    return json.dumps(DASHBOARDS[name](), indent=1) + "\n"


def main() -> None:
    """Write every file."""
    FOLDER.mkdir(exist_ok=True)
    for name in DASHBOARDS:
        (FOLDER / f"{name}.json").write_text(text_of(name))


if __name__ == "__main__":
    main()
