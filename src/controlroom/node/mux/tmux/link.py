"""One server kept within reach: attach, notice its end, attach again, and pass on what is asked of it.

Phases of a link: *settling* (looking or attaching), *attached*, *empty* (a server without sessions),
*trouble* (with a sentence for people; tried again after growing pauses), *ended* (nobody behind the socket;
final: a server that appears there later gets a new link). A client that ends is replaced at once; only a
probe that meets nobody says that the server is gone.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Literal

from controlroom.kit.clock import Clock, wait_at_most
from controlroom.kit.supervise import Tasks
from controlroom.node.mux.base import PaneBusy, PaneGone, Server, ServerState
from controlroom.node.mux.memory import Turns
from controlroom.node.mux.tmux.binary import Binary
from controlroom.node.mux.tmux.client import ControlClient, Disconnected, End, NoAnswer
from controlroom.node.mux.tmux.protocol import (
    Block,
    Notice,
    delete_buffers_line,
    is_gone,
    old_buffers_command,
    to_attach,
)
from controlroom.node.mux.tmux.servers import Nobody, Trouble, probe
from controlroom.node.mux.watch import pause_after

ANSWER_TIMEOUT_S = 2.0  # a healthy server answers within milliseconds; a person waits about this long
SETTLE_TIMEOUT_S = 3.0  # looking and attaching takes some 50 ms; longer than one vain probe
EMPTY_PAUSE_S = 1.0  # a server without sessions (exit-empty off) is looked at this often
SHORT_LIFE_S = 2.0  # a client that was sent away sooner counts as trouble ...
SHORT_LIVES = 5  # ... when it happens this often in a row (a script may end several sessions)
TRIES = 3  # of one read: a hostile screen that is read at the same time may tear the connection

_CHANGES = frozenset(
    ["sessions-changed", "window-add", "unlinked-window-add", "window-close", "unlinked-window-close"]
)
Phase = Literal["settling", "attached", "empty", "trouble", "ended"]


class Link:
    """Runs from ``start`` until ``aclose``, or until its server is gone."""

    def __init__(self, binary: Binary, path: str, clock: Clock, changed: Callable[[], None]) -> None:
        self.path = path
        self.phase: Phase = "settling"
        self.turns = Turns()
        self._binary = binary
        self._clock = clock
        self._changed = changed
        self._server = Server(path=path, state="ok")
        self._client: ControlClient | None = None
        self._settled = asyncio.Event()
        self._poked = asyncio.Event()
        self._tasks = Tasks("tmux")

    def start(self) -> None:
        self._tasks.start(f"link {self.path}", self._run())

    async def aclose(self) -> None:
        await self._tasks.aclose()

    def poke(self) -> None:
        """Something moved at the socket: look again now, whatever the pause."""
        self._poked.set()

    async def server(self) -> Server | None:
        """What to tell people, as soon as it is known. None: it is gone."""
        await self._wait_settled()
        if self.phase == "settling":
            return Server(path=self.path, state="failing", problem=f"tmux at {self.path} is not reached yet.")
        return None if self.phase == "ended" else self._server

    async def read(self, *lines: str, timeout_s: float = ANSWER_TIMEOUT_S) -> list[Block]:
        """Ask something that changes nothing; asked again when the client ended meanwhile.

        Raises PaneGone when the server or the pane is gone, else PaneBusy.
        """
        for _ in range(TRIES):
            client = await self._attached()
            try:
                blocks = await client.ask(*lines, timeout_s=timeout_s)
            except NoAnswer:
                break
            except Disconnected:
                continue
            if is_gone(blocks):
                raise PaneGone(self.path)
            return blocks
        raise PaneBusy(f"The tmux server at {self.path} does not answer.")

    async def act(self, *lines: str, timeout_s: float = ANSWER_TIMEOUT_S) -> list[Block]:
        """Ask something that must not happen twice. Raises PaneGone or PaneBusy before anything was sent,
        Disconnected when it may have happened."""
        return await (await self._attached()).ask(*lines, timeout_s=timeout_s)

    def distrust(self) -> None:
        """An answer did not have the shape it must have: whatever stands in the pipe is thrown away."""
        if self._client is not None:
            self._client.abandon("an answer of a wrong shape")

    # --- staying attached ---

    async def _run(self) -> None:
        failures = short_lives = 0
        try:
            while True:
                self._poked.clear()
                found = await probe(self._binary, self.path)
                if isinstance(found, Nobody):
                    return
                if isinstance(found, Trouble):
                    failures += 1
                    self._settle("trouble", found.state, found.problem, found.version)
                elif not found.sessions:
                    self._settle("empty", "ok", "", "")
                    await self._pause(EMPTY_PAUSE_S)
                    continue
                else:
                    began = self._clock.monotonic()
                    end = await self._stay(to_attach(found.sessions), found.version)
                    is_short = end == "left" and self._clock.monotonic() - began < SHORT_LIFE_S
                    short_lives = short_lives + 1 if is_short else 0
                    failures = failures + 1 if end is None else max(short_lives - SHORT_LIVES, 0)
                await self._pause(pause_after(failures))
        finally:
            self._settle("ended", "ok", "", "")

    async def _stay(self, session: str, version: str) -> End | None:
        """Attach and stay until the client ends; why it did, None if it never attached."""
        client = ControlClient(self._binary, self.path, session, self._noticed)
        problem = "does not let us attach"
        try:
            await client.start()
            await self._tidy(client)
            self._client = client
            self._settle("attached", "ok", "", version)
            await client.closed()
            problem = "does not answer" if client.end == "stuck" else ""
            return client.end
        except Disconnected:
            return None
        finally:
            self._unsettle()
            if problem:
                self._settle("trouble", "failing", f"The tmux server at {self.path} {problem}.", version)
            await client.aclose()

    async def _tidy(self, client: ControlClient) -> None:
        """Take away texts that we had loaded and were killed before pasting. Raises Disconnected."""
        listed = await client.ask(
            old_buffers_command(self._clock.now_ms() // 1000), timeout_s=ANSWER_TIMEOUT_S
        )
        if delete := delete_buffers_line(listed):
            await client.ask(delete, timeout_s=ANSWER_TIMEOUT_S)

    def _unsettle(self) -> None:
        self._client = None
        self.phase = "settling"
        self._settled.clear()

    def _settle(self, phase: Phase, state: ServerState, problem: str, version: str) -> None:
        before = (self.phase, self._server)
        self.phase = phase
        self._server = Server(path=self.path, state=state, version=version, problem=problem)
        self._settled.set()
        if before != (self.phase, self._server):
            self._changed()

    async def _pause(self, seconds: float) -> None:
        await wait_at_most(self._poked, seconds)

    def _noticed(self, notice: Notice) -> None:
        if notice.name in _CHANGES:
            self._changed()

    async def _wait_settled(self) -> None:
        await wait_at_most(self._settled, SETTLE_TIMEOUT_S)

    async def _attached(self) -> ControlClient:
        """An open client: what is asked of it at once is really sent."""
        await self._wait_settled()
        if self._client is not None and not self._client.is_open:  # it ended within this very moment
            self._unsettle()
            await self._wait_settled()
        if self.phase in ("ended", "empty"):
            raise PaneGone(self.path)
        if self._client is None or self.phase != "attached":
            raise PaneBusy(self._server.problem or f"The tmux server at {self.path} is not reached yet.")
        return self._client
