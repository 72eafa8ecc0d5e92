"""Rows of a transcript as chat items. Pure.

What a row *adds* depends on that row alone (``_added``); what it *changes* in an earlier item is matched by
id: a tool's result changes its call, a notification changes its helper, a later row of the same model answer
raises its token count. So a page may begin anywhere, and an item never depends on where the reading began.

Item ids: the row's ``uuid`` (with the block's number, when a row has several), and for a tool call its own
id, by which the result finds it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

import msgspec

from controlroom.core.text import clean_line
from controlroom.node.agents.claude.protocol import (
    HELPER_TOOLS,
    INTERRUPTED,
    NO_RESPONSE,
    SYNTHETIC,
    Block,
    Message,
    Row,
    Usage,
    blocks,
    command_words,
    content_text,
    is_machine_text,
    is_typed,
    loose,
    plain,
    queued_words,
    starts_turn,
    unwrapped,
)
from controlroom.node.agents.claude.tools import (
    TOOL_LIMIT,
    Arguments,
    Outcome,
    arguments,
    clip,
    outcome,
    shown_input,
    title,
)
from controlroom.node.agents.replies import asks_of, reply_kind, result_of
from controlroom.wire.model import Item, ItemKind, Tokens, Tool
from controlroom.wire.node import ReplyAsks

TEXT_LIMIT = 20_000  # characters of one bubble

_PRINTED = re.compile(
    r"<(local-command-stdout|local-command-stderr|bash-stdout|bash-stderr)>(.*?)</\1>", re.S
)
_NOTE = re.compile(r"<(task-id|tool-use-id|status|summary|result)>(.*?)</\1>", re.S)
_QUIET_OUTPUT = frozenset({"", "(no content)"})


class Notification(msgspec.Struct, frozen=True):
    """A helper (or a background command) that ended."""

    task_id: str
    tool_use_id: str
    status: str
    summary: str
    result: str

    @property
    def of_helper(self) -> bool:
        return self.summary.startswith(("Agent ", "Background agent "))


def notification(text: str) -> Notification | None:
    """What a ``<task-notification>`` text says; None for any other text."""
    if not text.lstrip().startswith("<task-notification>"):
        return None
    found = {name: value.strip() for name, value in _NOTE.findall(text[: TEXT_LIMIT * 2])}
    return Notification(
        found.get("task-id", ""),
        found.get("tool-use-id", ""),
        found.get("status", ""),
        found.get("summary", "A background task ended"),
        found.get("result", ""),
    )


class Chat:
    """Builds items from rows in file order. Feeding a row twice changes nothing."""

    def __init__(self) -> None:
        self._items: dict[str, Item] = {}
        self._touched: dict[str, None] = {}
        self._first_of: dict[str, str] = {}  # model answer -> its first item, which carries the tokens
        self._helpers: dict[str, str] = {}  # helper's id -> the call that began it
        self._asks: dict[str, ReplyAsks] = {}  # item -> what it asks the person
        self._seen: set[str] = set()
        self.wanted: set[str] = set()  # tool calls whose result came, but not the call itself

    def feed(self, row: Row) -> None:
        if row.uuid is not None:
            if row.uuid in self._seen:
                return
            self._seen.add(row.uuid)
        if row.is_sidechain:
            return
        if row.type == "user":
            self._user(row)
        elif row.type == "assistant":
            self._assistant(row)
        elif row.type == "system":
            self._system(row)
        elif (words := queued_words(row)) is not None:
            self._add(row, "user", words)

    @property
    def changes(self) -> int:
        """How many items are new or changed since the last ``take``."""
        return len(self._touched)

    def items(self) -> tuple[Item, ...]:
        return tuple(self._items.values())

    def take(self) -> tuple[Item, ...]:
        """Items that are new or changed since the last call, in order of their place in the chat."""
        taken = tuple(item for key, item in self._items.items() if key in self._touched)
        self._touched.clear()
        return taken

    def asks(self, items: Iterable[Item]) -> tuple[ReplyAsks, ...]:
        """What these items ask the person, in their order."""
        return tuple(self._asks[item.id] for item in items if item.id in self._asks)

    def unfinished(self) -> frozenset[str]:
        """Ids of tool calls without a result."""
        return frozenset(
            key for key, item in self._items.items() if item.tool is not None and item.tool.state == "running"
        )

    # --- what each type adds ---

    def _user(self, row: Row) -> None:
        message = loose(row.message, Message)
        parts = blocks(message.content)
        for part in parts:
            if part.type == "tool_result" and (told := outcome(row, part)) is not None:
                self._finish(told)
        text = content_text(message.content)
        if not text:
            return
        if starts_turn(row, text):
            self._abandon()
        if (note := notification(text)) is not None:
            self._notified(row, note)
        elif is_typed(row, text):
            self._add(row, "user", unwrapped(text))
        elif text.startswith(INTERRUPTED):
            self._add(row, "notice", "Interrupted")
        elif is_machine_text(text) and not row.is_meta:
            self._command(row, text)

    def _command(self, row: Row, text: str) -> None:
        """A command that a person gave, or what it printed."""
        if (given := command_words(text)) is not None:
            self._add(row, "notice", given)
        else:
            self._printed(row, "\n".join(part for _, part in _PRINTED.findall(text[: TEXT_LIMIT * 2])))

    def _printed(self, row: Row, text: str) -> None:
        clean = clip(text, TOOL_LIMIT).text.strip()
        if clean not in _QUIET_OUTPUT:
            self._add(row, "notice", clean)

    def _assistant(self, row: Row) -> None:
        message = loose(row.message, Message)
        parts = blocks(message.content)
        made: list[str] = []
        if row.is_api_error_message:
            made.append(self._add(row, "notice", content_text(message.content)))
        else:
            for number, part in enumerate(parts):
                suffix = f".{number}" if len(parts) > 1 else ""
                made += self._block(row, message, part, suffix)
        if message.id is not None and message.model != SYNTHETIC:
            self._count(message, made)

    def _block(self, row: Row, message: Message, part: Block, suffix: str) -> list[str]:
        model = None if message.model == SYNTHETIC else message.model
        if part.type == "text" and part.text and part.text.strip():
            if message.model == SYNTHETIC and part.text == NO_RESPONSE:
                return []
            kind = reply_kind(part.text)
            if kind is None:
                return []
            added = self._add(row, kind, part.text, suffix, model)
            if (asked := asks_of(added, row.at_ms, part.text)) is not None:
                self._asks[added] = asked
            return [added]
        if part.type == "thinking" and part.thinking and part.thinking.strip():
            return [self._add(row, "thinking", part.thinking, suffix, model)]
        if part.type == "tool_use" and part.id is not None:
            given = arguments(part)
            name = clean_line(part.name or "tool", 100)
            is_helper = name in HELPER_TOOLS
            shown = shown_input(name, given)
            item = Item(
                id=part.id,
                at_ms=row.at_ms,
                kind="helper" if is_helper else "tool",
                text=_described(given) if is_helper else None,
                clipped=shown is not None and shown.cut,
                tool=Tool(
                    name=name,
                    title=title(name, given, row.cwd),
                    state="running",
                    input=shown.text if shown is not None else None,
                ),
                model=model,
            )
            self.wanted.discard(part.id)
            self._put(item)
            return [item.id]
        return []

    def _system(self, row: Row) -> None:
        if row.subtype == "compact_boundary":
            self._add(row, "notice", "Conversation compacted")
        elif row.subtype in ("informational", "local_command"):
            text = plain(row.content)
            if isinstance(text, str) and is_machine_text(text):
                self._command(row, text)
            elif isinstance(text, str):
                self._printed(row, text)

    # --- what a row changes ---

    def _finish(self, told: Outcome) -> None:
        if told.helper_id is not None:
            self._helpers[told.helper_id] = told.tool_use_id
        item = self._items.get(told.tool_use_id)
        if item is None or item.tool is None:
            self.wanted.add(told.tool_use_id)
            return
        tool = msgspec.structs.replace(
            item.tool, state=told.state, output=told.output.text or None, changes=told.changes or None
        )
        self._put(msgspec.structs.replace(item, tool=tool, clipped=item.clipped or told.output.cut))

    def _notified(self, row: Row, note: Notification) -> None:
        self._add(row, "helper" if note.of_helper else "notice", note.summary)
        call = note.tool_use_id or self._helpers.get(note.task_id, "")
        item = self._items.get(call)
        if item is None or item.tool is None:
            if call:
                self.wanted.add(call)
            return
        if item.kind != "helper":
            return  # a background command: its call is long done
        result = clip(note.result, TOOL_LIMIT)
        tool = msgspec.structs.replace(
            item.tool, state="done" if note.status == "completed" else "failed", output=result.text or None
        )
        self._put(msgspec.structs.replace(item, tool=tool, clipped=item.clipped or result.cut))

    def _abandon(self) -> None:
        """A new turn began: calls of the last one that got no result never will."""
        for key in self.unfinished():
            item = self._items[key]
            if item.kind == "tool" and item.tool is not None:
                self._put(
                    msgspec.structs.replace(item, tool=msgspec.structs.replace(item.tool, state="failed"))
                )

    def _count(self, message: Message, made: list[str]) -> None:
        """Tokens stand on the first item of a model answer, once, with the largest output count."""
        assert message.id is not None
        if made:
            self._first_of.setdefault(message.id, made[0])
        item = self._items.get(self._first_of.get(message.id, ""))
        if item is None:
            return
        usage = loose(message.usage, Usage)
        old = item.tokens or Tokens(input=0, output=0)
        new = Tokens(input=max(old.input, usage.all_input), output=max(old.output, usage.output_tokens or 0))
        if new != item.tokens:
            self._put(msgspec.structs.replace(item, tokens=new))

    def _add(self, row: Row, kind: ItemKind, text: str, suffix: str = "", model: str | None = None) -> str:
        shown = clip(text, TEXT_LIMIT)
        item = Item(
            id=f"{row.uuid}{suffix}",
            at_ms=row.at_ms,
            kind=kind,
            text=shown.text,
            clipped=shown.cut,
            model=model,
            result=result_of(kind, shown.text),
        )
        self._put(item)
        return item.id

    def _put(self, item: Item) -> None:
        self._items[item.id] = item
        self._touched[item.id] = None


def _described(given: Arguments) -> str | None:
    text = given.get("description")
    return clean_line(text) if isinstance(text, str) else None
