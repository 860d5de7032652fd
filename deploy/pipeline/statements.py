"""What is attested about an image, as in-toto statements: how it was built, and that the verifier was content."""

from __future__ import annotations

from typing import Any

import msgspec
from msgspec import Struct

from deploy.pipeline.errors import Refused
from deploy.pipeline.records import Built, Verified

STATEMENT = "https://in-toto.io/Statement/v1"
PROVENANCE = "https://slsa.dev/provenance/v1"
TEST_RESULT = "https://in-toto.io/attestation/test-result/v0.1"
BOM = "https://cyclonedx.org/bom"
BUILD_TYPE = "https://slsa.dev/container-based-build/v0.1?draft"


class Subject(Struct, frozen=True):
    """What a statement is about; digests are hex without their algorithm."""

    name: str
    digest: dict[str, str]


class Statement(Struct, frozen=True, kw_only=True, rename="camel"):
    """An in-toto statement."""

    type_: str = msgspec.field(name="_type", default=STATEMENT)
    subject: list[Subject]
    predicate_type: str
    predicate: dict[str, Any]


def statement(name: str, digest: str, kind: str, predicate: dict[str, Any]) -> bytes:
    """Say `predicate` of the image with that digest."""
    return msgspec.json.encode(
        Statement(subject=[Subject(name, bare(digest))], predicate_type=kind, predicate=predicate)
    )


def read(payload: bytes, digest: str) -> Statement:
    """A statement about that digest. Raises Refused when it is about something else."""
    try:
        said = msgspec.json.decode(payload, type=Statement)
    except msgspec.DecodeError as error:
        raise Refused(f"an attestation holds no statement: {error}") from None
    if bare(digest) not in [subject.digest for subject in said.subject]:
        raise Refused(f"an attestation ({said.predicate_type}) is not about {digest}")
    return said


def provenance(built: Built, verified: Verified, builder: str, source: str) -> dict[str, Any]:
    """SLSA provenance: the source, the base images and the lock files that the image was made of, and by whom.

    `builder` is a URI that names who ran the build, `source` the repository's; the verifier's reports are by-products.
    """
    revision = {"uri": f"git+{source}", "digest": {"gitCommit": built.revision}}
    if not built.clean:
        revision["annotations"] = {"clean": False}
    bases = [_base(role, reference) for role, reference in sorted(built.bases.items())]
    locks = [{"uri": f"file:{name}", "digest": bare(digest)} for name, digest in sorted(built.locks.items())]
    return {
        "buildDefinition": {
            "buildType": BUILD_TYPE,
            "externalParameters": {"source": revision, "baseImages": built.bases},
            "resolvedDependencies": [revision, *bases, *locks],
        },
        "runDetails": {
            "builder": {"id": builder},
            "metadata": {"startedOn": built.began, "finishedOn": built.ended},
            "byproducts": _reports(verified),
        },
    }


def result(verified: Verified) -> dict[str, Any]:
    """The verifier's word on the image (in-toto test result)."""
    return {
        "result": "PASSED" if verified.outcome == "green" else "FAILED",
        "configuration": _reports(verified),
        "passedTests": sorted(name for name, status in verified.checks.items() if status == 0),
        "failedTests": sorted(name for name, status in verified.checks.items() if status != 0),
        "annotations": {"quick": verified.quick, "startedOn": verified.began, "finishedOn": verified.ended},
    }


def embedded(document: bytes) -> dict[str, Any]:
    """A JSON document as the predicate of a statement about it."""
    return msgspec.json.decode(document, type=dict[str, Any])


def bare(digest: str) -> dict[str, str]:
    """`sha256:…` as in-toto writes it."""
    algorithm, _, value = digest.partition(":")
    return {algorithm: value}


def _reports(verified: Verified) -> list[dict[str, Any]]:
    return [{"name": name, "digest": bare(digest)} for name, digest in sorted(verified.reports.items())]


def _base(role: str, reference: str) -> dict[str, Any]:
    name, _, digest = reference.partition("@")
    found: dict[str, Any] = {"uri": f"docker://{name}", "name": role}
    if digest:
        found["digest"] = bare(digest)
    return found
