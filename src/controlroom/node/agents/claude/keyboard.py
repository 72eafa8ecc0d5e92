"""The eyes and hands for one agent at its pane: what ``node.agents.typing`` asks of this driver.

Everything is read freshly at each call; nothing here decides when to press.
"""

from __future__ import annotations

from pathlib import Path
from typing import BinaryIO

from controlroom.core.delivery import AgentNow, Intent, Trace, shows_whole
from controlroom.core.dialogs import dialog_id
from controlroom.core.facts import Composer, Dialog, ScreenReading
from controlroom.core.screen import Frame
from controlroom.node.agents.base import SendAs, Sighting, World
from controlroom.node.agents.claude.composer import PASTE_MARK
from controlroom.node.agents.claude.finder import REGISTERS_WITHIN_MS, Finder
from controlroom.node.agents.claude.looks import about, whole
from controlroom.node.agents.claude.panels import Panel
from controlroom.node.agents.claude.prompts import next_step
from controlroom.node.agents.claude.screens import read_screen, read_view
from controlroom.node.agents.claude.sessions import Session, SessionBook
from controlroom.node.agents.claude.traces import parse_position, position_now, rows_behind, trace
from controlroom.node.agents.claude.turns import Call
from controlroom.node.agents.claude.words import harmless
from controlroom.node.agents.transcripts import read_in_thread
from controlroom.node.agents.typing import AnswerStep, OpenDialog, Want


class Keyboard:
    """A ``TypedAgent`` and an ``AnsweringAgent`` that answers panels."""

    def __init__(self, world: World, finder: Finder, book: SessionBook) -> None:
        self._world, self._finder, self._book = world, finder, book

    # --- typing ---

    def read_screen(self, frame: Frame) -> ScreenReading:
        return read_screen(frame)

    def harmless(self, text: str, send_as: SendAs) -> str:
        return harmless(text, send_as)

    def submit_keys(self, now: AgentNow) -> tuple[str, ...]:
        """Enter: while a turn runs the program queues the message by itself."""
        return ("Enter",)

    def holds(self, composer: Composer, text: str) -> bool:
        """A paste of four lines or of more than 800 characters is shown as a mark that names its lines."""
        shown = composer.text.strip()
        mark = PASTE_MARK.fullmatch(shown)
        if mark is not None:
            return mark[1] is None or int(mark[1]) == text.count("\n")
        return not composer.collapsed and shows_whole(shown, text)

    async def now(self, who: Sighting) -> AgentNow:
        session = None
        try:
            entry = self._finder.entry(who)
            session = await self._session(who)
        except OSError:
            return "unknown"
        turn = session.standing.turn if session is not None else None
        is_open = turn is not None and turn.value == "open"
        if entry is not None:
            reported = entry.reported()
            if reported is None:
                return "unknown"
            if reported.value == "waiting":
                return "waiting"
            if reported.value == "busy":
                rests = session is not None and turn is not None and not is_open and session.standing.helpers
                return "idle" if rests else "working"
            return "idle"
        if self._world.now_ms() - who.started_at_ms < REGISTERS_WITHIN_MS:
            return "starting"
        if turn is None or turn.value == "none":
            return "unknown"
        return "working" if is_open else "idle"

    async def position(self, who: Sighting) -> tuple[str | None, str]:
        session_id = self._session_id(who)
        path = self._path(who, session_id)
        now_ms = self._world.now_ms()

        def read(file: BinaryIO) -> str:
            return position_now(file, session_id or "", now_ms).text()

        if path is None:
            return session_id, position_now(None, session_id or "", now_ms).text()
        return session_id, await read_in_thread(path, read)

    async def trace(self, who: Sighting, intent: Intent) -> Trace:
        position = parse_position(intent.position)
        now_in = self._session_id(who)
        found = Trace(state="none")
        for session_id in dict.fromkeys([position.session_id, now_in or ""]):
            if not session_id:
                continue
            is_same = session_id == position.session_id

            def read(file: BinaryIO, is_same: bool = is_same) -> Trace:
                rows = rows_behind(file, position, is_same_session=is_same)
                return trace(rows, intent, who.started_at_ms)

            try:
                path = self._path(who, session_id)
                if path is None:
                    if is_same and position.cursor:
                        found = Trace(state="unreadable")  # there was a file
                    continue
                seen = await read_in_thread(path, read)
            except OSError:
                found = Trace(state="unreadable")
                continue
            if seen.state != "none":
                return seen
        return found

    # --- answering ---

    async def open_dialog(self, who: Sighting) -> OpenDialog[Panel] | None:
        """Raises PaneGone and PaneBusy: not seeing the screen is not the same as seeing no dialog."""
        if who.pane is None:
            return None
        panel = read_view(await self._world.frame(who.pane)).panel
        if panel is None:
            return None
        try:
            session = await self._session(who)
        except OSError:
            session = None
        dialog, position = settle(panel, session)
        return OpenDialog(dialog_id(who.incarnation, position, dialog), panel)

    def next_step(self, shown: Panel, want: Want, done: int) -> AnswerStep:
        return next_step(shown, want, done)

    async def turn(self, who: Sighting) -> str:
        """A name for the turn that runs or ran last."""
        try:
            session = await self._session(who)
        except OSError:
            return ""
        return "" if session is None else str(session.standing.busy_since_ms)

    # --- files ---

    def _session_id(self, who: Sighting) -> str | None:
        try:
            entry = self._finder.entry(who)
        except OSError:
            entry = None
        return entry.session_id if entry is not None else who.session_id

    def _path(self, who: Sighting, session_id: str | None) -> Path | None:
        return self._book.files.find(who.profile, session_id, who.folder) if session_id else None

    async def _session(self, who: Sighting) -> Session | None:
        session = self._book.get(who.profile, self._session_id(who), who.folder)
        if session is not None:
            await session.look()
        return session


def settle(panel: Panel, session: Session | None) -> tuple[Dialog, str]:
    """The whole dialog and the session position that it belongs to."""
    if session is None:
        return panel.dialog, ""
    call = call_of(panel, session)
    return whole(panel, call), call.id if call is not None else session.standing.last_id


def call_of(panel: Panel, session: Session) -> Call | None:
    """The tool call that the dialog asks about, as far as the transcript has it by now."""
    return about(panel, session.standing.calls, session.helpers.open_calls)
