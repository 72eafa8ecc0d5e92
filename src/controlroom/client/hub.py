"""Typed calls of the hub's REST API over its Unix socket."""

from __future__ import annotations

import io
from pathlib import Path
from types import TracebackType
from typing import TypeVar
from urllib.parse import quote

import aiohttp
import msgspec

from controlroom.client.errors import CannotReach, ClientError, Refused, cannot_reach
from controlroom.client.live import Live
from controlroom.wire.client import (
    Accepted,
    AnswerDialog,
    Done,
    Interrupt,
    OpenHealth,
    PatchAgent,
    PatchMessage,
    PressKeys,
    Receipts,
    SendMessage,
    Status,
)
from controlroom.wire.codec import decode, encode
from controlroom.wire.model import Agent, Fleet, Items, Message, Screen

T = TypeVar("T")

API = "http://localhost/api/v1"  # the host of a Unix socket is only a word
CONNECT_S = 5.0  # a local socket answers at once or not at all
ANSWER_S = 60.0  # an answer to a dialog waits for the agent's own reaction


class _Error(msgspec.Struct):
    code: str = "failed"
    text: str = "The hub failed without saying why."
    retry_after_ms: int | None = None


class HubClient:
    """The hub behind ``control.sock``. Use it as ``async with HubClient(socket) as hub``.

    Every call raises CannotReach when no hub answers there, and Refused with the hub's code and sentence.
    """

    def __init__(self, socket: Path) -> None:
        self._socket = socket
        self._session: aiohttp.ClientSession | None = None

    async def __aenter__(self) -> HubClient:
        self._session = aiohttp.ClientSession(
            connector=aiohttp.UnixConnector(path=str(self._socket)),
            timeout=aiohttp.ClientTimeout(total=ANSWER_S, connect=CONNECT_S),
        )
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._session is not None:
            await self._session.close()

    # ---- the house -------------------------------------------------------------------------------------

    async def health(self) -> OpenHealth:
        return await self._get("/health", OpenHealth)

    async def status(self) -> Status:
        """Host-only: what runs here."""
        return await self._get("/host/status", Status)

    async def fleet(self) -> Fleet:
        return await self._get("/fleet", Fleet)

    async def receipts(self, after: int = 0) -> Receipts:
        """Receipts with ``seq`` > ``after``, oldest first, at most one page."""
        return await self._get("/receipts", Receipts, after=after)

    # ---- chats and messages ----------------------------------------------------------------------------

    async def items(
        self, chat_id: str, *, before: str | None = None, after: str | None = None, limit: int | None = None
    ) -> Items:
        """A page of a chat, oldest first; the newest page without a cursor."""
        return await self._get(
            f"/chats/{_part(chat_id)}/items", Items, before=before, after=after, limit=limit
        )

    async def agent_items(
        self, agent_id: str, *, before: str | None = None, after: str | None = None, limit: int | None = None
    ) -> Items:
        """The same of an agent's present chat."""
        return await self._get(
            f"/agents/{_part(agent_id)}/chat", Items, before=before, after=after, limit=limit
        )

    async def send(self, agent_id: str, message: SendMessage) -> Accepted:
        """Store a message for an agent. The same id again (same text) is the same message."""
        return await self._call("POST", f"/agents/{_part(agent_id)}/messages", message, Accepted)

    async def send_to_chat(self, chat_id: str, message: SendMessage) -> Accepted:
        return await self._call("POST", f"/chats/{_part(chat_id)}/messages", message, Accepted)

    async def message(self, message_id: str) -> Message:
        return await self._get(f"/messages/{_part(message_id)}", Message)

    async def patch_message(self, message_id: str, patch: PatchMessage) -> Message:
        """Change a message that has not been typed yet; Refused ``conflict`` after."""
        return await self._call("PATCH", f"/messages/{_part(message_id)}", patch, Message)

    async def cancel_message(self, message_id: str) -> Message:
        """Take back a message that has not been typed yet; Refused ``conflict`` after."""
        return await self._call("DELETE", f"/messages/{_part(message_id)}", None, Message)

    # ---- agents ----------------------------------------------------------------------------------------

    async def patch_agent(self, agent_id: str, patch: PatchAgent) -> Agent:
        return await self._call("PATCH", f"/agents/{_part(agent_id)}", patch, Agent)

    async def answer(self, agent_id: str, answer: AnswerDialog) -> Done:
        """Answer the dialog ``waiting_id``; Refused ``changed`` when another one is open by now."""
        return await self._call("POST", f"/agents/{_part(agent_id)}/answer", answer, Done)

    async def interrupt(self, agent_id: str, request: Interrupt) -> Done:
        """End the running turn."""
        return await self._call("POST", f"/agents/{_part(agent_id)}/interrupt", request, Done)

    async def keys(self, agent_id: str, keys: PressKeys) -> Done:
        return await self._call("POST", f"/agents/{_part(agent_id)}/keys", keys, Done)

    async def screen(self, agent_id: str) -> Screen:
        return await self._get(f"/agents/{_part(agent_id)}/screen", Screen)

    # ---- the live socket -------------------------------------------------------------------------------

    def live(self, after: int | None = None) -> Live:
        """Events since ``after`` (None: a fleet to begin with, then events) and the frames asked for."""
        if self._session is None:
            raise RuntimeError("HubClient is used outside its context")
        return Live(self._session, f"{API}/live", str(self._socket), after)

    # ---- how -------------------------------------------------------------------------------------------

    async def _get(self, path: str, kind: type[T], **query: str | int | None) -> T:
        return await self._call(
            "GET", path, None, kind, {k: str(v) for k, v in query.items() if v is not None}
        )

    async def _call(
        self,
        method: str,
        path: str,
        body: msgspec.Struct | None,
        kind: type[T],
        query: dict[str, str] | None = None,
    ) -> T:
        if self._session is None:
            raise RuntimeError("HubClient is used outside its context")
        headers = {} if body is None else {"Content-Type": "application/json"}
        data = None if body is None else io.BytesIO(encode(body))  # bytes over 1 MB make aiohttp warn
        try:
            async with self._session.request(
                method, API + path, data=data, params=query, headers=headers
            ) as response:
                answer = await response.read()
                status = response.status
        except TimeoutError:
            raise CannotReach(f"The hub at {self._socket} does not answer.") from None
        except (aiohttp.ClientError, OSError) as error:
            raise cannot_reach(str(self._socket), error) from None
        try:
            if status >= 400:
                said = decode(answer, _Error)
                raise Refused(said.code, said.text, said.retry_after_ms)
            return decode(answer, kind)
        except (msgspec.ValidationError, msgspec.DecodeError) as error:
            raise ClientError(f"The hub's answer to {method} {path} cannot be read: {error}") from None


def _part(text: str) -> str:
    return quote(text, safe="")
