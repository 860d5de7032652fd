"""What can end a stage: something did not work, or it must not go on."""

from __future__ import annotations


class PipelineError(Exception):
    """A tool or a file failed; the text says which, and what to do."""


class Refused(PipelineError):
    """Everything worked, and the answer is no: what was asked for may not be published or trusted."""
