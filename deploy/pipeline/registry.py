"""Registries, by skopeo: manifests are read and archives are pushed as they are, byte for byte."""

from __future__ import annotations

from pathlib import Path
from typing import Protocol

from deploy.pipeline.archive import Archive
from deploy.pipeline.errors import PipelineError
from deploy.pipeline.tools import Failed, bytes_of, run

# What registries answer for what they do not have; anything else is a failure, and is not taken for an absence.
ABSENT = ("manifest unknown", "name unknown", "repository name not known")


class Registry(Protocol):
    """Where images are published. References are `host/repository:tag` or `host/repository@sha256:…`."""

    def raw(self, reference: str) -> bytes | None:
        """The manifest's bytes, None when there is none."""

    def push(self, archive: Archive, reference: str) -> None:
        """Put an archive there without changing a byte. Raises PipelineError."""

    def pull(self, reference: str, folder: Path) -> Archive:
        """Fetch a manifest and its blobs into a new folder. Raises PipelineError."""


class Skopeo:
    """A registry reached by skopeo; who we are there is skopeo's own configuration (`skopeo login`)."""

    def __init__(self, *, tls: bool = True) -> None:
        self._tls = tls

    def raw(self, reference: str) -> bytes | None:
        """The manifest's bytes, None when the registry says that there is none."""
        flag = [] if self._tls else ["--tls-verify=false"]
        try:
            return bytes_of(["skopeo", "inspect", "--raw", *flag, f"docker://{reference}"])
        except Failed as error:
            if any(word in error.output.lower() for word in ABSENT):
                return None
            raise

    def push(self, archive: Archive, reference: str) -> None:
        """Put an archive there without changing a byte."""
        flag = [] if self._tls else ["--dest-tls-verify=false"]
        self._copy([*flag, f"dir:{archive.folder}", f"docker://{reference}"])

    def pull(self, reference: str, folder: Path) -> Archive:
        """Fetch a manifest and its blobs into a new folder."""
        flag = [] if self._tls else ["--src-tls-verify=false"]
        self._copy([*flag, f"docker://{reference}", f"dir:{folder}"])
        return Archive(folder)

    @staticmethod
    def _copy(words: list[str]) -> None:
        # Signatures are ours to attach; whoever pulls has a policy of their own, which is not asked here.
        run(["skopeo", "--insecure-policy", "copy", "--quiet", "--preserve-digests", *words], seconds=600)


def beside(repository: str, digest: str, what: str) -> str:
    """The reference of what cosign keeps beside an image: `sig`, `att` or `sbom`."""
    return f"{repository}:{digest.replace(':', '-')}.{what}"


def repository_of(reference: str) -> str:
    """A reference without its tag and digest. Raises PipelineError when it names no registry."""
    name = reference.partition("@")[0]
    head, slash, last = name.rpartition("/")
    if not slash:
        raise PipelineError(f"'{reference}' names no registry: write it as HOST/REPOSITORY[:TAG or @DIGEST]")
    return f"{head}/{last.partition(':')[0]}"
