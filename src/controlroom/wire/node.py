"""Messages between a hub and a node (house.md section 4): the hub asks, the node answers.

The same structs travel in-process for ``controlroom up``, still encoded and decoded.
"""

from __future__ import annotations

from typing import Literal

import msgspec

from controlroom.core.operations import Kind, When
from controlroom.wire.model import (
    Activity,
    Attachment,
    Evidence,
    FaultInfo,
    Finished,
    Health,
    Held,
    Item,
    LastWords,
    MessageState,
    PaneAddress,
    Struct,
    WaitingFor,
    Was,
)
from controlroom.wire.operation import OperationError, OperationStep
from controlroom.wire.usage import UsageState


class Hello(Struct, frozen=True, kw_only=True):
    node_id: str
    name: str
    version: str
    boot_id: str  # new at each start of the node: snapshot revisions are per boot
    now_ms: int
    capabilities: tuple[str, ...]
    zone: str = ""  # the machine's time zone: an IANA name or "UTC+hh:mm"; "" = it does not say


class AgentState(Struct, frozen=True, kw_only=True):
    """One agent in a snapshot. ``reply`` is the whole last reply (at most 20,000 characters) when the last
    turn has ended; ``mark`` moves when its chat items did."""

    id: str
    chat_id: str
    name: str
    kind: str
    activity: Activity
    since_ms: int
    evidence: Evidence
    helpers: int
    rule: str  # the identity rule that tied this process to this agent
    mark: str
    pane: PaneAddress | None = None
    folder: str | None = None
    branch: str | None = None
    profile: str | None = None
    session_id: str | None = None
    was: Was | None = None
    fault: FaultInfo | None = None
    waiting_for: WaitingFor | None = None
    finished: Finished | None = None
    header: str | None = None
    last: LastWords | None = None
    reply: str | None = None
    uncertain: str | None = None
    context_used_pct: float | None = None
    model: str | None = None
    skipped: int = 0


class Snapshot(Struct, frozen=True, kw_only=True):
    """Everything a person could see of one machine. ``rev`` moves only when something of it changed.
    ``usage`` None: the node has just begun, and has not looked yet: what it told before stands."""

    boot_id: str
    rev: int
    now_ms: int
    agents: tuple[AgentState, ...]
    health: tuple[Health, ...]
    load: float | None = None
    usage: UsageState | None = None


class AskedOption(Struct, frozen=True, kw_only=True):
    """One option of a question, as the reply has it. ``what`` happens then, "" = not said."""

    key: str
    label: str
    what: str = ""
    recommended: bool = False


class AskedBlock(Struct, frozen=True, kw_only=True):
    """One ``Question for Founder:`` block, its texts limited. ``problem`` says how it departs from its form,
    and what was cut; ``by`` is the default's time as it was written. ``is_cut``: something is missing."""

    question: str
    raw: str
    options: tuple[AskedOption, ...] = ()
    default: str | None = None
    by: str = ""
    blocking: bool = False
    context: str = ""
    doc: str = ""
    problem: str | None = None
    is_cut: bool = False


class ResolvedLine(Struct, frozen=True, kw_only=True):
    """One ``Resolved for Founder: …`` line."""

    text: str
    why: str = ""


class ReplyAsks(Struct, frozen=True, kw_only=True):
    """What one reply asks the person, and what it calls settled. ``item_id`` is the item that holds it;
    ``more``: questions behind these, which were too many to tell."""

    item_id: str
    at_ms: int
    questions: tuple[AskedBlock, ...] = ()
    resolved: tuple[ResolvedLine, ...] = ()
    more: int = 0


class ItemsAnswer(Struct, frozen=True, kw_only=True):
    """``asks``: of those replies among ``items`` that hold such blocks, read from their whole texts."""

    items: tuple[Item, ...]
    before: str | None
    after: str
    skipped: int = 0
    reset: bool = False
    asks: tuple[ReplyAsks, ...] = ()


class Hit(Struct, frozen=True, kw_only=True):
    """An item that was searched for. Asked ``before`` this cursor (None: the newest page) with the largest
    limit, a page holds it."""

    item: Item
    page: str | None


class HitsAnswer(Struct, frozen=True, kw_only=True):
    """Hits, newest first. ``before``: where to search on, None at the beginning of the conversation."""

    hits: tuple[Hit, ...]
    before: str | None


class FileOffer(Struct, frozen=True, kw_only=True):
    """A file for an agent's inbox; its bytes follow in pieces. ``id`` is the upload's: the same id again is
    the same file, and nothing is written twice."""

    id: str
    agent_id: str
    name: str
    bytes: int
    sha256: str


class FilePlaced(Struct, frozen=True, kw_only=True):
    """Where the file lies now, on the agent's machine."""

    path: str


