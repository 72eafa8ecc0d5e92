"""Facts about one Codex agent, each with its source: file, background server, title, screen, process."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Literal

import msgspec

from controlroom.core.facts import AgentFacts, Dialog, Fact, Fault, Reported, ScreenReading, TurnState
from controlroom.core.screen import Frame
from controlroom.core.text import clean_line
from controlroom.node.agents.base import Sighting, World
from controlroom.node.agents.codex.dialogs import SIGN_IN, FoundDialog
from controlroom.node.agents.codex.finding import Finder
from controlroom.node.agents.codex.rollouts import Followed
from controlroom.node.agents.codex.screens import (
    find_dialog,
    generation,
    limit_notice,
    read_screen,
    read_title,
)
from controlroom.node.agents.codex.session import Session, usage_limit
from controlroom.node.mux.base import PaneBusy, PaneGone

FRAME_AGE_S = 2.0
"""An unwatched screen may be this old (house.md section 8)."""

STILL_MS = 20_000
"""A version without turn rows whose screen stands ready and still for so long works on no answer."""

_EDITS = "Would you like to make the following edits?"


class SeenDialog(msgspec.Struct, frozen=True):
    """The dialog on the screen, made whole, and the session position that is part of its identity."""

    found: FoundDialog
    position: str


class _Drawn(msgspec.Struct, frozen=True):
    """One frame as the matchers read it. ``key``: its revision and the sign in its title."""

    key: tuple[str, str]
    reading: ScreenReading
    found: FoundDialog | None
    limit: str | None
    generation: Literal["", "old", "new"]


class _Seen(msgspec.Struct):
    """What is remembered of one screen between looks, to say since when it has been so."""

    drawn: _Drawn | None = None
    revision: str = ""
    still_ms: int = 0  # since when nothing on the screen has changed
    generation: Literal["", "old", "new"] = ""
    key: tuple[object, ...] = ()
    since_ms: int = 0
    has_dialog: bool = False
    sign: str = ""  # of its title
    sign_ms: int = 0
    title: str = ""
    served: tuple[str, bool] = ("", False)  # what the background server said


class Looker:
    """Reads everything that can be known about sightings."""

    def __init__(self, world: World, finder: Finder) -> None:
        self._world = world
        self._finder = finder
        self._seen: dict[str, _Seen] = {}

    # --- pieces that typing needs too -----------------------------------------------------------------

    async def again(self, who: Sighting) -> Sighting:
        return await self._finder.again(who)

    async def served(self, who: Sighting) -> Fact[Reported] | None:
        """What the background server says of it, unless its file knows better."""
        followed = await self._follow(who)
        return self._server_says(who, None if followed is None else followed.session, self._world.now_ms())

    async def path(self, who: Sighting) -> Path | None:
        return None if who.session_id is None else await self.path_of(who.session_id, who.profile)

    async def path_of(self, session_id: str, profile: str) -> Path | None:
        """The session's file: in its profile, else in any other that is known."""
        first = self._finder.home(profile)
        if (known := first.rollouts.cached(session_id)) is not None:
            return known
        now = asyncio.get_running_loop().time()
        for home in (first, *(other for other in self._finder.homes if other is not first)):
            path = await asyncio.to_thread(home.rollouts.find, session_id, now)
            if path is not None:
                return path
        return None

    async def turn(self, who: Sighting) -> Fact[TurnState]:
        """The last turn, as far as the file (and for old versions the screen) tells."""
        followed = await self._follow(who)
        frame = await self._frame(who, FRAME_AGE_S)
        drawn = None if frame is None else self._read(frame, self._of(who))
        return self._turn(who, None if followed is None else followed.session, drawn)

    async def generation(self, who: Sighting) -> Literal["", "old", "new"]:
        """Of the interface in its pane, remembered once it was seen: it does not change in a process."""
        seen = self._of(who)
        if not seen.generation and (frame := await self._frame(who, 0.0)) is not None:
            self._read(frame, seen)
        return seen.generation

    async def turn_name(self, who: Sighting) -> str:
        """Another name means another turn."""
        followed = await self._follow(await self.again(who))
        return "" if followed is None else f"{followed.session.id}:{followed.session.turn_began_ms}"

    async def dialog(self, who: Sighting) -> SeenDialog | None:
        """The dialog that stands on the screen, freshly read. Raises PaneGone and PaneBusy."""
        frame = None if who.pane is None else await self._world.frame(who.pane)
        found = None if frame is None else find_dialog(frame)
        if found is None:
            return None
        followed = await self._follow(who)
        session = None if followed is None else followed.session
        return SeenDialog(_whole(found, session), "" if session is None else session.position)

    # --- all facts ------------------------------------------------------------------------------------

    async def facts(self, who: Sighting) -> AgentFacts:
        now = self._world.now_ms()
        followed = await self._follow(who)
        session = None if followed is None else followed.session
        seen = self._of(who)
        frame = await self._frame(who, self._frame_age(who, seen, now))
        drawn = None if frame is None else self._read(frame, seen)
        screen = None if drawn is None else self._screen(drawn, session, seen, now)
        source = "socket" if who.headless else "process"
        detail = (
            "the background server works on it; no pane shows it" if who.headless else "its process lives"
        )
        facts = AgentFacts(
            read_at_ms=now,
            started_at_ms=who.started_at_ms,
            alive=Fact(True, source, detail, who.started_at_ms),
            reported=self._reported(who, session, seen, now),
            screen=screen,
            fault=self._fault(who, followed, screen, drawn, now),
        )
        if followed is None or session is None:
            nothing_yet = not who.uncertain and (who.session_id is None or self._is_fileless(who))
            turn = Fact[TurnState]("none", "process", "nothing has been said in it", who.started_at_ms)
            return msgspec.structs.replace(facts, turn=turn) if nothing_yet else facts
        return msgspec.structs.replace(
            facts,
            turn=self._turn(who, session, drawn),
            helpers=self._helpers(who, session),
            reply=session.reply,
            position=session.position,
            moved_at_ms=session.moved_at_ms,
            mark=f"{session.id}:{session.end}",
            busy_since_ms=session.turn_began_ms,
            last_author=session.last_author,
            last_text=session.last_text,
            last_at_ms=session.last_at_ms,
            model=session.model,
            context_used_pct=session.context_used_pct,
            skipped=followed.skipped,
        )

    def forget(self, living: set[str]) -> None:
        for incarnation in [known for known in self._seen if known not in living]:
            del self._seen[incarnation]

    def _reported(
        self, who: Sighting, session: Session | None, seen: _Seen, now: int
    ) -> tuple[Fact[Reported], ...]:
        """The server's word, then the title's; a title without a sign says nothing."""
        found: list[Fact[Reported]] = []
        served = self._server_says(who, session, now)
        if served is not None:
            found.append(served)
        if seen.sign:
            says: Reported = "busy" if seen.sign == "busy" else "waiting"
            found.append(Fact(says, "title", seen.title, seen.sign_ms))
        return tuple(found)

    def _server_says(self, who: Sighting, session: Session | None, now: int) -> Fact[Reported] | None:
        """None where a turn began or ended after the server was asked: then the file knows better."""
        thread = self._finder.thread(who)
        daemon = self._finder.home(who.profile).daemon
        if thread is None or thread.status == "unknown":
            return None
        if session is not None and session.turn_at_ms > now - daemon.age_s() * 1000:
            return None
        value: Reported = "idle"
        if thread.status == "active":
            value = "waiting" if thread.is_waiting else "busy"
        detail = f"the background server says {thread.status}" + ", waiting" * thread.is_waiting
        return Fact(value, "socket", detail, daemon.since_ms(thread, now))

    def _frame_age(self, who: Sighting, seen: _Seen, now: int) -> float:
        """Title and server move at once: when they say something new, or tell of a dialog that has not been
        seen yet, the screen is read anew."""
        pane = None if who.pane is None else self._world.pane(who.pane)
        sign = "" if pane is None else read_title(pane.title).sign
        thread = self._finder.thread(who)
        served = ("", False) if thread is None else (thread.status, thread.is_waiting)
        is_new = sign != seen.sign or served != seen.served
        if sign != seen.sign:
            seen.sign, seen.sign_ms = sign, now
        seen.title = "" if pane is None else clean_line(pane.title)
        seen.served = served
        is_waiting = sign == "waiting" or (thread is not None and thread.is_waiting)
        return 0.0 if is_new or (is_waiting and not seen.has_dialog) else FRAME_AGE_S

    def _of(self, who: Sighting) -> _Seen:
        return self._seen.setdefault(who.incarnation, _Seen())

    def _read(self, frame: Frame, seen: _Seen) -> _Drawn:
        """What the matchers make of a frame; of one that was read before, nothing is done."""
        key = (frame.revision, read_title(frame.title).sign)
        if seen.drawn is None or seen.drawn.key != key:
            reading = read_screen(frame)
            found = find_dialog(frame) if reading.dialog is not None else None
            seen.drawn = _Drawn(key, reading, found, limit_notice(frame), generation(frame))
            seen.generation = seen.generation or seen.drawn.generation
        return seen.drawn

    def _screen(self, drawn: _Drawn, session: Session | None, seen: _Seen, now: int) -> Fact[ScreenReading]:
        reading = drawn.reading
        if drawn.found is not None:
            reading = msgspec.structs.replace(reading, dialog=_whole(drawn.found, session).dialog)
        seen.has_dialog = reading.dialog is not None
        key = (reading.look, *_identity(reading.dialog))
        if key != seen.key:
            seen.key, seen.since_ms = key, now
        if drawn.key[0] != seen.revision:
            seen.revision, seen.still_ms = drawn.key[0], now
        return Fact(reading, "screen", reading.detail, seen.since_ms)

    def _turn(self, who: Sighting, session: Session | None, drawn: _Drawn | None) -> Fact[TurnState]:
        if session is None:
            return Fact("none", "transcript", "nothing has been said yet", who.started_at_ms)
        if (
            session.turn == "open"
            and not self._finder.is_served(who)
            and session.moved_at_ms < who.started_at_ms
        ):
            detail = "the process that ran this turn has ended"
            return Fact("interrupted", "transcript", detail, session.turn_at_ms)
        if session.turn == "open" and session.is_old and drawn is not None and self._rests(who, drawn):
            if drawn.limit is not None:
                return Fact("failed", "screen", "the usage limit is reached", session.turn_at_ms)
            seconds = STILL_MS // 1000
            detail = f"no row for its end in this version; the screen has stood ready for {seconds} s"
            return Fact("interrupted", "screen", detail, session.turn_at_ms)
        return Fact(session.turn, "transcript", session.turn_detail, session.turn_at_ms or who.started_at_ms)

    def _rests(self, who: Sighting, drawn: _Drawn) -> bool:
        """A version that writes no turn rows stands at its composer, and nothing has moved for a while."""
        if drawn.reading.look != "ready":
            return False
        seen = self._of(who)
        is_still = seen.revision == drawn.key[0] and self._world.now_ms() - seen.still_ms >= STILL_MS
        return is_still or drawn.limit is not None

    def _helpers(self, who: Sighting, session: Session) -> Fact[int]:
        """Helpers die with the process that ran them, and their end is then never written."""
        is_served = self._finder.is_served(who)
        running = [at for at in session.helpers.values() if is_served or at >= who.started_at_ms]
        at_ms = max(running, default=session.moved_at_ms)
        if is_served and running:
            counted = self._finder.home(who.profile).daemon.helpers(session.id)
            if counted is not None:
                return Fact(counted, "socket", f"helpers that the background server runs: {counted}", at_ms)
        return Fact(len(running), "transcript", f"helpers started and not completed: {len(running)}", at_ms)

    def _fault(
        self,
        who: Sighting,
        followed: Followed | None,
        screen: Fact[ScreenReading] | None,
        drawn: _Drawn | None,
        now: int,
    ) -> Fault | None:
        if screen is not None and screen.value.look == "startup":
            return _startup_fault(screen)
        if followed is not None and followed.problem:
            return Fault(
                "unreadable", f"Its file cannot be read ({followed.problem}). Check its rights.", now
            )
        if followed is None:
            if who.session_id is None or self._is_fileless(who):
                return None
            text = f"There is no file for its session {who.session_id}. Its history cannot be shown."
            return None if who.uncertain else Fault("history_missing", clean_line(text), who.started_at_ms)
        session = followed.session
        if session.fault is None and session.is_old and drawn is not None and drawn.limit is not None:
            return usage_limit(drawn.limit, session.last_at_ms)
        return session.fault

    def _is_fileless(self, who: Sighting) -> bool:
        return who.session_id is not None and self._finder.is_fileless(who.session_id, who.profile)

    # --- reading --------------------------------------------------------------------------------------

    async def _follow(self, who: Sighting) -> Followed | None:
        rollouts = self._finder.home(who.profile).rollouts
        for _ in range(2):
            path = await self.path(who)
            if path is None or who.session_id is None:
                return None
            followed = await rollouts.follow(who.session_id, path)
            if not followed.is_missing:
                return followed
            rollouts.lost(who.session_id)  # archived or moved: it is searched for once
        return None

    async def _frame(self, who: Sighting, max_age_s: float) -> Frame | None:
        if who.pane is None:
            return None
        try:
            frame = await self._world.frame(who.pane, max_age_s=max_age_s)
        except (PaneGone, PaneBusy):
            return None
        pane = self._world.pane(who.pane)
        # The listing is newer than a frame from the cache, and the title is what moves.
        return frame if pane is None else msgspec.structs.replace(frame, title=pane.title)


