"""One session's server kept in view: asked for everything at each listing, and listened to in between.

A listing never waits long for a server: what does not come in time comes with a later listing, and the last
one counts until it is too old. A server that is slow to answer is asked less often. Events only say that it
is time to look; a snapshot says what is so.
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable, Mapping
from typing import TypeVar

import msgspec

from controlroom.core.text import clean_line
from controlroom.kit.clock import Clock
from controlroom.kit.supervise import Tasks
from controlroom.node.mux.base import Opinion, Pane, PaneRef, Server, ServerState
from controlroom.node.mux.herdr import protocol
from controlroom.node.mux.herdr.client import Lost, Nobody, Refused, Shut, call, events
from controlroom.node.mux.herdr.protocol import PaneInfo, ProcessInfo, Snapshot
from controlroom.node.mux.watch import LAST_PAUSE_S, pause_after

T = TypeVar("T")

KIND = "herdr"
PING_TIMEOUT_S = 2.0  # a server answers within milliseconds, other programs behind a socket never do
FRESH_S = 10.0  # a listing counts for so long when no newer one comes
PROCESSES_S = 1.0  # a first listing may spend so long on asking whose processes the panes have
PROCESSES_AT_ONCE = 8
ASK_AGAIN_S = 5.0  # a pane that has no process
BEGINS_WITHIN_S = 10.0  # a shell begins what was typed into it within milliseconds
LONGEST_PATH = 4096


class _Known:
    """What is remembered of one terminal."""

    def __init__(self, now_ms: int) -> None:
        self.processes: ProcessInfo | None = None
        self.asked_s = float("-inf")
        self.look: tuple[object, ...] = ()  # what may show that something happened in it
        self.changed_ms = now_ms
        self.opinion: Opinion | None = None
        self.changes = 0  # of the agent's status, as the server counts them


class _Kept:
    """A pane in whose shell a program was started, and somebody waits for the program's end."""

    def __init__(self, since_s: float) -> None:
        self.has_ended = False  # only the shell is left
        self._since_s = since_s
        self._has_begun = False

    def saw(self, processes: ProcessInfo, now_s: float) -> None:
        """Its processes as they are now: those of an earlier look say nothing of an end."""
        if processes.foreground_process_group_id is None:
            return
        is_shell = processes.foreground_process_group_id == processes.shell_pid
        self._has_begun = self._has_begun or not is_shell
        self.has_ended = is_shell and (self._has_begun or now_s - self._since_s >= BEGINS_WITHIN_S)