class SendAct(Struct, frozen=True, kw_only=True, tag="send"):
    """Hand a message to an agent. ``id`` is the message's id: asked twice, it is one message.

    ``attachments`` were placed before (``FileOffer``); the node names them behind the text.
    """

    id: str
    agent_id: str
    text: str
    when: Literal["idle", "now"] = "idle"
    send_as: Literal["text", "command"] = "text"
    on_draft: Literal["wait", "after", "replace"] = "wait"
    by: str = "host"
    created_at_ms: int = 0
    attachments: tuple[Attachment, ...] = ()


class AmendAct(Struct, frozen=True, kw_only=True, tag="amend"):
    """Change a message that has not been typed yet; ``cancel`` takes it back."""

    id: str
    message_id: str
    text: str | None = None
    when: Literal["idle", "now"] | None = None
    on_draft: Literal["wait", "after", "replace"] | None = None
    cancel: bool = False


class AnswerAct(Struct, frozen=True, kw_only=True, tag="answer"):
    id: str
    agent_id: str
    waiting_id: str
    option: str | None = None
    text: str | None = None
    by: str = "host"


class InterruptAct(Struct, frozen=True, kw_only=True, tag="interrupt"):
    id: str
    agent_id: str
    by: str = "host"


class KeysAct(Struct, frozen=True, kw_only=True, tag="keys"):
    """Press keys; before them ``paste`` is pasted at once, without Enter. Keys may then be empty."""

    id: str
    agent_id: str
    keys: tuple[str, ...] = ()
    paste: str = ""
    seen_revision: str | None = None
    by: str = "host"


class OperateAct(Struct, frozen=True, kw_only=True, tag="operate"):
    """Do an operation (``core.operations``). ``id`` is the operation's id: asked twice, it is one.

    ``name``: of start and rename. ``agent_kind`` to ``model``: of start; ``profile``, a config folder of this
    machine, is also where a move goes. ``session_id``: of restart, with
    this session of the agent instead of its last one. An ``AmendAct`` with ``cancel`` takes it back while it
    waits.
    """

    id: str
    kind: Kind
    agent_id: str = ""  # "" for start
    when: When = "idle"
    drop: bool = False
    name: str = ""
    agent_kind: str = ""
    folder: str = ""
    profile: str = ""
    model: str = ""
    flags: tuple[str, ...] = ()
    worktree: str = ""
    session_id: str = ""
    by: str = "host"


Act = SendAct | AmendAct | AnswerAct | InterruptAct | KeysAct | OperateAct

ActCode = Literal[
    "ok", "bad_request", "not_found", "changed", "busy", "conflict", "failed", "offline", "not_allowed"
]


class ActResult(Struct, frozen=True, kw_only=True):
    """The immediate answer to an act: taken (``ok``) or refused, and why."""

    code: ActCode
    text: str = ""


class ActProgress(Struct, frozen=True, kw_only=True):
    """A change of an act, from the node's journal. ``seq`` grows by one for each change."""

    seq: int
    id: str
    kind: str  # "send", "answer", "interrupt", "keys", "operate"
    agent_id: str
    state: MessageState | Literal["cancelled"]
    at_ms: int
    held: Held | None = None
    detail: str | None = None
    item_id: str | None = None
    text: str | None = None  # of a message, after an amendment
    when: Literal["idle", "now"] | None = None
    steps: tuple[OperationStep, ...] = ()  # of an operation
    error: OperationError | None = None


class ActsAnswer(Struct, frozen=True, kw_only=True):
    """Progress since a ``seq``. Sequences belong to the node's journal: a new ``journal_id`` starts at 1."""

    journal_id: str
    now_ms: int
    acts: tuple[ActProgress, ...]


class FrameAnswer(Struct, frozen=True, kw_only=True):
    """One screen of an agent's pane."""

    agent_id: str
    revision: str
    width: int
    height: int
    row: int
    column: int
    cursor_visible: bool
    rows: tuple[str, ...]
    ansi: tuple[str, ...]
    at_ms: int
    echo: bool | None = None  # False: a line is read without being shown (a password); None: not known


class HistoryAnswer(Struct, frozen=True, kw_only=True):
    """The end of a pane's history, its screen included: the last ``height`` rows, as far as they were
    asked for. ``kept``: rows above the screen in all; ``alternate``: they are older than the full-screen
    program that runs now."""

    agent_id: str
    width: int
    height: int
    kept: int
    alternate: bool
    rows: tuple[str, ...]
    ansi: tuple[str, ...]
    at_ms: int


class Refusal(Struct, frozen=True, kw_only=True):
    """The node's error answer."""

    code: ActCode
    text: str


decode_act = msgspec.json.Decoder(Act).decode