def _startup_fault(screen: Fact[ScreenReading]) -> Fault:
    heading = screen.value.detail
    if SIGN_IN.search(heading) or "Welcome to Codex" in heading:
        return Fault("signed_out", "Nobody is signed in to Codex here. Sign in at the machine.", screen.at_ms)
    if "🔒" in heading:
        text = "Another program has this conversation open. Close it there, then retry."
        return Fault("session_open_twice", text, screen.at_ms)
    return Fault("startup_prompt", clean_line(f"It waits at a start-up prompt: {heading}"), screen.at_ms)


def _whole(found: FoundDialog, session: Session | None) -> FoundDialog:
    """A request whose text the screen cuts, or shows only above the dialog (edits), with its whole text."""
    is_edits = found.dialog.text.startswith(_EDITS)
    if session is None or not session.pending or found.dialog.kind != "permission":
        return found
    if not found.is_cut and not is_edits:
        return found
    request = next(reversed(session.pending.values())).request
    dialog = msgspec.structs.replace(found.dialog, text=f"{found.dialog.text}\n\n{request}")
    return msgspec.structs.replace(found, dialog=dialog)


def _identity(dialog: Dialog | None) -> tuple[object, ...]:
    """A dialog without its cursor."""
    if dialog is None:
        return ()
    return (dialog.kind, dialog.text, tuple((option.key, option.label) for option in dialog.options))
