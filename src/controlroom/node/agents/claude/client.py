"""The driver of Claude Code in panes: facts from its registry, its transcript and its screen."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import BinaryIO

import msgspec

from controlroom.core.facts import AgentFacts, Dialog, Fact, Fault, ScreenReading, TurnState
from controlroom.core.screen import Frame
from controlroom.node.agents.base import (
    Answered,
    Found,
    IntentLog,
    ItemsPage,
    Outcome,
    Outgoing,
    SendAs,
    Sighting,
    World,
)
from controlroom.node.agents.claude import faults, launching, moving
from controlroom.node.agents.claude.finder import KIND, Finder
from controlroom.node.agents.claude.keyboard import Keyboard, call_of, settle
from controlroom.node.agents.claude.looks import ASKS_ABOUT_A_CALL
from controlroom.node.agents.claude.pages import newer_page, newest_page, older_page
from controlroom.node.agents.claude.registry import Entry
from controlroom.node.agents.claude.screens import View, read_view
from controlroom.node.agents.claude.sessions import Session, SessionBook
from controlroom.node.agents.claude.words import harmless
from controlroom.node.agents.launching import CannotLaunch, Going, Launch, last_command, new_session_id
from controlroom.node.agents.moving import Moving
from controlroom.node.agents.transcripts import read_in_thread
from controlroom.node.agents.typing import Want, answer_by_keys, interrupt_by_keys, submit_by_typing
from controlroom.node.mux.base import PaneBusy, PaneGone

FRAME_AGE_S = 2.0
"""A status line needs no younger screen (house.md section 8); what the registry says is read at each look."""

CLOCK_SLACK_MS = 2_000
"""A process's start time is known to about a second."""

ROWS_WITHIN_MS = 5_000
"""A turn's last rows are written within this time after the registry says idle (0.1 s seen)."""

ROW_MS = 1_500
"""A dialog may be drawn before the row of its tool call is written (0.1 s, seen once in eight). Until then it
has no position, so no lasting identity, and is not reported."""

HEARS_AFTER_MS = 400
"""A dialog ignores keys in its first 0.2 s (seen); pressed then, they would be lost."""

MAX_LIMIT = 500  # items of one page


class _Quiet(msgspec.Struct, frozen=True):
    """Facts that hold until something is written or drawn, and what they were read from."""

    facts: AgentFacts
    who: Sighting
    entry: Entry | None
    session: Session
    changes: int  # of the session


class _Seen(msgspec.Struct):
    """What the last look at one agent saw."""

    screen: Fact[ScreenReading] | None = None
    view: View | None = None
    revision: str = ""  # of the frame that ``view`` was read from
    read_at_ms: int = 0
    status_at_ms: int = 0  # the registry's, when the screen was read
    session_path: Path | None = None
    quiet: _Quiet | None = None


