"""Where a conversation stands: its last turn, reply, helpers, open calls. Pure; fed row by row.

It must be right when only the last rows of a long file were read, so each fact rests on rows that stand near
the end: a turn whose beginning is out of sight is still seen to be open by its calls.

What begins a turn: a user row that a person typed, or that the program made of a notification. What ends it:
an answer with an ending stop reason, ``turn_duration``, an interruption, an API error; and a ``cost-state``
row, which is written when the program quits, drops a turn that ran.
"""

from __future__ import annotations

from collections.abc import Iterable

import msgspec

from controlroom.core.blocks import parse_reply
from controlroom.core.facts import Fact, Reply, TurnState
from controlroom.core.text import clean_block, clean_line
from controlroom.node.agents.claude.chat import notification
from controlroom.node.agents.claude.protocol import (
    ENDING,
    HELPER_TOOLS,
    INTERRUPTED,
    KNOWN_TYPES,
    NO_RESPONSE,
    SYNTHETIC,
    Block,
    Message,
    QuotaLimits,
    Row,
    blocks,
    content_text,
    is_typed,
    loose,
    queued_words,
    starts_turn,
    unwrapped,
)
from controlroom.node.agents.claude.tools import arguments, outcome, shown_input, title
from controlroom.node.agents.transcripts import Row as FileRow

REPLY_LIMIT = 200_000  # characters; a reply is kept whole, but never without end
LAST_WORDS = 300
CALL_LIMIT = 100_000  # characters of what an open call would do: a person decides by it
SOURCE = "transcript"


class Call(msgspec.Struct, frozen=True):
    """A tool call without a result: it runs, or waits for a permission."""

    id: str
    name: str
    title: str
    given: str  # the whole input, as a person would read it


class Failure(msgspec.Struct, frozen=True):
    """Why the last turn failed. ``resets_ms`` is given for a usage limit that says when it ends."""

    code: str  # "usage_limit", "signed_out", "api_error"
    text: str
    at_ms: int
    resets_ms: int | None = None


