"""Rows of a rollout as chat items (facts: codex.md section 2).

User and assistant text comes from ``item_completed`` (or ``user_message``/``agent_message`` in old files)
alone: response rows of the role ``user`` also hold what was injected. A tool is one item, whatever rows it
takes: its call, what ran inside it, and the output that went back to the model.

A page holds only some rows of a file. What it cannot settle by itself is named by offset: *unsettled* rows
(of an open call, of a reply whose tokens are not known yet), which a later page reads again, and *orphans*
(results whose call lies before the page), which the page before reads too. Both go into the cursors. Pure.
"""

from __future__ import annotations

from collections.abc import Iterable

import msgspec

from controlroom.core.text import clean_block
from controlroom.node.agents.codex import protocol, tools
from controlroom.node.agents.codex.protocol import Entry, ThreadItem, ToolCall, ToolOutput
from controlroom.node.agents.replies import asks_of, reply_kind, result_of
from controlroom.wire.model import Change, Item, ItemKind, Tokens, Tool, ToolState
from controlroom.wire.node import ReplyAsks

TEXT_LIMIT = 20_000  # characters of a bubble
TOOL_LIMIT = 4_000  # characters of a tool's input and output
_INJECTED = (
    "<environment_context>",
    "<user_instructions>",
    "<permissions",
    "<turn_aborted>",
    "<user_shell_command>",
    "<subagent_notification>",
    "# AGENTS.md instructions",
)


class _Draft(msgspec.Struct):
    """An item while its rows are read. ``entry`` is its first row."""

    entry: Entry
    id: str
    kind: ItemKind
    text: str = ""
    model: str | None = None
    tokens: Tokens | None = None
    told: tools.Told | None = None  # only of a tool
    turn_id: str = ""
    is_open: bool = False  # a call without its output
    is_code: bool = False
    said: ToolState | None = None  # by the output that went back to the model
    parts: list[ToolState] = []  # what ran inside the call
    ran: list[str] = []
    outputs: list[str] = []
    changes: list[Change] = []
    rows: list[int] = []  # offsets of all rows that made or changed it

    @property
    def state(self) -> ToolState:
        if self.is_open:
            return "running"
        if self.said in ("refused", "failed") and (self.said == "refused" or not self.parts):
            return self.said
        return "refused" if "refused" in self.parts else "failed" if "failed" in self.parts else "done"