class ClaudeDriver:
    """All Claude Code agents of this machine. See ``node.agents.base.Driver``."""

    kind = KIND

    def __init__(self, world: World) -> None:
        self._world = world
        self._finder = Finder(world)
        self._book = SessionBook()
        self._seen: dict[str, _Seen] = {}

    async def find(self) -> Found:
        found = self._finder.find()
        living = {who.incarnation for who in found.sightings}
        if self._seen.keys() - living:
            self._seen = {key: seen for key, seen in self._seen.items() if key in living}
            self._book.keep_only({seen.session_path for seen in self._seen.values() if seen.session_path})
        return found

    # --- facts ---

    async def facts(self, who: Sighting) -> AgentFacts:
        pid, _, start = who.incarnation.partition("@")
        if not pid.isdigit() or self._world.processes.start_of(int(pid)) != start:
            return await self.farewell(who)
        now_ms = self._world.now_ms()
        seen = self._seen.setdefault(who.incarnation, _Seen())
        entry, entry_fault = self._entry(who, now_ms)
        session, session_fault = await self._session(who, entry, seen, now_ms)
        await self._look_at_screen(who, entry, seen, now_ms)
        dialog, position = self._dialog(seen, session)
        screen = _with_dialog(seen.screen, dialog)
        if screen is not None and _awaits_its_row(seen, session, now_ms):
            screen = msgspec.structs.replace(screen, value=msgspec.structs.replace(screen.value, dialog=None))
        facts = AgentFacts(
            read_at_ms=seen.read_at_ms,
            started_at_ms=who.started_at_ms,
            alive=Fact(True, "process", f"process {pid} lives", who.started_at_ms),
            reported=tuple(filter(None, [entry.reported() if entry is not None else None])),
            screen=screen,
            position=position,
            turn=_no_turn(who, entry),
        )
        if session is not None:
            facts = self._with_conversation(facts, who, entry, session)
        fault = entry_fault or session_fault or self._fault(who, seen, session, now_ms)
        facts = msgspec.structs.replace(facts, fault=fault)
        seen.quiet = None
        if session is not None and _is_quiet(facts, seen.view):
            seen.quiet = _Quiet(facts, who, entry, session, session.changes)
        return facts

    def glance(self, who: Sighting) -> AgentFacts | None:
        seen = self._seen.get(who.incarnation)
        quiet = seen.quiet if seen is not None else None
        if seen is None or quiet is None or quiet.who != who or who.pane is None:
            return None
        pid, _, start = who.incarnation.partition("@")
        frame = self._world.known_frame(who.pane, max_age_s=FRAME_AGE_S)
        if frame is None or frame.revision != seen.revision:
            return None
        try:
            is_same = (
                self._finder.entry(who) == quiet.entry
                and quiet.session.is_unchanged()
                and quiet.session.changes == quiet.changes
                and self._world.processes.start_of(int(pid)) == start
            )
        except OSError:
            return None
        if not is_same:
            return None
        seen.read_at_ms = self._world.now_ms()
        return msgspec.structs.replace(quiet.facts, read_at_ms=seen.read_at_ms)

    def asks(self, frame: Frame) -> bool:
        return read_view(frame).reading.dialog is not None

    async def farewell(self, who: Sighting) -> AgentFacts:
        now_ms = self._world.now_ms()
        try:
            session = await self._book.look(who.profile, who.session_id, who.folder)
        except OSError:
            session = None
        is_crash = self._finder.left_behind(who)
        why = "its registry file was left behind" if is_crash else "it took its registry file away"
        facts = AgentFacts(
            read_at_ms=now_ms,
            started_at_ms=who.started_at_ms,
            alive=Fact(False, "process", f"its process has ended; {why}", now_ms),
            ended_cleanly=not is_crash,
            fault=faults.crashed(who.folder, who.session_id, now_ms) if is_crash else None,
        )
        return facts if session is None else self._with_conversation(facts, who, None, session)

    def _entry(self, who: Sighting, now_ms: int) -> tuple[Entry | None, Fault | None]:
        try:
            return self._finder.entry(who), None
        except OSError as error:
            return None, faults.unreadable(f"{who.profile}/sessions", error, now_ms)

    async def _session(
        self, who: Sighting, entry: Entry | None, seen: _Seen, now_ms: int
    ) -> tuple[Session | None, Fault | None]:
        session_id = entry.session_id if entry is not None else who.session_id
        try:
            session = await self._book.look(who.profile, session_id, who.folder)
        except OSError as error:
            return None, faults.unreadable(f"{who.profile}/projects", error, now_ms)
        if session is None:
            return None, self._missing(who, session_id, seen, now_ms)
        seen.session_path = session.path
        return session, None

    def _missing(self, who: Sighting, session_id: str | None, seen: _Seen, now_ms: int) -> Fault | None:
        """A session in which nothing was said has no file; one that was seen or resumed must have one."""
        if session_id is None:
            return None
        was_seen = seen.session_path is not None and seen.session_path.stem == session_id
        place = self._finder.place(who.incarnation)
        was_resumed = place is not None and place.resumed and place.session_id == session_id
        return faults.history_missing(session_id, now_ms) if was_seen or was_resumed else None

    async def _look_at_screen(self, who: Sighting, entry: Entry | None, seen: _Seen, now_ms: int) -> None:
        """Read the screen; when it cannot be read now, what was seen stays, with its age."""
        status_at = entry.status_updated_at or 0 if entry is not None else 0
        if who.pane is None:
            seen.screen, seen.view, seen.read_at_ms = None, None, now_ms
            return
        try:
            has_news = status_at != seen.status_at_ms
            frame = await self._world.frame(who.pane, max_age_s=0.0 if has_news else FRAME_AGE_S)
        except PaneBusy:
            return
        except PaneGone:
            seen.screen, seen.view, seen.read_at_ms = None, None, now_ms
            return
        seen.read_at_ms, seen.status_at_ms = now_ms, status_at
        if seen.view is not None and seen.screen is not None and frame.revision == seen.revision:
            return
        view = read_view(frame)
        reading = view.reading
        before = seen.screen
        began = before.at_ms if before is not None and _looks_same(before.value, reading) else now_ms
        seen.screen = Fact(reading, "screen", reading.detail, began)
        seen.view, seen.revision = view, frame.revision

    def _dialog(self, seen: _Seen, session: Session | None) -> tuple[Dialog | None, str]:
        panel = seen.view.panel if seen.view is not None else None
        if panel is not None:
            return settle(panel, session)
        if session is None:
            return None, ""
        calls = session.standing.calls
        return None, calls[0].id if calls else session.standing.last_id

    def _with_conversation(
        self, facts: AgentFacts, who: Sighting, entry: Entry | None, session: Session
    ) -> AgentFacts:
        standing = session.standing
        return msgspec.structs.replace(
            facts,
            turn=_turn(session, who, entry, self._world.now_ms()),
            helpers=_helpers(session, who, entry),
            reply=standing.reply,
            moved_at_ms=standing.moved_at_ms,
            mark=session.mark if standing.chat_end else "",
            busy_since_ms=standing.busy_since_ms,
            last_author=standing.last_author,
            last_text=standing.last_text,
            last_at_ms=standing.last_at_ms,
            model=standing.model,
            skipped=standing.skipped,
        )

    def _fault(self, who: Sighting, seen: _Seen, session: Session | None, now_ms: int) -> Fault | None:
        failure = session.standing.failure if session is not None else None
        is_earlier = failure is not None and failure.at_ms < who.started_at_ms - CLOCK_SLACK_MS
        if failure is not None and is_earlier and failure.code != "usage_limit":
            failure = None  # a new process may have another login; a limit is the account's
        since_ms = seen.screen.at_ms if seen.screen is not None else now_ms
        return (
            faults.startup_prompt(seen.view, since_ms)
            or faults.signed_out(seen.view, failure, since_ms)
            or faults.failed(failure, now_ms)
        )

    # --- conversation ---

    async def items(
        self,
        session_id: str,
        profile: str,
        *,
        before: str | None = None,
        after: str | None = None,
        limit: int = 50,
    ) -> ItemsPage:
        limit = max(1, min(limit, MAX_LIMIT))
        path = self._find_file(session_id, profile)
        read: Callable[[BinaryIO], ItemsPage]
        if before is not None:
            cursor = before

            def read(file: BinaryIO) -> ItemsPage:
                return older_page(file, cursor, limit)
        elif after is not None:
            cursor = after

            def read(file: BinaryIO) -> ItemsPage:
                return newer_page(file, cursor, limit)
        else:

            def read(file: BinaryIO) -> ItemsPage:
                return newest_page(file, limit)

        try:
            return await read_in_thread(path, read)
        except FileNotFoundError as error:
            raise LookupError(f"session {session_id} has no file") from error

    def _find_file(self, session_id: str, profile: str) -> Path:
        """In its own profile first, then in those of living agents: a move copies it."""
        profiles = dict.fromkeys([profile, *self._finder.profiles()])
        for each in profiles:
            try:
                path = self._book.files.find(each, session_id)
            except OSError:
                continue
            if path is not None:
                return path
        raise LookupError(f"session {session_id} has no file")

    # --- acts ---

    def harmless(self, text: str, send_as: SendAs) -> str:
        return harmless(text, send_as)

    async def submit(self, who: Sighting, message: Outgoing, log: IntentLog) -> Outcome:
        return await submit_by_typing(self._world, who, message, log, self._keyboard())

    async def answer(self, who: Sighting, dialog_id: str, option: str | None, text: str | None) -> Answered:
        """``option`` is a key or a whole label; in a multiple choice keys joined by commas."""
        seen = self._seen.get(who.incarnation)
        if seen is not None and seen.screen is not None:
            drawn_ms = max(seen.screen.at_ms, seen.status_at_ms)
            rest_ms = min(drawn_ms + HEARS_AFTER_MS - self._world.now_ms(), HEARS_AFTER_MS)
            if rest_ms > 0:
                await self._world.settle(rest_ms / 1000)
        return await answer_by_keys(self._world, who, self._keyboard(), dialog_id, Want(option, text))

    async def interrupt(self, who: Sighting) -> Answered:
        keyboard = self._keyboard()
        return await interrupt_by_keys(self._world, who, keyboard, turn=keyboard.turn)

    # --- starts ---

    def launch(self, who: Sighting, going: Going, last: Launch | None) -> Launch:
        """See ``Launching``. A session in which nothing was said has no file, and begins under its id."""
        pid, _, start = who.incarnation.partition("@")
        process = self._world.processes.get(int(pid)) if pid.isdigit() else None
        if process is not None and process.start == start:
            command = launching.same_command(process)
            environment = {}  # the launcher takes the old process's own
        else:
            command = last_command(last, launching.PROGRAM)
            environment = launching.environment_of(who.profile)
        if going == "anew":
            session_id = new_session_id()
            return command.launch(environment, session_id, "--session-id", session_id)
        if who.session_id is None:
            raise CannotLaunch("Which session it was in is not known.")
        try:
            has_file = self._book.files.find(who.profile, who.session_id) is not None
        except OSError as error:
            raise CannotLaunch(f"Its sessions cannot be read ({error.strerror}).") from None
        flag = "--resume" if has_file else "--session-id"
        return command.launch(environment, who.session_id, flag, who.session_id)

    def launch_new(self, profile: str, model: str, flags: tuple[str, ...] = ()) -> Launch:
        session_id = new_session_id()
        command = launching.new_command(model, flags)
        environment = launching.environment_of(profile)
        return command.launch(environment, session_id, "--session-id", session_id)

    def safe_option(self, dialog: Dialog, *, is_again: bool) -> str | None:
        return launching.safe_option(dialog, is_again=is_again)

    @property
    def sessions_move(self) -> Moving:
        return moving

    def _keyboard(self) -> Keyboard:
        return Keyboard(self._world, self._finder, self._book)


