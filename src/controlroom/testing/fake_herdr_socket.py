"""The socket of a fake Herdr server, with each trap of the real one.

One request for each connection, answers and refusals in its shape, subscriptions that end when anything is
written to them. What it answers comes from ``controlroom.testing.fake_herdr``.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from pathlib import Path
from typing import Any

import msgspec

from controlroom.kit.supervise import Tasks

MIB = 1024 * 1024
RING = 512  # events, all kinds together
PEEK_S = 0.02  # the real one looks every 100 ms
Event = tuple[str, dict[str, Any]]  # the name as it is asked for, and its data
Call = Callable[[dict[str, Any]], Awaitable[dict[str, Any]]]


class FakeError(Exception):
    """An answer that says no."""

    def __init__(self, code: str) -> None:
        super().__init__(code)
        self.code = code


class FakeHerdrSocket:
    """Listens between ``listen`` and ``close``. The attributes are traps, and may be set at any time."""

    def __init__(self, path: Path, calls: Mapping[str, Call], has_pane: Callable[[str], bool]) -> None:
        self.path = path
        self.asked: list[tuple[str, dict[str, Any]]] = []
        self.unknown_methods: set[str] = set()
        self.replays = True  # a new subscription is told what happened before it, as up to 0.8.2
        self.mute: set[str] = set()  # these events are lost
        self.delay_s: dict[str, float] = {}  # by method; "" is all others
        self.cut: dict[str, int] = {}  # so many bytes of the answer, then the connection ends
        self.loses_answers: set[str] = set()  # it is done, and the connection ends
        self.extra_bytes = 0  # how much longer each answer is
        self.raw: bytes | None = None  # answers with this, whatever is asked
        self.subscribed = 0
        self.broken_subscriptions = 0  # by something that was written to one
        self._calls = calls
        self._has_pane = has_pane
        self._events: list[Event] = []
        self._server: asyncio.Server | None = None
        self._tasks = Tasks("fake herdr")
        self._writers: set[asyncio.StreamWriter] = set()

    async def listen(self) -> None:
        self._events = []
        self.path.parent.mkdir(parents=True, exist_ok=True)
        self.path.unlink(missing_ok=True)
        self._server = await asyncio.start_unix_server(self._accepted, str(self.path), limit=MIB)
        self.path.chmod(0o600)

    async def close(self, *, leave_socket: bool = False) -> None:
        """A server that is killed leaves its socket."""
        if self._server is None:
            return
        self._server.close()
        self._server = None
        await self._tasks.aclose()
        self.drop_connections()
        await asyncio.sleep(0)  # a transport closes its socket in the loop's next turn
        if not leave_socket:
            self.path.unlink(missing_ok=True)

    def drop_connections(self) -> None:
        """As when an update hands the panes over to a new server: they live on, connections do not."""
        for writer in list(self._writers):
            writer.transport.abort()

    def happened(self, name: str, data: dict[str, Any]) -> None:
        if name not in self.mute:
            self._events.append((name, data))

    def _accepted(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._writers.add(writer)
        self._tasks.start("connection", self._serve(reader, writer))

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            await self._one(reader, writer)
        except (ConnectionError, asyncio.IncompleteReadError, asyncio.LimitOverrunError, TimeoutError):
            pass  # closed without an answer
        finally:
            self._writers.discard(writer)
            writer.close()

    async def _one(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        async with asyncio.timeout(5.0):
            line = await reader.readuntil(b"\n")
        if not line.strip():
            return
        if self.raw is not None:
            writer.write(self.raw)
            await writer.drain()
            return
        try:
            asked = msgspec.json.decode(line)
            id, method, params = str(asked["id"]), str(asked["method"]), dict(asked["params"])
            call = self._subscribe if method == "events.subscribe" else self._calls[method]
        except (msgspec.DecodeError, KeyError, TypeError, ValueError):
            await self._send(writer, "", failure("", "invalid_request"))
            return
        if method in self.unknown_methods:
            await self._send(writer, method, failure("", "invalid_request"))
            return
        self.asked.append((method, params))
        await asyncio.sleep(self.delay_s.get(method, self.delay_s.get("", 0.0)))
        try:
            result = await call(params)
        except FakeError as error:
            await self._send(writer, method, failure(id, error.code))
            return
        except (KeyError, TypeError, ValueError):
            await self._send(writer, method, failure("", "invalid_request"))
            return
        if method not in self.loses_answers:
            await self._send(writer, method, {"id": id, "result": result})
        if method == "events.subscribe":
            await self._tell(reader, writer, params["subscriptions"])

    async def _send(self, writer: asyncio.StreamWriter, method: str, answer: dict[str, Any]) -> None:
        if self.extra_bytes:
            answer = answer | {"more": "x" * self.extra_bytes}
        data = msgspec.json.encode(answer) + b"\n"
        writer.write(data[: self.cut.get(method, len(data))])
        await writer.drain()

    async def _subscribe(self, params: dict[str, Any]) -> dict[str, Any]:
        if any(
            "pane_id" in entry and not self._has_pane(entry["pane_id"]) for entry in params["subscriptions"]
        ):
            raise FakeError("pane_not_found")
        self.subscribed += 1
        return {"type": "subscription_started"}

    async def _tell(
        self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, entries: list[dict[str, Any]]
    ) -> None:
        told = 0 if self.replays else len(self._events)
        while True:
            told = max(told, len(self._events) - RING)  # a burst beyond the ring is lost
            for name, data in self._events[told:]:
                if any(_wants(entry, name, data) for entry in entries):
                    writer.write(msgspec.json.encode(_spelt(name, data)) + b"\n")
            told = len(self._events)
            await writer.drain()
            try:
                async with asyncio.timeout(PEEK_S):
                    self.broken_subscriptions += bool(await reader.read(1))
                return  # any byte, and a half-close, means that the peer is gone
            except TimeoutError:
                continue


def failure(id: str, code: str) -> dict[str, Any]:
    """A refusal in its envelope."""
    return {"id": id, "error": {"code": code, "message": code.replace("_", " ")}}


def _wants(entry: Mapping[str, Any], name: str, data: Mapping[str, Any]) -> bool:
    is_it: bool = entry["type"] == name and entry.get("pane_id", data.get("pane_id")) == data.get("pane_id")
    return is_it


def _spelt(name: str, data: Mapping[str, Any]) -> dict[str, Any]:
    """The status of a pane keeps its dots and has no ``type`` inside; all others have."""
    if name == "pane.agent_status_changed":
        return {"event": name, "data": data}
    spelt = name.replace(".", "_")
    return {"event": spelt, "data": {"type": spelt, **data}}
