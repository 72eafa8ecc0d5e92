"""Usage in Claude Code's transcripts: rows of answers, and the rows that say that a limit is reached.

One API answer stands in a row for each of its blocks, with the same ``message.id`` and ``requestId``
(claude-code.md section 4). At a limit the program writes a row with ``quotaLimits`` (claude-usage.md
section 1). Pure.
"""

from __future__ import annotations

import msgspec

from controlroom.core.text import clean_line
from controlroom.core.tokens import Tokens, answer_key, count
from controlroom.core.usage import FIVE_HOURS, WEEK, reset_time
from controlroom.node.agents.claude.protocol import unix_ms
from controlroom.node.usage.told import NOTHING, Told, ToldAnswer, ToldLimits, ToldWindow

SYNTHETIC = "<synthetic>"  # the program's own words: no API was asked
MODEL_SHOWN = 100

_LIMITS: dict[str, tuple[int, str]] = {
    "five_hour": (FIVE_HOURS, ""),
    "seven_day": (WEEK, ""),
    "seven_day_opus": (WEEK, "Opus"),
    "seven_day_sonnet": (WEEK, "Sonnet"),
}
_Number = int | float | None


class _CacheCreation(msgspec.Struct):
    ephemeral_1h_input_tokens: _Number = None


class _Usage(msgspec.Struct):
    input_tokens: _Number = None
    cache_creation_input_tokens: _Number = None
    cache_read_input_tokens: _Number = None
    output_tokens: _Number = None
    cache_creation: _CacheCreation | None = None


class _Message(msgspec.Struct):
    id: str = ""
    model: str = ""
    usage: _Usage | None = None


class _Quota(msgspec.Struct, rename="camel"):
    status: str | None = None
    rate_limit_type: str | None = None
    resets_at: _Number = None
    is_using_overage: bool | None = None


class _Row(msgspec.Struct, rename="camel"):
    type: str = ""
    timestamp: str | None = None
    session_id: str = ""
    request_id: str | None = None
    message: _Message | None = None
    api_error: str | None = None
    quota_limits: _Quota | None = None


_decode = msgspec.json.Decoder(_Row).decode


class ClaudeRows:
    """Rows of one transcript; nothing has to be remembered between them but the session's name."""

    creator = ""  # no row says whose account it was

    def __init__(self, session_id: str) -> None:
        self.session_id = session_id

    def feed(self, data: bytes, end: int) -> Told:
        # Nine rows in ten say nothing of this, and some hold megabytes: look before decoding.
        if b'"usage"' not in data or b'"assistant"' not in data:
            return NOTHING
        row = _decode(data)
        if row.type != "assistant" or row.message is None:
            return NOTHING
        at_ms = unix_ms(row.timestamp)
        if row.quota_limits is not None:
            return Told(limits=_limits(row.quota_limits, at_ms, end))
        answer = _answer(row, row.message, at_ms)
        return NOTHING if answer is None else Told((answer,))

    def memory(self) -> bytes:
        return b""


def _answer(row: _Row, message: _Message, at_ms: int) -> ToldAnswer | None:
    used = message.usage
    if used is None or not message.id or message.model in ("", SYNTHETIC):
        return None
    written = count(used.cache_creation_input_tokens)
    long = 0 if used.cache_creation is None else count(used.cache_creation.ephemeral_1h_input_tokens)
    long = min(long, written)
    tokens = Tokens(
        input=count(used.input_tokens),
        cache_read=count(used.cache_read_input_tokens),
        cache_write=written - long,
        cache_write_long=long,
        output=count(used.output_tokens),
    )
    if tokens == Tokens():
        return None
    return ToldAnswer(
        answer_key("claude", message.id, row.request_id or ""),
        at_ms,
        clean_line(message.model, MODEL_SHOWN),
        row.session_id,
        tokens,
    )


def _limits(quota: _Quota, at_ms: int, end: int) -> ToldLimits | None:
    """A limit that was reached: its window is used up until its reset."""
    window = _LIMITS.get(quota.rate_limit_type or "")
    if window is None or quota.status != "rejected":
        return None
    length, scope = window
    resets_ms = None if quota.resets_at is None else int(quota.resets_at * 1000)
    told = ToldWindow(length, scope, 100.0, reset_time(resets_ms, length, at_ms))
    return ToldLimits(at_ms, end, (told,), quota.is_using_overage)