class Chat:
    """Items of some rows of one session, fed in the file's order."""

    def __init__(self, session_id: str) -> None:
        self._session = session_id
        self._drafts: dict[str, _Draft] = {}
        self._calls: dict[str, _Draft] = {}
        self._loose: dict[int, tuple[Entry, ThreadItem]] = {}  # what ran, its call not among these rows
        self._lost: list[int] = []  # outputs, their calls not among these rows
        self._asks: dict[str, ReplyAsks] = {}  # item -> what it asks the person
        self._model: str | None = None
        self._reply: _Draft | None = None  # the last reply, until its tokens are known

    def feed(self, entries: Iterable[Entry]) -> None:
        for entry in entries:
            self._take(entry)

    def items(
        self, *, begun_from: int = 0, begun_before: int | None = None, touched_from: int = 0
    ) -> tuple[Item, ...]:
        """Items whose first row stands in this range and that a row at ``touched_from`` or later made or
        changed, oldest first."""
        return tuple(
            _item(draft)
            for draft in self._drafts.values()
            if draft.rows[0] >= begun_from and draft.rows[-1] >= touched_from
            if begun_before is None or draft.rows[0] < begun_before
        )

    def asks(self, items: Iterable[Item]) -> tuple[ReplyAsks, ...]:
        """What these items ask the person, in their order."""
        return tuple(self._asks[item.id] for item in items if item.id in self._asks)

    def begins(self, before: int | None = None) -> list[int]:
        """Offset of the first row of each item that begins before this offset, oldest first."""
        firsts = (draft.rows[0] for draft in self._drafts.values())
        return [first for first in firsts if before is None or first < before]

    def unsettled(self) -> tuple[int, ...]:
        """The rows of items that a later row may change."""
        rows = {row for draft in self._drafts.values() if draft.is_open for row in draft.rows}
        for draft in (next((d for d in reversed(self._calls.values()) if d.is_code), None), self._reply):
            rows.update(draft.rows if draft is not None else ())
        return tuple(sorted(rows))

    def orphans(self, before: int) -> tuple[int, ...]:
        """Rows from ``before`` on that belong to items which begin earlier."""
        late = {row for d in self._drafts.values() if d.rows[0] < before for row in d.rows if row >= before}
        return tuple(sorted(late | {row for row in (*self._loose, *self._lost) if row >= before}))

    def settle(self) -> None:
        """The rows reach back to the start of the file: what ran without a call is an item of its own."""
        for entry, item in self._loose.values():
            self._attach(self._own(entry, item), entry, item)
        self._loose.clear()

    # --- rows -----------------------------------------------------------------------------------------

    def _take(self, entry: Entry) -> None:
        match entry.payload:
            case protocol.ItemCompleted() as done:
                self._take_item(entry, done.item, done.turn_id)
            case ToolCall() as call:
                self._call(entry, call)
            case ToolOutput() as output:
                self._output(entry, output)
            case protocol.UserText() as said:
                if said.kind in (None, "plain") and not said.message.lstrip().startswith(_INJECTED):
                    self._say(entry, "user", said.message)
            case protocol.AgentText() as said:
                self._reply_with(entry, said.message)
            case protocol.AgentReasoning() as thought:
                self._say(entry, "thinking", thought.text)
            case protocol.TurnContext() as context:
                self._model = context.model or self._model
            case protocol.UsageRecord() as record:
                self._tokens(entry, record.usage)
            case protocol.TokenCount() as count:
                if (
                    entry.ordinal is None
                    and count.info is not None
                    and count.info.last_token_usage is not None
                ):
                    self._tokens(entry, count.info.last_token_usage)
            case protocol.HelperMessage() as message:
                _, _, payload = _joined_parts(message.content).partition("\nPayload:\n")
                self._say(
                    entry, "helper", f"{message.author} to {message.recipient}: {payload}" if payload else ""
                )
            case _:
                self._notice(entry)

    def _notice(self, entry: Entry) -> None:
        match entry.payload:
            case protocol.TurnStarted() | protocol.TurnComplete() | protocol.TurnAborted() as turn:
                self._reply = None
                self._close_calls(entry)
                if isinstance(turn, protocol.TurnComplete) and turn.error is not None:
                    self._say(entry, "notice", turn.error.message or turn.error.code or "The turn failed")
                elif isinstance(turn, protocol.TurnAborted):
                    self._say(entry, "notice", _ABORTED.get(turn.reason, "The turn was stopped"))
            case protocol.Trouble() as trouble:
                self._say(entry, "notice", trouble.message)
            case protocol.RolledBack() as back:
                self._say(entry, "notice", f"Went back {back.num_turns} message{'s'[: back.num_turns != 1]}")
            case protocol.Compacted():
                if entry.ordinal is None:  # newer files also have an item that says it
                    self._say(entry, "notice", _COMPACTED)
            case protocol.SessionMeta() as meta:
                if meta.history_base is not None and meta.id == self._session:
                    self._say(
                        entry, "notice", f"Forked from {meta.forked_from_id or meta.history_base.thread_id}"
                    )
            case _:
                pass

    def _take_item(self, entry: Entry, item: ThreadItem, turn_id: str) -> None:
        match item.type:
            case "UserMessage":
                self._say(entry, "user", _joined_parts(item.content))
            case "AgentMessage":
                self._reply_with(entry, _joined_parts(item.content))
            case "Plan":
                self._reply_with(entry, item.text)
            case "Reasoning":
                self._say(entry, "thinking", "\n\n".join(item.summary_text))
            case "ContextCompaction":
                self._say(entry, "notice", _COMPACTED)
            case "SubAgentActivity":
                self._say(entry, "helper", f"Helper {item.agent_path} {item.kind}")
            case "EnteredReviewMode" | "ExitedReviewMode":
                self._say(
                    entry, "notice", "Review began" if item.type.startswith("Entered") else "Review ended"
                )
            case (
                "CommandExecution"
                | "FileChange"
                | "McpToolCall"
                | "DynamicToolCall"
                | "WebSearch"
                | "ImageView"
            ):
                self._ran(entry, item, turn_id)
            case _:
                pass

    def _say(self, entry: Entry, kind: ItemKind, text: str) -> _Draft | None:
        if not text.strip():
            return None
        draft = _Draft(entry, f"{self._session}:{entry.place}", kind, text=text, rows=[entry.offset])
        self._drafts[draft.id] = draft
        return draft

    def _reply_with(self, entry: Entry, text: str) -> None:
        """A reply. ``Status: …`` alone is a header, no bubble; a question or result block makes its kind."""
        kind = reply_kind(text)
        draft = None if kind is None else self._say(entry, kind, text)
        if draft is not None:
            draft.model = self._model
            self._reply = draft
            if (asked := asks_of(draft.id, entry.at_ms, text)) is not None:
                self._asks[draft.id] = asked

    def _tokens(self, entry: Entry, usage: protocol.Usage) -> None:
        if self._reply is not None:
            self._reply.tokens = Tokens(input=usage.input_tokens, output=usage.output_tokens)
            self._reply.rows.append(entry.offset)
        self._reply = None

    # --- tools ----------------------------------------------------------------------------------------

    def _call(self, entry: Entry, call: ToolCall) -> None:
        call_id = call.call_id or entry.place
        draft = _Draft(
            entry,
            f"{self._session}:{call_id}",
            "tool",
            model=self._model,
            told=tools.tell_call(call),
            turn_id=call.turn_id,
            is_open=True,
            is_code=call.name == "exec" and bool(call.input),
            rows=[entry.offset],
        )
        self._drafts[draft.id] = draft
        self._calls[call_id] = draft

    def _output(self, entry: Entry, output: ToolOutput) -> None:
        draft = self._calls.get(output.call_id)
        if draft is None:
            self._lost.append(entry.offset)
            return
        draft.is_open, draft.said = False, tools.output_state(output.text)
        draft.rows.append(entry.offset)
        if not draft.parts:
            draft.outputs = [output.text]

    def _ran(self, entry: Entry, item: ThreadItem, turn_id: str) -> None:
        """What ran belongs to the call with its id, else to the newest code-mode call of its turn."""
        draft = self._calls.get(item.id)
        if draft is None and item.id.startswith("exec-"):
            of_turn = (
                call for call in reversed(self._calls.values()) if call.is_code and call.turn_id == turn_id
            )
            draft = next(of_turn, None)
            if draft is None:
                self._loose[entry.offset] = (entry, item)
                return
        self._attach(draft or self._own(entry, item), entry, item)

    def _own(self, entry: Entry, item: ThreadItem) -> _Draft:
        draft = _Draft(entry, f"{self._session}:{item.id or entry.place}", "tool", model=self._model)
        self._drafts[draft.id] = draft
        return draft

    def _attach(self, draft: _Draft, entry: Entry, item: ThreadItem) -> None:
        told = tools.tell_item(item)
        if not draft.parts:
            whole = told.input or (draft.told.input if draft.told is not None else "")
            draft.told, draft.outputs = tools.Told(told.name, told.title, whole), []
        if not draft.is_open:
            draft.said = None  # it went on in the background: how it ended counts
        draft.parts.append(tools.item_state(item))
        draft.ran += [told.input] if told.input else []
        draft.outputs += [output] if (output := tools.item_output(item)) else []
        draft.changes += tools.changes(item)
        draft.rows.append(entry.offset)

    def _close_calls(self, entry: Entry) -> None:
        """No call outlives its turn: what is still open then was never answered (a killed process)."""
        for draft in self._calls.values():
            if draft.is_open:
                draft.is_open, draft.said = False, "failed"
                draft.rows.append(entry.offset)


