"""What rows of transcripts tell about usage, in the same words for every kind of agent."""

from __future__ import annotations

from typing import NamedTuple, Protocol

from controlroom.core.tokens import Tokens


class ToldAnswer(NamedTuple):
    """One answer of an API, as one row tells it. ``key`` names it wherever the row is copied to."""

    key: bytes
    at_ms: int
    model: str
    session_id: str
    tokens: Tokens


class ToldWindow(NamedTuple):
    """One window of the account that wrote a row. ``scope``: models, "" = all."""

    length_minutes: int
    scope: str
    used_pct: float | None
    resets_at_ms: int | None


class ToldLimits(NamedTuple):
    """What a row says about its writer's account. ``end``: behind the row, in its file. ``paid``: whether
    paid extra usage covers it now, None = not said."""

    at_ms: int
    end: int
    windows: tuple[ToldWindow, ...]
    paid: bool | None = None


class Told(NamedTuple):
    answers: tuple[ToldAnswer, ...] = ()
    limits: ToldLimits | None = None


NOTHING = Told()


class ReadsRows(Protocol):
    """Reads one file's rows in their order. Its memory of the rows before can be kept and given back."""

    @property
    def session_id(self) -> str: ...

    @property
    def creator(self) -> str:
        """The account that began the session, as the file says; "" = it does not say."""

    def feed(self, data: bytes, end: int) -> Told:
        """Raises msgspec.MsgspecError for a row that cannot be read."""

    def memory(self) -> bytes: ...
