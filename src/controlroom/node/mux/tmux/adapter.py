"""tmux as a ``Multiplexer``: all servers of this user; what is asked of a pane goes to its server's link."""

from __future__ import annotations

import asyncio
import os
import secrets
from collections.abc import Mapping, Sequence

from controlroom.core.keys import parse_keys
from controlroom.core.screen import Frame, frame_from_capture
from controlroom.core.text import strip_controls
from controlroom.kit.clock import Clock
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
from controlroom.node.mux.memory import Newest
from controlroom.node.mux.tmux import protocol
from controlroom.node.mux.tmux.binary import Binary
from controlroom.node.mux.tmux.client import Disconnected
from controlroom.node.mux.tmux.link import ANSWER_TIMEOUT_S, Link
from controlroom.node.mux.tmux.protocol import Capture
from controlroom.node.mux.tmux.servers import Nobody, candidates, knock
from controlroom.node.mux.watch import Sockets, Watch, socket_identity

TYPE_TIMEOUT_S = 5.0  # longer than for a read: a late answer is worth more than not knowing
LOAD_TIMEOUT_S = 10.0  # megabytes through a pipe on a loaded machine
SCROLLBACK_LINES = 2000

_Panes = list[Pane]  # the class below has a method of the name "list"
_Blocks = list[protocol.Block]


