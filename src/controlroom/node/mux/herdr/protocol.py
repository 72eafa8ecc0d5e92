"""What is said over Herdr's socket: requests, answers, snapshots and events. Pure.

One JSON value a line, and one request for each connection; the answer is the next line. Fields that are not
known are ignored, rows of a list that cannot be read are skipped and counted, so that another version of
Herdr shows less instead of nothing. No number of a version is pinned: ``OLDEST`` is where today's form of
the calls began, and what a server lacks it says itself (an error without an id).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Literal, TypeVar

import msgspec

from controlroom.core.keys import Key
from controlroom.core.text import clean_line

OLDEST = 17
LONGEST_REQUEST = 1024 * 1024 - 1024
"""A server closes without an answer on more than a MiB, newline included."""

LONGEST_ANSWER = 4 * 1024 * 1024
"""A snapshot of 500 panes has about 1 MiB."""

MOST_LINES = 1000  # of one read

T = TypeVar("T")

_UNREADABLE = (msgspec.DecodeError, UnicodeDecodeError, RecursionError)


class Garbage(ValueError):
    """Not what Herdr says. The text is one short line."""


# --- requests and answers ----------------------------------------------------------------------------


def request(id: str, method: str, params: Mapping[str, object]) -> bytes:
    """One line. Raises ValueError when it is longer than a server takes."""
    line = msgspec.json.encode({"id": id, "method": method, "params": params}) + b"\n"
    if len(line) > LONGEST_REQUEST:
        raise ValueError(f"{len(line)} bytes at once are more than Herdr takes")
    return line


class Failure(msgspec.Struct, frozen=True):
    """An error as the server words it."""

    code: str
    message: str = ""


class Answer(msgspec.Struct, frozen=True):
    """``result`` is not decoded yet; exactly one of both is there."""

    result: msgspec.Raw | None = None
    failure: Failure | None = None

    @property
    def is_unknown_method(self) -> bool:
        """The server knows no such call, or not with these words."""
        return self.failure is not None and self.failure.code == "invalid_request"


_NOTHING = msgspec.Raw(b"")


class _Envelope(msgspec.Struct):
    id: str = ""
    result: msgspec.Raw = _NOTHING
    error: Failure | None = None


def parse_answer(line: bytes, id: str) -> Answer:
    """The answer to the request of this id. An error may come without one: then the connection says whose it
    is. Raises Garbage."""
    try:
        envelope = msgspec.json.decode(line, type=_Envelope)
    except _UNREADABLE as error:
        raise Garbage(f"not an answer: {clean_line(str(error), 80)}") from None
    if envelope.error is not None:
        if envelope.id not in ("", id):
            raise Garbage("an error of another request")
        return Answer(failure=envelope.error)
    if envelope.id != id or not bytes(envelope.result):
        raise Garbage("an answer to another request")
    return Answer(result=envelope.result)


def decode(raw: msgspec.Raw, type: type[T]) -> T:
    """A result as this struct. Raises Garbage."""
    try:
        return msgspec.json.decode(raw, type=type)
    except _UNREADABLE as error:
        raise Garbage(clean_line(str(error), 80)) from None


class Pong(msgspec.Struct, frozen=True):
    type: str
    protocol: int
    version: str = ""


def parse_pong(raw: msgspec.Raw) -> Pong:
    """Raises Garbage when this is no answer to a ping."""
    pong = decode(raw, Pong)
    if pong.type != "pong":
        raise Garbage("the answer to a ping is no pong")
    return pong


# --- objects -----------------------------------------------------------------------------------------


class Scroll(msgspec.Struct, frozen=True):
    """How far the person has scrolled up, how far one could, and the rows of the screen."""

    offset_from_bottom: int = 0
    max_offset_from_bottom: int = 0
    viewport_rows: int = 0


class PaneInfo(msgspec.Struct, frozen=True):
    """A pane. ``terminal_id`` is new after each start of the server."""

    pane_id: str
    terminal_id: str
    workspace_id: str = ""
    tab_id: str = ""
    agent_status: str = "unknown"
    agent: str | None = None
    label: str | None = None
    cwd: str | None = None
    foreground_cwd: str | None = None
    terminal_title: str | None = None
    scroll: Scroll | None = None


class AgentInfo(msgspec.Struct, frozen=True):
    """What only the list of agents says of a pane."""

    pane_id: str
    agent: str | None = None
    agent_status: str = "unknown"
    terminal_title: str | None = None
    state_change_seq: int = 0


class _Workspace(msgspec.Struct, frozen=True):
    workspace_id: str
    label: str = ""


class _Tab(msgspec.Struct, frozen=True):
    tab_id: str
    label: str = ""


class _Rect(msgspec.Struct, frozen=True):
    width: int
    height: int


class _Placed(msgspec.Struct, frozen=True):
    pane_id: str
    rect: _Rect


class _Layout(msgspec.Struct, frozen=True):
    panes: tuple[msgspec.Raw, ...] = ()


class _SnapshotBody(msgspec.Struct, frozen=True):
    version: str = ""
    protocol: int = 0
    workspaces: tuple[msgspec.Raw, ...] = ()
    tabs: tuple[msgspec.Raw, ...] = ()
    panes: tuple[msgspec.Raw, ...] = ()
    layouts: tuple[msgspec.Raw, ...] = ()
    agents: tuple[msgspec.Raw, ...] = ()


class _SnapshotResult(msgspec.Struct, frozen=True):
    snapshot: _SnapshotBody


class Snapshot(msgspec.Struct, frozen=True, kw_only=True):
    """Everything of one session at one time; the rows by their ids. ``skipped``: rows that could not be
    read."""

    version: str
    protocol: int
    workspaces: dict[str, str]  # labels
    tabs: dict[str, str]
    panes: tuple[PaneInfo, ...]
    agents: dict[str, AgentInfo]  # by pane
    sizes: dict[str, tuple[int, int]]  # columns and rows, by pane
    skipped: int = 0


def parse_snapshot(raw: msgspec.Raw) -> Snapshot:
    """Raises Garbage."""
    body = decode(raw, _SnapshotResult).snapshot
    workspaces, lost_workspaces = _rows(body.workspaces, _Workspace)
    tabs, lost_tabs = _rows(body.tabs, _Tab)
    panes, lost_panes = _rows(body.panes, PaneInfo)
    agents, lost_agents = _rows(body.agents, AgentInfo)
    layouts, lost_layouts = _rows(body.layouts, _Layout)
    placed, lost_places = _rows((row for layout in layouts for row in layout.panes), _Placed)
    return Snapshot(
        version=clean_line(body.version, 40),
        protocol=body.protocol,
        workspaces={each.workspace_id: each.label for each in workspaces},
        tabs={each.tab_id: each.label for each in tabs},
        panes=tuple(pane for pane in panes if pane.pane_id and pane.terminal_id),
        agents={agent.pane_id: agent for agent in agents},
        sizes={each.pane_id: (each.rect.width, each.rect.height) for each in placed},
        skipped=lost_workspaces + lost_tabs + lost_panes + lost_agents + lost_layouts + lost_places,
    )


def _rows(rows: Iterable[msgspec.Raw], type: type[T]) -> tuple[list[T], int]:
    found, skipped = [], 0
    for row in rows:
        try:
            found.append(decode(row, type))
        except Garbage:
            skipped += 1
    return found, skipped


class _PaneResult(msgspec.Struct, frozen=True):
    pane: PaneInfo


def parse_pane(raw: msgspec.Raw) -> PaneInfo:
    """The result of ``pane.get``. Raises Garbage."""
    return decode(raw, _PaneResult).pane


class ProcessInfo(msgspec.Struct, frozen=True):
    """Which processes a pane has; the command lines, which may hold secrets, are left out."""

    shell_pid: int | None = None
    foreground_process_group_id: int | None = None
    tty: str | None = None


class _ProcessResult(msgspec.Struct, frozen=True):
    process_info: ProcessInfo


def parse_processes(raw: msgspec.Raw) -> ProcessInfo:
    """The result of ``pane.process_info``. Raises Garbage."""
    return decode(raw, _ProcessResult).process_info


class Read(msgspec.Struct, frozen=True):
    """Rows of a pane. ``revision`` is of no use: servers always say 0."""

    text: str
    revision: int = 0


class _ReadResult(msgspec.Struct, frozen=True):
    read: Read


def parse_read(raw: msgspec.Raw) -> Read:
    """The result of ``pane.read``. Raises Garbage."""
    return decode(raw, _ReadResult).read


class _Created(msgspec.Struct, frozen=True):
    root_pane: PaneInfo


def parse_created(raw: msgspec.Raw) -> PaneInfo:
    """The pane of a new tab or workspace. Raises Garbage."""
    return decode(raw, _Created).root_pane


# --- what it says of agents --------------------------------------------------------------------------

Word = Literal["idle", "working", "blocked", "unknown"]


def status_word(status: str) -> Word:
    """``done`` is ``idle`` that nobody has looked at in Herdr's own window yet: a read receipt, no state."""
    match status:
        case "working" | "blocked" | "idle":
            return status
        case "done":
            return "idle"
    return "unknown"


