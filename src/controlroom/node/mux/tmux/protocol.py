"""tmux's control mode as a stream parser, and the commands and answers we use. Pure.

Theory. A client in control mode writes command lines and reads blocks::

    %begin 1796045846 359 1
    ... whatever the command printed, raw ...
    %end 1796045846 359 1

Between blocks stand notifications (``%sessions-changed`` ...). Nothing inside a block is escaped: a screen
row, a folder or a program name may read ``%end 1 2 1``, so a block ends only at an ``%end`` or ``%error``
with the three numbers of its ``%begin``. A hostile screen can guess those numbers. So every request ends
with a line of its own that prints a random nonce: what stands between two nonces is one answer whatever it
holds, and an answer of an unexpected shape is thrown away (spikes.md section 1).

Measured with tmux 3.3a: names of folders and programs keep newlines and escape codes in listings. Fields
that somebody else chose are therefore separated by random text too, never by a character.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import lru_cache

import msgspec

from controlroom.core.keys import Key
from controlroom.core.screen import Cursor, self_contained_rows
from controlroom.core.text import clean_line
from controlroom.node.mux.base import History, Pane, PaneRef

MAX_ANSWER_BYTES = 32 * 1024 * 1024  # a 2,000-row history with truecolor in each cell stays far below
PATH_LIMIT = 4096  # a cut path names another folder


class Block(msgspec.Struct, frozen=True):
    """What one command printed. ``ok`` is False for ``%error``; ``ours`` is False when this client did not
    ask for it (the attach itself, a hook of the person)."""

    lines: tuple[bytes, ...]
    ok: bool = True
    ours: bool = True

    @property
    def text(self) -> str:
        """For messages to people, limited."""
        return clean_line(b" ".join(self.lines[:4]).decode("utf-8", "replace"))


class Notice(msgspec.Struct, frozen=True):
    """A notification: its name without the percent sign, and the rest of the line."""

    name: str
    rest: str = ""


class Garbage(msgspec.Struct, frozen=True):
    """Something that control mode never prints. The connection cannot be trusted any more."""

    text: str


Event = Block | Notice | Garbage

_BEGIN = re.compile(rb"%begin (\d+) (\d+) (\d+)")
_NOTICE = re.compile(rb"%([a-z-]+)(?: (.*))?", re.DOTALL)


class ControlParser:
    """Feed bytes as they come; get whole events in order. After Garbage nothing more comes."""

    def __init__(self, max_bytes: int = MAX_ANSWER_BYTES) -> None:
        self._max = max_bytes
        self._nonces: set[bytes] = set()
        self._rest = b""
        self._numbers = b""  # of the open block, "" outside
        self._lines: list[bytes] = []
        self._size = 0
        self._broken = False

    def expect(self, nonce: str) -> None:
        """This nonce will come, alone in its block. Deeper inside one it shows that a row has imitated a
        ``%begin``, which would otherwise swallow all that follows."""
        self._nonces.add(nonce.encode())

    def feed(self, data: bytes) -> list[Event]:
        if self._broken:
            return []
        *lines, self._rest = (self._rest + data).split(b"\n")
        events: list[Event] = []
        for line in lines:
            event = self._line(line)
            if event is not None:
                events.append(event)
            if isinstance(event, Garbage):
                return events
        if self._size + len(self._rest) > self._max:
            events.append(self._garbage("an answer without end"))
        return events

    def _line(self, line: bytes) -> Event | None:
        if self._numbers:
            if line == b"%end " + self._numbers or line == b"%error " + self._numbers:
                block = Block(tuple(self._lines), line.startswith(b"%end"), self._numbers.endswith(b"1"))
                self._numbers, self._lines, self._size = b"", [], 0
                return block
            if line in self._nonces:
                self._nonces.discard(line)
                if self._lines:
                    return self._garbage("an answer inside another")
            self._lines.append(line)
            self._size += len(line) + 1
            return None
        if match := _BEGIN.fullmatch(line):
            self._numbers = line[len(b"%begin ") :]
            return None
        match = _NOTICE.fullmatch(line)
        if match is None or match[1] in (b"begin", b"end", b"error"):
            return self._garbage(line[:80].decode("utf-8", "replace"))
        return Notice(match[1].decode(), (match[2] or b"").decode("utf-8", "replace"))

    def _garbage(self, text: str) -> Garbage:
        self._broken = True
        self._rest, self._lines = b"", []
        return Garbage(clean_line(text))


# --- commands ---------------------------------------------------------------------------------------------

# A tilde at the start of a word is the home folder, inside double quotes too (seen with tmux 3.3a).
_ESCAPES = str.maketrans(
    {chr(code): f"\\{code:03o}" for code in range(32)}
    | {"\\": "\\\\", '"': '\\"', "$": "\\$", "~": "\\176", "\n": "\\n", "\r": "\\r", "\t": "\\t"}
)


def quote(word: str) -> str:
    """One word of a command as tmux's command parser reads it back, whatever it holds."""
    return f'"{word.translate(_ESCAPES)}"'


