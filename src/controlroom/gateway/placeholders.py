"""Channels and routes that clients count on although what stands behind them is not here.

Everything is answered as if nobody were at the other end, and nothing is kept. What a client must not
misunderstand (a reply to an agent that reaches none) is refused in words. Source: relay contract sections
11 to 13 and 18; deliberate differences in docs/reference/relay-differences.md.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Final

from aiohttp import web

from controlroom import __version__
from controlroom.core.access import BRIDGE_COMMANDS
from controlroom.gateway.access import Access
from controlroom.gateway.channels import Channel, Handler, Link
from controlroom.kit.http import json_answer
from controlroom.wire.relay import Envelope

Receive = Callable[[Link, Envelope], Awaitable[None]]

NO_TUI: Final = "This control room has no text interface of an agent host."
NO_CHAT: Final = "Chats with agents are not available over the relay; use the Control Room's own app."
NO_PHONE: Final = "No phone connected. Open the Hermes app on your phone and connect."
NOT_HERE: Final = -32000  # JSON-RPC's range for errors of servers


class Placeholders:
    """The part with the channels ``bridge``, ``tui``, ``desktop``, ``notifications`` and ``chat``. It
    announces no capability."""

    capabilities: Final[Sequence[str]] = ()

    def channels(self) -> Sequence[Channel]:
        return (
            _Channel("bridge", "bridge", _nothing),  # bridge.status, bridge.response
            _Channel("notifications", "chat", _nothing),  # notification.posted
            _Channel("desktop", "tui", _nothing),  # workspace, desktop.status, active_editor
            _Channel("tui", "tui", _tui),
            _Channel("chat", "chat", _chat),
        )

    def routes(self, access: Access) -> Sequence[web.RouteDef]:
        async def command(request: web.Request) -> web.Response:
            await access.device(request, "bridge", refusal="active bridge grant required")
            return json_answer({"error": NO_PHONE}, status=503)

        async def status(request: web.Request) -> web.Response:
            await access.host(request)
            return json_answer(
                {"phone_connected": False, "last_seen_seconds_ago": None, "error": "no phone connected"},
                status=503,
            )

        async def devices(request: web.Request) -> web.Response:
            await access.host(request)
            return json_answer(
                {"active_device_id": None, "most_recent_device_id": None, "devices": [], "count": 0}
            )

        commands = [command_.split(" ") for command_ in BRIDGE_COMMANDS]
        return (
            web.get("/bridge/status", status),
            web.get("/bridge/devices", devices),
            web.post("/bridge/select-active", status),
            *(web.get(path, command) for method, path in commands if method == "GET"),
            *(web.post(path, command) for method, path in commands if method == "POST"),
        )

    def numbers(self) -> Mapping[str, int]:
        return {}

    async def start(self) -> None:
        """Nothing to start."""

    async def aclose(self) -> None:
        """Nothing to end."""


async def _nothing(link: Link, message: Envelope) -> None:
    """Taken, not answered, not kept."""


async def _tui(link: Link, message: Envelope) -> None:
    """Attaching always succeeds, and requests fail inside their own replies: after a ``tui.error`` the
    desktop client tears its whole connection down, terminals too."""
    if message.type == "tui.attach":
        await link.send("tui.attached", {"pid": 0, "server_version": __version__}, id=message.id or None)
    elif message.type == "tui.rpc.request" and "id" in message.payload:
        await link.send(
            "tui.rpc.response",
            {
                "jsonrpc": "2.0",
                "id": message.payload["id"],
                "error": {"code": NOT_HERE, "message": NO_TUI},
            },
        )


async def _chat(link: Link, message: Envelope) -> None:
    if message.type in {"chat.send", "chat.sessions.list"}:
        await link.send("chat.error", {"message": NO_CHAT}, id=message.id or None)


class _Channel:
    def __init__(self, name: str, right: str, receive: Receive) -> None:
        self.name = name
        self.right = right
        self._receive = receive

    async def open(self, link: Link) -> Handler:
        return _Handler(link, self._receive)


class _Handler:
    def __init__(self, link: Link, receive: Receive) -> None:
        self._link = link
        self._receive = receive

    async def receive(self, message: Envelope) -> None:
        await self._receive(self._link, message)

    async def aclose(self, reason: str) -> None:
        """Nothing to end."""