# --- events ------------------------------------------------------------------------------------------

_LIFECYCLE = (
    *("workspace.created", "workspace.closed", "workspace.renamed"),
    *("tab.created", "tab.closed", "tab.renamed"),
    *("pane.created", "pane.closed", "pane.exited", "pane.moved", "pane.agent_detected"),
)


def subscriptions(agents: Iterable[str]) -> list[dict[str, str]]:
    """What changes a listing at once, not each title; the status of panes only where an agent is: each such
    entry costs the server a look every 100 ms."""
    entries = [{"type": name} for name in _LIFECYCLE]
    return entries + [{"type": "pane.agent_status_changed", "pane_id": pane} for pane in agents]


class _Event(msgspec.Struct):
    event: str


def event_name(line: bytes) -> str:
    """The name of an event in one spelling: servers write some with dots and some with underscores. What it
    says is not used: a snapshot decides. Raises Garbage."""
    try:
        return msgspec.json.decode(line, type=_Event).event.replace(".", "_")
    except _UNREADABLE as error:
        raise Garbage(f"not an event: {clean_line(str(error), 80)}") from None


# --- keys --------------------------------------------------------------------------------------------

_WORDS = {
    "Enter": "enter",
    "Escape": "esc",
    "Tab": "tab",
    "Space": "space",
    "BSpace": "backspace",
    "Up": "up",
    "Down": "down",
    "Left": "left",
    "Right": "right",
    **{f"F{number}": f"f{number}" for number in range(1, 13)},
    "C-Space": "ctrl+space",
    "M-Enter": "alt+enter",
}
_FINAL = {"Up": "A", "Down": "B", "Right": "C", "Left": "D", "Home": "H", "End": "F"}
_NUMBER = {"IC": "2", "DC": "3", "PageUp": "5", "PageDown": "6"}
_MODIFIER = {"S": "2", "M": "3", "C": "5"}


