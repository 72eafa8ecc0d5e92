"""A hub that says what a test tells it to, behind a real socket: for the command line alone.

It runs in a thread of its own, because commands run their own event loop.
"""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from concurrent.futures import Future
from pathlib import Path
from typing import Any

import msgspec
from aiohttp import WSMsgType, web

from controlroom.wire.client import (
    Accepted,
    AnswerDialog,
    Done,
    Error,
    EventFrame,
    ItemsFrame,
    PressKeys,
    Resync,
    ScreenFrame,
    SendMessage,
    Status,
    Welcome,
)
from controlroom.wire.model import Agent, Fleet, Item, Items, Message, Screen
from controlroom.wire.notification import Notification, Notifications, NotificationSettings
from controlroom.wire.policy import PolicyReport
from controlroom.wire.usage import Account, Profile, UsageReport
from tests.integration.cli.stub_questions import StubQuestions
from tests.unit.cli.agents import NOW


class StubHub:
    """``with StubHub(folder) as hub``; change its public fields, read ``calls``."""

    def __init__(self, home: Path) -> None:
        self.home = home
        self.fleet = Fleet(seq=1, machines=(), agents=())
        self.status = Status(
            url="http://localhost:8767/app/",
            version="0.1.0",
            pid=1,
            started_at_ms=NOW,
            machines=1,
            agents=0,
            health=(),
        )
        self.items: dict[str, Items] = {}
        self.questions = StubQuestions()
        self.accounts: tuple[Account, ...] = ()
        self.profiles: tuple[Profile, ...] = ()
        self.used: dict[str, UsageReport] = {}  # by what it is asked for
        self.screen: Screen | None = None
        self.policy: PolicyReport | None = None
        self.notifications: tuple[Notification, ...] = ()
        self.notification_settings: NotificationSettings | None = None
        self.course: list[dict[str, Any]] = []  # states that a message goes through, one for each look
        self.refusals: dict[str, Error] = {}  # by "METHOD /path"
        self.calls: list[tuple[str, Any]] = []
        self.on_watch: ScreenFrame | None = None  # shown to whoever watches
        self.frames: list[Any] = []  # what clients of the live socket said
        self._messages: dict[str, Message] = {}
        self._sockets: set[web.WebSocketResponse] = set()
        self._loop = asyncio.new_event_loop()
        self._runner: web.AppRunner | None = None
        self._thread = threading.Thread(target=self._loop.run_forever, daemon=True)

    def __enter__(self) -> StubHub:
        self._thread.start()
        self.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join(10)
        self._loop.close()

    def start(self) -> None:
        self._now(self._start())

    def stop(self) -> None:
        """As if the control room had ended."""
        self._now(self._stop())

    def push(self, frame: Any) -> None:
        """Send a frame to all live sockets."""
        self._now(self._push(frame))

    def change(self, agent: Agent) -> None:
        """An agent changed: in the fleet and as an event."""
        others = tuple(one for one in self.fleet.agents if one.id != agent.id)
        self.fleet = msgspec.structs.replace(self.fleet, seq=self.fleet.seq + 1, agents=(*others, agent))
        data = msgspec.Raw(msgspec.json.encode(agent))
        self.push(EventFrame(seq=self.fleet.seq, at_ms=NOW, name="agent.changed", data=data))

    def add(self, chat_id: str, *items: Item) -> None:
        """New items in a chat: readable, and pushed to those that opened it."""
        page = self.items[chat_id]
        self.items[chat_id] = msgspec.structs.replace(page, items=(*page.items, *items))
        self.push(ItemsFrame(chat_id=chat_id, items=items))

    @property
    def watchers(self) -> int:
        return len(self._sockets)

    # ---- the server ----------------------------------------------------------------------------------------

    def _now(self, work: Any) -> Any:
        future: Future[Any] = asyncio.run_coroutine_threadsafe(work, self._loop)
        return future.result(10)

    async def _start(self) -> None:
        app = web.Application()
        app.router.add_get("/api/v1/live", self._live)
        app.router.add_route("*", "/api/v1/{rest:.*}", self._answer)
        self._runner = web.AppRunner(app, shutdown_timeout=0.1)
        await self._runner.setup()
        await web.UnixSite(self._runner, str(self.home / "control.sock")).start()

    async def _stop(self) -> None:
        for socket in list(self._sockets):
            await socket.close()
        if self._runner is not None:
            await self._runner.cleanup()
            self._runner = None

    async def _push(self, frame: Any) -> None:
        for socket in list(self._sockets):
            await socket.send_str(msgspec.json.encode(frame).decode())

    async def _live(self, request: web.Request) -> web.StreamResponse:
        socket = web.WebSocketResponse()
        await socket.prepare(request)
        welcome = Welcome(seq=self.fleet.seq, protocol=1, server_time_ms=NOW, version="0.1.0")
        for frame in (welcome, Resync(fleet=self.fleet)):
            await socket.send_str(msgspec.json.encode(frame).decode())
        self._sockets.add(socket)
        async for message in socket:
            if message.type is WSMsgType.TEXT:
                said = msgspec.json.decode(message.data)
                self.frames.append(said)
                if said["type"] == "watch" and self.on_watch is not None:
                    await socket.send_str(msgspec.json.encode(self.on_watch).decode())
        self._sockets.discard(socket)
        return socket

    async def _answer(self, request: web.Request) -> web.Response:
        path = request.match_info["rest"]
        body = await request.read()
        self.calls.append((f"{request.method} /{path}", body))
        refusal = self.refusals.get(f"{request.method} /{path}")
        if refusal is not None:
            return _json(refusal, 409)
        head, *rest = path.split("/")
        routes: dict[str, Callable[[list[str], bytes], object | None]] = {
            "fleet": lambda rest, body: self.fleet,
            "status": lambda rest, body: self._status(),
            "questions": lambda rest, body: self.questions.answer(rest, body, dict(request.query)),
            "accounts": lambda rest, body: self.accounts,
            "profiles": lambda rest, body: self.profiles,
            "usage": lambda rest, body: self.used[request.query["by"]],
            "pause": lambda rest, body: self.questions.pause(body),
            "chats": lambda rest, body: self.items.get(rest[0]),
            "policy": lambda rest, body: self.policy,
            "notifications": self._notification,
            "messages": lambda rest, body: self._next_state(rest[0]),
            "agents": self._agent,
        }
        answer = routes[head](rest, body)
        if answer is None:
            return _json(Error(code="not_found", text="There is no such thing."), 404)
        if isinstance(answer, Error):
            return _json(answer, 409)
        return _json(answer, 202 if isinstance(answer, Accepted | Done) else 200)

    def _status(self) -> Status:
        return msgspec.structs.replace(self.status, paused=self.questions.paused)

    def _notification(self, rest: list[str], body: bytes) -> object | None:
        if not rest:
            return Notifications(notifications=self.notifications)
        if rest[0] in ("settings", "snooze"):
            return self.notification_settings
        return next((one for one in self.notifications if one.id == rest[0]), None)

    def _agent(self, rest: list[str], body: bytes) -> object | None:
        agent = next(one for one in self.fleet.agents if one.id == rest[0])
        match rest[1]:
            case "chat":
                return self.items.get(agent.chat_id)
            case "screen":
                return self.screen
            case "messages":
                sent = msgspec.json.decode(body, type=SendMessage)
                return self._accept(agent, sent)
            case "answer":
                answer = msgspec.json.decode(body, type=AnswerDialog)
                return Done(request_id=answer.request_id, state="delivered")
            case "keys":
                keys = msgspec.json.decode(body, type=PressKeys)
                return Done(request_id=keys.request_id, state="delivered")
            case "interrupt":
                return Done(request_id="req", state="delivered", detail="The turn has ended.")
        return None

    def _accept(self, agent: Agent, sent: SendMessage) -> Accepted:
        self._messages[sent.id] = Message(
            id=sent.id,
            chat_id=agent.chat_id,
            agent_id=agent.id,
            text=sent.text,
            state="accepted",
            when=sent.when,
            created_at_ms=NOW,
            changed_at_ms=NOW,
        )
        return Accepted(id=sent.id, state="accepted")

    def _next_state(self, message_id: str) -> Message | None:
        message = self._messages.get(message_id)
        if message is not None and self.course:
            message = msgspec.structs.replace(message, **self.course.pop(0))
            self._messages[message_id] = message
        return message


def _json(body: object, status: int = 200) -> web.Response:
    return web.Response(body=msgspec.json.encode(body), status=status, content_type="application/json")