def _is_quiet(facts: AgentFacts, view: View | None) -> bool:
    """Nothing runs, nothing is asked and nothing is wrong: then time decides nothing, and no file of a
    helper has to be looked into."""
    runs = facts.turn is not None and facts.turn.value == "open"
    helps = facts.helpers is not None and facts.helpers.value > 0
    asks = view is not None and view.panel is not None
    return not (runs or helps or asks or facts.fault is not None)


def _awaits_its_row(seen: _Seen, session: Session | None, now_ms: int) -> bool:
    panel = seen.view.panel if seen.view is not None else None
    if panel is None or session is None or seen.screen is None or now_ms - seen.screen.at_ms >= ROW_MS:
        return False
    return panel.dialog.kind in ASKS_ABOUT_A_CALL and call_of(panel, session) is None


def _with_dialog(screen: Fact[ScreenReading] | None, dialog: Dialog | None) -> Fact[ScreenReading] | None:
    if screen is None or dialog is None:
        return screen
    return msgspec.structs.replace(screen, value=msgspec.structs.replace(screen.value, dialog=dialog))


def _looks_same(before: ScreenReading, after: ScreenReading) -> bool:
    """Moving the cursor, and typing into the composer, begin nothing new."""
    if before.look != after.look or (before.dialog is None) != (after.dialog is None):
        return False
    if before.dialog is None or after.dialog is None:
        return True
    return _asks(before.dialog) == _asks(after.dialog)


