"""A multiplexer without programs: tests set screens, read what was typed, and script the reactions.

It passes the same contract suite as tmux (``tests/contract/test_multiplexer*.py``).
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence
from typing import Literal

from controlroom.core.keys import Key, parse_keys
from controlroom.core.screen import Cursor, Frame, frame_from_capture
from controlroom.core.text import clean_line, strip_controls
from controlroom.kit.clock import wait_at_most
from controlroom.node.mux.base import (
    History,
    Listing,
    Pane,
    PaneBusy,
    PaneGone,
    PaneRef,
    PaneUnsure,
    Pasted,
    Server,
)

_KEY_BYTES = {
    "Enter": b"\r",
    "Escape": b"\x1b",
    "Tab": b"\t",
    "BTab": b"\x1b[Z",
    "BSpace": b"\x7f",
    "Space": b" ",
    "Up": b"\x1b[A",
    "Down": b"\x1b[B",
    "Right": b"\x1b[C",
    "Left": b"\x1b[D",
    "C-c": b"\x03",
}
Typed = tuple[Literal["paste", "key"], str]


class FakePane:
    """One pane; every attribute may be set at any time. ``on_typed`` is called after each paste and key, so
    that a scripted program may change its screen in answer."""

    def __init__(self, ref: PaneRef, incarnation: str, pid: int, width: int, height: int) -> None:
        self.ref = ref
        self.incarnation = incarnation
        self.pid = pid
        self.width = width
        self.height = height
        self.raw_rows: list[bytes] = []  # as ``capture-pane -e`` prints them
        self.cursor = Cursor(0, 0)
        self.alternate = False
        self.title = ""
        self.command = "sh"
        self.folder = "/home/ada"
        self.session = "main"
        self.window = "sh"
        self.tty = f"/dev/pts/{pid}"
        self.active_at_s = 1_796_000_000
        self.hint = ""
        self.in_mode = False
        self.dead = False
        self.is_kept = False
        self.argv: tuple[str, ...] = ()  # of a window that was opened for an operation
        self.bracketed = False
        self.held_back = ""  # a sentence: typing is refused with it
        self.typed: list[Typed] = []
        self.received: list[bytes] = []  # one for each paste and key, as the program would read them
        self.history: list[str] = []
        self.on_typed: Callable[[Typed], None] = lambda _: None

    def show(self, *rows: str) -> None:
        """Set the screen; rows may hold SGR codes."""
        self.raw_rows = [row.encode("utf-8", "replace") for row in rows]

    def frame(self) -> Frame:
        rows = (self.raw_rows + [b""] * self.height)[: self.height]
        return frame_from_capture(
            b"\n".join(rows),
            width=self.width,
            height=self.height,
            cursor=self.cursor,
            alternate=self.alternate,
            title=clean_line(self.title),
        )

    def listed(self) -> Pane:
        return Pane(
            ref=self.ref,
            incarnation=self.incarnation,
            pid=self.pid,
            tty=self.tty,
            command=clean_line(self.command),
            folder=clean_line(self.folder, 4096),
            title=clean_line(self.title),
            session=clean_line(self.session),
            window=clean_line(self.window),
            width=self.width,
            height=self.height,
            alternate=self.alternate,
            in_mode=self.in_mode,
            dead=self.dead,
            active_at_s=self.active_at_s,
            hint=self.hint,
        )

    def take(self, typed: Typed, data: bytes) -> None:
        self.in_mode = False
        self.typed.append(typed)
        self.received.append(data)
        self.on_typed(typed)


class FakeServer:
    """One server with its panes. ``problem``: it does not answer, and the sentence says so."""

    def __init__(self, path: str, pid: int, changed: Callable[[], None]) -> None:
        self.path = path
        self.pid = pid
        self.problem = ""
        self.loses_answers = False  # what is typed arrives, its answer does not
        self.panes: dict[str, FakePane] = {}
        self._changed = changed
        self._next = 0

    def add_pane(self, *, pid: int = 0, width: int = 80, height: int = 24) -> FakePane:
        ref = PaneRef(FakeMultiplexer.kind, self.path, f"%{self._next}")
        pane = FakePane(ref, f"{self.pid}@1", pid or 1000 + self._next, width, height)
        self.panes[ref.id] = pane
        self._next += 1
        self._changed()
        return pane

    def close_pane(self, pane: FakePane) -> None:
        del self.panes[pane.ref.id]
        self._changed()


class FakeMultiplexer:
    """All servers of a person who has none but those that a test adds."""

    kind = "fake"

    def __init__(self) -> None:
        self.servers: dict[str, FakeServer] = {}
        self.problem = ""
        self._changed = asyncio.Event()
        self._pids = 100

    def add_server(self, path: str = "/run/fake/default") -> FakeServer:
        """A running server; at the path of a killed one it is another incarnation."""
        self._pids += 1
        server = self.servers[path] = FakeServer(path, self._pids, self._changed.set)
        self._changed.set()
        return server

    def kill(self, server: FakeServer) -> None:
        del self.servers[server.path]
        self._changed.set()

    async def start(self) -> None:
        pass

    async def aclose(self) -> None:
        pass

    async def list(self) -> Listing:
        servers = tuple(
            Server(path=each.path, state="failing" if each.problem else "ok", problem=each.problem)
            for each in self.servers.values()
        )
        panes = tuple(
            pane.listed()
            for server in self.servers.values()
            if not server.problem
            for pane in server.panes.values()
        )
        return Listing(servers=servers, panes=panes, problem=self.problem)

    async def screen(self, pane: PaneRef) -> Frame:
        return (await self._reach(pane)).frame()

    async def scrollback(self, pane: PaneRef, lines: int) -> History:
        found = await self._reach(pane)
        frame = found.frame()
        first = max(len(found.history) + frame.height - min(max(lines, 0), 2000), 0)
        return History(
            rows=(*found.history, *frame.rows)[first:],
            ansi=(*found.history, *frame.ansi)[first:],
            width=frame.width,
            height=frame.height,
            kept=len(found.history),
            alternate=found.alternate,
        )

    async def paste(self, pane: PaneRef, text: str) -> Pasted:
        cleaned, removed = strip_controls(text)
        found = await self._reach(pane)
        if cleaned:
            data = cleaned.encode()
            self._type(found, ("paste", cleaned), b"\x1b[200~%b\x1b[201~" % data if found.bracketed else data)
        return Pasted(cleaned, removed)

    async def keys(self, pane: PaneRef, keys: Sequence[str]) -> None:
        parsed = parse_keys(keys)
        found = await self._reach(pane)
        for key in parsed:
            self._type(found, ("key", key.name), _bytes_of(key))

    async def set_hint(self, pane: PaneRef, hint: str) -> None:
        try:
            (await self._reach(pane)).hint = hint
        except (PaneGone, PaneBusy):
            pass

    async def open_window(
        self, near: PaneRef, *, name: str, folder: str, environment: Mapping[str, str], argv: Sequence[str]
    ) -> PaneRef:
        await self._reach(near)
        pane = self.servers[near.server].add_pane()
        pane.window, pane.folder, pane.argv = name, folder, tuple(argv)
        return pane.ref

    async def keep(self, pane: PaneRef, is_kept: bool) -> None:
        (await self._reach(pane)).is_kept = is_kept

    async def rename(self, pane: PaneRef, name: str) -> None:
        (await self._reach(pane)).window = name

    async def remove(self, pane: PaneRef) -> None:
        try:
            self.servers[pane.server].close_pane(await self._reach(pane))
        except PaneGone:
            return

    async def wait_change(self, timeout_s: float) -> None:
        await wait_at_most(self._changed, timeout_s)
        self._changed.clear()

    async def _reach(self, ref: PaneRef) -> FakePane:
        await asyncio.sleep(0)  # as with real parts, others run meanwhile
        server = self.servers.get(ref.server)
        if server is None or ref.multiplexer != self.kind:
            raise PaneGone(ref.id)
        if server.problem:
            raise PaneBusy(server.problem)
        if ref.id not in server.panes:
            raise PaneGone(ref.id)
        return server.panes[ref.id]

    def _type(self, pane: FakePane, typed: Typed, data: bytes) -> None:
        if pane.dead:
            raise PaneGone(pane.ref.id)
        if pane.held_back:
            raise PaneBusy(pane.held_back)
        pane.take(typed, data)
        if self.servers[pane.ref.server].loses_answers:
            raise PaneUnsure("the answer was lost")


def _bytes_of(key: Key) -> bytes:
    return key.name.encode() if key.literal else _KEY_BYTES.get(key.name, f"<{key.name}>".encode())