def command(name: str, *words: str) -> str:
    return " ".join([name, *map(quote, words)])


def line(*commands: str) -> str:
    """Commands that run in order without anything between them; an error ends the line."""
    return " ; ".join(commands)


def request(nonce: str, *lines: str) -> bytes:
    """What to write for one request: its lines, then the line that prints the nonce."""
    return "".join(f"{each}\n" for each in (*lines, command("display-message", "-p", nonce))).encode()


# --- sessions ---------------------------------------------------------------------------------------------


class Session(msgspec.Struct, frozen=True):
    id: str
    created_s: int
    is_kept: bool  # outlives its last client (destroy-unattached is off)


class ServerFacts(msgspec.Struct, frozen=True):
    """What a server says of itself in one listing of its sessions."""

    pid: int
    version: str
    sessions: tuple[Session, ...]


SESSIONS_FORMAT = "#{pid}|#{start_time}|#{version}|#{session_id}|#{session_created}|#{destroy-unattached}"
_SESSION = re.compile(r"(\d+)\|(\d*)\|([^|]*)\|(\$\d+)\|(\d+)\|(\S*)")


def parse_sessions(output: str) -> ServerFacts | None:
    """Facts from ``list-sessions -F SESSIONS_FORMAT``; None without any session."""
    rows = [match for row in output.splitlines() if (match := _SESSION.fullmatch(row))]
    if not rows:
        return None
    sessions = [Session(row[4], int(row[5]), row[6] in ("", "0", "off")) for row in rows]
    return ServerFacts(int(rows[0][1]), rows[0][3], tuple(sessions))


def to_attach(sessions: tuple[Session, ...]) -> str:
    """The session to attach to: the oldest, but one that lives without clients before any that would be
    kept alive by our being there."""
    best = min(sessions, key=lambda each: (not each.is_kept, each.created_s, int(each.id[1:])))
    return best.id


_VERSION = re.compile(r"(?:tmux )?(?:next-)?(\d+)\.(\d+)")
OLDEST_VERSION = (3, 2)  # -N, ignore-size and no-output came with it


def is_too_old(version: str) -> bool:
    """Of ``tmux -V`` or ``#{version}``. Names without a number (``master``, ``openbsd-7.4``) are not."""
    match = _VERSION.match(version)
    return match is not None and (int(match[1]), int(match[2])) < OLDEST_VERSION


# --- panes ------------------------------------------------------------------------------------------------

_FIXED = (
    *("pane_id", "pid", "start_time", "pane_pid", "pane_width", "pane_height"),
    *("alternate_on", "pane_in_mode", "pane_dead", "window_activity"),
)
_FREE = (
    *("pane_tty", "=200:session_name", "=200:window_name", "=200:@controlroom_agent"),
    *("=200:pane_title", "=200:pane_current_command", "pane_current_path"),
)


def panes_command(separator: str) -> str:
    """List all panes of a server; ``separator`` is random text (see the theory above)."""
    fixed = "|".join(f"#{{{name}}}" for name in _FIXED)
    free = separator.join(f"#{{{name}}}" for name in _FREE)
    return command("list-panes", "-a", "-F", f"{separator}{fixed}{separator}{free}{separator}")


