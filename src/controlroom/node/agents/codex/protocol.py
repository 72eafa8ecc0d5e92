"""Rows of Codex's rollout files, typed and tolerant (facts: codex.md section 2).

One row is ``{"timestamp", "ordinal"?, "type", "payload"}``. Two shapes live side by side: 0.171 writes
``item_completed`` and turn rows; 0.60 writes ``user_message``/``agent_message``, no ordinal and no turn rows;
an old file continued by 0.171 keeps the old events but gets turn rows. Only the fields that we use are named.
A row of a kind that is not known decodes to ``Unknown`` and is counted; what cannot be decoded raises.
Pure.
"""

from __future__ import annotations

from datetime import datetime
from typing import Final

import msgspec

from controlroom.node.agents.transcripts import Row


class Payload(msgspec.Struct, frozen=True):
    """Base of what a row can hold."""


class Unknown(Payload, frozen=True):
    """A kind of row that this version of ours does not know."""

    kind: str


class Ignored(Payload, frozen=True):
    """A known kind that says nothing for people: what the model was told, settings, snapshots."""


class HistoryBase(msgspec.Struct, frozen=True):
    """The part of another conversation that a fork begins with."""

    thread_id: str = ""
    end_byte_offset: int = 0


class SessionMeta(Payload, frozen=True):
    """The first row. A fork holds no history: it names its parent. A helper's file may go on with the
    ``session_meta`` and copied rows of its parent."""

    id: str = ""
    session_id: str = ""
    timestamp: str = ""
    cwd: str = ""
    cli_version: str = ""
    originator: str = ""
    source: object = None  # "cli", "vscode" (made by the daemon), "exec", or {"subagent": …}
    thread_source: str | None = None
    parent_thread_id: str | None = None
    forked_from_id: str | None = None
    history_base: HistoryBase | None = None

    @property
    def is_helper(self) -> bool:
        return self.thread_source == "subagent" or (
            isinstance(self.source, dict) and "subagent" in self.source
        )

    @property
    def is_headless(self) -> bool:
        return self.source == "exec"


class TurnContext(Payload, frozen=True):
    model: str = ""
    cwd: str = ""


class Usage(msgspec.Struct, frozen=True):
    """Cached input is inside ``input_tokens``, reasoning inside ``output_tokens``."""

    input_tokens: int = 0
    cached_input_tokens: int = 0
    output_tokens: int = 0
    total_tokens: int = 0


class UsageRecord(Payload, frozen=True):
    """What one response cost; the best source, because it is keyed."""

    response_id: str = ""
    usage: Usage = Usage()


class TokenInfo(msgspec.Struct, frozen=True):
    last_token_usage: Usage | None = None
    model_context_window: int | None = None


class TokenCount(Payload, frozen=True):
    info: TokenInfo | None = None


class TurnStarted(Payload, frozen=True):
    turn_id: str = ""


class TurnError(msgspec.Struct, frozen=True):
    message: str = ""
    codex_error_info: object = None

    @property
    def code(self) -> str:
        """ "usage_limit_exceeded", "http_connection_failed 401", …"""
        info = self.codex_error_info
        if isinstance(info, str):
            return info
        if isinstance(info, dict) and info:
            kind, details = next(iter(info.items()))
            status = details.get("http_status_code") if isinstance(details, dict) else None
            return f"{kind} {status}" if status else str(kind)
        return ""


class TurnComplete(Payload, frozen=True):
    turn_id: str = ""
    last_agent_message: str | None = None
    error: TurnError | None = None


class TurnAborted(Payload, frozen=True):
    turn_id: str = ""
    reason: str = ""


class UserText(Payload, frozen=True):
    """``user_message`` of the old shape. Some versions also wrote injected text under a ``kind``."""

    message: str = ""
    kind: str | None = None


class AgentText(Payload, frozen=True):
    """``agent_message`` of the old shape."""

    message: str = ""


