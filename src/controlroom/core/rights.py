"""What a paired device may do, until when, and how grants are clamped, defaulted and reduced.

Source: house.md section 3 (rights) and the relay contract section 8.2 (lifetime, grants, clamping).
Expiries are Unix milliseconds; None = never. A right that is not in the mapping is not granted.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

Expiry = int | None  # Unix ms, None = never
Grants = Mapping[str, Expiry]

PairingKind = Literal["web", "cli", "relay"]

WEB_RIGHTS = ("chat", "answers", "actions", "terminal")
"""What a browser or a second computer's command line gets when the pairing does not say less."""


def is_active(grants: Grants, right: str, now_ms: int) -> bool:
    """Whether ``right`` is granted now (its expiry is inclusive: now <= expiry)."""
    if right not in grants:
        return False
    expiry = grants[right]
    return expiry is None or now_ms <= expiry
