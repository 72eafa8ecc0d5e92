"""What the relay's terminal channel decides: names, sizes, replay, batches, and which session is meant.

Source: relay contract section 10, with the corrections of section 22 (docs/reference/relay-differences.md).
"""

from __future__ import annotations

import codecs
import re
from collections.abc import Callable, Iterable
from typing import Final, Literal, NamedTuple

import msgspec

SESSIONS_PER_SOCKET: Final = 4
REPLAY_LINES: Final = 200
REPLAY_CHARACTERS: Final = 65_536
FLUSH_AFTER_S: Final = 0.016
FLUSH_AT_BYTES: Final = 4_096
READ_BYTES: Final = 8_192 - 3  # the start of a character of the read before may come to it

COLUMNS, ROWS = 80, 24
MOST_COLUMNS, MOST_ROWS = 1_000, 500  # larger than any screen; tmux keeps a grid of cells for it
LONGEST_NAME: Final = 128

TMUX_PREFIX: Final = "hermes-"
AGENT_PREFIX: Final = "agent:"

# --- names ----------------------------------------------------------------------------------------------

# A backslash too: tmux stores it doubled, so that the name would not be found again.
_SEPARATORS = re.compile(r"[\s.:\\]")


def check_name(said: object) -> str:
    """The session name of a request that named one. Raises ValueError with a sentence for people."""
    if not isinstance(said, str):
        raise ValueError("session_name must be a text")
    if len(said) > LONGEST_NAME:
        raise ValueError(f"session_name is longer than {LONGEST_NAME} characters")
    if any(not character.isprintable() and not character.isspace() for character in said):
        raise ValueError("session_name contains control characters")
    return said


def tmux_name(name: str) -> str:
    """What tmux calls the session that a client calls ``name``."""
    return TMUX_PREFIX + (_SEPARATORS.sub("_", name).strip("_") or "default")


def client_name(tmux: str) -> str | None:
    """What a client calls a session of tmux, None for one that is not the channel's."""
    return (tmux[len(TMUX_PREFIX) :] or "default") if tmux.startswith(TMUX_PREFIX) else None


def default_name(random_hex: str) -> str:
    """The name of a session for which the client chose none."""
    return f"shell-{random_hex[:8]}"


# --- sizes ----------------------------------------------------------------------------------------------


class Size(NamedTuple):
    """A terminal's size in cells."""

    columns: int
    rows: int


def read_size(columns: object, rows: object) -> Size:
    """The size that a request asks for. Raises ValueError with the text for the client.

    Absent, null and 0 mean 80 by 24; numeric texts count; what is smaller than 1 becomes 1, what is larger
    than any screen becomes the largest.
    """
    return Size(_cells(columns, COLUMNS, MOST_COLUMNS), _cells(rows, ROWS, MOST_ROWS))


def _cells(said: object, default: int, most: int) -> int:
    if not said and not isinstance(said, (list, dict)):
        return default
    if not isinstance(said, (int, float, str)):
        raise ValueError(f"a size must be a number, not a {type(said).__name__}")
    try:
        return min(max(int(said), 1), most)
    except (ValueError, OverflowError) as error:
        raise ValueError(str(error)[:200]) from None


# --- shells ---------------------------------------------------------------------------------------------


def choose_shell(candidates: Iterable[str], is_usable: Callable[[str], bool]) -> str:
    """The first candidate that is an absolute path and ``is_usable``; /bin/sh when none is."""
    for candidate in candidates:
        if candidate.startswith("/") and "\0" not in candidate and is_usable(candidate):
            return candidate
    return "/bin/sh"


# --- replay and output ----------------------------------------------------------------------------------


def cut_replay(text: str) -> str:
    """The end of a pane's text that a reattach repeats: 200 lines, of them the last 65,536 characters."""
    lines = text.split("\n")
    tail = lines.pop()  # behind the last newline
    kept = [line + "\n" for line in lines] + ([tail] if tail else [])
    return "".join(kept[-REPLAY_LINES:])[-REPLAY_CHARACTERS:]


