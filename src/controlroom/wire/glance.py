"""What a widget shows: what needs the person and how much is used. Names, no words of agents."""

from __future__ import annotations

from typing import Annotated, Literal

import msgspec
from msgspec import Meta

from controlroom.wire.model import Struct


class GlanceWaiting(Struct, frozen=True, kw_only=True, omit_defaults=False):
    """One agent that needs the person. ``open``: its place in the app, below ``/app/``."""

    name: str
    why: Literal["question", "prompt", "fault"]
    blocking: bool
    since_ms: int
    open: str


class GlanceWindow(Struct, frozen=True, kw_only=True, omit_defaults=False):
    """``used_pct`` null: unknown; ``at_least``: the reading is old, so much is used or more."""

    name: str
    used_pct: float | None
    at_least: bool
    resets_at_ms: int | None


class GlanceAccount(Struct, frozen=True, kw_only=True, omit_defaults=False):
    name: str
    windows: tuple[GlanceWindow, ...]


class Glance(Struct, frozen=True, kw_only=True, omit_defaults=False):
    """All of it, as of ``at_ms``. ``needs``: the number at the app's icon; ``away``: machines that cannot be
    reached, whose agents count nowhere; ``troubles``: of the control room itself."""

    at_ms: int
    needs: int
    working: int
    finished: int
    waiting: tuple[GlanceWaiting, ...]
    accounts: tuple[GlanceAccount, ...]
    away: tuple[str, ...]
    troubles: tuple[str, ...]


class GlanceToken(Struct, frozen=True, kw_only=True):
    """Something that may look at this, and at nothing else. ``token`` is told once, when it is made."""

    id: str
    name: str
    made_ms: int
    used_ms: int | None = None
    token: str | None = None


class GlanceTokens(Struct, frozen=True, kw_only=True):
    """Oldest first."""

    tokens: tuple[GlanceToken, ...]


class MakeGlanceToken(msgspec.Struct, frozen=True, kw_only=True):
    name: Annotated[str, Meta(min_length=1, max_length=60)]
