"""Secrets of devices: how they are drawn, kept (as hashes) and compared."""

from __future__ import annotations

import hashlib
import hmac
import secrets

from controlroom.kit.clock import new_uuid


def session_token() -> str:
    """A version 4 UUID as text: the form that relay clients expect of a session token."""
    return new_uuid()


def long_token() -> str:
    """32 random bytes as URL-safe text (43 characters): refresh tokens, and the key of a browser."""
    return secrets.token_urlsafe(32)


def draw(count: int, below: int) -> list[int]:
    """``count`` random numbers from 0 to ``below`` - 1."""
    return [secrets.randbelow(below) for _ in range(count)]


def digest(secret: str) -> str:
    """What is stored of a secret: SHA-256, hex. Any text can be asked about, half surrogates too."""
    return hashlib.sha256(secret.encode("utf-8", "surrogatepass")).hexdigest()


def is_same(one: str, other: str) -> bool:
    """Compared in constant time; both are digests or other ASCII texts."""
    return hmac.compare_digest(one.encode(), other.encode())
