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
from deploy.pipeline.isolated import DOOR, Isolated, Servers
from deploy.pipeline.local import local_registry, repositories
from deploy.pipeline.publish import Target, publish
from deploy.pipeline.records import State, now, sha256
from deploy.pipeline.registry import Skopeo
from deploy.pipeline.rehearsal import rehearse
from deploy.pipeline.tools import Say
from tests.containers.servers import ROOT, image, missing

IMAGE = os.environ.get("SIETCH_IMAGE", "sietch:local")
WHY_NOT = missing("POSTGRES_IMAGE", "NATS_IMAGE", programs=("skopeo", "docker-registry"), also=(IMAGE,))
pytestmark = [pytest.mark.slow, pytest.mark.skipif(bool(WHY_NOT), reason=WHY_NOT or "")]

# Facts are data: a copy of one file makes an image of other rules, here of what factions begin with. An image that is
# wrong is judged by its own verifier, so games by its own bots agree with it; the conformance cases do not.
FACTS = "shared/dune/facts/factions.toml"
RIGHT, WRONG = "\nspice = 10\n", "\nspice = 9\n"
CASES = "/app/tests/cases/setup"


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
    """The image, with a rule of the game wrong."""
    text = (ROOT / FACTS).read_text()
    assert RIGHT in text
    (tmp_path / "facts.toml").write_text(text.replace(RIGHT, WRONG))
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

    def verifier(image_id: str, reports: Path, quick: bool, say: Say) -> dict[str, int]:
        words = ["http", "--url", DOOR, "--only", "cases", "--cases", CASES, "--report", "/reports/http.json"]
        with Isolated(engine, image_id, servers, say, replicas=1) as deployed:
            return {"http": deployed.verify(words, reports, say)}

    verified = stages.verify(engine, state, verifier, said.append, quick=True)
    assert (verified.outcome, verified.digest) == ("red", built.digest), "\n".join(said)
    # 1 says that faults were found; 2 would say that something could not run.
    assert verified.checks == {"http": 1}, "\n".join(said)
    assert "is 9, not 10" in "\n".join(said)
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
