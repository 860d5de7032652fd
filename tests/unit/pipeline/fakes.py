"""An engine and a registry in memory, and one run of the pipeline with them. What they hold is what was sent."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path

import msgspec

from deploy.pipeline import signing, stages
from deploy.pipeline.archive import Archive, write_artifact
from deploy.pipeline.errors import PipelineError
from deploy.pipeline.inventory import DebianPackage, Inventory, PythonPackage
from deploy.pipeline.publish import Target, publish
from deploy.pipeline.records import Built, Published, State, Verified
from deploy.pipeline.tools import run

REPOSITORY = "registry.example/games/sietch"
LOCK = (
    "# made by uv\n"
    "alpha==1.0 \\\n    --hash=sha256:"
    + "a" * 64
    + " \\\n    --hash=sha256:"
    + "b" * 64
    + "\n    # via sietch\n"
    "beta==2.0 ; sys_platform == 'linux' \\\n    --hash=sha256:" + "c" * 64 + "\n"
    "gamma==3.0 ; sys_platform == 'win32' \\\n    --hash=sha256:" + "d" * 64 + "\n"
)
ENVIRONMENT = {
    "implementation_name": "cpython",
    "implementation_version": "3.13.0",
    "os_name": "posix",
    "platform_machine": "x86_64",
    "platform_release": "",
    "platform_system": "Linux",
    "platform_version": "",
    "python_full_version": "3.13.0",
    "platform_python_implementation": "CPython",
    "python_version": "3.13",
    "sys_platform": "linux",
}
INSIDE = Inventory(
    environment=ENVIRONMENT,
    python=[
        PythonPackage("Alpha", "1.0", ["beta>1", "gamma; sys_platform == 'win32'"], "MIT"),
        PythonPackage("beta", "2.0"),
    ],
    debian=[DebianPackage("libc6", "2.41-12", "amd64")],
    distribution="debian-13",
)
BASES = {
    "PYTHON_BUILD_IMAGE": "python:3-slim@sha256:" + "f" * 64,
    "PYTHON_RUN_IMAGE": "python:3@sha256:" + "e" * 64,
}


class FakeEngine:
    """Images by name; an image is one layer of bytes."""

    def __init__(self, **images: bytes) -> None:
        self.images = images
        self.loaded: list[str] = []
        self.revision = run(["git", "rev-parse", "HEAD"]).strip()
        self.below = ["sha256:base"]
        self.stand = ["sha256:base"]
        self.version = "1.0"
        self.built_on = (BASES["PYTHON_BUILD_IMAGE"], "sha256:builder")
        self.of_bases: dict[str, str] = {}

    def _archive(self, image: str, folder: Path) -> Archive:
        return write_artifact(
            folder, [("application/vnd.oci.image.layer.v1.tar+gzip", self.images[image], {})]
        )

    def image_id(self, image: str) -> str:
        if image == BASES["PYTHON_BUILD_IMAGE"]:
            return "sha256:builder"
        known = {self._id(name): name for name in self.images}
        if image in known:
            return image
        if image not in self.images:
            raise PipelineError(f"there is no image '{image}' here")
        return self._id(image)

    def _id(self, name: str) -> str:
        with tempfile.TemporaryDirectory() as scratch:
            return self._archive(name, Path(scratch) / "image").manifest.config.digest

    def labels(self, image: str) -> dict[str, str]:
        if image in BASES.values():
            return self.of_bases
        name, id_ = self.built_on
        own = {stages.VERSION: self.version, stages.BUILT_ON: name, stages.BUILT_ON_ID: id_}
        return {stages.REVISION: self.revision} | own

    def layers(self, image: str) -> list[str]:
        return self.below if image in BASES.values() else [*self.stand, "sha256:own"]

    def save(self, image: str, folder: Path) -> Archive:
        return self._archive(image, folder)

    def load(self, archive: Archive, name: str) -> None:
        self.loaded.append(name)
        self.images[name] = archive.blob(archive.manifest.layers[0])

    def python(self, image: str, words: Sequence[str]) -> str:
        raise AssertionError("the inventory is given")


class FakeRegistry:
    """Manifests by reference and blobs by digest. `pushed` lists references in the order of their coming."""

    def __init__(self) -> None:
        self.manifests: dict[str, bytes] = {}
        self.blobs: dict[str, bytes] = {}
        self.pushed: list[str] = []
        self.spoil: Callable[[str, bytes], bytes] = lambda reference, raw: raw

    def raw(self, reference: str) -> bytes | None:
        return self.manifests.get(reference)

    def push(self, archive: Archive, reference: str) -> None:
        manifest = archive.manifest
        for blob in (manifest.config, *manifest.layers):
            self.blobs[blob.digest] = archive.path(blob.digest).read_bytes()
        self.manifests[reference] = self.spoil(reference, archive.raw)
        self.pushed.append(reference)

    def pull(self, reference: str, folder: Path) -> Archive:
        folder.mkdir(parents=True)
        archive = Archive(folder)
        (folder / "manifest.json").write_bytes(self.manifests[reference])
        for blob in (archive.manifest.config, *archive.manifest.layers):
            archive.path(blob.digest).write_bytes(self.blobs[blob.digest])
        return archive


class FakeVerifier:
    """A verifier with a set exit status; it notes whom it saw and what it was told."""

    def __init__(self, **statuses: int) -> None:
        self.statuses = statuses or {"http": 0, "store": 0}
        self.saw: list[str] = []

    def __call__(
        self, image_id: str, reports: Path, quick: bool, say: Callable[[str], None]
    ) -> dict[str, int]:
        self.saw.append(image_id)
        for name, status in self.statuses.items():
            (reports / f"{name}.json").write_text(json.dumps({"faults": status}))
        return self.statuses


class Run:
    """One run of the pipeline in a folder."""

    def __init__(self, folder: Path) -> None:
        self.state = State(folder)
        self.engine = FakeEngine(sietch=b"the layer of sietch")
        self.registry = FakeRegistry()
        (folder / "keys").mkdir(parents=True)
        private, self.public = signing.make_key(folder / "keys")
        self.key = signing.private_key(private)
        self.inside = INSIDE
        self.tag = "1.0"
        self.said: list[str] = []

    def build(self, image: str = "sietch", *, clean: bool = True) -> Built:
        """The first stage, from a source that is clean or not."""
        self.engine.revision = self.engine.revision.removesuffix(stages.CHANGED) + (
            "" if clean else stages.CHANGED
        )
        return stages.build(self.engine, image, self.state, BASES, "2026-01-01T00:00:00Z", self.said.append)

    def alter_built(self, **changes: object) -> None:
        """Change the record of the build by hand."""
        built = msgspec.structs.replace(self.state.built(), **changes)
        (self.state.folder / "build.json").write_bytes(msgspec.json.encode(built))

    def verify(self, verifier: FakeVerifier | None = None, *, quick: bool = False) -> Verified:
        return stages.verify(
            self.engine, self.state, verifier or FakeVerifier(), self.said.append, quick=quick
        )

    def publish(self, *, rehearsal: bool = False, moving: Sequence[str] = ()) -> Published:
        target = Target(repository=REPOSITORY, tags=[self.tag], moving=moving, rehearsal=rehearsal)
        return publish(
            self.state, self.registry, target, self.key, LOCK, lambda: self.inside, self.said.append
        )
