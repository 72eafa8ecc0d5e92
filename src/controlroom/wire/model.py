"""The nouns of the API (design names in docs/reference/api.md): what a client sees of the fleet.

Optional fields are left out of the JSON when they are None (or false where the comment says so).
Times are integer milliseconds UTC.
"""

from __future__ import annotations

from typing import Literal

import msgspec

from controlroom.core.activity import Activity as Activity
from controlroom.core.delivery import HeldCode as HeldCode

ItemKind = Literal[
    "user", "assistant", "thinking", "tool", "helper", "notice", "question", "result", "message", "receipt"
]
ToolState = Literal["running", "done", "failed", "refused"]
MessageState = Literal["accepted", "sending", "delivered", "unconfirmed", "failed"]


class Struct(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """Base of all API structs."""


class PaneAddress(Struct, frozen=True, kw_only=True):
    multiplexer: str
    server: str
    id: str


class Evidence(Struct, frozen=True, kw_only=True):
    """Which rule of spec section 4 decided, from what, since when."""

    rule: str
    source: str
    detail: str
    at_ms: int


class FaultInfo(Struct, frozen=True, kw_only=True):
    code: str
    text: str  # what to do, in one line
    since_ms: int


class DialogOption(Struct, frozen=True, kw_only=True):
    key: str
    label: str
    risky: bool


class WaitingFor(Struct, frozen=True, kw_only=True):
    """The dialog that a blocked agent shows. ``id`` is what an answer must name."""

    id: str
    kind: str
    text: str
    since_ms: int
    options: tuple[DialogOption, ...] | None = None
    multi: bool = False
    free_text: bool = False


class Was(Struct, frozen=True, kw_only=True):
    activity: Activity
    at_ms: int


class Finished(Struct, frozen=True, kw_only=True):
    """The end of a busy stretch that nobody has looked at yet."""

    at_ms: int
    busy_ms: int
    text: str


class LastWords(Struct, frozen=True, kw_only=True):
    author: str
    text: str
    at_ms: int


class Agent(Struct, frozen=True, kw_only=True):
    id: str
    chat_id: str
    name: str
    kind: str
    machine_id: str
    activity: Activity
    since_ms: int
    evidence: Evidence
    helpers: int
    unread: int
    pane: PaneAddress | None = None
    folder: str | None = None
    branch: str | None = None
    profile: str | None = None
    session_id: str | None = None
    was: Was | None = None
    fault: FaultInfo | None = None
    waiting_for: WaitingFor | None = None
    finished: Finished | None = None
    header: str | None = None  # the last "Status: …"
    last: LastWords | None = None
    uncertain: str | None = None  # why the mapping of pane to session is not certain
    pinned: bool = False
    muted: bool = False
    archived: bool = False
    context_used_pct: float | None = None
    model: str | None = None


class Machine(Struct, frozen=True, kw_only=True):
    id: str
    name: str
    primary: bool
    online: bool
    last_seen_ms: int
    version: str
    capabilities: tuple[str, ...]
    load: float | None = None


class Health(Struct, frozen=True, kw_only=True):
    """Trouble that lasts: it vanishes when it is over."""

    code: str
    title: str
    since_ms: int
    do: str  # what to do, one sentence
    machine_id: str | None = None


class Fleet(Struct, frozen=True, kw_only=True):
    seq: int
    machines: tuple[Machine, ...]
    agents: tuple[Agent, ...]


class Change(Struct, frozen=True, kw_only=True):
    path: str
    added: int
    removed: int


class Tool(Struct, frozen=True, kw_only=True):
    name: str
    title: str  # one line for people: "Bash: ls", "Edit src/a.py"
    state: ToolState
    input: str | None = None  # clipped
    output: str | None = None  # clipped
    changes: tuple[Change, ...] | None = None


class Tokens(Struct, frozen=True, kw_only=True):
    input: int
    output: int


class Held(Struct, frozen=True, kw_only=True):
    code: HeldCode
    text: str
    since_ms: int


class Delivery(Struct, frozen=True, kw_only=True):
    id: str
    state: MessageState
    held: Held | None = None
    detail: str | None = None


class ResultParts(Struct, frozen=True, kw_only=True):
    """A ``Result:`` block in its parts; each is Markdown, "" (left out) when it is not there.

    ``body``: what else the reply says.
    """

    sentence: str
    changed: str = ""
    checked: str = ""
    not_done: str = ""
    look_at: str = ""
    body: str = ""


class Attachment(Struct, frozen=True, kw_only=True):
    """A file that goes with a message: an upload (``GET /uploads/{id}`` while the hub keeps its bytes).
    ``type`` is what its bytes say."""

    id: str
    name: str
    bytes: int
    type: str


class Item(Struct, frozen=True, kw_only=True):
    """One entry of a chat. Items with the same id replace each other. ``clipped``: text, input or output
    was cut to its limit. ``result``: of the kind ``result``, what its text says, in parts."""

    id: str
    at_ms: int
    kind: ItemKind
    text: str | None = None
    clipped: bool = False
    tool: Tool | None = None
    model: str | None = None
    tokens: Tokens | None = None
    delivery: Delivery | None = None
    attachments: tuple[Attachment, ...] = ()
    result: ResultParts | None = None


class Items(Struct, frozen=True, kw_only=True):
    items: tuple[Item, ...]
    before: str | None
    after: str
    skipped: int


class Message(Struct, frozen=True, kw_only=True):
    """A message that a person (or an agent) sends to an agent. ``clipped``: the text was cut, in events."""

    id: str
    chat_id: str
    agent_id: str
    text: str
    state: MessageState
    when: Literal["idle", "now"]
    send_as: Literal["text", "command"] = msgspec.field(name="as", default="text")
    on_draft: Literal["wait", "after", "replace"] = "wait"
    by: str = "host"
    created_at_ms: int
    changed_at_ms: int
    held: Held | None = None
    detail: str | None = None
    item_id: str | None = None
    clipped: bool = False
    attachments: tuple[Attachment, ...] = ()


class ScreenCursor(Struct, frozen=True, kw_only=True):
    row: int
    column: int
    visible: bool


class Screen(Struct, frozen=True, kw_only=True):
    revision: str
    width: int
    height: int
    cursor: ScreenCursor
    rows: tuple[str, ...]
    ansi: tuple[str, ...]
    at_ms: int
    echo: bool | None = None  # False: a line is read without being shown (a password); None: not known


class Scrollback(Struct, frozen=True, kw_only=True):
    """The end of a pane's history, its screen included: the last ``height`` rows, as far as they were
    asked for. Rows are as in ``Screen``, oldest first.

    ``kept``: rows above the screen in all, 0 for a pane without history. ``alternate``: a full-screen
    program runs; what lies above its screen is older than it, and its own history is its own.
    """

    width: int
    height: int
    kept: int
    alternate: bool
    rows: tuple[str, ...]
    ansi: tuple[str, ...]
    at_ms: int


class Receipt(Struct, frozen=True, kw_only=True):
    """Who did (or tried) what to which agent, and how it ended. ``seq`` is that of its event.

    ``code`` is ``ok`` or the code of the refusal; ``what`` is the act's name: "answer", "keys",
    "interrupt", "message" …  ``device`` is what the device was called then. ``screen`` has the last rows
    that the agent's pane showed right before: text from outside, limited, as data and nothing else.
    """

    seq: int
    id: str
    at_ms: int
    by: str
    what: str
    code: str
    text: str
    agent_id: str | None = None
    device: str | None = None
    screen: tuple[str, ...] = ()
    question_id: str | None = None  # what was done to a question; its card says more
    operation_id: str | None = None  # that was asked for, or ended
