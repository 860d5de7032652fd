"""The first two stages: an image becomes an archive with a digest, and that digest is verified."""

from __future__ import annotations

import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import Protocol

from deploy.pipeline.archive import Archive
from deploy.pipeline.engine import Engine
from deploy.pipeline.errors import PipelineError, Refused
from deploy.pipeline.records import VERIFIERS, Built, State, Verified, file_sha256, now
from deploy.pipeline.tools import Say, run

LOCKS = ("requirements.lock", "requirements-dev.lock")
REVISION = "org.opencontainers.image.revision"
CHANGED = "-changed"
"""What `make image` writes behind the revision when the source differed from it."""
STANDIN = "sietch.standin"
"""The label by which `make base-images` marks what it built, and everything that stands on it."""
RUN_BASE, BUILD_BASE = "PYTHON_RUN_IMAGE", "PYTHON_BUILD_IMAGE"
VERSION = "org.opencontainers.image.version"
BUILT_ON, BUILT_ON_ID = "sietch.build-base", "sietch.build-base-id"
"""The labels in which `make image` tells the base that built, of which no layer is left in the image."""


class Verifier(Protocol):
    """Runs the whole verifier against an image that nobody else uses."""

    def __call__(self, image_id: str, reports: Path, quick: bool, say: Say) -> dict[str, int]:
        """Verify the image; leave reports in the folder. Returns each verifier's exit status."""


def build(engine: Engine, image: str, state: State, bases: Mapping[str, str], began: str, say: Say) -> Built:
    """Take an image that was just built into the archive, which fixes its digest. Raises PipelineError."""
    state.forget("build.json", "verified.json", "published.json")
    shutil.rmtree(state.archive, ignore_errors=True)
    state.folder.mkdir(parents=True, exist_ok=True)
    image_id = engine.image_id(image)
    revision, clean = _source(engine, image)
    _stands_on(engine, image, bases)
    _built_on(engine, image, bases)
    archive = engine.save(image, state.archive)
    archive.check()
    manifest = archive.manifest
    if manifest.config.digest != image_id:
        raise PipelineError(
            f"the engine calls {image} {image_id}, and its configuration is {manifest.config.digest}: it was changed "
            "meanwhile, or the engine keeps images in containerd's store, whose ids are others (docs/pipeline.md)"
        )
    built = Built(
        image=image,
        digest=archive.digest,
        image_id=image_id,
        revision=revision,
        clean=clean,
        bases=dict(bases),
        version=engine.labels(image).get(VERSION, ""),
        standin=_standins(engine, image, bases),
        locks={name: file_sha256(Path(name)) for name in LOCKS},
        size=sum(layer.size for layer in manifest.layers),
        began=began,
        ended=now(),
    )
    state.write(built)
    say(f"digest {built.digest}, {built.size / 1e6:.0f} MB compressed, revision {revision[:12]}")
    return built


def verify(engine: Engine, state: State, verifier: Verifier, say: Say, *, quick: bool = False) -> Verified:
    """Run the verifier against the archived image and record what it said, good or bad.

    Raises Refused when the archive is not the one of the record, or the engine has something else under its id.
    """
    state.forget("verified.json", "published.json")
    built, archive = state.built(), Archive(state.archive)
    if archive.digest != built.digest:
        raise Refused(f"the archive holds {archive.digest}, but {built.digest} was built; build again")
    archive.check()
    have(engine, state)
    shutil.rmtree(state.reports, ignore_errors=True)
    state.reports.mkdir(parents=True)
    # The verifier runs in the image as the image's own user, who is nobody here: it may put files there, and neither
    # move nor replace what is ours.
    state.reports.chmod(0o1777)
    began = now()
    try:
        checks = verifier(built.image_id, state.reports, quick, say)
    finally:
        state.reports.chmod(0o755)
    reports = {str(path.relative_to(state.folder)): file_sha256(path) for path in _reports(state.reports)}
    well = checks.keys() >= set(VERIFIERS) and not any(checks.values())
    if well and not reports:
        raise PipelineError(f"the verifier ended with 0, but left no report in {state.reports}")
    verified = Verified(
        digest=built.digest,
        image_id=built.image_id,
        outcome="green" if well else "red",
        quick=quick,
        checks=checks,
        reports=reports,
        began=began,
        ended=now(),
    )
    state.write(verified)
    return verified


def _reports(folder: Path) -> list[Path]:
    """The reports that were left. Raises Refused at a link: what is handed on is what lies in the folder."""
    found = sorted(path for path in folder.iterdir() if path.suffix in (".json", ".md"))
    if links := [str(path) for path in found if path.is_symlink()]:
        raise Refused(f"the image left links in place of reports: {', '.join(links)}")
    return found


def have(engine: Engine, state: State) -> None:
    """Make sure that the engine has the image; on another machine than the builder's it comes out of the archive."""
    built = state.built()
    try:
        found = engine.image_id(built.image_id)
    except PipelineError:
        name = f"sietch-archived:{built.image_id.removeprefix('sha256:')[:16]}"
        engine.load(Archive(state.archive), name)
        found = engine.image_id(name)
    if found != built.image_id:
        raise Refused(f"the engine has {found} where {built.image_id} was built")


def _source(engine: Engine, image: str) -> tuple[str, bool]:
    """(revision, whether nothing differed from it) that the image says it was built of.

    Raises Refused when this checkout is at another: its lock files and base images would be attested wrongly.
    """
    said = engine.labels(image).get(REVISION, "")
    revision = run(["git", "rev-parse", "HEAD"]).strip()
    if said.removesuffix(CHANGED) != revision:
        raise Refused(
            f"{image} was built of '{said}', and this checkout is {revision}: build it again (make image)"
        )
    return revision, said == revision


def _stands_on(engine: Engine, image: str, bases: Mapping[str, str]) -> None:
    """The lowest layers have to be those of the base image that is about to be named. Raises Refused."""
    if (base := bases.get(RUN_BASE)) is None:
        raise PipelineError(f"no base image is named as {RUN_BASE}")
    below = engine.layers(base)
    if engine.layers(image)[: len(below)] != below:
        raise Refused(
            f"{image} does not stand on {base}, which is named as its base: build it again (make image)"
        )


def _built_on(engine: Engine, image: str, bases: Mapping[str, str]) -> None:
    """The base that built has to be the one that is about to be named, the very same image. Raises Refused."""
    if (base := bases.get(BUILD_BASE)) is None:
        raise PipelineError(f"no base image is named as {BUILD_BASE}")
    labels = engine.labels(image)
    told = (labels.get(BUILT_ON, "nothing"), labels.get(BUILT_ON_ID, ""))
    if told != (base, engine.image_id(base)):
        raise Refused(
            f"{image} was built on {told[0]} ({told[1]}), and {base} ({engine.image_id(base)}) is named as the base "
            "that builds: build it again (make image)"
        )


def _standins(engine: Engine, image: str, bases: Mapping[str, str]) -> str:
    """What stand-ins the image was made with: it has the label of the one that it stands on."""
    found = (engine.labels(name).get(STANDIN, "") for name in (image, bases[BUILD_BASE]))
    return "; ".join(dict.fromkeys(text for text in found if text))
