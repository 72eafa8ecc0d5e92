"""Rows of Claude Code's transcripts, one JSON object a line (seen with 2.1.332).

The program changes weekly, so every field is optional and of a soft type: a field with an unexpected shape
is left out and never costs the row. Rows are decoded by one typed pass that names only what we use; large
parts stay ``Raw`` and are looked into only for the types that need it (``attachment`` and ``api-request``
rows hold whole system prompts).
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import datetime
from functools import lru_cache
from typing import TypeVar, get_type_hints

import msgspec

S = TypeVar("S", bound=msgspec.Struct)
NOTHING = msgspec.Raw()


class Row(msgspec.Struct, frozen=True, rename="camel"):
    """One row. Which fields are there depends on ``type``."""

    type: str = ""
    subtype: str | None = None
    uuid: str | None = None
    timestamp: str | None = None
    is_sidechain: bool | None = None
    is_meta: bool | None = None
    cwd: str | None = None
    session_id: str | None = None
    message: msgspec.Raw = NOTHING
    content: msgspec.Raw = NOTHING
    attachment: msgspec.Raw = NOTHING
    origin: msgspec.Raw = NOTHING
    prompt_source: str | None = None
    queue_transcript_only: bool | None = None
    tool_use_result: msgspec.Raw = NOTHING
    tool_denial_kind: str | None = None
    is_compact_summary: bool | None = None
    is_visible_in_transcript_only: bool | None = None
    is_aborted_mid_stream: bool | None = None
    is_api_error_message: bool | None = None
    error: str | None = None
    api_error: str | None = None
    quota_limits: msgspec.Raw = NOTHING
    pending_background_agent_count: int | None = None
    level: str | None = None
    operation: str | None = None
    custom_title: str | None = None

    @property
    def at_ms(self) -> int:
        """When the row was written; 0 when it does not say."""
        return unix_ms(self.timestamp)


class Usage(msgspec.Struct, frozen=True):
    input_tokens: int | None = None
    cache_creation_input_tokens: int | None = None
    cache_read_input_tokens: int | None = None
    output_tokens: int | None = None

    @property
    def all_input(self) -> int:
        return (
            (self.input_tokens or 0)
            + (self.cache_creation_input_tokens or 0)
            + (self.cache_read_input_tokens or 0)
        )


class Message(msgspec.Struct, frozen=True):
    """The ``message`` of user and assistant rows."""

    id: str | None = None
    model: str | None = None
    content: msgspec.Raw = NOTHING
    stop_reason: str | None = None
    usage: msgspec.Raw = NOTHING


class Block(msgspec.Struct, frozen=True):
    """One part of a message's content."""

    type: str = ""
    text: str | None = None
    thinking: str | None = None
    id: str | None = None
    name: str | None = None
    input: msgspec.Raw = NOTHING
    tool_use_id: str | None = None
    content: msgspec.Raw = NOTHING
    is_error: bool | None = None


class Attachment(msgspec.Struct, frozen=True, rename="camel"):
    """Context that the program gave the model. Only ``queued_command`` holds a person's words: a message
    that was queued while a tool ran is handed over inside the running turn and gets no user row (seen)."""

    type: str = ""
    prompt: msgspec.Raw = NOTHING
    command_mode: str | None = None
    origin: msgspec.Raw = NOTHING
    is_meta: bool | None = None


class Kind(msgspec.Struct, frozen=True):
    kind: str | None = None


class QuotaLimits(msgspec.Struct, frozen=True, rename="camel"):
    resets_at: float | None = None  # epoch seconds
    rate_limit_type: str | None = None


KNOWN_TYPES = frozenset(
    [
        *("user", "assistant", "system", "attachment", "summary", "progress", "mode", "permission-mode"),
        *("last-prompt", "custom-title", "ai-title", "agent-name", "tools-used", "atis-latch", "tag"),
        *("file-history-snapshot", "file-history-delta", "cost-state", "queue-operation", "pr-link"),
        *("api-request", "api-request-shape", "api-request-blob"),
    ]
)

SYNTHETIC = "<synthetic>"  # the model's name in rows that the program wrote itself
NO_RESPONSE = "No response requested."  # put in when an interrupted session is resumed
INTERRUPTED = "[Request interrupted by user"
ENDING = frozenset({"end_turn", "stop_sequence", "refusal"})  # stop reasons after which nothing follows
HELPER_TOOLS = frozenset({"Agent", "Task"})


class RowDecoder:
    """Decodes one row; raises ``msgspec.MsgspecError`` only for what is no JSON object."""

    def __init__(self) -> None:
        self._whole = msgspec.json.Decoder(Row)

    def decode(self, data: bytes, /) -> Row:
        try:
            return self._whole.decode(data)
        except msgspec.ValidationError:
            return _field_by_field(data, Row)


@lru_cache(maxsize=16)
def _fields(kind: type[msgspec.Struct]) -> Mapping[str, tuple[str, type]]:
    """JSON name -> (field name, type)."""
    types = get_type_hints(kind)
    return {f.encode_name: (f.name, types[f.name]) for f in msgspec.structs.fields(kind)}


