"""The client of the background server, against a server of ours on a real Unix socket."""

from __future__ import annotations

import asyncio
import json
import tempfile
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from aiohttp import WSMsgType, web

from controlroom.kit.supervise import Tasks
from controlroom.node.agents.codex import socket as module
from controlroom.node.agents.codex.mapping import Thread
from controlroom.node.agents.codex.socket import DaemonLink

A, B = "01a22c23-2da6-7350-9a9f-ed920651468b", "01a22c27-8f97-73c3-b191-2923ddbb9fd0"


def thread(id: str, status: dict[str, Any], **more: object) -> dict[str, object]:
    base = {
        "id": id,
        "name": "sow",
        "cwd": "/w/garden",
        "path": "/x.jsonl",
        "status": status,
        "ephemeral": False,
    }
    return {**base, "parentThreadId": None, "updatedAt": 1, **more}


class Server:
    """Speaks as the real one does: notifications in between, errors for what it does not know."""

    def __init__(self) -> None:
        self.threads: list[dict[str, object]] = [thread(A, {"type": "idle"})]
        self.helpers: list[dict[str, object]] = []
        self.asked: list[str] = []
        self.fails = ""  # a method that is not known
        self.silent = False
        self.interrupted: list[tuple[str, str]] = []
        self.obeys = True
        self.connections = 0

    def answer(self, method: str, params: dict[str, Any]) -> dict[str, Any]:
        if method == self.fails:
            return {"error": {"code": -32601, "message": f"unknown method {method}"}}
        if method == "thread/loaded/list":
            return {"result": {"data": [each["id"] for each in self.threads], "nextCursor": None}}
        if method == "thread/list":
            data = self.helpers if "ancestorThreadId" in params else self.threads
            return {"result": {"data": data, "nextCursor": None}}
        if method == "thread/turns/list":
            return {"result": {"data": [{"id": f"turn of {params['threadId']}", "status": "inProgress"}]}}
        if method == "turn/interrupt":
            self.interrupted.append((params["threadId"], params["turnId"]))
            if self.obeys:
                self.helpers = [each for each in self.helpers if each["id"] != params["threadId"]]
            return {"result": {}}
        return {"result": {"userAgent": "codex"}}

    async def handle(self, request: web.Request) -> web.WebSocketResponse:
        self.connections += 1
        socket = web.WebSocketResponse()
        await socket.prepare(request)
        async for message in socket:
            if message.type is not WSMsgType.TEXT:
                break
            call = json.loads(message.data)
            self.asked.append(call["method"])
            if "id" not in call or self.silent:
                continue
            await socket.send_str(json.dumps({"method": "configWarning", "params": {"id": 1}}))
            await socket.send_str(
                json.dumps({"id": call["id"], **self.answer(call["method"], call["params"])})
            )
        return socket


@pytest.fixture
def home() -> Iterator[Path]:
    with tempfile.TemporaryDirectory(prefix="cx") as folder:  # short: socket paths have 108 bytes
        yield Path(folder)


@asynccontextmanager
async def listening(home: Path, server: Server) -> AsyncIterator[None]:
    """As the real one: the socket is a symbolic link into another folder."""
    real, link = home / "real.sock", home / "app-server-control" / "app-server-control.sock"
    app = web.Application()
    app.router.add_get("/", server.handle)
    runner = web.AppRunner(app, shutdown_timeout=0.1)
    await runner.setup()
    await web.UnixSite(runner, str(real)).start()
    link.parent.mkdir(exist_ok=True)
    link.unlink(missing_ok=True)
    link.symlink_to(real)
    try:
        yield
    finally:
        await runner.cleanup()


@pytest.fixture
async def tasks() -> AsyncIterator[Tasks]:
    tasks = Tasks("test")
    yield tasks
    await tasks.aclose()


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, seconds in (
        ("POLL_S", 0.02),
        ("FIRST_DELAY_S", 0.02),
        ("LAST_DELAY_S", 0.05),
        ("END_LOOK_S", 0.01),
    ):
        monkeypatch.setattr(module, name, seconds)


def link_to(home: Path, tasks: Tasks) -> DaemonLink:
    return DaemonLink(home, tasks, asyncio.get_running_loop().time)


async def until(condition: Callable[[], object]) -> None:
    async with asyncio.timeout(60):
        while not condition():
            await asyncio.sleep(0.01)