class OutputBatch:
    """Bytes of a program on their way into text frames.

    At most one frame in 16 ms, unless 4,096 bytes have gathered; what comes after a pause goes at once. A
    character is never cut: its first bytes wait for the others. ``now`` is in seconds of any one clock.

    ``is_from_tmux``: bytes that are no UTF-8 are left out instead of shown as U+FFFD. tmux cleans what
    programs print, but when it throws output away for a slow client it cuts inside a character (seen with
    3.3a: ``E2`` followed by the redraw), and then draws everything again.
    """

    def __init__(self, *, is_from_tmux: bool = False) -> None:
        self._decoder = codecs.getincrementaldecoder("utf-8")("ignore" if is_from_tmux else "replace")
        self._parts: list[bytes] = []
        self._size = 0
        self._flushed_at = float("-inf")

    def add(self, data: bytes) -> None:
        self._parts.append(data)
        self._size += len(data)

    @property
    def due_at(self) -> float | None:
        """When a frame should be sent; None: there is nothing to send."""
        if not self._parts:
            return None
        return float("-inf") if self._size >= FLUSH_AT_BYTES else self._flushed_at + FLUSH_AFTER_S

    def take(self, now: float) -> str:
        """The text that gathered; "" when it is only the beginning of a character."""
        self._flushed_at = now
        return self._decode(final=False)

    def rest(self) -> str:
        """The last text; a character that never became whole is U+FFFD."""
        return self._decode(final=True)

    def _decode(self, *, final: bool) -> str:
        data = b"".join(self._parts)
        self._parts.clear()
        self._size = 0
        return self._decoder.decode(data, final)


# --- the sessions of one socket -------------------------------------------------------------------------

Plan = Literal["new", "again", "full"]


class SocketSessions(msgspec.Struct, frozen=True):
    """Which sessions one socket holds, in the order in which they were attached last.

    What must never happen: more than four; a message without a name that reaches another session than the
    one attached last; a name that is held twice.
    """

    names: tuple[str, ...] = ()

    def plan(self, name: str) -> Plan:
        """What an attach of ``name`` means. At the cap every attach is refused, an owned name too."""
        if len(self.names) >= SESSIONS_PER_SOCKET:
            return "full"
        return "again" if name in self.names else "new"

    def attached(self, name: str) -> SocketSessions:
        return SocketSessions((*self.without(name).names, name))

    def without(self, name: str) -> SocketSessions:
        return SocketSessions(tuple(held for held in self.names if held != name))

    def meant(self, said: object) -> str | None:
        """The held session that a message is for: the named one, without a name the last; None: none."""
        if said is None or said == "":
            return self.names[-1] if self.names else None
        return said if isinstance(said, str) and said in self.names else None


CAP_REACHED: Final = f"Session cap reached ({SESSIONS_PER_SOCKET}). Detach an existing session first."

Reason = Literal[
    "client detach", "client kill", "eof", "write failed", "server shutdown", "grant expired", "pane gone"
]
"""Why a session left its socket. The first three are normal for all clients."""


def reason_of_end(*, asked: Reason | None, was_killed: bool, session_lives: bool, broke: bool) -> Reason:
    """Why a session ended whose terminal closed. ``asked``: somebody here ended it for this reason;
    ``was_killed``: its tmux session was killed by a client; ``session_lives``: tmux still has it, so the
    person left it with tmux's own key; ``broke``: writing failed."""
    if asked is not None:
        return asked
    if was_killed:
        return "client kill"
    if session_lives:
        return "client detach"
    return "write failed" if broke else "eof"


# --- tmux's list ----------------------------------------------------------------------------------------

LIST_FORMAT: Final = "#{session_name}\t#{session_attached}\t#{session_windows}\t#{session_created}"
CLIENTS_FORMAT: Final = "#{client_session}\t#{client_control_mode}"


class TmuxSession(msgspec.Struct, frozen=True):
    """One session of the terminal server."""

    name: str
    tmux_name: str
    attached: int
    windows: int
    created_at: int  # epoch seconds


def parse_session(line: str) -> TmuxSession | None:
    """One line of LIST_FORMAT; None for a session that is not the channel's, or a line that is none."""
    fields = line.split("\t")
    name = client_name(fields[0])
    if name is None or len(fields) != 4:
        return None
    attached, windows, created = (_number(field) for field in fields[1:])
    return TmuxSession(name, fields[0], attached, windows, created)


def parse_sessions(listed: str, clients: str) -> tuple[TmuxSession, ...]:
    """All sessions of the channel. ``attached`` does not count control clients: they show nothing to anybody
    (the Control Room itself has one on each server)."""
    control: dict[str, int] = {}
    for line in clients.splitlines():
        session, _, is_control = line.partition("\t")
        if is_control == "1":
            control[session] = control.get(session, 0) + 1
    found = (parse_session(line) for line in listed.split("\n"))
    return tuple(
        msgspec.structs.replace(one, attached=max(one.attached - control.get(one.tmux_name, 0), 0))
        for one in found
        if one is not None
    )


def _number(text: str) -> int:
    return int(text) if text.isascii() and text.isdigit() else 0
