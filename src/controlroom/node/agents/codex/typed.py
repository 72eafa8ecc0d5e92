"""Codex as typing and answering see it: fresh evidence, the proof of delivery, its dialogs.

In Codex, Enter while a turn runs steers: the current answer is cut off and the model goes on with the new
text (Tab would queue it). The proof of delivery is the user row; what waits stands on the screen alone.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import BinaryIO

from controlroom.core.delivery import AgentNow, Intent, Trace, same_message, shows_whole
from controlroom.core.dialogs import dialog_id
from controlroom.core.facts import Composer, ScreenReading
from controlroom.core.screen import Frame
from controlroom.node.agents.base import SendAs, Sighting, World
from controlroom.node.agents.codex import protocol
from controlroom.node.agents.codex.dialogs import FoundDialog
from controlroom.node.agents.codex.evidence import Looker
from controlroom.node.agents.codex.harmless import harmless
from controlroom.node.agents.codex.prompts import next_step
from controlroom.node.agents.codex.screens import queued_texts, read_screen, read_title
from controlroom.node.agents.codex.tools import readable_command
from controlroom.node.agents.transcripts import Row, cursor, locate, read_in_thread, rows_back, rows_from
from controlroom.node.agents.typing import AnswerStep, OpenDialog, Want
from controlroom.node.mux.base import PaneBusy, PaneGone

_PASTE_MARK = re.compile(r"\[Pasted Content (\d+) chars\]\s*$")
_STEP_BACK_MS = 2_000  # rows of a following session may carry times a little before the position's


class TypedCodex:
    """``TypedAgent`` and ``AnsweringAgent`` for one message, answer or interrupt."""

    def __init__(self, world: World, looker: Looker) -> None:
        self._world = world
        self._looker = looker
        self.steered = False  # Enter was pressed while a turn ran

    def read_screen(self, frame: Frame) -> ScreenReading:
        return read_screen(frame)

    def harmless(self, text: str, send_as: SendAs) -> str:
        return harmless(text, send_as)

    def submit_keys(self, now: AgentNow) -> tuple[str, ...]:
        self.steered = now == "working"
        return ("Enter",)

    def holds(self, composer: Composer, text: str) -> bool:
        """A long paste shows as a mark with its length, behind a draft that stood there before. Of a tall
        text only the last rows are on the screen."""
        mark = _PASTE_MARK.search(composer.text)
        if mark is not None:
            length, head = int(mark[1]), composer.text[: mark.start()]
            rest = text[: max(len(text) - length, 0)]
            return length <= len(text) and (shows_whole(head, rest) or not (head.strip() or rest.strip()))
        if not composer.collapsed:
            return shows_whole(composer.text, text)
        shown, whole = "".join(composer.text.split()), "".join(text.split())
        return len(shown) > 0 and whole.endswith(shown)

    async def now(self, who: Sighting) -> AgentNow:
        here = await self._looker.again(who)
        if here.uncertain and here.session_id is None:
            return "unknown"
        served = await self._looker.served(here)
        if served is not None and served.value == "waiting":
            return "waiting"
        sign = await self._title_sign(here)
        if sign == "waiting":
            return "waiting"
        turn = await self._looker.turn(here)
        return "working" if turn.value == "open" or sign == "busy" else "idle"

    async def _title_sign(self, here: Sighting) -> str:
        """The title as it is drawn now; the listing's may be a second old."""
        if here.pane is None:
            return ""
        try:
            return read_title((await self._world.frame(here.pane)).title).sign
        except (PaneGone, PaneBusy):
            return ""

    async def position(self, who: Sighting) -> tuple[str | None, str]:
        here = await self._looker.again(who)
        at = f"@{self._world.now_ms()}"
        path = await self._looker.path(here)
        if path is None:
            return here.session_id, at
        try:
            return here.session_id, await read_in_thread(path, _end) + at
        except FileNotFoundError:
            return here.session_id, at

    async def trace(self, who: Sighting, intent: Intent) -> Trace:
        here = await self._looker.again(who)
        place, _, since = intent.position.partition("@")
        since_ms = int(since) if since.isdigit() else 0
        unreadable = False
        for session_id in dict.fromkeys((intent.session_id, here.session_id)):
            if session_id is None:
                continue
            path = await self._looker.path_of(session_id, here.profile)
            if path is None:
                continue
            from_place = place if session_id == intent.session_id else ""
            try:
                found = await read_in_thread(path, _searcher(session_id, intent, from_place, since_ms))
            except OSError:
                unreadable = True
                continue
            if found is not None:
                return found
        if await self._is_queued(here, intent):
            return Trace(state="queued")
        return Trace(state="unreadable" if unreadable else "none")

    async def _is_queued(self, here: Sighting, intent: Intent) -> bool:
        if here.pane is None:
            return False
        try:
            frame = await self._world.frame(here.pane)
        except (PaneGone, PaneBusy):
            return False
        return any(_same_queued(text, intent) for text in queued_texts(frame))

    # --- answering ------------------------------------------------------------------------------------

    async def open_dialog(self, who: Sighting) -> OpenDialog[FoundDialog] | None:
        seen = await self._looker.dialog(await self._looker.again(who))
        if seen is None:
            return None
        return OpenDialog(dialog_id(who.incarnation, seen.position, seen.found.dialog), seen.found)

    def next_step(self, shown: FoundDialog, want: Want, done: int) -> AnswerStep:
        return next_step(shown, want, done)


