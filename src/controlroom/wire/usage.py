"""Accounts, their windows, and what agents used: what a node tells, and what clients see.

An account's id says nothing about it; its name (usually an address) is for the person's eyes and stands in no
id, log or receipt.
"""

from __future__ import annotations

from typing import Literal

from controlroom.core.usage import Hold, LoginState, Paid, Reading, Window
from controlroom.wire.model import Struct

UsageBy = Literal["agent", "day", "model", "profile"]


class ProfileState(Struct, frozen=True, kw_only=True):
    """One config folder of a machine. ``problem``: why something about it is not known, for people."""

    id: str
    name: str
    kind: str
    folder: str
    account_id: str | None = None
    login: LoginState = "out"
    login_ends_ms: int | None = None
    problem: str = ""


class AccountState(Struct, frozen=True, kw_only=True):
    """One account as a machine knows it."""

    id: str
    kind: str
    name: str
    plan: str = ""
    paid: Paid | None = None


class ReadingProgress(Struct, frozen=True, kw_only=True):
    """How far the machine has read its agents' files for what they used, in bytes of this round."""

    done: int
    total: int


class UsageState(Struct, frozen=True, kw_only=True):
    """What one machine knows of usage. Times are in the node's clock. ``reading``: while much is to be read
    the sums of tokens are not whole yet."""

    profiles: tuple[ProfileState, ...] = ()
    accounts: tuple[AccountState, ...] = ()
    readings: tuple[Reading, ...] = ()
    reading: ReadingProgress | None = None


class UsageRow(Struct, frozen=True, kw_only=True, omit_defaults=False):
    """Tokens and their price on the API. ``key`` is an agent's id, a day, a model or a profile's id; "" =
    of no agent that is known here. ``cost_usd`` null: nothing of it has a price; ``partly_priced``: some of
    it has none and is not in it."""

    key: str
    input_tokens: int
    cache_read_tokens: int
    cache_write_tokens: int
    output_tokens: int
    answers: int
    cost_usd: float | None
    partly_priced: bool = False


class UsageAnswer(Struct, frozen=True, kw_only=True):
    """``unpriced``: models that have no price. ``reading``: files are still being read for it."""

    rows: tuple[UsageRow, ...] = ()
    unpriced: tuple[str, ...] = ()
    reading: ReadingProgress | None = None


class UsageReport(Struct, frozen=True, kw_only=True, omit_defaults=False):
    """What agents used. ``missing``: machines that were not asked, because they are away. ``reading``: how
    far files are still being read, of all machines; without it the sums are whole."""

    rows: tuple[UsageRow, ...]
    unpriced: tuple[str, ...]
    missing: tuple[str, ...] = ()
    reading: ReadingProgress | None = None


class ReadingAsked(Struct, frozen=True, kw_only=True, omit_defaults=False):
    """``missing``: machines that are away, and read again when they are back."""

    missing: tuple[str, ...]


class AccountWindow(Struct, frozen=True, kw_only=True, omit_defaults=False):
    """One window. ``used_pct`` null: unknown. ``state`` other than ``fresh``: at least so much is used."""

    name: str
    length_minutes: int
    used_pct: float | None
    resets_at_ms: int | None
    taken_at_ms: int
    source: str
    state: str
    scope: str = ""

    @classmethod
    def of(cls, window: Window) -> AccountWindow:
        return cls(
            name=window.name,
            length_minutes=window.length_minutes,
            used_pct=window.used_pct,
            resets_at_ms=window.resets_at_ms,
            taken_at_ms=window.taken_at_ms,
            source=window.source,
            state=window.state,
            scope=window.scope,
        )


class Account(Struct, frozen=True, kw_only=True):
    """One subscription account, in whatever profiles. ``login_ends_ms``: when the first of its logins ends
    and the person has to sign in again."""

    id: str
    kind: str
    name: str
    login: LoginState
    profiles: tuple[str, ...]
    windows: tuple[AccountWindow, ...]
    plan: str | None = None
    login_ends_ms: int | None = None
    hold: Hold | None = None
    reserve_pct: float | None = None
    paid: Paid | None = None


class Profile(Struct, frozen=True, kw_only=True):
    """One config folder of one machine; ``account`` is the id of the account it is signed in to."""

    id: str
    name: str
    machine_id: str
    kind: str
    folder: str
    account: str | None = None
    login: LoginState = "out"
    login_ends_ms: int | None = None
    problem: str = ""