def parse_panes(blocks: list[Block], separator: str, server: str) -> list[Pane]:
    """The panes of one listing, each once (a window may be linked into several sessions).

    Raises ValueError when the answer has not the shape of a listing.
    """
    if len(blocks) != 1 or not blocks[0].ok:
        raise ValueError("no listing of its panes")
    first, *parts = b"\n".join(blocks[0].lines).decode("utf-8", "replace").split(separator)
    width = len(_FREE) + 2  # the fixed fields, the free ones, the line end
    if first or len(parts) % width:
        raise ValueError("a torn listing of its panes")
    panes: dict[str, Pane] = {}
    for at in range(0, len(parts), width):
        pane = _pane(parts[at], tuple(parts[at + 1 : at + width - 1]), server)
        panes.setdefault(pane.ref.id, pane)
    return list(panes.values())


@lru_cache(maxsize=1024)  # most panes are the same at the next look
def _pane(fixed: str, free: tuple[str, ...], server: str) -> Pane:
    pane_id, pid, start, pane_pid, width, height, alternate, in_mode, dead, active = fixed.split("|")
    tty, session, window, hint, title, program, folder = free
    return Pane(
        ref=PaneRef("tmux", server, pane_id),
        incarnation=f"{int(pid)}@{int(start)}",
        pid=int(pane_pid),
        tty=clean_line(tty),
        command=clean_line(program),
        folder=clean_line(folder, PATH_LIMIT),
        title=clean_line(title),
        session=clean_line(session),
        window=clean_line(_as_given(window)),
        width=int(width),
        height=int(height),
        alternate=alternate == "1",
        in_mode=in_mode not in ("", "0"),
        dead=dead == "1",
        active_at_s=int(active),
        hint=clean_line(hint),
    )


# --- one screen -------------------------------------------------------------------------------------------

_SCREEN = "#{pane_id} #{pane_width} #{pane_height} #{cursor_x} #{cursor_y} #{cursor_flag} #{alternate_on} "
_PANE_ID = re.compile("%[0-9]{1,9}")
_SCREEN_HEAD = re.compile(r"(%\d+) (\d+) (\d+) (\d+) (\d+) ([01]?) ([01]?) (.*)", re.DOTALL)


class Capture(msgspec.Struct, frozen=True):
    """One screen as tmux printed it, before anything is made of it."""

    raw: bytes
    width: int
    height: int
    cursor: Cursor
    alternate: bool
    title: str


def screen_line(pane: str) -> str:
    """Facts and contents of a screen, read at one moment."""
    return line(
        command("display-message", "-p", "-t", pane, _SCREEN + "#{=200:pane_title}"),
        command("capture-pane", "-p", "-e", "-N", "-t", pane),
    )


def parse_screen(blocks: list[Block], pane: str) -> Capture:
    """Raises ValueError when the answer is not exactly that of ``screen_line``."""
    if len(blocks) != 2 or not all(block.ok for block in blocks) or len(blocks[0].lines) != 1:
        raise ValueError("not the answer of a screen")
    head = _SCREEN_HEAD.fullmatch(blocks[0].lines[0].decode("utf-8", "replace"))
    if head is None or head[1] != pane:
        raise ValueError("not the answer of this pane")
    width, height = int(head[2]), int(head[3])
    if len(blocks[1].lines) != height:
        raise ValueError(f"{len(blocks[1].lines)} rows of {height}")  # a row that imitated %end cut it
    return Capture(
        raw=b"\n".join(blocks[1].lines),
        width=width,
        height=height,
        cursor=Cursor(row=int(head[5]), column=int(head[4]), visible=head[6] == "1"),
        alternate=head[7] == "1",
        title=clean_line(head[8]),
    )


_HISTORY = "#{pane_id} #{pane_width} #{pane_height} #{history_size} #{alternate_on}"
_HISTORY_HEAD = re.compile(r"(%\d+) (\d+) (\d+) (\d*) ([01]?)")


def scrollback_line(pane: str, lines: int) -> str:
    """History and screen, styles and line drawing included (without ``-e`` line drawing reads as letters)."""
    return line(
        command("display-message", "-p", "-t", pane, _HISTORY),
        command("capture-pane", "-p", "-e", "-N", "-t", pane, "-S", f"-{lines}"),
    )


