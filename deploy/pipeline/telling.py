"""What a person sees while the pipeline runs: stages with their times, and lines as they come."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager

from deploy.pipeline.errors import PipelineError


class Telling:
    """Prints the stages of one run; `total` is how many there will be."""

    def __init__(self, total: int) -> None:
        self._total = total
        self._began = time.monotonic()
        self.times: list[tuple[str, float]] = []

    def say(self, text: str) -> None:
        """One line below the stage that runs."""
        print(f"      {text}", flush=True)

    @contextmanager
    def stage(self, title: str) -> Iterator[None]:
        """A stage: its title when it begins, its time when it ends, well or not."""
        print(f"[{len(self.times) + 1}/{self._total}] {title}", flush=True)
        began = time.monotonic()
        try:
            yield
        except PipelineError:
            print(f"      not done, after {time.monotonic() - began:.1f} s", flush=True)
            raise
        self.times.append((title, time.monotonic() - began))
        print(f"      done in {self.times[-1][1]:.1f} s", flush=True)

    def summary(self) -> str:
        """How long each stage took, and all of them."""
        parts = ", ".join(f"{title} {seconds:.0f} s" for title, seconds in self.times)
        return f"{parts}; together {time.monotonic() - self._began:.0f} s"