async def test_loaded_threads_with_their_status(home: Path, tasks: Tasks) -> None:
    server = Server()
    server.threads.append(thread(B, {"type": "active", "activeFlags": ["waitingOnApproval"]}))
    async with listening(home, server):
        link = link_to(home, tasks)
        assert link.threads() is None and link.is_settling
        await until(link.threads)
        found = link.threads()
        assert found is not None
        assert found[0] == Thread(
            id=A, name="sow", folder="/w/garden", path="/x.jsonl", status="idle", created_ms=1_796_036_832_678
        )
        assert (found[1].status, found[1].is_waiting) == ("active", True)
    assert server.asked[:2] == ["initialize", "initialized"]
    assert set(server.asked[2:]) == {"thread/loaded/list", "thread/list"}


async def test_one_connection_serves_many_looks(home: Path, tasks: Tasks) -> None:
    server = Server()
    async with listening(home, server):
        link = link_to(home, tasks)
        await until(link.threads)
        before = len(server.asked)
        await until(lambda: link.threads() and len(server.asked) > before + 6)
        assert server.connections == 1


async def test_a_change_of_status_has_its_time(home: Path, tasks: Tasks) -> None:
    link = link_to(home, tasks)
    idle = Thread(id=A, status="idle")
    assert link.since_ms(idle, 1_000) == 1_000 and link.since_ms(idle, 2_000) == 1_000
    assert link.since_ms(Thread(id=A, status="active"), 3_000) == 3_000


async def test_helpers_are_counted_when_somebody_asks(home: Path, tasks: Tasks) -> None:
    server = Server()
    server.helpers = [
        thread(B, {"type": "active", "activeFlags": []}, parentThreadId=A),
        thread("c", {"type": "idle"}, parentThreadId=A),
    ]
    async with listening(home, server):
        link = link_to(home, tasks)
        await until(lambda: link.helpers(A) is not None)
        assert link.helpers(A) == 1


async def test_helpers_and_passing_threads_are_no_conversations(home: Path, tasks: Tasks) -> None:
    server = Server()
    server.threads += [
        thread(B, {"type": "idle"}, parentThreadId=A),
        thread("c", {"type": "idle"}, ephemeral=True),
        thread("d", {"type": "brandNew"}),
    ]
    async with listening(home, server):
        link = link_to(home, tasks)
        await until(link.threads)
        assert [(each.id, each.status) for each in link.threads() or ()] == [(A, "idle"), ("d", "unknown")]


async def test_without_a_server_nothing_is_tried(home: Path, tasks: Tasks) -> None:
    link = link_to(home, tasks)
    assert link.threads() is None and link.problem == ""


async def test_a_server_that_does_not_know_the_question_is_a_problem_and_no_list(
    home: Path, tasks: Tasks
) -> None:
    server = Server()
    server.fails = "thread/loaded/list"
    async with listening(home, server):
        link = link_to(home, tasks)
        link.threads()
        await until(lambda: link.problem)
        assert link.threads() is None and "unknown method" in link.problem and not link.is_settling


async def test_a_silent_server_holds_up_nobody(
    home: Path, tasks: Tasks, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "ANSWER_S", 0.05)
    server = Server()
    server.silent = True
    async with listening(home, server):
        link = link_to(home, tasks)
        assert link.threads() is None
        await until(lambda: link.problem)
        assert link.threads() is None and link.problem.startswith("TimeoutError")


async def test_a_server_that_comes_back_is_read_again(home: Path, tasks: Tasks) -> None:
    first, second = Server(), Server()
    second.threads = [thread(B, {"type": "idle"})]
    link = link_to(home, tasks)
    async with listening(home, first):
        await until(link.threads)
    await until(lambda: link.threads() is None)
    async with listening(home, second):
        await until(link.threads)
        assert [each.id for each in link.threads() or ()] == [B]


async def test_a_list_that_is_too_old_does_not_count(
    home: Path, tasks: Tasks, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with listening(home, Server()):
        link = link_to(home, tasks)
        await until(link.threads)
        monkeypatch.setattr(module, "STALE_S", -1.0)
        assert link.threads() is None


async def test_helpers_that_run_are_interrupted_until_none_does(home: Path, tasks: Tasks) -> None:
    server = Server()
    server.helpers = [thread(B, {"type": "active", "activeFlags": []}), thread(A, {"type": "idle"})]
    async with listening(home, server):
        assert await link_to(home, tasks).end_helpers(A)
    assert server.interrupted == [(B, f"turn of {B}")]


async def test_helpers_that_go_on_are_not_said_to_have_ended(home: Path, tasks: Tasks) -> None:
    server = Server()
    server.helpers, server.obeys = [thread(B, {"type": "active", "activeFlags": []})], False
    link = link_to(home, tasks)
    async with listening(home, server):
        assert not await link.end_helpers(A)
        server.fails = "turn/interrupt"
        assert not await link.end_helpers(A)
    assert not await link.end_helpers(A), "nobody answers"
