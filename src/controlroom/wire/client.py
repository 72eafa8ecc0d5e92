"""Messages between the hub and its clients: bodies of REST calls and frames of ``/api/v1/live``."""

from __future__ import annotations

from typing import Literal

import msgspec

from controlroom.wire.model import Fleet, Health, Item, MessageState, Receipt, ScreenCursor, Struct
from controlroom.wire.question import Paused

ErrorCode = Literal[
    "bad_request",
    "not_paired",
    "not_allowed",
    "locked",
    "not_found",
    "changed",
    "busy",
    "conflict",
    "too_large",
    "too_many",
    "failed",
    "offline",
]

HTTP_STATUS: dict[str, int] = {
    "bad_request": 400,
    "not_paired": 401,
    "not_allowed": 403,
    "locked": 403,
    "not_found": 404,
    "changed": 409,
    "busy": 409,
    "conflict": 409,
    "too_large": 413,
    "too_many": 429,
    "failed": 500,
    "offline": 503,
}


class Error(Struct, frozen=True, kw_only=True):
    code: ErrorCode
    text: str
    retry_after_ms: int | None = None


class SendMessage(msgspec.Struct, frozen=True, kw_only=True):
    id: str
    text: str
    when: Literal["idle", "now"] = "idle"
    send_as: Literal["text", "command"] = msgspec.field(name="as", default="text")
    on_draft: Literal["wait", "after", "replace"] = "wait"
    attachments: tuple[str, ...] = ()


class UploadLimits(Struct, frozen=True, kw_only=True):
    """What can be uploaded: bytes of one file, files of one message, and how long an unused one is kept."""

    upload_bytes: int
    most: int
    unused_ms: int
    message_bytes: int


class Hidden(Struct, frozen=True, kw_only=True):
    """What is hidden of a chat now, for all devices. ``before_ms``: everything up to this time is.

    The agent's own file is never touched.
    """

    chat_id: str
    items: tuple[str, ...] = ()
    before_ms: int | None = None


class FoundItem(Struct, frozen=True, kw_only=True):
    """An item that was searched for. The page ``before`` this cursor (None: the newest), asked for with the
    largest limit, holds it."""

    item: Item
    page: str | None


class FoundItems(Struct, frozen=True, kw_only=True):
    """Hits, newest first. ``before``: search on from there, None when the whole conversation was searched.
    ``kept_only``: the agent's machine is away or its history is missing; only what the hub keeps was
    searched."""

    hits: tuple[FoundItem, ...]
    before: str | None
    kept_only: bool = False


class ChatEntry(Struct, frozen=True, kw_only=True):
    """One chat of the fleet, also an older one, or one of an agent that is gone.

    ``present``: it is its agent's chat now. ``gone_since_ms``: its agent is gone, or left the fleet.
    """

    chat_id: str
    agent_id: str
    name: str
    kind: str
    machine_id: str
    present: bool
    last_ms: int | None = None
    last: str | None = None
    folder: str | None = None
    unread: int = 0
    gone_since_ms: int | None = None


class ChatList(Struct, frozen=True, kw_only=True):
    """Chats, the one with the newest word first. ``before``: cursor for more."""

    chats: tuple[ChatEntry, ...]
    before: str | None


class Accepted(Struct, frozen=True, kw_only=True):
    id: str
    state: MessageState


class PatchMessage(msgspec.Struct, frozen=True, kw_only=True):
    text: str | None = None
    when: Literal["idle", "now"] | None = None
    on_draft: Literal["wait", "after", "replace"] | None = None


class AnswerDialog(msgspec.Struct, frozen=True, kw_only=True):
    request_id: str
    waiting_id: str
    option: str | tuple[str, ...] | None = None  # key or label; a list where the dialog takes several
    text: str | None = None


class Interrupt(msgspec.Struct, frozen=True, kw_only=True):
    request_id: str


class PressKeys(msgspec.Struct, frozen=True, kw_only=True):
    """Keys of the allowlist in order. ``paste``: a text that is pasted before them as it is, without Enter;
    ``keys`` may then be empty."""

    request_id: str
    keys: tuple[str, ...] = ()
    seen_revision: str | None = None
    paste: str | None = None


class PatchAgent(msgspec.Struct, frozen=True, kw_only=True):
    pinned: bool | None = None
    muted: bool | None = None
    archived: bool | None = None


class Done(Struct, frozen=True, kw_only=True):
    """An act was taken; what became of it is in events and in the agent's state."""

    request_id: str
    state: str
    detail: str | None = None


class Receipts(Struct, frozen=True, kw_only=True):
    """One page of receipts, oldest first; ``more``: ask again after the last one, or before the first."""

    receipts: tuple[Receipt, ...]
    more: bool = False


