"""What can go wrong on the bus, as errors a caller can tell apart. Each text says what was tried."""

from __future__ import annotations


class BusError(Exception):
    """Base of all errors of the bus."""


class NoResponders(BusError):
    """Nobody listens on the subject: the request was surely not handled, and may be sent elsewhere."""


class BusTimeout(BusError):
    """No answer in time: the request may or may not have been handled."""


class BusDown(BusError):
    """There is no connection to NATS at the moment (the client keeps trying)."""


class BadMessage(BusError):
    """A message does not decode as the type that its subject promises."""


class RemoteFailed(BusError):
    """The other side failed while handling the request; its log holds the cause, which is never sent."""