class Words(msgspec.Struct, frozen=True):
    """Keys by Herdr's words: it knows in which mode the program wants them."""

    keys: tuple[str, ...]


class Bytes(msgspec.Struct, frozen=True):
    """Keys for which Herdr has no word, or not in all versions, as a terminal sends them."""

    text: str


def strokes(keys: Sequence[Key]) -> list[Words | Bytes]:
    """The keys in order, neighbours of one sort in one call."""
    found: list[Words | Bytes] = []
    for key in keys:
        last = found[-1] if found else None
        word = None if key.literal else _word(key.name)
        if word is None:
            text = key.name if key.literal else _sequence(key.name)
            if isinstance(last, Bytes):
                found[-1] = Bytes(last.text + text)
            else:
                found.append(Bytes(text))
        elif isinstance(last, Words):
            found[-1] = Words((*last.keys, word))
        else:
            found.append(Words((word,)))
    return found


def _word(name: str) -> str | None:
    if name in _WORDS:
        return _WORDS[name]
    modifier, dash, base = name.partition("-")
    if dash and len(base) == 1 and modifier in ("C", "M"):
        return f"{'ctrl' if modifier == 'C' else 'alt'}+{base}"
    return None


def _sequence(name: str) -> str:
    """xterm's sequences. Shift+Tab is one too: Herdr's word for it came with 0.8.2."""
    if name == "BTab":
        return "\x1b[Z"
    modifier, dash, base = name.rpartition("-")
    number = _MODIFIER[modifier] if dash else ""
    if base in _FINAL:
        return f"\x1b[1;{number}{_FINAL[base]}" if number else f"\x1b[{_FINAL[base]}"
    return f"\x1b[{_NUMBER[base]};{number}~" if number else f"\x1b[{_NUMBER[base]}~"


# --- names -------------------------------------------------------------------------------------------

_FIRST = "abcdefghijklmnopqrstuvwxyz"


def agent_name(name: str) -> str | None:
    """The name as Herdr's own agent name, where its grammar allows it as it is."""
    is_fit = 0 < len(name) <= 32 and name[0] in _FIRST
    return name if is_fit and all(c in _FIRST + "0123456789_-" for c in name) else None


def is_pane_id(text: str) -> bool:
    """Like ``w3:p4``: nothing else is ever sent as one."""
    workspace, colon, pane = text.partition(":")
    return bool(colon) and all(_is_number(part, sign) for part, sign in ((workspace, "w"), (pane, "p")))


def _is_number(part: str, sign: str) -> bool:
    return part[:1] == sign and 1 < len(part) <= 12 and part[1:].isascii() and part[1:].isalnum()
