"""Herdr as a ``Multiplexer``: all sessions of this user; what is asked of a pane is asked of its server.

What is not used, and why: ``agent.prompt`` presses Enter by itself, and on servers up to 0.8.0 that answers a
dialog; ``agent.start`` types a kind's own command and can neither wait for an old process nor hand on its
environment, so a new window is a tab in whose shell our own command is typed; ``pane.read`` of "recent" rows
scrolls full-screen programs, so it is asked for only where there is a history; ``*.focus`` and
``server.stop`` belong to the person.
"""

from __future__ import annotations

import asyncio
import os
import shlex
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from typing import TypeVar

import msgspec

from controlroom.core.cells import grid_width
from controlroom.core.keys import parse_keys
from controlroom.core.screen import Cursor, Frame, frame_from_capture, self_contained_rows
from controlroom.core.text import clean_line, strip_controls
from controlroom.kit.clock import Clock
from controlroom.node.mux.base import (
    History,
    Listing,
    PaneBusy,
    PaneGone,
    PaneRef,
    PaneUnsure,
    Pasted,
    Server,
)
from controlroom.node.mux.herdr import protocol
from controlroom.node.mux.herdr.client import Late, Lost, Nobody, Refused, Shut, call
from controlroom.node.mux.herdr.link import KIND, Link, read
from controlroom.node.mux.herdr.protocol import PaneInfo
from controlroom.node.mux.herdr.servers import Candidates, candidates
from controlroom.node.mux.memory import Newest, Turns
from controlroom.node.mux.watch import Sockets, Watch, socket_identity

PATIENCE_S = 0.25  # a healthy server answers within milliseconds; no look at the others waits longer for one
LOAD_TIMEOUT_S = 10.0  # a megabyte on a loaded machine
READ_TIMEOUT_S = 3.0  # of a screen: shorter than a look at an agent may take, which others wait for
TRIES = 2  # of what changes nothing
PROMPT_EVERY_S, PROMPT_WITHIN_S = 0.25, 10.0  # until a new shell has read its start-up files
_GONE = frozenset({"pane_not_found", "agent_not_found", "workspace_not_found", "tab_not_found"})

T = TypeVar("T")
_Rows = list[str]  # the class below has a method of the name "list"


