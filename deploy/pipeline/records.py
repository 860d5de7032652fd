"""The records between stages: who was built, what the verifier said, what was published.

They lie in one folder with the archive of the image and the verifier's reports, so that stages may run as separate
jobs that hand the folder on.
"""

from __future__ import annotations

import hashlib
from datetime import UTC, datetime
from pathlib import Path
from typing import Literal, TypeVar

import msgspec
from msgspec import Struct

from deploy.pipeline.errors import PipelineError, Refused

R = TypeVar("R", bound=Struct)

DEFAULT_STATE = Path("build/pipeline")
VERIFIERS = ("http", "store")
"""Who has to be content with an image before it is published."""


class Built(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One image, built once. `digest` is its manifest's, `image_id` that of the configuration the manifest names."""

    image: str
    digest: str
    image_id: str
    revision: str
    clean: bool
    """Whether the source was exactly that revision."""
    version: str
    """What the image calls its version: that of pyproject.toml."""
    bases: dict[str, str]
    """Role of a base image to the reference it was built from."""
    standin: str
    """What local stand-ins of the bases are made of; empty for the real ones."""
    locks: dict[str, str]
    """Lock file to its SHA-256."""
    size: int
    """Bytes of all layers, compressed as they are published."""
    began: str
    ended: str


class Verified(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What the verifier said about one digest."""

    digest: str
    image_id: str
    outcome: Literal["green", "red"]
    quick: bool
    """Whether only the verifier's subset ran."""
    checks: dict[str, int]
    """Exit status of each verifier; 0 alone is well."""
    reports: dict[str, str]
    """Report, relative to the folder, to its SHA-256."""
    began: str
    ended: str


class Published(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Where a digest was published, and with what beside it."""

    digest: str
    repository: str
    tags: list[str]
    key: str
    """SHA-256 of the public key that the signatures answer to."""
    components: int
    attached: dict[str, str]
    """`sig`, `att`, `sbom` to the digest of what carries it."""
    ended: str


class State:
    """The folder of one run of the pipeline."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    @property
    def archive(self) -> Path:
        """Where the image lies, byte for byte as it is published."""
        return self.folder / "image"

    @property
    def reports(self) -> Path:
        """Where the verifier's reports lie."""
        return self.folder / "reports"

    def built(self) -> Built:
        """The record of the build. Raises Refused when there is none."""
        return self._read("build.json", Built, "build the image first: make image, then `build`")

    def verified(self) -> Verified:
        """The record of the verifier. Raises Refused when there is none."""
        return self._read(
            "verified.json", Verified, "nothing is published that was not verified: run `verify`"
        )

    def published(self) -> Published:
        """The record of the publication. Raises Refused when there is none."""
        return self._read("published.json", Published, "run `publish`")

    def write(self, record: Built | Verified | Published) -> None:
        """Keep a record. What later stages said about an earlier image goes: it is not about this one."""
        names = {Built: "build.json", Verified: "verified.json", Published: "published.json"}
        order = list(names)
        self.forget(*(names[later] for later in order[order.index(type(record)) + 1 :]))
        self.folder.mkdir(parents=True, exist_ok=True)
        text = msgspec.json.format(msgspec.json.encode(record), indent=2)
        (self.folder / names[type(record)]).write_bytes(text + b"\n")

    def forget(self, *names: str) -> None:
        """Remove records, so that a stage that fails half-way leaves none that says it was well."""
        for name in names:
            (self.folder / name).unlink(missing_ok=True)

    def _read(self, name: str, kind: type[R], advice: str) -> R:
        path = self.folder / name
        try:
            return msgspec.json.decode(path.read_bytes(), type=kind)
        except FileNotFoundError:
            raise Refused(f"{path} is not there; {advice}") from None
        except msgspec.DecodeError as error:
            raise Refused(f"{path} is no record of this pipeline ({error}); {advice}") from None


def sha256(data: bytes) -> str:
    """A digest as registries write it."""
    return "sha256:" + hashlib.sha256(data).hexdigest()


def file_sha256(path: Path) -> str:
    """The digest of a file, which may be large. Raises PipelineError when it cannot be read."""
    try:
        with path.open("rb") as stream:
            return "sha256:" + hashlib.file_digest(stream, "sha256").hexdigest()
    except OSError as error:
        raise PipelineError(f"{path} cannot be read: {error.strerror}") from None


def now() -> str:
    """The time as records and attestations write it."""
    return datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
