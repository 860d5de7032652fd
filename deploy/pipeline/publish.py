"""Publication: only what the verifier found well, only that digest, the tag last.

Order matters: the image is pushed by its digest alone, then what vouches for it, then all of it is read back and
checked as a stranger would; a tag, which is what people pull, comes only after that.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path

from msgspec import Struct

from deploy.pipeline import signing, statements
from deploy.pipeline.archive import Archive, Layer, write_artifact
from deploy.pipeline.check import check
from deploy.pipeline.errors import Refused
from deploy.pipeline.inventory import Inventory, locked
from deploy.pipeline.records import VERIFIERS, Built, Published, State, Verified, file_sha256, now, sha256
from deploy.pipeline.registry import Registry, beside
from deploy.pipeline.sbom import MEDIA, describe
from deploy.pipeline.tools import Say


class Target(Struct, frozen=True, kw_only=True):
    """Where to, by whom and how strictly."""

    repository: str
    tags: Sequence[str] = ()
    """Tags that name one digest for ever."""
    moving: Sequence[str] = ()
    """Tags that may name another digest afterwards."""
    builder: str = "local"
    source: str = "local"
    rehearsal: bool = False
    """Take unclean sources, base images without a digest and a quick verification: never for what people run."""


def gate(
    state: State, *, rehearsal: bool = False, tags: Sequence[str] = ()
) -> tuple[Built, Verified, Archive]:
    """What may be published, under these tags that never move. Raises Refused with the reason why nothing may.

    Nothing is believed by its name: archive, reports and records are held against each other.
    """
    built, verified = state.built(), state.verified()
    failed = [name for name, status in verified.checks.items() if status]
    failed += [f"{name} did not run" for name in VERIFIERS if name not in verified.checks]
    if verified.outcome != "green" or failed:
        why = ", ".join(failed) or "as its record says"
        raise Refused(f"the verifier was not content with {verified.digest} ({why}); see {state.reports}")
    archive = Archive(state.archive)
    for what, digest in (("the record of the build", built.digest), ("the archive", archive.digest)):
        if digest != verified.digest:
            raise Refused(f"{verified.digest} was verified, but {what} is {digest}: verify that one")
    if not built.image_id == verified.image_id == archive.manifest.config.digest:
        raise Refused(f"what ran under the verifier ({verified.image_id}) is not what {built.digest} names")
    archive.check()
    if not verified.reports:
        raise Refused("the verifier left no report; run `verify` again")
    for name, digest in verified.reports.items():
        if file_sha256(state.folder / name) != digest:
            raise Refused(f"{state.folder / name} is not the report that the verifier wrote: it was altered")
    if not rehearsal:
        _strict(built, verified, tags)
    return built, verified, archive


def _strict(built: Built, verified: Verified, tags: Sequence[str]) -> None:
    if not built.clean:
        raise Refused(f"the source was not exactly revision {built.revision}: commit, and build again")
    if verified.quick:
        raise Refused("only the verifier's quick subset ran; publication needs the whole of it")
    if built.standin:
        raise Refused(
            f"{built.image} was made with a local stand-in ({built.standin}), not with the public base images"
        )
    if loose := [f"{role} ({name})" for role, name in built.bases.items() if "@sha256:" not in name]:
        raise Refused(f"base images are not pinned by digest: {', '.join(sorted(loose))}")
    if other := [tag for tag in tags if tag.removeprefix("v") != built.version]:
        raise Refused(
            f"the image calls its version {built.version or 'nothing'} (pyproject.toml), and the tag says "
            f"{', '.join(other)}: set the version, or choose the tag {built.version}"
        )


def publish(
    state: State,
    registry: Registry,
    target: Target,
    key: signing.PrivateKey,
    lock: str,
    inventory: Callable[[], Inventory],
    say: Say,
) -> Published:
    """Publish what passes the gate, and leave the record of it. Raises Refused before anything is sent."""
    state.forget("published.json")
    built, verified, archive = gate(state, rehearsal=target.rehearsal, tags=target.tags)
    _tags_are_free(registry, target, built.digest)
    say("the gate is open: archive, records and reports agree on one digest")
    bom, components = describe(target.repository, built.digest, locked(lock), inventory())
    (state.folder / "sbom.json").write_text(bom)
    say(f"bill of materials: {components} components, as locked and as found in the image")

    attached = _send(registry, archive, target, _beside(built, verified, target, key, bom.encode()), say)
    whole = f"{target.repository}@{built.digest}"
    say(f"read back and checked: {check(registry, whole, key.public_key(), rehearsal=target.rehearsal)}")
    for tag in (*target.tags, *target.moving):
        registry.push(archive, f"{target.repository}:{tag}")
        _same(registry, f"{target.repository}:{tag}", built.digest)
        say(f"tag: {tag}")
    done = Published(
        digest=built.digest,
        repository=target.repository,
        tags=[*target.tags, *target.moving],
        key=signing.fingerprint(key.public_key()),
        components=components,
        attached=attached,
        ended=now(),
    )
    state.write(done)
    return done


def _send(
    registry: Registry, archive: Archive, target: Target, artifacts: dict[str, list[Layer]], say: Say
) -> dict[str, str]:
    """Push the image by its digest, and what vouches for it. Returns the digests of the latter."""
    whole = f"{target.repository}@{archive.digest}"
    registry.push(archive, whole)
    _same(registry, whole, archive.digest)
    say(f"image: {whole}")
    attached = {}
    with tempfile.TemporaryDirectory(prefix="sietch-publish-") as scratch:
        for what, layers in artifacts.items():
            artifact = write_artifact(Path(scratch) / what, layers)
            registry.push(artifact, beside(target.repository, archive.digest, what))
            attached[what] = artifact.digest
            say(f"beside it: .{what} {artifact.digest}")
    return attached


def _beside(
    built: Built, verified: Verified, target: Target, key: signing.PrivateKey, bom: bytes
) -> dict[str, list[Layer]]:
    """What is attached: the signature, the attestations, the bill of materials. Each as layers of an artifact."""
    name, digest = target.repository, built.digest
    payload = signing.simple_payload(name, digest)
    origin = statements.provenance(built, verified, target.builder, target.source)
    said = [
        (statements.PROVENANCE, statements.statement(name, digest, statements.PROVENANCE, origin)),
        (
            statements.TEST_RESULT,
            statements.statement(name, digest, statements.TEST_RESULT, statements.result(verified)),
        ),
        (statements.BOM, statements.statement(name, digest, statements.BOM, statements.embedded(bom))),
    ]
    attestations = [
        (signing.ENVELOPE, signing.seal(key, text), {signing.SIGNATURE_ANNOTATION: "", "predicateType": kind})
        for kind, text in said
    ]
    return {
        "sbom": [(MEDIA, bom, {})],
        "att": attestations,
        "sig": [
            (signing.SIMPLE_SIGNING, payload, {signing.SIGNATURE_ANNOTATION: signing.sign(key, payload)})
        ],
    }


def _tags_are_free(registry: Registry, target: Target, digest: str) -> None:
    for tag in target.tags:
        there = registry.raw(f"{target.repository}:{tag}")
        if there is not None and sha256(there) != digest:
            raise Refused(f"the tag {tag} names {sha256(there)} already, and is not to move; choose another")


def _same(registry: Registry, reference: str, digest: str) -> None:
    there = registry.raw(reference)
    if there is None or sha256(there) != digest:
        found = "nothing" if there is None else sha256(there)
        raise Refused(f"{reference} holds {found} after it was pushed, not {digest}: do not use it")