class HerdrMultiplexer:
    """See ``node.mux.base.Multiplexer`` for what each call promises."""

    kind = KIND

    def __init__(
        self,
        *,
        environment: Mapping[str, str],
        sockets: Sockets,
        clock: Clock,
        patience_s: float = PATIENCE_S,
    ) -> None:
        self._environment = environment
        self._sockets = sockets
        self._clock = clock
        self._patience_s = patience_s
        self._links: dict[str, Link] = {}
        self._turns = Turns()  # two connections have no order between them
        self._frames: Newest[str] = Newest()  # their revisions
        self._sockets_seen: list[tuple[str, tuple[int, int] | None]] | None = None
        self._watch = Watch("herdr", self._scan)

    async def start(self) -> None:
        self._watch.start()

    async def aclose(self) -> None:
        await self._watch.aclose()
        await asyncio.gather(*(link.aclose() for link in self._links.values()))
        self._links.clear()

    async def wait_change(self, timeout_s: float) -> None:
        await self._watch.wait(timeout_s)

    async def list(self) -> Listing:
        found = self._found()
        listed = await asyncio.gather(*(link.listing() for link in self._links.values()))
        gone = [link for link in self._links.values() if link.is_gone]
        self._links = {path: link for path, link in self._links.items() if not link.is_gone}
        for link in gone:
            await link.aclose()
        servers = [server for server, _ in listed if server is not None]
        servers += [
            Server(
                path=path,
                state="unreadable",
                problem=f"The Herdr socket {clean_line(path)} belongs to somebody else; it is left alone.",
            )
            for path in found.strange
        ]
        return Listing(servers=tuple(servers), panes=tuple(pane for _, panes in listed for pane in panes))

    # --- reading ---

    async def screen(self, pane: PaneRef) -> Frame:
        link = self._link(pane)
        async with self._turns.of(pane):
            frame, info = await self._frame(link, pane)
        if self._frames.get(pane) not in (None, frame.revision):
            link.moved(pane.id, info.terminal_id)
        self._frames.put(pane, frame.revision)
        return frame

    async def scrollback(self, pane: PaneRef, lines: int) -> History:
        link = self._link(pane)
        async with self._turns.of(pane):
            frame, info = await self._frame(link, pane)
            kept = info.scroll.max_offset_from_bottom if info.scroll is not None else 0
            wanted = min(max(lines, 0), protocol.MOST_LINES, kept + frame.height)
            rows, ansi = [*frame.rows], [*frame.ansi]
            if wanted > frame.height:
                above = await self._above(link, pane, frame, wanted)
                rows, ansi = above[0] + rows, above[1] + ansi
        first = max(len(rows) - wanted, 0)
        return History(
            rows=tuple(rows[first:]),
            ansi=tuple(ansi[first:]),
            width=frame.width,
            height=frame.height,
            kept=kept,
            alternate=False,
        )

    async def _frame(self, link: Link, pane: PaneRef) -> tuple[Frame, PaneInfo]:
        """The bottom screenful, whatever the person has scrolled to. Raises PaneGone, PaneBusy."""
        if link.terminal_of(pane.id) is None:
            await link.listing()  # only a listing tells how wide a pane is
        info, shown = await asyncio.gather(self._info(link, pane), self._rows(link, pane, "visible"))
        if info.scroll is not None and info.scroll.offset_from_bottom > 0:
            shown = await self._rows(link, pane, "detection")
        raw = shown.text.replace("\r\n", "\n").removesuffix("\n").encode("utf-8", "replace")
        rows, _ = self_contained_rows(raw)
        width, height = link.size_of(pane.id) or (0, 0)
        if info.scroll is not None and info.scroll.viewport_rows > 0:
            height = info.scroll.viewport_rows
        elif height <= 0:
            height = len(rows)
        width = max(width, max((grid_width(row) for row in rows[:height]), default=0), 1)
        frame = frame_from_capture(
            raw,
            width=width,
            height=max(height, 1),
            cursor=Cursor(0, 0, visible=False),  # Herdr does not tell
            alternate=False,
            title=clean_line(info.terminal_title or ""),
        )
        return frame, info

    async def _above(self, link: Link, pane: PaneRef, frame: Frame, wanted: int) -> tuple[_Rows, _Rows]:
        """The rows above the screen: blank rows at the end of a read are left out, so both are compared by
        what stands last."""
        shown = await self._rows(link, pane, "recent", wanted)
        raw = shown.text.replace("\r\n", "\n").removesuffix("\n").encode("utf-8", "replace")
        rows, ansi = self_contained_rows(raw)
        filled = _filled(frame.rows)
        end = max(_filled(rows) - filled, 0)
        return rows[:end], ansi[:end]

    async def _info(self, link: Link, pane: PaneRef) -> PaneInfo:
        """The pane as it is now, if it is still the one that was listed. Raises PaneGone, PaneBusy."""
        info = self._parsed(protocol.parse_pane, await self._read(link, "pane.get", {"pane_id": pane.id}))
        if info.pane_id != pane.id or link.terminal_of(pane.id) not in (None, info.terminal_id):
            raise PaneGone(pane.id)
        return info

    async def _rows(self, link: Link, pane: PaneRef, source: str, lines: int | None = None) -> protocol.Read:
        asked: dict[str, object] = {
            "pane_id": pane.id,
            "source": source,
            "format": "ansi",
            "strip_ansi": False,  # of no effect today, and on by itself
        }
        if lines is None:
            raw = await self._read(link, "pane.read", asked)
        else:
            # Nobody's look waits for it, and it may take long: that says nothing about the server.
            raw = await self._read(link, "pane.read", asked | {"lines": lines}, is_quick=False)
        return self._parsed(protocol.parse_read, raw)

    # --- typing ---

    async def paste(self, pane: PaneRef, text: str) -> Pasted:
        cleaned, removed = strip_controls(text)
        link = self._link(pane)
        if cleaned:
            async with self._turns.of(pane):
                await self._info(link, pane)
                asked = {"pane_id": pane.id, "text": cleaned}
                await self._act(link, "pane.send_input", asked, timeout_s=LOAD_TIMEOUT_S)
        return Pasted(cleaned, removed)

    async def keys(self, pane: PaneRef, keys: Sequence[str]) -> None:
        parsed = protocol.strokes(parse_keys(keys))
        link = self._link(pane)
        async with self._turns.of(pane):
            await self._info(link, pane)
            for number, stroke in enumerate(parsed):
                try:
                    if isinstance(stroke, protocol.Words):
                        await self._act(link, "pane.send_keys", {"pane_id": pane.id, "keys": stroke.keys})
                    else:
                        await self._act(link, "pane.send_text", {"pane_id": pane.id, "text": stroke.text})
                except PaneBusy as error:
                    if number == 0:
                        raise
                    raise PaneUnsure("Only some of the keys were pressed.") from error

    async def set_hint(self, pane: PaneRef, hint: str) -> None:
        """Herdr has no place for it: the journal holds the identity, and the label is the person's."""

    # --- windows ---

    async def open_window(
        self, near: PaneRef, *, name: str, folder: str, environment: Mapping[str, str], argv: Sequence[str]
    ) -> PaneRef:
        link = self._link(near)
        info = await self._info(link, near)
        asked = {
            "workspace_id": info.workspace_id,
            "cwd": folder,
            "label": name,
            "env": dict(environment),
            "focus": False,
        }
        created = await self._act(link, "tab.create", asked, timeout_s=LOAD_TIMEOUT_S)
        try:
            opened = protocol.parse_created(created)
        except protocol.Garbage as error:
            raise PaneUnsure(f"Herdr did not say what it opened: {error}.") from None
        pane = PaneRef(self.kind, near.server, opened.pane_id)
        if not protocol.is_pane_id(pane.id):
            raise PaneUnsure("Herdr did not say what it opened.")
        link.opened.add(pane.id)
        is_ready = False
        try:
            with suppress(PaneBusy, PaneGone):  # the tab has the name already
                await self._act(link, "pane.rename", {"pane_id": pane.id, "label": name})
            is_ready = await self._is_at_prompt(link, pane)
        finally:  # when this is cancelled too: nothing was typed yet
            if not is_ready:
                await self._close_again(link, pane)
        if not is_ready:
            raise PaneBusy("The shell of a new Herdr tab did not get to its prompt; the tab was closed.")
        # The variables a second time: a shell's start-up files may set others. The blank in front keeps the
        # line out of the history of shells that are set so.
        line = " " + shlex.join(["env", *(f"{key}={value}" for key, value in environment.items()), *argv])
        try:
            await self._act(link, "pane.send_input", {"pane_id": pane.id, "text": line, "keys": ["enter"]})
        except PaneUnsure:
            raise  # it may run
        except (PaneBusy, PaneGone):
            await self._close_again(link, pane)
            raise
        return pane

    async def _close_again(self, link: Link, pane: PaneRef) -> None:
        """A tab of ours in which nothing was begun."""
        with suppress(PaneBusy, PaneGone):
            await self._act(link, "pane.close", {"pane_id": pane.id})
            link.forget(pane.id)

    async def _is_at_prompt(self, link: Link, pane: PaneRef) -> bool:
        """Wait until only the shell runs in a new pane and what it shows stays the same: what is typed
        before might answer something in its start-up files."""
        before = ""
        for _ in range(int(PROMPT_WITHIN_S / PROMPT_EVERY_S)):
            with suppress(PaneBusy):
                raw = await self._read(link, "pane.process_info", {"pane_id": pane.id})
                info = self._parsed(protocol.parse_processes, raw)
                shown = (await self._rows(link, pane, "visible")).text.strip()
                is_shell = info.shell_pid is not None and info.foreground_process_group_id == info.shell_pid
                if is_shell and shown and shown == before:
                    return True
                before = shown if is_shell else ""
            await asyncio.sleep(PROMPT_EVERY_S)
        return False

    async def keep(self, pane: PaneRef, is_kept: bool) -> None:
        link = self._link(pane)
        await self._info(link, pane)
        link.keep(pane.id, is_kept=is_kept)

    async def rename(self, pane: PaneRef, name: str) -> None:
        link = self._link(pane)
        info = await self._info(link, pane)
        await self._act(link, "pane.rename", {"pane_id": pane.id, "label": name})
        if info.agent is not None and (own := protocol.agent_name(name)) is not None:
            with suppress(PaneBusy, PaneGone):  # taken, or being started: the label is what lasts
                await self._act(link, "agent.rename", {"target": pane.id, "name": own})

    async def remove(self, pane: PaneRef) -> None:
        try:
            link = self._link(pane)
            await self._info(link, pane)
            await self._act(link, "pane.close", {"pane_id": pane.id})
            link.forget(pane.id)
        except PaneGone:
            return

    # --- asking ---

    def _link(self, pane: PaneRef) -> Link:
        if pane.server not in self._links:
            self._found()
        link = self._links.get(pane.server)
        if link is None or pane.multiplexer != self.kind or not protocol.is_pane_id(pane.id):
            raise PaneGone(pane.id)
        return link

    async def _read(
        self, link: Link, method: str, asked: Mapping[str, object], *, is_quick: bool = True
    ) -> msgspec.Raw:
        """Ask for what changes nothing. Raises PaneGone, PaneBusy; the latter at once while the server is
        known to stall, so that nothing else waits for each of its panes."""
        if link.is_stalled:
            raise PaneBusy(f"The Herdr server at {link.path} does not answer at the moment.")
        for rest in reversed(range(TRIES)):
            try:
                timeout_s = READ_TIMEOUT_S if is_quick else None
                return await call(link.path, method, asked, timeout_s=timeout_s)
            except Lost as error:
                is_late = isinstance(error, Late)
                if is_late and is_quick:
                    link.stall(method, asked)
                if is_late or not rest:
                    raise PaneBusy(f"The Herdr server at {link.path}: {error}.") from error
            except (Nobody, Shut, Refused) as error:
                raise _translated(link.path, error) from error
        raise AssertionError("the last try returns or raises")

    async def _act(
        self, link: Link, method: str, asked: Mapping[str, object], *, timeout_s: float | None = None
    ) -> msgspec.Raw:
        """Ask for what must not happen twice. Raises PaneGone, PaneBusy, PaneUnsure."""
        try:
            return await call(link.path, method, asked, timeout_s=timeout_s)
        except ValueError as error:
            raise PaneBusy(f"Nothing was sent: {error}.") from None
        except Lost as error:
            raise PaneUnsure(f"Herdr did not say whether it did it: {error}.") from error
        except Refused as error:
            if error.code in ("pane_send_failed", "agent_send_keys_failed"):
                raise PaneUnsure("Herdr could not write all of it to the pane.") from error
            raise _translated(link.path, error) from error
        except (Nobody, Shut) as error:
            raise _translated(link.path, error) from error

    def _parsed(self, parse: Callable[[msgspec.Raw], T], raw: msgspec.Raw) -> T:
        try:
            return read(parse, raw)
        except Lost as error:
            raise PaneBusy(f"Herdr's answer could not be read: {error}.") from None

    # --- sessions ---

    def _found(self) -> Candidates:
        """The sockets that exist now, each with its link."""
        found = self._candidates()
        for path in found.paths:
            if path not in self._links:
                self._links[path] = Link(path, self._clock, self._watch.tell, self._patience_s)
        return found

    def _candidates(self) -> Candidates:
        return candidates(self._sockets, self._environment, os.getuid())

    async def _scan(self) -> None:
        found = [(path, socket_identity(path)) for path in self._candidates().paths]
        if self._sockets_seen is not None and found != self._sockets_seen:
            self._watch.tell()
        self._sockets_seen = found


def _translated(path: str, error: Nobody | Shut | Refused) -> PaneGone | PaneBusy:
    if isinstance(error, Nobody):
        return PaneGone(path)
    if isinstance(error, Shut):
        return PaneBusy(f"The Herdr server at {path} cannot be reached: {error}.")
    if error.code in _GONE:
        return PaneGone(path)
    if error.is_unknown_method:
        return PaneBusy(f"The Herdr server at {path} does not know what it was asked.")
    return PaneBusy(f"The Herdr server at {path} refuses ({clean_line(error.code, 60)}).")


def _filled(rows: Sequence[str]) -> int:
    """How many rows there are without the blank ones at the end."""
    end = len(rows)
    while end and not rows[end - 1].strip():
        end -= 1
    return end
