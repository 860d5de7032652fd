"""The pipeline with a real engine: what is verified is published, and a wrong image reaches no registry.

Needs the image of this checkout (`make image`) and the servers' images (`make base-images`).
"""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from deploy.pipeline import inventory, signing, stages
from deploy.pipeline.bases import BASES_FILE, read_bases, within
from deploy.pipeline.engine import Docker
from deploy.pipeline.errors import Refused
from deploy.pipeline.isolated import Servers
from deploy.pipeline.local import local_registry, repositories
from deploy.pipeline.publish import Target, publish
from deploy.pipeline.records import State, now, sha256
from deploy.pipeline.registry import Skopeo
from deploy.pipeline.rehearsal import rehearse
from deploy.pipeline.verifier import InIsolation
from tests.containers.servers import ROOT, image, missing

IMAGE = os.environ.get("SIETCH_IMAGE", "sietch:local")
WHY_NOT = missing("POSTGRES_IMAGE", "NATS_IMAGE", programs=("skopeo", "docker-registry"), also=(IMAGE,))
pytestmark = [pytest.mark.slow, pytest.mark.skipif(bool(WHY_NOT), reason=WHY_NOT or "")]

# What a wrong image says of the rules: [GEN-06] and others. Facts are data, so that a copy of one file plants them.
FACTS = "shared/dune/facts/factions.toml"
PLANTS = {"charity_threshold = 1": "charity_threshold = 0", "spice_per_force = 2": "spice_per_force = 3"}


@pytest.fixture(scope="module")
def engine() -> Docker:
    """The engine of this machine."""
    return Docker()


@pytest.fixture
def servers() -> Servers:
    """The servers' images."""
    return Servers(image("POSTGRES_IMAGE"), image("NATS_IMAGE"))


@pytest.fixture
def wrong_image(tmp_path: Path) -> Iterator[str]:
    """The image, with two rules of the game wrong."""
    text = (ROOT / FACTS).read_text()
    for right, wrong in PLANTS.items():
        assert right in text
        text = text.replace(right, wrong)
    (tmp_path / "facts.toml").write_text(text)
    (tmp_path / "Dockerfile").write_text(f"FROM {IMAGE}\nCOPY facts.toml /app/{FACTS}\n")
    name = "sietch-test:wrong-rules"
    words = ["docker", "build", "--quiet", "--tag", name, str(tmp_path)]
    subprocess.run(words, check=True, capture_output=True, env={**os.environ, "DOCKER_BUILDKIT": "0"})
    yield name
    subprocess.run(["docker", "rmi", "--force", name], check=True, capture_output=True)


def test_wrong_rules_redden_the_verifier_and_nothing_is_published(
    engine: Docker, servers: Servers, wrong_image: str, tmp_path: Path
) -> None:
    state, said = State(tmp_path / "state"), list[str]()
    bases = within(read_bases(ROOT / BASES_FILE))
    built = stages.build(engine, wrong_image, state, bases, now(), said.append)
    verified = stages.verify(engine, state, InIsolation(engine, servers), said.append, quick=True)
    assert (verified.outcome, verified.digest) == ("red", built.digest), "\n".join(said)
    # 1 says that faults were found; 2 would say that something could not run.
    assert verified.checks == {"http": 1, "store": 0}, "\n".join(said)
    private, _ = signing.make_key(tmp_path)
    with local_registry() as address:
        target = Target(repository=f"{address}/sietch", tags=["wrong"], rehearsal=True)
        with pytest.raises(Refused, match="the verifier was not content"):
            publish(
                state,
                Skopeo(tls=False),
                target,
                signing.private_key(private),
                (ROOT / "requirements.lock").read_text(),
                lambda: inventory.take(lambda words: engine.python(built.image_id, words)),
                said.append,
            )
        assert repositories(address) == []


def test_one_digest_from_the_build_to_what_is_pulled(
    engine: Docker, servers: Servers, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    state = State(tmp_path / "state")
    bases = within(read_bases(ROOT / BASES_FILE))
    rehearse(engine, IMAGE, state, bases, servers, ROOT / "requirements.lock", quick=True)
    built, verified, published = state.built(), state.verified(), state.published()
    assert built.digest == verified.digest == published.digest
    assert built.digest == sha256((state.archive / "manifest.json").read_bytes())
    assert built.image_id == verified.image_id == engine.image_id(IMAGE)
    assert f"built, verified, published and pulled: {built.digest}" in capsys.readouterr().out
    assert not _left("network") and not _left("container")


def _left(kind: str) -> str:
    """What the isolated deployment left behind."""
    words = [
        "docker",
        kind,
        "ls",
        *(["--all"] if kind == "container" else []),
        "--quiet",
        "--filter",
        "name=sietch-verify-",
    ]
    return subprocess.run(words, check=True, capture_output=True, text=True).stdout.strip()
