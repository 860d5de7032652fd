"""A sound deployment is called sound, and planted faults are found: one of each check at the door, all in the store.

`make verify-plants` plants every one, also within services, and writes the table in docs/verifier.md.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from services.embedded import Deployment
from services.embedded.deployment import SERVICES
from tests.verifier.faults import PLANTS, Plant
from tests.verifier.meddler import Meddler
from tests.verifier.planting import at_the_door, deployed, in_the_store, verified
from tests.verifier.rows import PLANTS as ROWS
from tests.verifier.rows import RowPlant

pytestmark = pytest.mark.slow

QUICK = [
    next(plant for plant in PLANTS if plant.check == check)
    for check in dict.fromkeys(p.check for p in PLANTS)
]
"""One fault for each check: `make verify-plants` has the others."""


@pytest.fixture(scope="module")
def sietch() -> Iterator[Deployment]:
    with deployed() as made:
        yield made


@pytest.fixture(scope="module")
def door(sietch: Deployment) -> Iterator[Meddler]:
    with Meddler(sietch.url) as made:
        yield made


@pytest.fixture(scope="module")
def promises(sietch: Deployment, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What a quick run of everything was promised; it must have held."""
    path = tmp_path_factory.mktemp("verifier") / "promises.json"
    words = ["--url", sietch.url, "--database-url", sietch.database_url, "--quick", "--promises", str(path)]
    status, found = verified("http", *words)
    assert (status, found) == (0, [])
    return path


def test_a_sound_deployment_is_called_sound(promises: Path) -> None:
    assert promises.stat().st_size > 10_000


@pytest.mark.parametrize("plant", QUICK, ids=lambda plant: plant.what)
def test_a_fault_at_the_door_is_found(door: Meddler, plant: Plant) -> None:
    assert at_the_door(door, plant).found, plant.told


@pytest.fixture(scope="module")
def store(sietch: Deployment, promises: Path) -> str:
    """The store when nobody writes any more (these tests come last)."""
    for name in SERVICES:
        for index in range(len(sietch.children[name])):
            sietch.stop(name, index)
    return sietch.database_url


@pytest.mark.parametrize("plant", ROWS, ids=lambda plant: plant.what)
def test_a_fault_in_the_store_is_found(store: str, promises: Path, plant: RowPlant) -> None:
    row, without_promises = in_the_store(store, promises, plant)
    assert row.found, plant.told
    assert without_promises == [], "the store is sound by itself: only what was promised tells"