def _field_by_field(data: bytes | msgspec.Raw, kind: type[S]) -> S:
    """The struct with those fields that have the expected shape. Raises when ``data`` is no object."""
    found: dict[str, object] = {}
    names = _fields(kind)
    for key, raw in msgspec.json.decode(data, type=dict[str, msgspec.Raw]).items():
        if key in names:
            name, expected = names[key]
            try:
                found[name] = msgspec.json.decode(raw, type=expected)
            except (msgspec.MsgspecError, UnicodeDecodeError):
                continue
    return kind(**found)


def loose(raw: msgspec.Raw, kind: type[S]) -> S:
    """The struct that ``raw`` holds, as far as it has the expected shape; empty when it has none of it."""
    try:
        try:
            return msgspec.json.decode(raw, type=kind)
        except msgspec.ValidationError:
            return _field_by_field(raw, kind)
    except (msgspec.MsgspecError, UnicodeDecodeError):
        return kind()


def plain(raw: msgspec.Raw) -> object:
    """Any JSON value; None when there is none or it is damaged."""
    try:
        value: object = msgspec.json.decode(raw)
    except (msgspec.MsgspecError, UnicodeDecodeError):
        return None
    return value


def blocks(content: msgspec.Raw) -> tuple[Block, ...]:
    """The blocks of a content that may be a plain string too."""
    head = bytes(memoryview(content)[:1])
    if head == b'"':
        text = plain(content)
        return (Block(type="text", text=text),) if isinstance(text, str) else ()
    if head != b"[":
        return ()
    try:
        parts = msgspec.json.decode(content, type=list[msgspec.Raw])
    except msgspec.MsgspecError:
        return ()
    return tuple(loose(part, Block) for part in parts)


def content_text(content: msgspec.Raw) -> str:
    """All text of a content; pictures and documents are named."""
    parts = []
    for block in blocks(content):
        if block.type == "text":
            parts.append(block.text or "")
        elif block.type in ("image", "document"):
            parts.append(f"[{block.type}]")
    return "\n".join(parts)


def unix_ms(timestamp: str | None) -> int:
    """Milliseconds of an ISO time; 0 when it is none."""
    if not timestamp:
        return 0
    try:
        return int(datetime.fromisoformat(timestamp).timestamp() * 1000)
    except (ValueError, OverflowError):
        return 0


# --- who said it -------------------------------------------------------------------------------------

_PASTE_BEGIN = re.compile(r'(?:\n\n)?<pasted_content id="[^"\n]{0,64}">\n')
_PASTE_END = re.compile(r'\n</pasted_content id="[^"\n]{0,64}">\n?')
COMMAND_LIMIT = 40_000  # characters of a command that are looked at
_TYPED = frozenset({"typed", "queued", "sdk"})
# What the program itself writes in the user's role, by the first words (facts: "Not bubbles").
_MACHINE = (
    "<local-command-caveat>",
    "<local-command-stdout>",
    "<local-command-stderr>",
    "<command-name>",
    "<command-message>",
    "<bash-input>",
    "<bash-stdout>",
    "<bash-stderr>",
    "<task-notification>",
    "<system-reminder>",
    INTERRUPTED,
    "Caveat: The messages below were generated by the user while running local commands",
    "This session is being continued from a previous conversation",
)


def unwrapped(text: str) -> str:
    """A person's text without the marks that the program puts around a long paste."""
    if "<pasted_content" not in text:
        return text
    return _PASTE_END.sub("", _PASTE_BEGIN.sub("", text))


_COMMAND = re.compile(r"<(command-name|command-args|bash-input)>(.*?)</\1>", re.DOTALL)


def command_words(text: str) -> str | None:
    """The command that a person gave, as it was typed; None when the text records none."""
    found = dict(_COMMAND.findall(text[:COMMAND_LIMIT]))
    if "command-name" in found:
        return f"{found['command-name']} {found.get('command-args', '')}".strip()
    return f"!{found['bash-input']}" if "bash-input" in found else None


def is_machine_text(text: str) -> bool:
    return text.lstrip().startswith(_MACHINE)


def is_typed(row: Row, text: str) -> bool:
    """Did a person say this text of a user row? Rows of older versions carry no origin: then the text and
    the marks of the program decide."""
    if not text or row.is_meta or row.is_sidechain or row.is_compact_summary or is_machine_text(text):
        return False
    origin = loose(row.origin, Kind).kind
    if origin is not None:
        return origin == "human"
    if row.prompt_source is not None:
        return row.prompt_source in _TYPED
    return not row.is_visible_in_transcript_only


def starts_turn(row: Row, text: str) -> bool:
    """Does this user row begin a turn? Also for prompts that no person typed: notifications of helpers and
    the automatic continuation after a usage limit."""
    if row.is_sidechain or row.queue_transcript_only:
        return False
    return is_typed(row, text) or row.prompt_source == "system"


def queued_words(row: Row) -> str | None:
    """A person's message that was handed over inside a running turn; None for every other attachment."""
    if row.type != "attachment" or row.is_sidechain:
        return None
    if b"queued_command" not in bytes(memoryview(row.attachment)[:4096]):  # most are large and not ours
        return None
    attachment = loose(row.attachment, Attachment)
    if attachment.type != "queued_command" or attachment.is_meta:
        return None
    if loose(attachment.origin, Kind).kind not in (None, "human"):
        return None
    if attachment.command_mode not in (None, "prompt"):
        return None
    text = content_text(attachment.prompt)
    return unwrapped(text) if text and not is_machine_text(text) else None
