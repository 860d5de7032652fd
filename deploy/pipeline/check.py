"""What anybody with the public key can find out about a published image, without trusting who published it."""

from __future__ import annotations

import tempfile
from pathlib import Path

import msgspec
from msgspec import Struct

from deploy.pipeline import signing, statements
from deploy.pipeline.archive import Archive
from deploy.pipeline.errors import Refused
from deploy.pipeline.records import VERIFIERS, sha256
from deploy.pipeline.registry import Registry, beside, repository_of
from deploy.pipeline.sbom import MEDIA

NEEDED = (statements.PROVENANCE, statements.TEST_RESULT, statements.BOM)


class Checked(Struct, frozen=True):
    """What was found, and holds."""

    digest: str
    components: int
    reports: int
    revision: str

    def __str__(self) -> str:
        return (
            f"signature, provenance (revision {self.revision[:12]}), a green verifier ({self.reports} reports) "
            f"and a bill of {self.components} components, all about {self.digest}"
        )


def check(registry: Registry, reference: str, key: signing.PublicKey, *, rehearsal: bool = False) -> Checked:
    """Check an image that was published. Raises Refused with the first thing that does not hold.

    `rehearsal` is content with a quick verification, as a rehearsal of publication leaves it.
    """
    manifest = registry.raw(reference)
    if manifest is None:
        raise Refused(f"{reference} is not there")
    digest = sha256(manifest)
    if "@" in reference and not reference.endswith(digest):
        raise Refused(f"{reference} holds {digest}")
    repository = repository_of(reference)
    with tempfile.TemporaryDirectory(prefix="sietch-check-") as scratch:
        found = {}
        for what in ("sig", "att", "sbom"):
            place = beside(repository, digest, what)
            if registry.raw(place) is None:
                raise Refused(
                    f"{repository}@{digest} has no .{what} beside it: it was not published by the pipeline"
                )
            found[what] = registry.pull(place, Path(scratch) / what)
        _signature(found["sig"], digest, key)
        said = _attestations(found["att"], digest, key)
        components = _bom(found["sbom"], said[statements.BOM], digest)
    result = said[statements.TEST_RESULT].predicate
    if result.get("result") != "PASSED" or result.get("failedTests"):
        raise Refused(f"the verifier was not content with {digest}")
    if silent := [name for name in VERIFIERS if name not in result.get("passedTests", [])]:
        raise Refused(f"{digest} was not judged by {', '.join(silent)}")
    if not rehearsal and result.get("annotations", {}).get("quick") is not False:
        raise Refused(f"only the verifier's quick subset ran on {digest}")
    source = said[statements.PROVENANCE].predicate["buildDefinition"]["externalParameters"]["source"]
    return Checked(digest, components, len(result.get("configuration", [])), source["digest"]["gitCommit"])


def _signature(artifact: Archive, digest: str, key: signing.PublicKey) -> None:
    """One layer has to be signed by the key, and to name the digest."""
    for layer in artifact.manifest.layers:
        payload = artifact.blob(layer)
        signature = layer.annotations.get(signing.SIGNATURE_ANNOTATION, "")
        if layer.media == signing.SIMPLE_SIGNING and signing.holds(key, payload, signature):
            _, signed = signing.read_simple(payload)
            if signed != digest:
                raise Refused(f"the signature beside {digest} is for {signed}")
            return
    raise Refused(f"{digest} is not signed by this key ({signing.fingerprint(key)})")


def _attestations(artifact: Archive, digest: str, key: signing.PublicKey) -> dict[str, statements.Statement]:
    layers = [layer for layer in artifact.manifest.layers if layer.media == signing.ENVELOPE]
    read = [statements.read(signing.unseal(key, artifact.blob(layer)), digest) for layer in layers]
    said = {statement.predicate_type: statement for statement in read}
    if lacking := [kind for kind in NEEDED if kind not in said]:
        raise Refused(f"{digest} has no attestation of {', '.join(lacking)}")
    return said


def _bom(artifact: Archive, attested: statements.Statement, digest: str) -> int:
    """The bill of materials beside the image is the one that was attested; returns how much it names."""
    layers = artifact.manifest.layers
    if [layer.media for layer in layers] != [MEDIA]:
        kinds = ", ".join(layer.media for layer in layers) or "nothing"
        raise Refused(f"what lies beside {digest} as its bill of materials is '{kinds}'")
    bom = msgspec.json.decode(artifact.blob(layers[0]), type=dict[str, object])
    if bom != attested.predicate:
        raise Refused(f"the bill of materials beside {digest} is not the one that was attested")
    components = bom.get("components")
    return len(components) if isinstance(components, list) else 0
