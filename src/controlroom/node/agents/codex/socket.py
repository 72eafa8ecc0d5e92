"""A client of the background server's control socket (codex.md section 7).

WebSocket over a Unix socket; JSON-RPC without "jsonrpc". Only lists are asked for, which neither subscribes
to a thread nor touches the network; what a person drops with an agent is interrupted. The interface is marked
experimental: what it does not know, answers late or wrongly leaves ``threads`` None, and files and screens
have to do.
"""

from __future__ import annotations

import asyncio
import itertools
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path

import aiohttp
import msgspec

import controlroom
from controlroom.core.text import clean_line
from controlroom.kit.supervise import Tasks
from controlroom.node.agents.codex.mapping import Thread, ThreadStatus, created_ms

POLL_S = 1.0
ANSWER_S = 3.0  # it answers within 50 ms; a loaded machine may take seconds
FIRST_DELAY_S, LAST_DELAY_S = 1.0, 30.0
UNWANTED_S = 30.0  # nobody asked for so long: hang up
STALE_S = 8.0  # a list older than this does not count any more
HELPERS_S = 5.0  # helpers are asked for while somebody wanted to know so lately
END_LOOKS, END_LOOK_S = 20, 0.3  # an interrupt takes some 10 ms; a loaded machine may take seconds
MAX_MESSAGE_BYTES = 16 * 1024 * 1024
MAX_THREADS = 100  # the server's own limit for one list


class _Status(msgspec.Struct, frozen=True):
    type: str = ""
    activeFlags: list[str] = []


class _Thread(msgspec.Struct):
    id: str
    name: str | None = None
    cwd: str = ""
    path: str | None = None
    status: _Status = _Status()
    ephemeral: bool = False
    parentThreadId: str | None = None


class _Threads(msgspec.Struct):
    data: list[_Thread]


class _Ids(msgspec.Struct):
    data: list[str]


class _Turn(msgspec.Struct):
    id: str
    status: str = ""


class _Turns(msgspec.Struct):
    data: list[_Turn]


class _Error(msgspec.Struct):
    message: str = ""


class _Answer(msgspec.Struct):
    """Any message; requests and notifications of the server have a method."""

    id: int | str | None = None
    method: str | None = None
    result: msgspec.Raw = msgspec.Raw(b"null")
    error: _Error | None = None


_answer = msgspec.json.Decoder(_Answer)
_STATUSES: dict[str, ThreadStatus] = {
    "notLoaded": "notLoaded",
    "idle": "idle",
    "systemError": "systemError",
    "active": "active",
}


class Refused(Exception):
    """The server answered with an error or not in the way we know."""


_FAILURES = (TimeoutError, aiohttp.ClientError, OSError, Refused, msgspec.MsgspecError)