class TmuxMultiplexer:
    """See ``node.mux.base.Multiplexer`` for what each call promises."""

    kind = "tmux"

    def __init__(self, *, environment: Mapping[str, str], sockets: Sockets, clock: Clock) -> None:
        self._environment = environment
        self._sockets = sockets
        self._clock = clock
        self._binary = Binary(environment)
        self._links: dict[str, Link] = {}
        self._problem = ""
        self._identities: dict[str, tuple[int, int]] = {}
        self._frames: Newest[tuple[Capture, Frame]] = Newest()
        self._watch = Watch("tmux", self._scan)

    async def start(self) -> None:
        self._watch.start()

    async def aclose(self) -> None:
        await self._watch.aclose()
        await asyncio.gather(*(link.aclose() for link in self._links.values()))
        self._links.clear()

    async def wait_change(self, timeout_s: float) -> None:
        await self._watch.wait(timeout_s)

    async def list(self) -> Listing:
        await self._scan()
        found = await asyncio.gather(*(self._list(link) for link in list(self._links.values())))
        servers = tuple(server for server, _ in found if server is not None)
        panes = tuple(pane for _, panes in found for pane in panes)
        return Listing(servers=servers, panes=panes, problem=self._problem)

    async def screen(self, pane: PaneRef) -> Frame:
        link = self._link(pane)
        async with link.turns.of(pane):
            blocks = await link.read(protocol.screen_line(pane.id))
        try:
            capture = protocol.parse_screen(blocks, pane.id)
        except ValueError as error:
            link.distrust()
            raise PaneBusy(f"The screen could not be read: {error}.") from error
        return self._frame(pane, capture)

    async def scrollback(self, pane: PaneRef, lines: int) -> History:
        wanted = min(max(lines, 0), SCROLLBACK_LINES)
        link = self._link(pane)
        async with link.turns.of(pane):
            blocks = await link.read(protocol.scrollback_line(pane.id, wanted))
        try:
            return protocol.parse_scrollback(blocks, pane.id, wanted)
        except ValueError as error:
            link.distrust()
            raise PaneBusy(f"The history could not be read: {error}.") from error

    async def paste(self, pane: PaneRef, text: str) -> Pasted:
        cleaned, removed = strip_controls(text)
        link = self._link(pane)
        if not cleaned:
            return Pasted("", removed)
        buffer = protocol.BUFFER_PREFIX + secrets.token_hex(8)
        # Not set-buffer over the pipe: tmux keeps the words of every command in its message log.
        loaded = await self._binary.on(
            link.path, "load-buffer", "-b", buffer, "-", timeout_s=LOAD_TIMEOUT_S, given=cleaned.encode()
        )
        if loaded.code != 0:
            if isinstance(knock(link.path), Nobody):
                raise PaneGone(pane.id)
            raise PaneBusy(f"The tmux server at {link.path} did not take the text; nothing was typed.")
        try:
            await self._type(link, pane, protocol.paste_command(pane.id, buffer))
        except (PaneGone, PaneBusy):
            await self._binary.on(link.path, "delete-buffer", "-b", buffer, timeout_s=ANSWER_TIMEOUT_S)
            raise
        return Pasted(cleaned, removed)

    async def keys(self, pane: PaneRef, keys: Sequence[str]) -> None:
        parsed = parse_keys(keys)
        await self._type(self._link(pane), pane, *[protocol.key_command(pane.id, key) for key in parsed])

    async def set_hint(self, pane: PaneRef, hint: str) -> None:
        try:
            await self._link(pane).act(protocol.hint_command(pane.id, hint))
        except (PaneGone, PaneBusy, Disconnected):
            pass  # only a hint: the journal holds the identity

    async def open_window(
        self, near: PaneRef, *, name: str, folder: str, environment: Mapping[str, str], argv: Sequence[str]
    ) -> PaneRef:
        window = await self._window(near)
        blocks = await self._do(near, protocol.open_command(window, name, folder, environment, argv))
        try:
            opened = protocol.parse_opened(blocks)
        except LookupError as error:
            raise PaneBusy(f"tmux opened no window: {error}") from None
        except ValueError as error:
            raise PaneUnsure(f"tmux did not say whether it opened a window: {error}.") from None
        return PaneRef(self.kind, near.server, opened)

    async def keep(self, pane: PaneRef, is_kept: bool) -> None:
        await self._do(pane, protocol.keep_command(pane.id, is_kept=is_kept))

    async def rename(self, pane: PaneRef, name: str) -> None:
        if (await self._window(pane)).panes == 1:
            await self._do(pane, protocol.rename_command(pane.id, name))

    async def remove(self, pane: PaneRef) -> None:
        try:
            await self._do(pane, protocol.remove_command(pane.id))
        except PaneGone:
            return

    async def _window(self, pane: PaneRef) -> protocol.Window:
        """Raises PaneGone, PaneBusy."""
        link = self._link(pane)
        try:
            return protocol.parse_window(await link.read(protocol.window_line(pane.id)))
        except LookupError:
            raise PaneGone(pane.id) from None
        except ValueError as error:
            raise PaneBusy(f"The window could not be read: {error}.") from error

    async def _do(self, pane: PaneRef, line: str) -> _Blocks:
        """Ask for a change of this pane. Raises PaneGone, PaneBusy, PaneUnsure."""
        link = self._link(pane)
        try:
            blocks = await link.act(line, timeout_s=TYPE_TIMEOUT_S)
        except Disconnected as error:
            raise PaneUnsure(f"tmux did not say whether it did it: {error}.") from error
        if protocol.is_gone(blocks):
            raise PaneGone(pane.id)
        return blocks

    # --- panes ---

    def _link(self, pane: PaneRef) -> Link:
        link = self._links.get(pane.server)
        if link is None or pane.multiplexer != self.kind or not protocol.is_pane_id(pane.id):
            raise PaneGone(pane.id)
        return link

    async def _type(self, link: Link, pane: PaneRef, *keystrokes: str) -> None:
        """Run commands that type into the pane, unless something stands in the way."""
        try:
            typing = protocol.typing_line(pane.id, *keystrokes)
            blocks = await link.act(typing, timeout_s=TYPE_TIMEOUT_S)
            refused = protocol.parse_typing(blocks, pane.id)
        except LookupError:
            raise PaneGone(pane.id) from None
        except (Disconnected, ValueError) as error:
            link.distrust()
            raise PaneUnsure(f"tmux did not say whether it was typed: {error}.") from error
        if refused:
            raise PaneBusy(refused)

    def _frame(self, pane: PaneRef, capture: Capture) -> Frame:
        known = self._frames.get(pane)
        if known is None or known[0] != capture:
            frame = frame_from_capture(
                capture.raw,
                width=capture.width,
                height=capture.height,
                cursor=capture.cursor,
                alternate=capture.alternate,
                title=capture.title,
            )
            known = (capture, frame)
        self._frames.put(pane, known)
        return known[1]

    async def _list(self, link: Link) -> tuple[Server | None, _Panes]:
        server = await link.server()
        if server is None or link.phase != "attached":
            return server, []
        separator = secrets.token_hex(12)
        try:
            blocks = await link.read(protocol.panes_command(separator))
            return server, protocol.parse_panes(blocks, separator, link.path)
        except PaneGone:
            return await link.server(), []
        except PaneBusy as error:
            return Server(path=link.path, state="failing", version=server.version, problem=str(error)), []
        except ValueError as error:
            link.distrust()
            problem = f"The tmux server at {link.path} gave {error}."
            return Server(path=link.path, state="failing", version=server.version, problem=problem), []

    # --- servers ---

    async def _scan(self) -> None:
        """Give each socket with somebody behind it a link, and forget links whose server is gone."""
        for path, link in list(self._links.items()):
            if link.phase == "ended":
                del self._links[path]
                self._identities.pop(path, None)
        self._problem = await self._binary.problem()
        if self._problem:
            return
        found = candidates(self._sockets, self._environment, os.getuid())
        self._problem = found.problem
        for path in found.paths:
            known = self._links.get(path)
            if known is None and not isinstance(knock(path), Nobody):
                self._links[path] = link = Link(self._binary, path, self._clock, self._watch.tell)
                link.start()
            elif known is not None and self._has_moved(path):
                known.poke()

    def _has_moved(self, path: str) -> bool:
        """Is it another socket than at the last look? (A restarted server makes a new one.)"""
        before, now = self._identities.get(path), socket_identity(path)
        if now is None:
            return False
        self._identities[path] = now
        return before is not None and before != now
