"""What keeps embedded servers from running, as one line for a person."""

from __future__ import annotations


class EmbeddedError(Exception):
    """A server or service could not be started or did not become ready; the text says what was tried."""