class AgentReasoning(Payload, frozen=True):
    text: str = ""


class Trouble(Payload, frozen=True):
    """``error``, ``warning`` and ``stream_error`` events."""

    message: str = ""


class RolledBack(Payload, frozen=True):
    """The person went back some turns; the rows of those turns stay in the file."""

    num_turns: int = 0


class Compacted(Payload, frozen=True):
    """The summary that replaced the history. The text is for the model and can be huge."""


class Part(msgspec.Struct, frozen=True):
    type: str = ""
    text: str | None = None


class FileDelta(msgspec.Struct, frozen=True):
    """One changed file. ``add``/``delete`` hold the content, ``update`` a unified diff."""

    type: str = ""
    content: str | None = None
    unified_diff: str | None = None
    move_path: str | None = None


class ThreadItem(msgspec.Struct, frozen=True):
    """``item`` of ``item_completed``: all kinds in one, as only few fields are used of each."""

    type: str
    id: str = ""
    content: list[Part] = []
    text: str = ""
    summary_text: list[str] = []
    command: list[str] | str | None = None
    aggregated_output: str | None = None
    exit_code: int | None = None
    status: str = ""
    source: str = ""
    changes: dict[str, FileDelta] = {}
    stdout: str | None = None
    stderr: str | None = None
    kind: str = ""
    agent_thread_id: str = ""
    agent_path: str = ""
    server: str = ""
    tool: str = ""
    arguments: object = None
    result: object = None
    error: object = None
    query: str | None = None
    path: str | None = None
    review: object = None


class ItemCompleted(Payload, frozen=True):
    item: ThreadItem
    turn_id: str = ""


class Passthrough(msgspec.Struct, frozen=True):
    turn_id: str | None = None


class ToolCall(Payload, frozen=True):
    """``function_call``, ``custom_tool_call`` and ``local_shell_call`` rows."""

    name: str = ""
    namespace: str | None = None
    arguments: str = ""
    input: str = ""
    call_id: str | None = None
    action: object = None
    internal_chat_message_metadata_passthrough: Passthrough | None = None

    @property
    def turn_id(self) -> str:
        meta = self.internal_chat_message_metadata_passthrough
        return "" if meta is None or meta.turn_id is None else meta.turn_id


class ToolOutput(Payload, frozen=True):
    call_id: str = ""
    output: object = None

    @property
    def text(self) -> str:
        if isinstance(self.output, str):
            return self.output
        if isinstance(self.output, list):
            parts = (part.get("text") for part in self.output if isinstance(part, dict))
            return "".join(part for part in parts if isinstance(part, str))
        if isinstance(self.output, dict):
            content = self.output.get("content")
            return content if isinstance(content, str) else ""
        return ""


class HelperMessage(Payload, frozen=True):
    """What agents of one team write to each other."""

    author: str = ""
    recipient: str = ""
    content: list[Part] = []


class Entry(msgspec.Struct, frozen=True):
    """One decoded row. ``offset`` is where it begins in its file; ``at_ms`` is the row's own time."""

    offset: int
    end: int
    ordinal: int | None
    at_ms: int
    payload: Payload

    @property
    def place(self) -> str:
        """The same wherever a copy of the file lies: the ordinal, else the offset."""
        return f"@{self.offset}" if self.ordinal is None else str(self.ordinal)


class _Envelope(msgspec.Struct):
    type: str = ""
    timestamp: str = ""
    ordinal: int | None = None
    payload: msgspec.Raw = msgspec.Raw(b"{}")


class _Kind(msgspec.Struct):
    type: str = ""