def _asks(dialog: Dialog) -> tuple[str, str, tuple[tuple[str, str], ...]]:
    return dialog.kind, dialog.text, tuple((option.key, option.label) for option in dialog.options)


def _no_turn(who: Sighting, entry: Entry | None) -> Fact[TurnState] | None:
    """No turn yet; of a program that is still starting nothing is known."""
    return Fact("none", "transcript", "no turn yet", who.started_at_ms) if entry is not None else None


def _turn(session: Session, who: Sighting, entry: Entry | None, now_ms: int) -> Fact[TurnState] | None:
    """The last turn. One that looks open does not run any more when an earlier process had it, or when the
    program has been at its prompt for a while: an Esc before the first word of a reply takes the prompt back
    into the composer and writes no row (seen)."""
    turn, moved_ms = session.standing.turn, session.standing.moved_at_ms
    is_earlier = moved_ms < who.started_at_ms - CLOCK_SLACK_MS
    if turn is None or (is_earlier and entry is None):
        return _no_turn(who, entry)
    if turn.value != "open":
        return turn
    if is_earlier:
        return Fact("interrupted", turn.source, "the program was started again while it ran", moved_ms)
    reported = entry.reported() if entry is not None else None
    if reported is None or reported.value not in ("idle", "shell"):
        return turn
    if moved_ms < reported.at_ms < now_ms - ROWS_WITHIN_MS:
        return Fact("interrupted", reported.source, "at its prompt, and no reply was written", reported.at_ms)
    return turn


def _helpers(session: Session, who: Sighting, entry: Entry | None) -> Fact[int]:
    """Helpers that run. The registry's "idle" says that none does; those of an earlier process are dead."""
    standing = session.standing
    at_ms = standing.helpers_at_ms or who.started_at_ms
    count = standing.helpers
    reported = entry.reported() if entry is not None else None
    if count and standing.helpers_at_ms and standing.helpers_at_ms < who.started_at_ms - CLOCK_SLACK_MS:
        count = 0
    elif count and reported is not None and reported.value in ("idle", "shell") and reported.at_ms > at_ms:
        count, at_ms = 0, reported.at_ms
    elif count and standing.helper_ids:
        ended = len(standing.helper_ids) - session.helpers.still_running(standing.helper_ids)
        count = max(count - ended, 0)
    return Fact(count, "transcript", f"{count} helpers run" if count else "no helper runs", at_ms)
