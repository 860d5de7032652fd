"""An image or artifact as a folder: `manifest.json` and each blob by its hex digest (skopeo's `dir:` layout).

The archive is made once, right after the build, and is what is published: the manifest's digest is fixed from then on.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import msgspec
from msgspec import Struct

from deploy.pipeline.errors import PipelineError, Refused
from deploy.pipeline.records import file_sha256, sha256

VERSION = "Directory Transport Version: 1.1\n"
OCI_MANIFEST = "application/vnd.oci.image.manifest.v1+json"
OCI_CONFIG = "application/vnd.oci.image.config.v1+json"
LISTS = (
    "application/vnd.oci.image.index.v1+json",
    "application/vnd.docker.distribution.manifest.list.v2+json",
)

Layer = tuple[str, bytes, dict[str, str]]
"""Media type, bytes and annotations of a part of an artifact."""

Digest = Annotated[str, msgspec.Meta(pattern="^sha256:[0-9a-f]{64}$")]


class Blob(Struct, frozen=True, rename={"media": "mediaType"}, omit_defaults=True):
    """What a manifest says about one blob."""

    media: str
    digest: Digest
    size: int
    annotations: dict[str, str] = {}


class Manifest(Struct, frozen=True, rename={"schema": "schemaVersion", "media": "mediaType"}):
    """An image manifest (Docker v2 or OCI; both have these fields)."""

    schema: int
    config: Blob
    layers: list[Blob]
    media: str = OCI_MANIFEST


def parse(raw: bytes, where: str) -> Manifest:
    """Read a manifest. Raises PipelineError when it is none, or one of several platforms."""
    try:
        manifest = msgspec.json.decode(raw, type=Manifest)
    except msgspec.DecodeError as error:
        raise PipelineError(f"{where} is no image manifest: {error}") from None
    if manifest.media in LISTS:
        raise PipelineError(f"{where} lists images of several platforms; the pipeline publishes a single one")
    return manifest


class Archive:
    """One folder of that layout."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    @property
    def raw(self) -> bytes:
        """The manifest's bytes. Raises Refused when there is no archive."""
        try:
            return (self.folder / "manifest.json").read_bytes()
        except OSError:
            raise Refused(f"{self.folder} holds no image; run `build`") from None

    @property
    def digest(self) -> str:
        """The manifest's digest: the name of the image in every registry."""
        return sha256(self.raw)

    @property
    def manifest(self) -> Manifest:
        """What the manifest says."""
        return parse(self.raw, str(self.folder / "manifest.json"))

    def blob(self, blob: Blob) -> bytes:
        """A blob's bytes, held to its digest. Raises Refused when they are others."""
        path = self.path(blob.digest)
        if file_sha256(path) != blob.digest:
            raise Refused(f"{path} is not what the manifest names: it was altered; build again")
        return path.read_bytes()

    def path(self, digest: str) -> Path:
        """Where the blob of that digest lies."""
        return self.folder / digest.removeprefix("sha256:")

    def check(self) -> None:
        """Hash every blob. Raises Refused at the first that is not what the manifest names."""
        manifest = self.manifest
        for blob in (manifest.config, *manifest.layers):
            path = self.path(blob.digest)
            if file_sha256(path) != blob.digest:
                raise Refused(f"{path} is not what the manifest names: it was altered; build again")


def write_artifact(folder: Path, layers: Sequence[Layer]) -> Archive:
    """Write an OCI artifact of these layers, with the empty image configuration that cosign gives its own."""
    folder.mkdir(parents=True)
    (folder / "version").write_text(VERSION)
    blobs = []
    for media, data, notes in layers:
        blobs.append(Blob(media, sha256(data), len(data), notes))
        Archive(folder).path(sha256(data)).write_bytes(data)
    config = msgspec.json.encode(
        {
            "architecture": "",
            "os": "",
            "created": "0001-01-01T00:00:00Z",
            "config": {},
            "rootfs": {"type": "layers", "diff_ids": [blob.digest for blob in blobs]},
            "history": [{"created": "0001-01-01T00:00:00Z"} for _ in blobs],
        }
    )
    Archive(folder).path(sha256(config)).write_bytes(config)
    manifest = Manifest(2, Blob(OCI_CONFIG, sha256(config), len(config)), blobs)
    (folder / "manifest.json").write_bytes(msgspec.json.encode(manifest))
    return Archive(folder)
