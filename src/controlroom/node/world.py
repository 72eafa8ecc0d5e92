"""All panes and processes of this machine, as drivers see them: one cache, one reader for each pane."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence

import msgspec

from controlroom.core.screen import Frame
from controlroom.kit.clock import Clock
from controlroom.kit.process import Processes
from controlroom.kit.supervise import Tasks
from controlroom.kit.tty import echoes
from controlroom.node.agents.base import Sighting
from controlroom.node.mux.base import History, Listing, Multiplexer, Pane, PaneGone, PaneRef

QUIET_FRAME_S = 30.0
"""A pane without output since its last capture is captured again after this time, as a safety net."""

PROCESSES_EVERY_S = 3.0
"""Without a change in the panes, the process table is read again after this time."""

MOST_PARENTS = 64

_INHERITED = ("TMUX", "TMUX_PANE", "HERDR_SOCKET_PATH", "HERDR_PANE_ID")


class _Shot(msgspec.Struct):
    """The newest frame of a pane and when it was taken."""

    frame: Frame
    taken: float  # monotonic seconds
    taken_s: int  # wall clock, whole seconds
    active_at_s: int
    title: str


class PaneWorld:
    """``World`` over all multiplexers. ``refresh`` is called by the tracker once a tick."""

    def __init__(self, multiplexers: Sequence[Multiplexer], processes: Processes, clock: Clock) -> None:
        self._multiplexers = {mux.kind: mux for mux in multiplexers}
        self._processes = processes
        self._clock = clock
        self._listing = Listing(servers=(), panes=())
        self._panes: dict[PaneRef, Pane] = {}
        self._shots: dict[PaneRef, _Shot] = {}
        self._reading: dict[PaneRef, asyncio.Lock] = {}
        self._shape: frozenset[tuple[PaneRef, int, str]] = frozenset()
        self._processes_at = float("-inf")

    @property
    def listing(self) -> Listing:
        return self._listing

    @property
    def processes(self) -> Processes:
        return self._processes

    def now_ms(self) -> int:
        return self._clock.now_ms()

    def pane(self, ref: PaneRef) -> Pane | None:
        return self._panes.get(ref)

    async def refresh(self) -> None:
        """List all panes; read the process table when a pane's program changed, or every few seconds."""
        listings = await asyncio.gather(*(mux.list() for mux in self._multiplexers.values()))
        self._listing = Listing(
            servers=tuple(server for listing in listings for server in listing.servers),
            panes=tuple(pane for listing in listings for pane in listing.panes),
            problem=" ".join(listing.problem for listing in listings if listing.problem),
        )
        self._panes = {pane.ref: pane for pane in self._listing.panes}
        for ref in [ref for ref in self._shots if ref not in self._panes]:
            del self._shots[ref]
            self._reading.pop(ref, None)
        shape = frozenset((pane.ref, pane.pid, pane.command) for pane in self._listing.panes)
        now = self._clock.monotonic()
        if shape != self._shape or now - self._processes_at >= PROCESSES_EVERY_S:
            self._shape, self._processes_at = shape, now
            self._processes.refresh()

    async def still(self, who: Sighting) -> bool:
        """Freshly read: the process lives, its pane exists with it inside, and it has the keyboard.

        A stopped agent (Ctrl-Z) leaves a shell in the foreground: text typed there would run as commands.
        """
        pid_text, _, start = who.incarnation.partition("@")
        if not pid_text.isdigit():
            return True
        pid = int(pid_text)
        if self._processes.start_of(pid) != start:
            return False
        if who.pane is None:
            return True
        mux = self._multiplexers.get(who.pane.multiplexer)
        if mux is None:
            return False
        panes = {pane.ref: pane for pane in (await mux.list()).panes}
        pane = panes.get(who.pane)
        if pane is None or pane.dead:
            return False
        return self._is_inside(pid, pane.pid) and self._processes.has_keyboard(pid)

    def innermost(self, sightings: Sequence[Sighting]) -> list[Sighting]:
        """Each process in one pane only: a multiplexer may run in a pane of another, and both see what runs
        in it."""
        found: list[Sighting] = []
        places: dict[tuple[str, str], int] = {}
        for who in sightings:
            place = places.setdefault((who.kind, who.incarnation), len(found))
            if place == len(found) or who.pane is None or found[place].pane is None:
                found.append(who)
            elif who.pane != found[place].pane and self._steps_to(who) < self._steps_to(found[place]):
                found[place] = who
        return found

    def _steps_to(self, who: Sighting) -> int:
        """How many parents are between this process and its pane's own."""
        pane = None if who.pane is None else self._panes.get(who.pane)
        pid = who.incarnation.partition("@")[0]
        if pane is None or not pid.isdigit():
            return MOST_PARENTS
        return self._steps(int(pid), pane.pid)

    def _is_inside(self, pid: int, ancestor: int) -> bool:
        return self._steps(pid, ancestor) < MOST_PARENTS

    def _steps(self, pid: int, ancestor: int) -> int:
        current: int | None = pid
        for steps in range(MOST_PARENTS):
            if current == ancestor:
                return steps
            if current is None or current <= 1:
                break
            current = self._processes.parent_of(current)
        return MOST_PARENTS

    async def frame(self, ref: PaneRef, *, max_age_s: float = 0.0) -> Frame:
        """The screen. Older than ``max_age_s`` is fine while the pane had no output since (30 s at most).

        One read is outstanding for each pane; who asks meanwhile gets that read's frame if it began
        after the question.
        """
        mux = self._mux(ref)
        asked = self._clock.monotonic()
        if max_age_s > 0 and (shot := self._fresh(ref, max_age_s)) is not None:
            return shot.frame
        async with self._reading.setdefault(ref, asyncio.Lock()):
            shot = self._shots.get(ref)
            if shot is not None and shot.taken > asked:
                return shot.frame
            pane = self._panes.get(ref)
            began, began_s = self._clock.monotonic(), self._clock.now_ms() // 1000
            try:
                frame = await mux.screen(ref)
            except PaneGone:
                self._shots.pop(ref, None)
                raise
            self._shots[ref] = _Shot(
                frame, began, began_s, pane.active_at_s if pane else 0, pane.title if pane else ""
            )
            return frame

    def known_frame(self, ref: PaneRef, *, max_age_s: float) -> Frame | None:
        shot = self._fresh(ref, max_age_s)
        return None if shot is None else shot.frame

    def _fresh(self, ref: PaneRef, max_age_s: float) -> _Shot | None:
        shot = self._shots.get(ref)
        if shot is None:
            return None
        age = self._clock.monotonic() - shot.taken
        if age < max_age_s:
            return shot
        pane = self._panes.get(ref)
        quiet = (
            pane is not None
            and pane.tells_output
            and pane.active_at_s == shot.active_at_s
            and pane.active_at_s < shot.taken_s
            and pane.title == shot.title
            and (pane.width, pane.height) == (shot.frame.width, shot.frame.height)
        )
        return shot if quiet and age < QUIET_FRAME_S else None

    async def paste(self, ref: PaneRef, text: str) -> int:
        pasted = await self._mux(ref).paste(ref, text)
        return pasted.removed

    async def keys(self, ref: PaneRef, keys: tuple[str, ...]) -> None:
        await self._mux(ref).keys(ref, keys)

    async def scrollback(self, ref: PaneRef, lines: int) -> History:
        return await self._mux(ref).scrollback(ref, lines)

    def echo(self, ref: PaneRef) -> bool | None:
        """Whether the program in this pane echoes what is typed, see ``kit.tty``. Three system calls."""
        pane = self._panes.get(ref)
        return None if pane is None or pane.dead else echoes(pane.tty)

    async def open_window(
        self, near: PaneRef, *, name: str, folder: str, environment: Mapping[str, str], argv: Sequence[str]
    ) -> PaneRef:
        """See ``Multiplexer.open_window``."""
        mux = self._mux(near)
        return await mux.open_window(near, name=name, folder=folder, environment=environment, argv=argv)

    async def incarnation(self, ref: PaneRef) -> str:
        """That of a pane which may be younger than the last look, freshly read; "" when it is not there."""
        panes = (await self._mux(ref).list()).panes
        return next((pane.incarnation for pane in panes if pane.ref == ref), "")

    async def keep(self, ref: PaneRef, *, is_kept: bool) -> None:
        await self._mux(ref).keep(ref, is_kept)

    async def rename(self, ref: PaneRef, name: str) -> None:
        await self._mux(ref).rename(ref, name)

    async def remove(self, ref: PaneRef) -> None:
        await self._mux(ref).remove(ref)

    async def hint(self, ref: PaneRef, agent_id: str) -> None:
        pane = self._panes.get(ref)
        if pane is not None and pane.hint != agent_id:
            await self._mux(ref).set_hint(ref, agent_id)

    async def settle(self, seconds: float) -> None:
        """Give a program time to redraw; a mirror that sees nothing new is not a proof of anything."""
        await asyncio.sleep(seconds)

    async def wait_change(self, timeout_s: float) -> None:
        """Until a server appears or vanishes, or the time has passed."""
        muxes = list(self._multiplexers.values())
        if not muxes:
            await asyncio.sleep(timeout_s)
            return
        tasks = Tasks("world")
        waits = [tasks.start(f"wait:{mux.kind}", mux.wait_change(timeout_s)) for mux in muxes]
        try:
            await asyncio.wait(waits, return_when=asyncio.FIRST_COMPLETED)
        finally:
            await tasks.aclose()

    def agent_pane_of(self, pid: int) -> PaneRef | None:
        """The pane in whose process tree ``pid`` runs: by its parents, else by what it inherited.

        A program that left its parents (a daemon) still carries TMUX and TMUX_PANE of its pane, or Herdr's
        like.
        """
        by_pid = {pane.pid: pane.ref for pane in self._listing.panes}
        current: int | None = pid
        for _ in range(64):
            if current is None or current <= 1:
                break
            if current in by_pid:
                return by_pid[current]
            current = self._processes.parent_of(current)
        inherited = self._processes.environ(pid, _INHERITED)
        places = {
            (inherited.get("TMUX", "").split(",")[0], inherited.get("TMUX_PANE")),
            (inherited.get("HERDR_SOCKET_PATH"), inherited.get("HERDR_PANE_ID")),
        }
        panes = (pane.ref for pane in self._listing.panes)
        return next((ref for ref in panes if (ref.server, ref.id) in places), None)

    def _mux(self, ref: PaneRef) -> Multiplexer:
        mux = self._multiplexers.get(ref.multiplexer)
        if mux is None:
            raise PaneGone(f"no multiplexer {ref.multiplexer}")
        return mux

    async def start(self) -> None:
        for mux in self._multiplexers.values():
            await mux.start()

    async def aclose(self) -> None:
        for mux in reversed(list(self._multiplexers.values())):
            await mux.aclose()