class Standing:
    """The state behind the facts of one session, or (``is_helper``) of one helper's file."""

    def __init__(self, *, is_helper: bool = False) -> None:
        self._is_helper = is_helper
        self.turn: Fact[TurnState] | None = None
        self.busy_since_ms: int | None = None
        self.reply: Reply | None = None
        self.failure: Failure | None = None
        self.model: str | None = None
        self.last_author, self.last_text, self.last_at_ms = "", "", 0
        self.last_id = ""  # the last row of the conversation
        self.moved_at_ms = 0
        self.chat_end = 0  # file offset behind the last row that a chat could show
        self.skipped = 0
        self.quit = False  # the program wrote its last words after the last row
        self.helpers_at_ms = 0
        self._calls: dict[str, Call] = {}
        self._helpers: set[str] = set()  # ids of helpers that were started in the background
        self._helper_calls: dict[str, str] = {}
        self._count_only = 0  # helpers that run without their start being in sight
        self._candidate: tuple[str, Reply] | None = None  # (model answer, its text so far)

    @property
    def calls(self) -> tuple[Call, ...]:
        """Tool calls without a result, oldest first. While a turn is open the first of them is the one that
        runs or asks: calls that need a permission run one after the other (seen)."""
        return tuple(self._calls.values())

    @property
    def helper_ids(self) -> frozenset[str]:
        return frozenset(self._helpers)

    @property
    def helpers(self) -> int:
        """Helpers that still run, as far as the conversation tells."""
        waiting = sum(call.name in HELPER_TOOLS for call in self._calls.values())
        return max(len(self._helpers), self._count_only) + waiting

    def feed(self, rows: Iterable[tuple[FileRow, Row]], skipped: int = 0) -> None:
        self.skipped += skipped
        for place, row in rows:
            if self._take(row):
                self.chat_end = place.end

    def _take(self, row: Row) -> bool:
        """Whether a chat could show the row."""
        if row.type not in KNOWN_TYPES:
            self.skipped += 1
            return False
        if row.type == "cost-state":
            self._quit()
            return False
        if row.is_sidechain and not self._is_helper:
            return False
        if row.type == "user":
            self._user(row)
        elif row.type == "assistant":
            self._assistant(row)
        elif row.type == "system":
            self._system(row)
        elif (words := queued_words(row)) is not None:
            self._say("user", words, row.at_ms)
        else:
            return False
        self.quit = False
        self.moved_at_ms = max(self.moved_at_ms, row.at_ms)
        return True

    # --- rows ---

    def _user(self, row: Row) -> None:
        message = loose(row.message, Message)
        for part in blocks(message.content):
            if part.type == "tool_result":
                self._result(row, part)
        self.last_id = row.uuid or self.last_id
        text = content_text(message.content)
        if text.startswith(INTERRUPTED):
            self._end("interrupted", row.at_ms, "a person interrupted the turn")
            return
        if (note := notification(text)) is not None:
            self._helper_ended(note.task_id, row.at_ms)
        if is_typed(row, text):
            self._say("user", unwrapped(text), row.at_ms)
        if starts_turn(row, text):
            self._begin(row.at_ms, clean_line(unwrapped(text)))

    def _assistant(self, row: Row) -> None:
        message = loose(row.message, Message)
        text = content_text(message.content)
        if message.model == SYNTHETIC:
            if row.is_api_error_message:
                self._fail(row, text)
            elif text == NO_RESPONSE:
                return
        elif message.model is not None:
            self.model, self.failure = message.model, None
        self.last_id = row.uuid or self.last_id
        if row.is_api_error_message:
            return
        parts = blocks(message.content)
        for part in parts:
            if part.type == "tool_use" and part.id is not None:
                self._call(row, part)
            elif part.type == "text" and part.text and part.text.strip():
                self._heard(row, message, part.text)
        if message.stop_reason not in ENDING:
            if parts and not row.is_aborted_mid_stream:
                self._go_on(row.at_ms)
        elif self._candidate is not None and self._candidate[0] == _answer(row, message):
            # All rows of an answer name its stop reason, thinking first: it ends with its text.
            self._end("ended", row.at_ms, f"the reply ended ({message.stop_reason})")

    def _system(self, row: Row) -> None:
        if row.subtype != "turn_duration":
            return
        if self.turn is None or self.turn.value == "open":
            self._end("ended", row.at_ms, "the turn ended")
        running = max(row.pending_background_agent_count or 0, 0)
        if running != max(len(self._helpers), self._count_only):
            self.helpers_at_ms = row.at_ms
        if running < len(self._helpers):
            self._helpers.clear()  # which of them ended is not said here
        self._count_only = running

    # --- turns ---

    def _set(self, state: TurnState, at_ms: int, detail: str) -> None:
        self.turn = Fact(state, SOURCE, detail, at_ms)

    def _begin(self, at_ms: int, detail: str) -> None:
        self._calls.clear()
        self._candidate = None
        self.failure = None
        self.busy_since_ms = at_ms
        self._set("open", at_ms, detail)

    def _go_on(self, at_ms: int) -> None:
        """An answer that is not the last one: the turn runs, even if its beginning is out of sight or a
        stop hook sent it on."""
        if self.turn is None or self.turn.value != "open":
            if self.busy_since_ms is None:
                self.busy_since_ms = at_ms
            self._set("open", at_ms, "the agent goes on")

    def _end(self, state: TurnState, at_ms: int, detail: str) -> None:
        if state != "ended":
            self._calls.clear()
        elif self._candidate is not None:
            self.reply = self._candidate[1]
        if self.turn is None or self.turn.value != state or self.turn.at_ms < at_ms:
            self._set(state, at_ms, detail)

    def _fail(self, row: Row, text: str) -> None:
        resets = loose(row.quota_limits, QuotaLimits).resets_at
        code = "api_error"
        if row.api_error == "usage_limit_reached":
            code = "usage_limit"
        elif row.error in ("authentication_failed", "oauth_org_not_allowed"):
            code = "signed_out"
        self._end("failed", row.at_ms, clean_line(text))
        self.failure = Failure(
            code, clean_line(text), row.at_ms, None if resets is None else int(resets * 1000)
        )

    def _quit(self) -> None:
        self.quit = True
        self._calls.clear()
        if self._helpers or self._count_only:
            self._helpers.clear()
            self._count_only, self.helpers_at_ms = 0, self.moved_at_ms
        if self.turn is not None and self.turn.value == "open":
            self._set("interrupted", self.moved_at_ms, "the program quit while the turn ran")

    # --- words, calls, helpers ---

    def _say(self, author: str, text: str, at_ms: int) -> None:
        self.last_author, self.last_at_ms = author, at_ms
        self.last_text = clean_line(text, LAST_WORDS)

    def _heard(self, row: Row, message: Message, text: str) -> None:
        answer = _answer(row, message)
        whole = clean_block(text, REPLY_LIMIT)
        if self._candidate is not None and self._candidate[0] == answer:
            whole = clean_block(f"{self._candidate[1].text}\n\n{whole}", REPLY_LIMIT)
        self._candidate = (answer, Reply(whole, row.uuid or "", row.at_ms))
        if parse_reply(text).status is None:
            self._say("assistant", text, row.at_ms)

    def _call(self, row: Row, part: Block) -> None:
        assert part.id is not None
        given = arguments(part)
        name = clean_line(part.name or "tool", 100)
        shown = shown_input(name, given, CALL_LIMIT)
        self._calls[part.id] = Call(
            part.id, name, title(name, given, row.cwd), "" if shown is None else shown.text
        )

    def _result(self, row: Row, part: Block) -> None:
        told = outcome(row, part)
        if told is None:
            return
        self._calls.pop(told.tool_use_id, None)
        if told.helper_id is not None:
            self._helpers.add(told.helper_id)
            self.helpers_at_ms = row.at_ms

    def _helper_ended(self, helper_id: str, at_ms: int) -> None:
        known = helper_id in self._helpers
        self._helpers.discard(helper_id)
        self._count_only = max(self._count_only - 1, 0) if known or self._count_only else 0
        self.helpers_at_ms = at_ms


def _answer(row: Row, message: Message) -> str:
    """One answer of the model is stored as several rows with the same message id."""
    return message.id or row.uuid or ""