def parse_scrollback(blocks: list[Block], pane: str, lines: int) -> History:
    """Raises ValueError when the answer is not exactly that of ``scrollback_line``.

    While a full-screen program runs tmux shows its screen below the history from before it started (seen
    with 3.3a).
    """
    if len(blocks) != 2 or not all(block.ok for block in blocks) or len(blocks[0].lines) != 1:
        raise ValueError("not the answer of a history")
    head = _HISTORY_HEAD.fullmatch(blocks[0].lines[0].decode("utf-8", "replace"))
    if head is None or head[1] != pane:
        raise ValueError("not the answer of this pane")
    height, kept = int(head[3]), int(head[4] or 0)
    if len(blocks[1].lines) != min(kept, lines) + height:
        raise ValueError("some of its rows are missing")  # a row that imitated %end cut it
    rows, ansi = self_contained_rows(b"\n".join(blocks[1].lines))
    first = max(len(rows) - lines, 0)
    return History(
        rows=tuple(rows[first:]),
        ansi=tuple(ansi[first:]),
        width=int(head[2]),
        height=height,
        kept=kept,
        alternate=head[5] == "1",
    )


_STORED = re.compile(r"\\([\\$])")


def _as_given(name: str) -> str:
    """The name of a window as it was given: a rename stores a backslash before each backslash, and before a
    dollar sign that a word follows. A new window stores its name as it is, so one with a backslash before
    either of them reads wrong until it is renamed (both seen with 3.3a)."""
    return _STORED.sub(r"\1", name)


def is_pane_id(text: str) -> bool:
    """Ids are the only way we address panes: names match by prefix and move."""
    return _PANE_ID.fullmatch(text) is not None


def is_gone(blocks: list[Block]) -> bool:
    """Did the pane vanish? (tmux: ``can't find pane: %99``; for options ``no such pane: %99``)"""
    gone = ("can't find pane", "no such pane")
    return any(not block.ok and block.text.startswith(gone) for block in blocks)


# --- typing -----------------------------------------------------------------------------------------------

BUFFER_PREFIX = "controlroom-"
_BUFFER = re.compile(f"{BUFFER_PREFIX}[0-9a-f]+")
_STATE = "#{pane_id}|#{pane_dead}|#{pane_input_off}|#{pane_synchronized}|#{pane_in_mode}"
_FREE_TO_TYPE = f"#{{==:{_STATE},#{{pane_id}}|0|0|0|0}}"
_READS_COPY_KEYS = "#{m/r:^(copy|view)-mode$,#{pane_mode}}"
MODES_DEEP = 3  # modes stack (copy mode above a chooser); deeper was never seen


def typing_line(pane: str, *keystrokes: str) -> str:
    """Leave copy mode, then run the commands ``keystrokes`` if (and only if) they reach this pane's program
    alone; all at one moment. What stood in the way is read with ``parse_typing``.

    In copy mode text vanishes or loses its brackets (spikes.md section 1); choosers and the clock read plain
    keys and end at ``q``. With ``synchronize-panes`` keys would reach the neighbours as well.
    """
    leave = command(
        "if-shell",
        *("-F", "-t", pane, _READS_COPY_KEYS),
        command("send-keys", "-t", pane, "-X", "cancel"),
        command("send-keys", "-t", pane, "q"),
    )
    return line(
        *[command("if-shell", "-F", "-t", pane, "#{pane_in_mode}", leave)] * MODES_DEEP,
        command("display-message", "-p", "-t", pane, _STATE),
        command("if-shell", "-F", "-t", pane, _FREE_TO_TYPE, line(*keystrokes)),
    )


def parse_typing(blocks: list[Block], pane: str) -> str:
    """Why nothing was typed, as a sentence; "" when it was. Raises LookupError when the pane is gone, and
    ValueError when the answer cannot be understood (then it is not known whether anything was typed)."""
    if is_gone(blocks):
        raise LookupError(pane)
    states = [row for block in blocks if block.ok for row in block.lines]
    failed = [block.text for block in blocks if not block.ok]
    if len(states) != 1:
        raise ValueError("; ".join(failed) or "not the answer to typing")
    shown, dead, off, synchronized, in_mode = states[0].decode("utf-8", "replace").split("|")
    if shown != pane or dead == "1":
        raise LookupError(pane)
    if off == "1":
        return "Input to this pane is switched off in tmux (select-pane -e switches it on)."
    if synchronized == "1":
        return "Its tmux window sends keys to all panes at once (synchronize-panes); nothing was typed."
    if in_mode not in ("", "0"):
        return "A tmux mode is open in this pane and could not be left."
    if failed:
        raise ValueError("; ".join(failed))
    return ""


