"""What the rows of a rollout say of its session now: turn, reply, helpers, pending call (codex.md section 2).

0.171 writes a row at the start and the end of each turn (also for errors; an interrupt is ``turn_aborted``).
0.60 writes none, and nothing at all when a turn is interrupted or ends in a usage limit: there an answer is
taken for the end of the turn and a message without answer for an open one, and ``is_old`` says that this is
all that is known. A pending approval is never in the file: it just stops behind the call. Pure.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Literal

import msgspec

from controlroom.core.facts import Fault, Reply, TurnState
from controlroom.core.text import clean_block, clean_line
from controlroom.node.agents.codex import protocol, tools
from controlroom.node.agents.codex.protocol import Entry, ThreadItem, ToolCall

WORDS_LIMIT = 300
REPLY_LIMIT = 200_000  # characters; a reply is kept whole, but never without end
CALL_LIMIT = 100_000  # characters of what a pending call would do: a person decides by it
_AGAIN = re.compile(r"try again at ([^.]+(?:\.\d+[^.]*)?)")
_SIGNED_OUT = ("unauthorized", "http_connection_failed 401", "response_stream_connection_failed 401")


class Pending(msgspec.Struct):
    """A call whose output has not been written: it runs, or waits for an approval or an answer."""

    call_id: str
    request: str  # what it would do: the command, the patch, the questions
    parts: int = 0  # what has already run inside it


class Session:
    """Follows one rollout. Feed it rows in order; ``clear`` when the file is read again from elsewhere."""

    def __init__(self, session_id: str) -> None:
        self.id = session_id
        self.clear()

    def clear(self) -> None:
        self.turn: TurnState = "none"
        self.turn_detail = "no turn yet"
        self.turn_at_ms = 0  # when the turn got into this state
        self.turn_began_ms: int | None = None
        self.is_old = True  # no row has said yet where a turn begins or ends
        self.reply: Reply | None = None
        self.last_author: Literal["", "user", "assistant"] = ""
        self.last_text = ""
        self.last_at_ms = 0
        self.model: str | None = None
        self.context_used_pct: float | None = None
        self.pending: dict[str, Pending] = {}
        self.helpers: dict[str, int] = {}  # thread of each helper that runs, and since when
        self.fault: Fault | None = None
        self.place = ""  # of the last row that means something to people
        self.moved_at_ms = 0
        self.end = 0  # offset behind the last row
        self.folder = ""

    @property
    def position(self) -> str:
        """The newest pending call and how much of it has run, else the last row."""
        if self.pending:
            newest = next(reversed(self.pending.values()))
            return f"{self.id}:{newest.call_id}+{newest.parts}"
        return f"{self.id}:{self.place}"

    def feed(self, entries: Iterable[Entry]) -> None:
        for entry in entries:
            self._take(entry)

    def _take(self, entry: Entry) -> None:
        self.end = entry.end
        if isinstance(entry.payload, protocol.Ignored):
            return
        match entry.payload:
            case protocol.TokenCount() as count:
                self._context(count)
                return
            case protocol.UsageRecord():
                return
            case protocol.SessionMeta() as meta:
                self.folder = meta.cwd or self.folder
                return
            case protocol.TurnContext() as context:
                self.model = context.model or self.model
                self.folder = context.cwd or self.folder
                return
            case protocol.TurnStarted() | protocol.TurnComplete() | protocol.TurnAborted():
                self._turn(entry)
            case protocol.ItemCompleted() as done:
                self._item(entry, done.item)
            case ToolCall() as call:
                call_id = call.call_id or entry.place
                told = tools.tell_call(call)
                self.pending[call_id] = Pending(call_id, clean_block(told.input, CALL_LIMIT))
                self._old_turn(entry, "open", "a tool call has no result yet")
            case protocol.ToolOutput() as output:
                self.pending.pop(output.call_id, None)
                self._old_turn(entry, "open", "a tool result waits for the model")
            case protocol.UserText() as said:
                self._words(entry, "user", said.message)
                self._old_turn(entry, "open", "the last message has no answer yet", begins=True)
            case protocol.AgentText() as said:
                self._replied(entry, said.message)
                self._old_turn(entry, "ended", "the last row is an answer")
            case _:
                pass
        self.place = entry.place
        self.moved_at_ms = entry.at_ms or self.moved_at_ms

    # --- turns ----------------------------------------------------------------------------------------

    def _turn(self, entry: Entry) -> None:
        self.is_old = False
        self.pending.clear()
        self.turn_at_ms = entry.at_ms
        match entry.payload:
            case protocol.TurnStarted():
                self.turn, self.turn_detail, self.fault = "open", "task_started", None
                self.turn_began_ms = entry.at_ms
            case protocol.TurnComplete(error=None):
                self.turn, self.turn_detail = "ended", "task_complete"
            case protocol.TurnComplete(error=error) if error is not None:
                self.turn = "failed"
                self.turn_detail = clean_line(f"task_complete: {error.code or error.message}")
                self.fault = _fault(error, entry.at_ms)
            case protocol.TurnAborted() as aborted:
                self.turn, self.turn_detail = "interrupted", clean_line(f"turn_aborted: {aborted.reason}")

    def _old_turn(self, entry: Entry, turn: TurnState, detail: str, *, begins: bool = False) -> None:
        """0.60: what can be said without turn rows."""
        if not self.is_old:
            return
        if begins:
            self.turn_began_ms = entry.at_ms
        if turn != self.turn or begins:
            self.turn_at_ms = entry.at_ms
        self.turn, self.turn_detail = turn, detail + " (this version writes no turn rows)"

    # --- items ----------------------------------------------------------------------------------------

    def _item(self, entry: Entry, item: ThreadItem) -> None:
        match item.type:
            case "UserMessage":
                self._words(entry, "user", _text(item))
            case "AgentMessage" | "Plan":
                self._replied(entry, item.text or _text(item))
            case "SubAgentActivity":
                if item.kind in ("started", "interacted"):
                    self.helpers[item.agent_thread_id] = entry.at_ms
                else:
                    self.helpers.pop(item.agent_thread_id, None)
            case "CommandExecution" | "FileChange":
                ran_in = self.pending.get(item.id) or next(reversed(self.pending.values()), None)
                if ran_in is not None:
                    ran_in.parts += 1

    def _replied(self, entry: Entry, text: str) -> None:
        if text.strip():
            self.reply = Reply(text[:REPLY_LIMIT], f"{self.id}:{entry.place}", entry.at_ms)
            self._words(entry, "assistant", text)

    def _words(self, entry: Entry, author: Literal["user", "assistant"], text: str) -> None:
        if text.strip():
            self.last_author, self.last_at_ms = author, entry.at_ms
            self.last_text = clean_line(text.strip(), WORDS_LIMIT)

    def _context(self, count: protocol.TokenCount) -> None:
        info = count.info
        if info is not None and info.last_token_usage is not None and info.model_context_window:
            used = 100 * info.last_token_usage.total_tokens / info.model_context_window
            self.context_used_pct = round(min(max(used, 0.0), 100.0), 1)


def _text(item: ThreadItem) -> str:
    return "\n".join(part.text for part in item.content if part.text)


def usage_limit(said: str, at_ms: int) -> Fault:
    """The reset time stands only in the words of the message ("try again at 1:05 PM", local time)."""
    when = _AGAIN.search(said)
    wait = f"It works again at {when[1].strip()}." if when is not None else f"It said: {said}"
    return Fault("usage_limit", clean_line(f"The usage limit is reached. {wait}"), at_ms)


def _fault(error: protocol.TurnError, at_ms: int) -> Fault:
    said = clean_line(error.message or error.code, 500)
    if error.code == "usage_limit_exceeded":
        return usage_limit(said, at_ms)
    if error.code.startswith(_SIGNED_OUT):
        return Fault("signed_out", clean_line(f"Sign in to Codex at the machine: {said}"), at_ms)
    return Fault("api_error", clean_line(f"The turn failed; send it again: {said}"), at_ms)