def _end(file: BinaryIO) -> str:
    """Cursor behind the last complete row."""
    end = 0
    size = file.seek(0, 2)
    back = min(size, 1 << 20)
    file.seek(size - back)
    tail = file.read(back)
    newline = tail.rfind(b"\n")
    end = size - back + newline + 1 if newline >= 0 else 0
    return cursor(file, end)


def _searcher(
    session_id: str, intent: Intent, place: str, since_ms: int
) -> Callable[[BinaryIO], Trace | None]:
    return lambda file: _search(file, session_id, intent, place, since_ms)


def _search(file: BinaryIO, session_id: str, intent: Intent, place: str, since_ms: int) -> Trace | None:
    """The first user row with the intent's text behind ``place``.

    Where the place does not fit (another session, or the file was copied anew) the rows count that are not
    older than the position.
    """
    offset = locate(file, place) if place else None
    rows = _since(file, since_ms - _STEP_BACK_MS) if offset is None else list(rows_from(file, offset))
    for entry in protocol.decode_all(rows).entries:
        text = _typed_text(entry)
        if text is not None and same_message(text, intent):
            return Trace(state="row", item_id=f"{session_id}:{entry.place}", at_ms=entry.at_ms)
    return None


def _since(file: BinaryIO, oldest_ms: int) -> list[Row]:
    """The last rows of a file back to this time."""
    found: list[Row] = []
    for row in rows_back(file):
        entries = protocol.decode_all([row]).entries
        if entries and entries[0].at_ms < oldest_ms:
            break
        found.append(row)
    found.reverse()
    return found


def _typed_text(entry: protocol.Entry) -> str | None:
    """What a person typed, in rows that say so."""
    match entry.payload:
        case protocol.UserText() as said:
            return said.message
        case protocol.ItemCompleted(item=item) if item.type == "UserMessage":
            return "\n".join(part.text for part in item.content if part.text)
        case protocol.ItemCompleted(item=item) if item.source == "user_shell":
            return "!" + readable_command(item.command)
    return None


def _same_queued(text: str, intent: Intent) -> bool:
    """The screen wraps and cuts what waits."""
    shown = "".join(text.split())
    typed = "".join(intent.text.split())
    if shown.endswith("…"):
        return len(shown) > 8 and typed.startswith(shown[:-1])
    return bool(shown) and shown == typed
