"""Usage in Codex's rollouts: answers by their ids, older files by the growth of their totals, rate limits.

Current files have a ``token_usage_record`` for each response; older ones repeat a running total, sometimes
unchanged (codex.md section 2). Cached input is inside input there, reasoning inside output. A fork made by an
old version begins with a copy of its parent's rows, stamped when the fork was made: they count for nothing
but the total to start from. Pure.
"""

from __future__ import annotations

import msgspec

from controlroom.core.text import clean_line
from controlroom.core.tokens import Tokens, answer_key, count
from controlroom.core.usage import percent, reset_time
from controlroom.node.agents.claude.protocol import unix_ms
from controlroom.node.usage.told import NOTHING, Told, ToldAnswer, ToldLimits, ToldWindow

COPIED_MS = 1000  # rows copied into a fork are stamped within it of the fork's beginning
MODEL_SHOWN = 100
MAIN_LIMIT = "codex"
LONGEST_WINDOW = 366 * 1440  # minutes

_Number = int | float | None


class _Window(msgspec.Struct):
    used_percent: _Number = None
    window_minutes: _Number = None
    resets_at: _Number = None


class _RateLimits(msgspec.Struct):
    limit_id: str | None = None
    limit_name: str | None = None
    primary: _Window | None = None
    secondary: _Window | None = None


class _Usage(msgspec.Struct):
    input_tokens: _Number = None
    cached_input_tokens: _Number = None
    cache_write_input_tokens: _Number = None
    output_tokens: _Number = None


class _Info(msgspec.Struct):
    total_token_usage: _Usage | None = None


class _Base(msgspec.Struct):
    """Where a current fork's history lies: nothing of it was copied."""


class _Payload(msgspec.Struct):
    type: str = ""
    id: str = ""
    creator_account_id: str | None = None
    forked_from_id: str | None = None
    history_base: _Base | None = None
    model: str | None = None
    response_id: str | None = None
    usage: _Usage | None = None
    info: _Info | None = None
    rate_limits: _RateLimits | None = None


class _Row(msgspec.Struct):
    type: str = ""
    timestamp: str | None = None
    payload: _Payload | None = None


class _Memory(msgspec.Struct):
    """What is remembered of a file between readings. ``total`` is None before the first one."""

    session_id: str = ""
    has_begun: bool = False
    creator: str = ""
    model: str = ""
    has_records: bool = False
    copied_until_ms: int = 0
    total: Tokens | None = None


_decode = msgspec.json.Decoder(_Row).decode
_MARKS = (b'"session_meta"', b'"turn_context"', b'"token_usage_record"', b'"token_count"')
_HEAD = 400  # a row's type stands in its beginning


class CodexRows:
    """Rows of one rollout. ``memory`` of an earlier reading goes on where that one ended."""

    def __init__(self, session_id: str, memory: bytes = b"") -> None:
        self._kept = msgspec.json.decode(memory, type=_Memory) if memory else _Memory(session_id)

    @property
    def session_id(self) -> str:
        return self._kept.session_id

    @property
    def creator(self) -> str:
        return self._kept.creator

    def memory(self) -> bytes:
        return msgspec.json.encode(self._kept)

    def feed(self, data: bytes, end: int) -> Told:
        head = data[:_HEAD]
        if not any(mark in head for mark in _MARKS):
            return NOTHING
        row = _decode(data)
        payload, at_ms = row.payload, unix_ms(row.timestamp)
        if payload is None:
            return NOTHING
        match row.type:
            case "session_meta":
                self._begin(payload, at_ms)
            case "turn_context":
                self._kept.model = clean_line(payload.model or "", MODEL_SHOWN)
            case "token_usage_record":
                return self._record(payload, at_ms)
            case "event_msg" if payload.type == "token_count":
                limits = None if payload.rate_limits is None else _limits(payload.rate_limits, at_ms, end)
                return Told(self._growth(payload, at_ms), limits)
        return NOTHING

    def _begin(self, payload: _Payload, at_ms: int) -> None:
        """Only the first of these rows is about this file; a fork repeats its ancestors'."""
        kept = self._kept
        if kept.has_begun:
            return
        kept.has_begun = True
        kept.session_id = payload.id or kept.session_id
        kept.creator = payload.creator_account_id or ""
        if payload.forked_from_id and payload.history_base is None:
            kept.copied_until_ms = at_ms + COPIED_MS

    def _record(self, payload: _Payload, at_ms: int) -> Told:
        self._kept.has_records = True
        if payload.usage is None or not payload.response_id:
            return NOTHING
        return self._answer(answer_key("codex", payload.response_id), _tokens(payload.usage), at_ms)

    def _growth(self, payload: _Payload, at_ms: int) -> tuple[ToldAnswer, ...]:
        kept = self._kept
        if kept.has_records or payload.info is None or payload.info.total_token_usage is None:
            return ()
        total, before = _tokens(payload.info.total_token_usage), kept.total or Tokens()
        kept.total = total
        if at_ms < kept.copied_until_ms or total == before:
            return ()
        grown = total - before
        if min(grown.input, grown.cache_read, grown.cache_write, grown.output) < 0:
            grown = total  # the counter began anew
        key = answer_key(
            "codex-total", kept.session_id, *(str(part) for part in msgspec.structs.astuple(total))
        )
        return self._answer(key, grown, at_ms).answers

    def _answer(self, key: bytes, tokens: Tokens, at_ms: int) -> Told:
        if tokens == Tokens():
            return NOTHING
        kept = self._kept
        return Told((ToldAnswer(key, at_ms, kept.model, kept.session_id, tokens),))


def _tokens(used: _Usage) -> Tokens:
    """Its numbers taken apart: what was read from or written to a cache is inside of input there."""
    whole, cached = count(used.input_tokens), count(used.cached_input_tokens)
    written = count(used.cache_write_input_tokens)
    cached = min(cached, whole)
    written = min(written, whole - cached)
    return Tokens(
        input=whole - cached - written,
        cache_read=cached,
        cache_write=written,
        output=count(used.output_tokens),
    )


def _limits(limits: _RateLimits, at_ms: int, end: int) -> ToldLimits | None:
    scope = ""
    if limits.limit_id not in (None, "", MAIN_LIMIT):
        scope = clean_line(limits.limit_name or limits.limit_id or "", 40)
    windows = []
    for window in (limits.primary, limits.secondary):
        if window is None or window.window_minutes is None:
            continue
        length = int(window.window_minutes)
        if not 0 < length <= LONGEST_WINDOW:
            continue
        resets_ms = None if window.resets_at is None else int(window.resets_at * 1000)
        windows.append(
            ToldWindow(length, scope, percent(window.used_percent), reset_time(resets_ms, length, at_ms))
        )
    return ToldLimits(at_ms, end, tuple(windows)) if windows else None