class Link:
    """Runs from its first listing until ``aclose``."""

    def __init__(self, path: str, clock: Clock, changed: Callable[[], None], patience_s: float) -> None:
        """``patience_s``: how long a listing may wait for a server that has answered in time so far."""
        self.path = path
        self.is_gone = False
        self.is_stalled = False  # a read came too late: none is worth to be waited for until one is answered
        self.opened: set[str] = set()  # panes in whose shell a program was started here
        self._clock = clock
        self._changed = changed
        self._patience_s = patience_s
        self._tasks = Tasks(f"herdr {path}")
        self._asking: asyncio.Task[None] | None = None
        self._is_slow = False
        self._is_herdr = False
        self._failures = 0
        self._next_s = float("-inf")
        self._read_s = float("-inf")
        self._server: Server | None = None
        self._snapshot: Snapshot | None = None
        self._panes: tuple[Pane, ...] = ()
        self._terminals: dict[tuple[str, str], _Known] = {}
        self._kept: dict[str, _Kept] = {}
        self._told: tuple[str, ...] | None = None  # the panes whose status is subscribed to
        self._events: asyncio.Task[None] | None = None

    async def aclose(self) -> None:
        await self._tasks.aclose()

    async def listing(self) -> tuple[Server | None, tuple[Pane, ...]]:
        """The server and its panes, as far as is known by now. None: nobody is there, or it is not known yet
        who."""
        if self._asking is not None and not self._is_slow:
            # It may have begun before what is asked about had happened.
            await self._wait_for(self._asking, self._patience_s)
        is_new = self._asking is None and self._clock.monotonic() >= self._next_s
        if is_new:
            self._asking = self._tasks.start("look", self._look())
        if self._asking is not None and (is_new or not self._is_slow):
            await self._wait_for(self._asking, 0.0 if self._is_slow else self._patience_s)
        if self._clock.monotonic() - self._read_s > FRESH_S and self._panes:
            self._trouble("failing", f"The Herdr server at {self.path} does not answer.")
        return self._server, self._panes

    async def _wait_for(self, look: asyncio.Task[None], seconds: float) -> None:
        """For this look: whoever else waited for it may have begun the next one by now."""
        done, _ = await asyncio.wait({look}, timeout=seconds)
        self._is_slow = not done

    def terminal_of(self, pane_id: str) -> str | None:
        """The terminal that the pane had at the last look that saw anything; None for a pane that was not
        there. In trouble too: a server that could not be read may have been started anew meanwhile."""
        panes = () if self._snapshot is None else self._snapshot.panes
        return next((pane.terminal_id for pane in panes if pane.pane_id == pane_id), None)

    def size_of(self, pane_id: str) -> tuple[int, int] | None:
        return None if self._snapshot is None else self._snapshot.sizes.get(pane_id)

    def keep(self, pane_id: str, *, is_kept: bool) -> None:
        """Tell from now on, or no more, when only its shell is left in a pane that we opened. (Herdr keeps
        the shell, so the last words of a program can be read.) Other panes go with their program."""
        if is_kept and pane_id in self.opened:
            self._kept[pane_id] = _Kept(self._clock.monotonic())
        else:
            self._kept.pop(pane_id, None)

    def forget(self, pane_id: str) -> None:
        """The pane is gone."""
        self.opened.discard(pane_id)
        self._kept.pop(pane_id, None)

    def moved(self, pane_id: str, terminal_id: str) -> None:
        """Its screen was seen to be another one than before."""
        if (known := self._terminals.get((pane_id, terminal_id))) is not None:
            known.changed_ms = self._clock.now_ms()

    def stall(self, method: str, asked: Mapping[str, object]) -> None:
        """This read, which changes nothing, came too late. It is repeated until it is answered."""
        if not self.is_stalled:
            self.is_stalled = True
            self._tasks.start("probe", self._probe(method, asked))

    async def _probe(self, method: str, asked: Mapping[str, object]) -> None:
        failures = 0
        while self.is_stalled:
            failures += 1
            await asyncio.sleep(pause_after(failures))
            try:
                await call(self.path, method, asked)
            except (Lost, Shut):
                continue
            except (Nobody, Refused):
                pass  # whoever reads next is told
            self.is_stalled = False
        self._changed()

    # --- one look ---

    async def _look(self) -> None:
        began = self._clock.monotonic()
        try:
            await self._read()
        except Nobody:
            self._forget()
            self.is_gone = True
        except Shut as error:
            self._fail("unreadable" if error.is_denied else "failing", f"cannot be opened ({error})")
        except Refused as error:
            self._fail("failing", f"refuses to list its panes ({clean_line(error.code, 60)})")
        except Lost as error:
            self._is_herdr = False
            self._fail("failing", f"does not answer as Herdr does ({error})")
        finally:
            self._asking = None
            ended = self._clock.monotonic()
            took = ended - began
            if took <= self._patience_s:
                self._is_slow = False
            rest = took if took > self._patience_s else 0.0  # a snapshot holds up everything in the server
            self._next_s = ended + max(min(rest, LAST_PAUSE_S), pause_after(self._failures))

    async def _read(self) -> None:
        """Raises what ``call`` raises."""
        if not self._is_herdr:
            pong = read(protocol.parse_pong, await call(self.path, "ping", {}, timeout_s=PING_TIMEOUT_S))
            self._is_herdr = True
            if pong.protocol < protocol.OLDEST:
                self._too_old(pong.version, pong.protocol)
                return
        snapshot = read(protocol.parse_snapshot, await call(self.path, "session.snapshot", {}))
        if snapshot.protocol < protocol.OLDEST:
            self._too_old(snapshot.version, snapshot.protocol)
            return
        await self._ask_for_processes(snapshot)
        before = (self._server, tuple(pane.ref.id for pane in self._panes))
        here = {pane.pane_id for pane in snapshot.panes}
        for pane in () if self._snapshot is None else self._snapshot.panes:
            if pane.pane_id not in here:
                self.forget(pane.pane_id)
        self.is_gone = False  # it may have come back since
        self._snapshot = snapshot
        self._server = Server(path=self.path, state="ok", version=snapshot.version)
        self._panes = self._listed(snapshot)
        self._read_s = self._clock.monotonic()
        self._failures = 0
        if before != (self._server, tuple(pane.ref.id for pane in self._panes)):
            self._changed()
        self._listen(tuple(sorted(snapshot.agents)))

    def _too_old(self, version: str, number: int) -> None:
        self._failures += 1
        self._snapshot = None
        text = (
            f"The Herdr server at {self.path} runs version {clean_line(version, 40) or 'unknown'} (protocol"
            f" {number}); 0.7.5 (protocol {protocol.OLDEST}) or newer is needed."
        )
        self._trouble("too_old", text, version)
        self._is_herdr = False  # the next look asks anew

    def _fail(self, state: ServerState, why: str) -> None:
        """It is tried again; its panes stay listed as long as they may still be true."""
        self._failures += 1
        if self._failures > 1 or not self._panes:
            self._trouble(state, f"The Herdr server at {self.path} {why}.")

    def _trouble(self, state: ServerState, problem: str, version: str = "") -> None:
        version = version or (self._server.version if self._server is not None else "")
        server = Server(path=self.path, state=state, version=version, problem=problem)
        if server != self._server:
            self._server = server
            self._changed()
        self._panes = ()

    def _forget(self) -> None:
        was = self._server
        self._server, self._snapshot, self._panes = None, None, ()
        self._is_herdr = False
        if was is not None:
            self._changed()

    # --- processes ---

    async def _ask_for_processes(self, snapshot: Snapshot) -> None:
        """Ask for those of terminals that are new, or that have none; panes of agents first."""
        here = {(pane.pane_id, pane.terminal_id) for pane in snapshot.panes}
        self._terminals = {key: known for key, known in self._terminals.items() if key in here}
        now_s, now_ms = self._clock.monotonic(), self._clock.now_ms()
        todo: list[tuple[str, _Known]] = []
        for pane in sorted(snapshot.panes, key=lambda pane: pane.pane_id not in snapshot.agents):
            known = self._terminals.setdefault((pane.pane_id, pane.terminal_id), _Known(now_ms))
            is_due = not lives(known.processes) and now_s - known.asked_s >= ASK_AGAIN_S
            if is_due or pane.pane_id in self._kept:
                todo.append((pane.pane_id, known))
        ends_s = now_s + PROCESSES_S
        rest = iter(todo)

        async def ask() -> None:
            for pane_id, known in rest:
                if self._clock.monotonic() >= ends_s:
                    return
                known.asked_s = now_s
                if (found := await self._processes(pane_id)) is None:
                    continue
                known.processes = found
                if (kept := self._kept.get(pane_id)) is not None:
                    kept.saw(found, self._clock.monotonic())

        await asyncio.gather(*(ask() for _ in range(min(PROCESSES_AT_ONCE, len(todo)))))

    async def _processes(self, pane_id: str) -> ProcessInfo | None:
        try:
            raw = await call(self.path, "pane.process_info", {"pane_id": pane_id})
            return read(protocol.parse_processes, raw)
        except (Nobody, Shut, Lost, Refused):
            return None

    # --- panes ---

    def _listed(self, snapshot: Snapshot) -> tuple[Pane, ...]:
        panes = (info for info in snapshot.panes if protocol.is_pane_id(info.pane_id))
        return tuple(self._pane(info, snapshot) for info in panes)

    def _pane(self, info: PaneInfo, snapshot: Snapshot) -> Pane:
        known = self._terminals[info.pane_id, info.terminal_id]
        agent = snapshot.agents.get(info.pane_id)
        title = info.terminal_title or (agent.terminal_title if agent is not None else None) or ""
        now_ms = self._clock.now_ms()
        opinion = None
        if agent is not None:
            word = protocol.status_word(agent.agent_status)
            opinion = Opinion(kind=clean_line(agent.agent or "", 40), state=word, at_ms=now_ms)
            was = known.opinion
            is_held = known.changes == agent.state_change_seq  # else it was another one between two looks
            if was is not None and is_held and (was.kind, was.state) == (opinion.kind, word):
                opinion = was
            known.changes = agent.state_change_seq
        look = (title, opinion and opinion.state, agent and agent.state_change_seq, info.foreground_cwd)
        if known.look and look != known.look:
            known.changed_ms = now_ms
        known.look, known.opinion = look, opinion
        processes = known.processes or ProcessInfo()
        width, height = snapshot.sizes.get(info.pane_id, (0, 0))
        if info.scroll is not None and info.scroll.viewport_rows:
            height = info.scroll.viewport_rows
        kept = self._kept.get(info.pane_id)
        tab = snapshot.tabs.get(info.tab_id, "")
        return Pane(
            ref=PaneRef(KIND, self.path, info.pane_id),
            incarnation=info.terminal_id,
            pid=processes.shell_pid or 0,
            tty=clean_line(processes.tty or ""),
            command=clean_line((agent.agent if agent is not None else info.agent) or "shell", 40),
            folder=clean_line(info.foreground_cwd or info.cwd or "", LONGEST_PATH),
            title=clean_line(title),
            session=clean_line(snapshot.workspaces.get(info.workspace_id, "") or info.workspace_id),
            window=clean_line(info.label or tab or info.tab_id),
            width=width,
            height=height,
            alternate=False,
            in_mode=False,
            dead=kept is not None and kept.has_ended,
            active_at_s=known.changed_ms // 1000,
            tells_output=False,
            comes_back=True,
            runs_in_shell=True,
            opinion=opinion,
        )

    # --- events ---

    def _listen(self, agents: tuple[str, ...]) -> None:
        """Subscribe anew when other panes hold agents: a subscription cannot be changed."""
        if self._events is not None:
            if agents == self._told:
                return
            self._events.cancel()
        self._told = agents
        self._events = self._tasks.start("events", self._hear(agents))

    async def _hear(self, agents: tuple[str, ...]) -> None:
        """Pass on that something happened. What older servers repeat after a subscription costs one look."""
        failures, entries = 0, protocol.subscriptions(agents)
        while True:
            began = self._clock.monotonic()
            try:
                async with events(self.path, entries) as names:
                    self._changed()  # what happened before the server agreed is in the next snapshot
                    async for _ in names:
                        self._changed()
            except Refused:
                if not agents:
                    return  # it cannot tell: looking once a second is enough
                # A pane that is gone by now fails the whole request.
                entries, agents = protocol.subscriptions(()), ()
            except (Nobody, Shut, Lost):
                pass
            self._changed()
            failures = 1 if self._clock.monotonic() - began > LAST_PAUSE_S else failures + 1
            await asyncio.sleep(pause_after(failures))


def read(parse: Callable[[msgspec.Raw], T], raw: msgspec.Raw) -> T:
    """What an answer says. Raises Lost when it is not in Herdr's words."""
    try:
        return parse(raw)
    except protocol.Garbage as error:
        raise Lost(str(error)) from None


def lives(processes: ProcessInfo | None) -> bool:
    """Whether the pane's first process is known and still there."""
    if processes is None or not processes.shell_pid or processes.shell_pid <= 0:
        return False
    try:
        os.kill(processes.shell_pid, 0)
    except ProcessLookupError:
        return False
    except OSError:
        return True
    return True
