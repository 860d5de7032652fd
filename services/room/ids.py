"""Identifiers: room ids in order of time, short codes for people, tokens that cannot be guessed."""

from __future__ import annotations

import hashlib
import hmac
import secrets
import time
from uuid import UUID

CODE_LETTERS = "ABCDEFGHJKMNPQRSTUVWXYZ23456789"
"""No I, L, O, 0 or 1: a code is read aloud across a table."""
CODE_LENGTH = 6


def uuid7() -> UUID:
    """A UUIDv7 (RFC 9562): 48 bits of milliseconds, then chance. Event tables partition by ranges of it."""
    value = (time.time_ns() // 1_000_000) << 80 | secrets.randbits(80)
    value = value & ~(0xF << 76) | 0x7 << 76
    value = value & ~(0x3 << 62) | 0x2 << 62
    return UUID(int=value)


def new_code() -> str:
    """A room's code for people."""
    return "".join(secrets.choice(CODE_LETTERS) for _ in range(CODE_LENGTH))


def new_token() -> str:
    """A bearer token of 256 random bits, shown once."""
    return secrets.token_urlsafe(32)


def token_hash(token: str) -> bytes:
    """What is stored of a token. A random 256-bit token needs no salt and no slow hash."""
    return hashlib.sha256(token.encode()).digest()


def bot_token(key: bytes, seat: str) -> str:
    """The right of the bot service to one seat of the room whose secret `key` is; any replica can check it."""
    return hmac.new(key, seat.encode(), hashlib.sha256).hexdigest()


def is_bot_token(key: bytes, seat: str, token: str) -> bool:
    """Whether `token` proves the right to `seat`; takes the same time right or wrong."""
    return hmac.compare_digest(bot_token(key, seat).encode(), token.encode())