def key_command(pane: str, key: Key) -> str:
    if key.literal:
        return command("send-keys", "-t", pane, "-l", "--", key.name)
    return command("send-keys", "-t", pane, key.name)


def paste_command(pane: str, buffer: str) -> str:
    """Brackets when the program asked for them, newlines as they are, and the buffer is deleted."""
    return command("paste-buffer", "-d", "-p", "-r", "-b", buffer, "-t", pane)


STALE_BUFFER_S = 60  # a paste takes its buffer away within milliseconds


def old_buffers_command(now_s: int) -> str:
    """Names of paste buffers of ours that were left behind (we were killed between loading and pasting)."""
    is_ours = f"#{{m:{BUFFER_PREFIX}*,#{{buffer_name}}}}"
    is_old = f"#{{e|<:#{{buffer_created}},{now_s - STALE_BUFFER_S}}}"
    return command("list-buffers", "-F", "#{buffer_name}", "-f", f"#{{&&:{is_ours},{is_old}}}")


def delete_buffers_line(blocks: list[Block]) -> str:
    """The line that deletes the buffers of that listing; "" when there are none."""
    rows = [row.decode("utf-8", "replace") for block in blocks if block.ok for row in block.lines]
    ours = [row for row in rows if _BUFFER.fullmatch(row)]
    return line(*(command("delete-buffer", "-b", name) for name in ours))


_WINDOW = "#{session_id}:#{window_id} #{window_panes}"
_WINDOW_HEAD = re.compile(r"(\$\d+:@\d+) (\d+)")


class Window(msgspec.Struct, frozen=True):
    """The window of a pane: its session and itself by ids, and how many panes it holds."""

    target: str
    panes: int


def window_line(pane: str) -> str:
    return command("display-message", "-p", "-t", pane, _WINDOW)


def parse_window(blocks: list[Block]) -> Window:
    """Raises LookupError when the pane is gone (tmux prints empty fields then), and ValueError when the
    answer is not exactly that of ``window_line``."""
    rows = [row.decode("utf-8", "replace") for block in blocks if block.ok for row in block.lines]
    match = _WINDOW_HEAD.fullmatch(rows[0]) if len(rows) == 1 else None
    if rows == [": "]:
        raise LookupError("no such pane")
    if match is None:
        raise ValueError("not the answer of a window")
    return Window(match[1], int(match[2]))


def open_command(
    behind: Window, name: str, folder: str, environment: Mapping[str, str], argv: Sequence[str]
) -> str:
    """A window behind that one, in the background; prints the id of its pane. tmux expands names and folders
    as formats, so that a ``#`` of theirs is doubled."""
    given = [word for key, value in environment.items() for word in ("-e", f"{key}={value}")]
    return command(
        "new-window",
        *("-d", "-a", "-P", "-F", "#{pane_id}", "-t", behind.target),
        *("-n", _plain(name), "-c", _plain(folder)),
        *given,
        *argv,
    )


def parse_opened(blocks: list[Block]) -> str:
    """The id of the pane that was opened. Raises LookupError with the reason when none was, and ValueError
    when it is not known whether one was opened."""
    failed = next((block.text for block in blocks if not block.ok), "")
    if failed:
        raise LookupError(failed)
    rows = [row.decode("utf-8", "replace") for block in blocks for row in block.lines]
    if len(rows) != 1 or not is_pane_id(rows[0]):
        raise ValueError("not the answer of a new window")
    return rows[0]


def rename_command(pane: str, name: str) -> str:
    return command("rename-window", "-t", pane, "--", _plain(name))


def keep_command(pane: str, *, is_kept: bool) -> str:
    """Whether the pane stays when its program ends; not kept: as the window's own option says."""
    words = ("remain-on-exit", "on") if is_kept else ("-u", "remain-on-exit")
    return command("set-option", "-p", "-t", pane, *words)


def remove_command(pane: str) -> str:
    return command("kill-pane", "-t", pane)


def _plain(text: str) -> str:
    return text.replace("#", "##")


def hint_command(pane: str, hint: str) -> str:
    return command("set-option", "-p", "-t", pane, "@controlroom_agent", hint)
