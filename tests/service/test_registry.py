"""Publication to a real registry (Debian's) by skopeo, of the fake engine's image: no container engine is needed."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from deploy.pipeline import signing
from deploy.pipeline.check import check
from deploy.pipeline.errors import PipelineError, Refused
from deploy.pipeline.local import local_registry, repositories, tags
from deploy.pipeline.publish import Target, publish
from deploy.pipeline.records import sha256
from deploy.pipeline.registry import Skopeo
from deploy.pipeline.rehearsal import accepted_by_policy
from tests.unit.pipeline.fakes import LOCK, FakeVerifier, Run

ABSENT = [name for name in ("skopeo", "docker-registry") if shutil.which(name) is None]
pytestmark = pytest.mark.skipif(bool(ABSENT), reason=f"not installed: {', '.join(ABSENT)} (Debian packages)")

REGISTRY = Skopeo(tls=False)


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    """A registry that holds nothing yet."""
    with local_registry() as address:
        yield address


@pytest.fixture
def run(tmp_path: Path) -> Run:
    """An image that was built."""
    run = Run(tmp_path / "run")
    run.build()
    return run


def send(run: Run, repository: str) -> str:
    """Publish there; the digest."""
    target = Target(repository=repository, tags=["1.0"])
    return publish(run.state, REGISTRY, target, run.key, LOCK, lambda: run.inside, run.said.append).digest


def test_a_red_verifier_leaves_the_registry_empty(run: Run, address: str) -> None:
    run.verify(FakeVerifier(http=1, store=0))
    with pytest.raises(Refused, match="was not content"):
        send(run, f"{address}/red")
    assert "red" not in repositories(address)


def test_the_registry_holds_the_very_digest_and_all_that_vouches_for_it(
    run: Run, address: str, tmp_path: Path
) -> None:
    verified = run.verify().digest
    digest = send(run, f"{address}/green")
    beside = [f"{digest.replace(':', '-')}.{what}" for what in ("att", "sbom", "sig")]
    assert tags(address, "green") == ["1.0", *beside]
    assert digest == verified == sha256(REGISTRY.raw(f"{address}/green:1.0") or b"")
    assert check(REGISTRY, f"{address}/green:1.0", signing.public_key(run.public)).digest == digest
    pulled = REGISTRY.pull(f"{address}/green@{digest}", tmp_path / "pulled")
    pulled.check()
    assert pulled.digest == digest


def test_another_implementation_takes_the_signature_and_no_other(
    run: Run, address: str, tmp_path: Path
) -> None:
    run.verify()
    send(run, f"{address}/policy")
    accepted = accepted_by_policy(f"{address}/policy:1.0", run.public, tmp_path)
    if "built without" in accepted:
        pytest.skip(f"a policy of signed images was {accepted}")
    (tmp_path / "other").mkdir()
    _, other = signing.make_key(tmp_path / "other")
    with pytest.raises(PipelineError):
        accepted_by_policy(f"{address}/policy:1.0", other, tmp_path)


def test_what_is_not_there_is_told_from_what_cannot_be_asked(address: str) -> None:
    assert REGISTRY.raw(f"{address}/nothing:1.0") is None
    with pytest.raises(PipelineError):
        Skopeo().raw(f"{address}/nothing:1.0")  # the registry speaks no TLS