class CheckerState(Struct, frozen=True, kw_only=True):
    """How open questions are judged. ``model`` "": none is configured, which is a normal state. ``text``: a
    sentence for people; calls are those of a model, in the day of the machine's zone."""

    model: str
    text: str
    calls_today: int
    calls_per_day: int


class Status(Struct, frozen=True, kw_only=True):
    url: str
    version: str
    pid: int
    started_at_ms: int
    machines: int
    agents: int
    health: tuple[Health, ...]
    paused: Paused | None = None
    checker: CheckerState | None = None


class OpenHealth(Struct, frozen=True, kw_only=True):
    status: str
    version: str


# ---- the live socket: client to server ------------------------------------------------------------------


class HelloFrame(msgspec.Struct, frozen=True, kw_only=True, tag_field="type", tag="hello"):
    after: int | None = None
    key: str | None = None


class OpenChat(msgspec.Struct, frozen=True, kw_only=True, tag_field="type", tag="open"):
    chat_id: str


class CloseChat(msgspec.Struct, frozen=True, kw_only=True, tag_field="type", tag="close"):
    chat_id: str


class Watch(msgspec.Struct, frozen=True, kw_only=True, tag_field="type", tag="watch"):
    agent_id: str


class Unwatch(msgspec.Struct, frozen=True, kw_only=True, tag_field="type", tag="unwatch"):
    agent_id: str


class KeysFrame(msgspec.Struct, frozen=True, kw_only=True, tag_field="type", tag="keys"):
    request_id: str
    agent_id: str
    keys: tuple[str, ...]
    seen_revision: str | None = None


class Seen(msgspec.Struct, frozen=True, kw_only=True, tag_field="type", tag="seen"):
    chat_id: str
    item_id: str


class Pong(msgspec.Struct, frozen=True, kw_only=True, tag_field="type", tag="pong"):
    pass


class Prove(msgspec.Struct, frozen=True, kw_only=True, tag_field="type", tag="prove"):
    """Asks whether this link still lives and lost nothing; answered by ``Proof``, in the order of frames."""


FromClient = HelloFrame | OpenChat | CloseChat | Watch | Unwatch | KeysFrame | Seen | Pong | Prove


# ---- the live socket: server to client ------------------------------------------------------------------


class Welcome(Struct, frozen=True, kw_only=True, tag_field="type", tag="welcome"):
    seq: int
    protocol: int
    server_time_ms: int
    version: str


class EventFrame(Struct, frozen=True, kw_only=True, tag_field="type", tag="event"):
    """A durable event; ``data`` is the new state of the thing that ``name`` names."""

    seq: int
    at_ms: int
    name: str
    data: msgspec.Raw


class Resync(Struct, frozen=True, kw_only=True, tag_field="type", tag="resync"):
    fleet: Fleet


class ItemsFrame(Struct, frozen=True, kw_only=True, tag_field="type", tag="items"):
    chat_id: str
    items: tuple[Item, ...]


class ScreenFrame(Struct, frozen=True, kw_only=True, tag_field="type", tag="frame"):
    """One self-contained screen, ready to write to a terminal. The same revision comes again when only
    ``echo`` changed, and with ``is_old`` when the pane cannot be read any more: nothing newer is known."""

    agent_id: str
    revision: str
    width: int
    height: int
    cursor: ScreenCursor
    data: str
    echo: bool | None = None  # False: a line is read without being shown (a password); None: not known
    is_old: bool = False


class Ack(Struct, frozen=True, kw_only=True, tag_field="type", tag="ack"):
    request_id: str
    code: str | None = None
    text: str | None = None


class Ping(Struct, frozen=True, kw_only=True, tag_field="type", tag="ping"):
    pass


class Proof(Struct, frozen=True, kw_only=True, tag_field="type", tag="proof"):
    """The link lives. Every event up to ``seq`` was sent on it before this frame."""

    seq: int
    server_time_ms: int


class Refused(Struct, frozen=True, kw_only=True, tag_field="type", tag="error"):
    """Answers a frame that cannot be obeyed (bad frame, unknown agent); the socket stays open."""

    code: ErrorCode
    text: str


FromServer = Welcome | EventFrame | Resync | ItemsFrame | ScreenFrame | Ack | Ping | Proof | Refused


def decode_from_client(data: bytes | str) -> FromClient:
    """A frame from a client. Raises msgspec.ValidationError or DecodeError."""
    try:
        return _client.decode(data)
    except RecursionError:
        raise msgspec.DecodeError("it is nested too deeply") from None


def decode_from_server(data: bytes | str) -> FromServer | None:
    """A frame from the hub; None for a kind that this version does not know."""
    try:
        return _server.decode(data)
    except msgspec.ValidationError:
        kind: object = msgspec.json.decode(data).get("type")
        if kind in {"welcome", "event", "resync", "items", "frame", "ack", "ping", "proof", "error"}:
            raise
        return None


_client = msgspec.json.Decoder(FromClient)
_server = msgspec.json.Decoder(FromServer)
