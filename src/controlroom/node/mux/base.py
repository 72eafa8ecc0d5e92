"""The Protocol of terminal multiplexers. Its contract suite is ``tests/contract/test_multiplexer.py``.

A multiplexer adapter reads and types, and opens, names and removes panes for operations. It never resizes a
pane, never makes a session in the person's server, never respawns a pane (spikes.md section 1), and
everything it does addresses a pane by its id.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Literal, Protocol

import msgspec

from controlroom.core.screen import Frame


class PaneRef(msgspec.Struct, frozen=True, order=True):
    """Where a pane is. ``server`` is the socket's path (tmux) and ``id`` the multiplexer's own id ("%3")."""

    multiplexer: str
    server: str
    id: str


class Opinion(msgspec.Struct, frozen=True, kw_only=True):
    """What a multiplexer that looks at agents itself thinks of the one in a pane: one witness among others.
    ``at_ms`` is since when it says so."""

    kind: str
    state: Literal["idle", "working", "blocked", "unknown"]
    at_ms: int


class Pane(msgspec.Struct, frozen=True, kw_only=True):
    """One pane of a listing. Title, names and path were chosen by programs: outside text, already cleaned
    of control characters and limited to 200 characters (the folder to 4,096: a cut path names another)."""

    ref: PaneRef
    incarnation: str  # another one under the same id: another pane, for the server was restarted
    pid: int  # the pane's first process
    tty: str
    command: str
    folder: str
    title: str
    session: str
    window: str
    width: int
    height: int
    alternate: bool  # a full-screen program runs
    in_mode: bool  # copy mode or a chooser is open
    dead: bool
    active_at_s: int  # when its window last had output, whole seconds
    tells_output: bool = True  # False: output may come without a word in ``active_at_s``
    comes_back: bool = False  # a restarted server may start the agent in it again, by itself
    runs_in_shell: bool = False  # its first process is a shell, and what was opened in it runs below
    hint: str = ""  # the pane option @controlroom_agent
    opinion: Opinion | None = None


ServerState = Literal["ok", "unreadable", "too_old", "failing"]


class Server(msgspec.Struct, frozen=True, kw_only=True):
    """One server that was found. ``problem`` is a sentence for people when the state is not ok."""

    path: str
    state: ServerState
    version: str = ""
    problem: str = ""


class Listing(msgspec.Struct, frozen=True, kw_only=True):
    """All panes of all servers at one time. No server at all is a normal state."""

    servers: tuple[Server, ...]
    panes: tuple[Pane, ...]
    problem: str = ""  # the multiplexer as a whole: not installed, too old


class History(msgspec.Struct, frozen=True, kw_only=True):
    """The end of a pane's history, its screen included. Rows are as in ``Frame``, oldest first; the last
    ``height`` of them are the screen (fewer when fewer were asked for)."""

    rows: tuple[str, ...]
    ansi: tuple[str, ...]
    width: int
    height: int
    kept: int  # how many rows above the screen the multiplexer keeps in all
    alternate: bool  # a full-screen program runs: what lies above its screen is older than it


class PaneGone(Exception):
    """The pane (or its whole server) does not exist any more."""


class PaneBusy(Exception):
    """The multiplexer did not answer in time or answered garbage; trying again later is right."""


class PaneUnsure(PaneBusy):
    """The answer to something typed was lost: it may or may not have reached the program. Look at the
    screen before anything is typed again."""


class Pasted(msgspec.Struct, frozen=True):
    """What was really typed, and how many control characters were taken out of it."""

    text: str
    removed: int


class Multiplexer(Protocol):
    """One kind of multiplexer with all servers of this user. All calls have time-outs of their own."""

    kind: str

    async def start(self) -> None:
        """Begin to look for servers. Returns at once; never fails because there is none."""

    async def aclose(self) -> None:
        """Detach from all servers and end the child processes of this adapter."""

    async def list(self) -> Listing:
        """All panes now. A server that fails is in ``servers`` with its problem; the others are complete."""

    async def screen(self, pane: PaneRef) -> Frame:
        """The visible screen. Raises PaneGone or PaneBusy."""

    async def paste(self, pane: PaneRef, text: str) -> Pasted:
        """Type ``text`` as one bracketed paste, without Enter. Copy mode is left first. Newlines stay
        newlines; other control characters are removed and counted. Raises PaneGone, PaneBusy (nothing was
        typed) or PaneUnsure."""

    async def keys(self, pane: PaneRef, keys: Sequence[str]) -> None:
        """Press keys of the allowlist (``core.keys``) in order. Raises ValueError for another name,
        before any key was pressed. Copy mode is left first. Raises PaneGone, PaneBusy (nothing was
        pressed) or PaneUnsure."""

    async def set_hint(self, pane: PaneRef, hint: str) -> None:
        """Remember the agent's id on the pane, where the multiplexer can. Best effort."""

    async def open_window(
        self, near: PaneRef, *, name: str, folder: str, environment: Mapping[str, str], argv: Sequence[str]
    ) -> PaneRef:
        """A new window behind that of ``near``, in its session, without a look at it; ``argv`` runs in it
        without a shell. ``environment`` may hold nothing secret: servers remember it. Raises PaneGone,
        PaneBusy (nothing was opened) or PaneUnsure."""

    async def keep(self, pane: PaneRef, is_kept: bool) -> None:
        """Whether the pane stays, dead, when its program ends (else as the person has set it). Raises
        PaneGone, PaneBusy or PaneUnsure."""

    async def rename(self, pane: PaneRef, name: str) -> None:
        """Name the window of a pane that is alone in it; a window of several panes keeps its name. Raises
        PaneGone, PaneBusy or PaneUnsure."""

    async def remove(self, pane: PaneRef) -> None:
        """Remove a pane, whatever runs in it (it hears SIGHUP). One that is gone already is no error. Raises
        PaneBusy or PaneUnsure."""

    async def scrollback(self, pane: PaneRef, lines: int) -> History:
        """The last ``lines`` rows (at most 2,000) of history and screen. Raises PaneGone or PaneBusy."""

    async def wait_change(self, timeout_s: float) -> None:
        """Return when a server appeared or vanished (or, where the multiplexer can tell, a window did) since
        the last call, or when ``timeout_s`` has passed."""
