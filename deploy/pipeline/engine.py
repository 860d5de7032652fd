"""The container engine, by its command line (`docker`, or what SIETCH_DOCKER names)."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Protocol

import msgspec

from deploy.pipeline.archive import Archive
from deploy.pipeline.errors import PipelineError
from deploy.pipeline.tools import Failed, Say, run, stream


class Engine(Protocol):
    """What the pipeline asks of an engine."""

    def image_id(self, image: str) -> str:
        """The digest of the image's configuration. Raises PipelineError when there is no such image."""

    def labels(self, image: str) -> dict[str, str]:
        """The image's labels."""

    def layers(self, image: str) -> list[str]:
        """The digests of the image's layers, lowest first, as they are uncompressed."""

    def save(self, image: str, folder: Path) -> Archive:
        """Write an image into a new folder, layers compressed as they are published."""

    def load(self, archive: Archive, name: str) -> None:
        """Take an image out of an archive, under that name."""

    def python(self, image: str, words: Sequence[str]) -> str:
        """Run the image's `python3` without a network, and return what it printed."""


class Docker:
    """The Docker engine on this machine."""

    def __init__(self) -> None:
        self._name = os.environ.get("SIETCH_DOCKER", "docker")

    def image_id(self, image: str) -> str:
        """The digest of the image's configuration."""
        return self._inspect(image, "{{.Id}}")

    def has(self, image: str) -> bool:
        """Whether the image is on this machine."""
        try:
            self.image_id(image)
        except PipelineError:
            return False
        return True

    def labels(self, image: str) -> dict[str, str]:
        """The image's labels."""
        text = self._inspect(image, "{{json .Config.Labels}}")
        return msgspec.json.decode(text, type=dict[str, str] | None) or {}

    def layers(self, image: str) -> list[str]:
        """The digests of the image's layers, lowest first."""
        return msgspec.json.decode(self._inspect(image, "{{json .RootFS.Layers}}"), type=list[str])

    def _inspect(self, image: str, template: str) -> str:
        try:
            return self.ask("image", "inspect", "--format", template, image).strip()
        except Failed as error:
            if "no such image" in error.output.lower():
                raise PipelineError(f"there is no image '{image}' here; build it: make image") from None
            raise

    def save(self, image: str, folder: Path) -> Archive:
        """Write an image into a new folder. Docker's own formats are kept: OCI's would lose its health check."""
        source = image if ":" in image else f"{image}:latest"
        self._skopeo(f"docker-daemon:{source}", f"dir:{folder}", "--dest-compress")
        return Archive(folder)

    def load(self, archive: Archive, name: str) -> None:
        """Take an image out of an archive, under that name; the engine checks each layer."""
        self._skopeo(f"dir:{archive.folder}", f"docker-daemon:{name}")

    @staticmethod
    def _skopeo(source: str, target: str, *flags: str) -> None:
        run(["skopeo", "--insecure-policy", "copy", "--quiet", *flags, source, target], seconds=600)

    def python(self, image: str, words: Sequence[str]) -> str:
        """Run the image's `python3` without a network, and return what it printed."""
        return self.ask(
            "run", "--rm", "--network", "none", "--read-only", "--entrypoint", "python3", image, *words
        )

    def ask(self, *words: str, seconds: float = 120, env: Mapping[str, str] | None = None) -> str:
        """Run one command of the engine and return what it printed."""
        return run([self._name, *words], seconds=seconds, env={**os.environ, **(env or {})})

    def follow(self, *words: str, say: Say, env: Mapping[str, str] | None = None) -> int:
        """Run one command of the engine, telling its lines as they come; its exit status is returned."""
        return stream([self._name, *words], say, env={**os.environ, **(env or {})})

    def unreachable(self) -> str | None:
        """None when the engine answers; otherwise one line why it does not."""
        try:
            self.ask("version", "--format", "{{.Server.Version}}", seconds=20)
        except PipelineError as error:
            return str(error).splitlines()[-1]
        return None