_COMPACTED = "Conversation compacted"
_ABORTED = {
    "interrupted": "Interrupted",
    "replaced": "Stopped for a new message",
    "review_ended": "Review ended",
    "budget_limited": "Stopped: the budget is used up",
}


def _joined_parts(parts: Iterable[protocol.Part]) -> str:
    texts = [part.text if part.text is not None else f"[{part.type.replace('_', ' ')}]" for part in parts]
    return "\n".join(text for text in texts if text != "[encrypted content]")


def _item(draft: _Draft) -> Item:
    if draft.told is None:
        text = clean_block(draft.text, TEXT_LIMIT)
        return Item(
            id=draft.id,
            at_ms=draft.entry.at_ms,
            kind=draft.kind,
            text=text,
            clipped=len(draft.text) > TEXT_LIMIT,
            model=draft.model,
            tokens=draft.tokens,
            result=result_of(draft.kind, text),
        )
    shown_input = "\n".join(draft.ran) or draft.told.input
    output = "\n".join(draft.outputs)
    more = f" (+{len(draft.parts) - 1} more)" if len(draft.parts) > 1 else ""
    return Item(
        id=draft.id,
        at_ms=draft.entry.at_ms,
        kind="tool",
        clipped=max(len(shown_input), len(output)) > TOOL_LIMIT,
        model=draft.model,
        tool=Tool(
            name=draft.told.name,
            title=draft.told.title + more,
            state=draft.state,
            input=clean_block(shown_input, TOOL_LIMIT) or None,
            output=clean_block(output, TOOL_LIMIT) or None,
            changes=tuple(draft.changes) or None,
        ),
    )