_envelope: Final = msgspec.json.Decoder(_Envelope)
_kind: Final = msgspec.json.Decoder(_Kind)
_ROWS: Final[dict[str, type[Payload]]] = {
    "session_meta": SessionMeta,
    "turn_context": TurnContext,
    "token_usage_record": UsageRecord,
    "compacted": Compacted,
    "world_state": Ignored,
    "retained_context": Ignored,
    "inter_agent_communication_metadata": Ignored,
}
_EVENTS: Final[dict[str, type[Payload]]] = {
    "task_started": TurnStarted,
    "turn_started": TurnStarted,
    "task_complete": TurnComplete,
    "turn_complete": TurnComplete,
    "turn_aborted": TurnAborted,
    "token_count": TokenCount,
    "item_completed": ItemCompleted,
    "user_message": UserText,
    "agent_message": AgentText,
    "agent_reasoning": AgentReasoning,
    "error": Trouble,
    "warning": Trouble,
    "stream_error": Ignored,  # a retry goes on by itself
    "thread_rolled_back": RolledBack,
    **dict.fromkeys(
        (
            "thread_settings_applied",
            "thread_name_updated",
            "thread_goal_updated",
            "agent_reasoning_raw_content",
            "agent_reasoning_section_break",
            "context_compacted",
            "item_started",
            "exec_command_begin",
            "exec_command_end",
            "patch_apply_begin",
            "patch_apply_end",
            "mcp_tool_call_begin",
            "mcp_tool_call_end",
            "web_search_begin",
            "web_search_end",
            "view_image_tool_call",
            "plan_update",
            "turn_diff",
            "background_event",
            "entered_review_mode",
            "exited_review_mode",
            "session_configured",
        ),
        Ignored,
    ),
}
_RESPONSES: Final[dict[str, type[Payload]]] = {
    "function_call": ToolCall,
    "custom_tool_call": ToolCall,
    "local_shell_call": ToolCall,
    "function_call_output": ToolOutput,
    "custom_tool_call_output": ToolOutput,
    "agent_message": HelperMessage,
    **dict.fromkeys(
        (
            "message",  # also holds what was injected: chat text is taken from the events alone
            "reasoning",
            "additional_tools",
            "ghost_snapshot",
            "compaction",
            "compaction_summary",
            "web_search_call",
            "tool_search_call",
            "tool_search_output",
            "image_generation_call",
            "other",
        ),
        Ignored,
    ),
}
_decoders: dict[type[Payload], msgspec.json.Decoder[Payload]] = {
    kind: msgspec.json.Decoder(kind) for kind in {*_ROWS.values(), *_EVENTS.values(), *_RESPONSES.values()}
}


def decode(row: Row) -> Entry:
    """One row. Raises ``msgspec.MsgspecError`` (or UnicodeDecodeError, RecursionError) for a damaged one."""
    envelope = _envelope.decode(row.data)
    known = _ROWS.get(envelope.type)
    if known is None and envelope.type in ("event_msg", "response_item"):
        kind = _kind.decode(envelope.payload).type
        known = (_EVENTS if envelope.type == "event_msg" else _RESPONSES).get(kind)
    else:
        kind = envelope.type
    payload: Payload
    if known is None:
        payload = Unknown(kind[:60])
    elif known is Ignored:
        payload = Ignored()
    else:
        payload = _decoders[known].decode(envelope.payload)
    return Entry(row.offset, row.end, envelope.ordinal, _ms(envelope.timestamp), payload)


class Decoded(msgspec.Struct, frozen=True):
    """Rows that could be read, in order, and how many could not or are of an unknown kind."""

    entries: tuple[Entry, ...]
    skipped: int = 0


def decode_all(rows: tuple[Row, ...] | list[Row]) -> Decoded:
    """Each row by itself: a damaged one hides nothing but itself."""
    entries: list[Entry] = []
    skipped = 0
    for row in rows:
        try:
            entry = decode(row)
        except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
            skipped += 1
            continue
        if isinstance(entry.payload, Unknown):
            skipped += 1
        else:
            entries.append(entry)
    return Decoded(tuple(entries), skipped)


def _ms(timestamp: str) -> int:
    try:
        return int(datetime.fromisoformat(timestamp).timestamp() * 1000)
    except ValueError:
        return 0