class DaemonLink:
    """The threads that one profile's server has loaded, read about once a second while somebody asks."""

    def __init__(self, home: Path, tasks: Tasks, monotonic: Callable[[], float]) -> None:
        self._path = home / "app-server-control" / "app-server-control.sock"
        self._tasks = tasks
        self._monotonic = monotonic
        self._task: asyncio.Task[None] | None = None
        self._threads: tuple[Thread, ...] | None = None
        self._read_at = float("-inf")
        self._wanted_at = float("-inf")
        self._first_wanted: float | None = None
        self._asked_helpers: dict[str, float] = {}  # root threads, and when somebody asked for their helpers
        self._helpers: dict[str, int] = {}
        self._since: dict[str, tuple[tuple[ThreadStatus, bool], int]] = {}
        self.problem = ""

    def threads(self) -> tuple[Thread, ...] | None:
        """The newest list, None while there is none. Asking keeps the link up; never waits."""
        self._wanted_at = self._monotonic()
        if self._first_wanted is None:
            self._first_wanted = self._wanted_at
        if (self._task is None or self._task.done()) and self._path.exists():
            self._task = self._tasks.start(f"daemon:{self._path.parent.parent.name}", self._run())
        if self._monotonic() - self._read_at > STALE_S:
            return None
        return self._threads

    def age_s(self) -> float:
        """How old the newest list is."""
        return self._monotonic() - self._read_at

    def helpers(self, thread_id: str) -> int | None:
        """How many helpers of this thread run by the server's word; None until it has said so."""
        self._asked_helpers[thread_id] = self._monotonic()
        return None if self.threads() is None else self._helpers.get(thread_id)

    @property
    def is_settling(self) -> bool:
        """Asked for the first time moments ago: no answer yet means nothing."""
        first = self._first_wanted
        return not self.problem and first is not None and self._monotonic() - first < 2 * ANSWER_S

    def since_ms(self, thread: Thread, now_ms: int) -> int:
        """Since when the thread has been in its state, as far as it was seen."""
        state = (thread.status, thread.is_waiting)
        known = self._since.get(thread.id)
        if known is None or known[0] != state:
            known = self._since[thread.id] = (state, now_ms)
        return known[1]

    async def _run(self) -> None:
        delay = FIRST_DELAY_S
        while self._is_wanted():
            try:
                await self._talk()
                return
            except _FAILURES as error:
                self._threads = None
                self.problem = clean_line(f"{type(error).__name__}: {error}")
            await asyncio.sleep(delay)
            delay = min(delay * 2, LAST_DELAY_S)

    async def end_helpers(self, thread_id: str) -> bool:
        """Interrupt the helpers of this thread that run, which would outlive the program in a pane. Whether
        none runs any more."""
        try:
            async with self._connected() as (socket, ids):
                for _ in range(END_LOOKS):
                    running = await self._running_helpers(socket, ids, thread_id)
                    if not running:
                        return True
                    for helper in running:
                        await self._interrupt(socket, ids, helper)
                    await asyncio.sleep(END_LOOK_S)
        except _FAILURES as error:
            self.problem = clean_line(f"{type(error).__name__}: {error}")
        return False

    async def _interrupt(
        self, socket: aiohttp.ClientWebSocketResponse, ids: itertools.count[int], thread_id: str
    ) -> None:
        newest: dict[str, object] = {"threadId": thread_id, "limit": 1, "sortDirection": "desc"}
        answer = await _ask(socket, next(ids), "thread/turns/list", newest)
        for turn in msgspec.json.decode(answer, type=_Turns).data[:1]:
            if turn.status == "inProgress":
                await _ask(socket, next(ids), "turn/interrupt", {"threadId": thread_id, "turnId": turn.id})

    async def _talk(self) -> None:
        """Ask until nobody wants to know any more."""
        async with self._connected() as (socket, ids):
            while self._is_wanted():
                self._threads = await self._list(socket, ids)
                self._helpers = await self._count_helpers(socket, ids)
                self._read_at, self.problem = self._monotonic(), ""
                await asyncio.sleep(POLL_S)

    @asynccontextmanager
    async def _connected(
        self,
    ) -> AsyncIterator[tuple[aiohttp.ClientWebSocketResponse, itertools.count[int]]]:
        path = await asyncio.to_thread(self._path.resolve)
        async with aiohttp.ClientSession(connector=aiohttp.UnixConnector(path=str(path))) as http:
            async with asyncio.timeout(ANSWER_S):
                socket = await http.ws_connect("http://codex/", max_msg_size=MAX_MESSAGE_BYTES)
            async with socket:
                ids = itertools.count(1)
                await _ask(socket, next(ids), "initialize", _HELLO)
                await socket.send_str('{"method":"initialized"}')
                yield socket, ids

    def _is_wanted(self) -> bool:
        return self._monotonic() - self._wanted_at < UNWANTED_S

    async def _list(
        self, socket: aiohttp.ClientWebSocketResponse, ids: itertools.count[int]
    ) -> tuple[Thread, ...]:
        loaded = msgspec.json.decode(await _ask(socket, next(ids), "thread/loaded/list", {}), type=_Ids).data
        if not loaded:
            return ()
        question = {**_ALL, "includedThreadIds": loaded[-MAX_THREADS:], "useStateDbOnly": True}
        listed = msgspec.json.decode(
            await _ask(socket, next(ids), "thread/list", question), type=_Threads
        ).data
        return tuple(
            _thread(thread) for thread in listed if not thread.ephemeral and not thread.parentThreadId
        )

    async def _count_helpers(
        self, socket: aiohttp.ClientWebSocketResponse, ids: itertools.count[int]
    ) -> dict[str, int]:
        """Lists leave helpers out unless their root is named."""
        recent = self._monotonic() - HELPERS_S
        self._asked_helpers = {id: at for id, at in self._asked_helpers.items() if at >= recent}
        counts = {}
        for root in self._asked_helpers:
            counts[root] = len(await self._running_helpers(socket, ids, root))
        return counts

    async def _running_helpers(
        self, socket: aiohttp.ClientWebSocketResponse, ids: itertools.count[int], root: str
    ) -> list[str]:
        answer = await _ask(socket, next(ids), "thread/list", {**_ALL, "ancestorThreadId": root})
        found = msgspec.json.decode(answer, type=_Threads).data
        return [thread.id for thread in found if thread.status.type == "active"]


class ServedHelpers(msgspec.Struct, frozen=True):
    """The helpers of one thread."""

    link: DaemonLink
    thread_id: str

    def helpers(self) -> int:
        return self.link.helpers(self.thread_id) or 0

    async def end_helpers(self) -> bool:
        return await self.link.end_helpers(self.thread_id)


_ALL: dict[str, object] = {"limit": MAX_THREADS, "modelProviders": []}  # of all providers
_HELLO: dict[str, object] = {
    "clientInfo": {
        "name": "agent_control_room",
        "title": "Agent Control Room",
        "version": getattr(controlroom, "__version__", "0"),
    },
    "capabilities": {"experimentalApi": True},
}


async def _ask(
    socket: aiohttp.ClientWebSocketResponse, id: int, method: str, params: dict[str, object]
) -> msgspec.Raw:
    """One question; what the server says unasked is passed over."""
    async with asyncio.timeout(ANSWER_S):
        await socket.send_str(msgspec.json.encode({"id": id, "method": method, "params": params}).decode())
        while True:
            message = await socket.receive()
            if message.type is not aiohttp.WSMsgType.TEXT:
                raise Refused(f"{method}: the server closed the connection")
            answer = _answer.decode(message.data)
            if answer.method is None and answer.id == id:
                break
    if answer.error is not None:
        raise Refused(f"{method}: {answer.error.message}")
    return answer.result


def _thread(thread: _Thread) -> Thread:
    return Thread(
        id=thread.id,
        name=clean_line(thread.name or "", 1000),
        folder=thread.cwd,
        path=thread.path or "",
        status=_STATUSES.get(thread.status.type, "unknown"),
        is_waiting=bool(thread.status.activeFlags),
        created_ms=created_ms(thread.id),
    )
