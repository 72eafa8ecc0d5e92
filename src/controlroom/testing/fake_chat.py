"""A scriptable endpoint for OpenAI's chat completions on loopback, as local model servers have it."""

from __future__ import annotations

from types import TracebackType
from typing import Self

import msgspec
from aiohttp import web

from controlroom.kit.clock import new_id
from controlroom.testing.model_script import Failure, Gate, Loopback, Script

DEFAULT = "Understood."


class ChatRequest(msgspec.Struct, frozen=True, kw_only=True):
    """One request, as far as tests look at it. ``limit``: the field that bounds the answer."""

    model: str
    system: str
    text: str
    login: str
    limit: str


class Reply(msgspec.Struct, frozen=True, kw_only=True):
    """``gate``: the reply waits there."""

    text: str | None
    gate: Gate | None = None


class FakeChat:
    """The server. With ``is_new`` it refuses ``max_tokens``, as newer models of OpenAI do."""

    def __init__(self, *, is_new: bool = False) -> None:
        self.requests: list[ChatRequest] = []
        self._is_new = is_new
        self._script: Script[Reply | Failure] = Script()
        self._server = Loopback(self._handle)

    @property
    def url(self) -> str:
        """What a client is configured with: the path of the API is part of it."""
        return f"{self._server.url}/v1"

    async def start(self) -> None:
        await self._server.start()

    async def aclose(self) -> None:
        await self._server.aclose()

    async def __aenter__(self) -> Self:
        await self.start()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.aclose()

    def answer(
        self, text: str | None, *, match: str = "", times: int | None = 1, gate: Gate | None = None
    ) -> None:
        """Answer the next request whose newest text contains the pattern ``match``."""
        self._script.add(Reply(text=text, gate=gate), match=match, times=times, side=False)

    def fail(self, failure: Failure, *, match: str = "", times: int | None = 1) -> None:
        self._script.add(failure, match=match, times=times, side=False)

    async def _handle(self, request: web.Request) -> web.StreamResponse:
        if request.method != "POST" or request.path != "/v1/chat/completions":
            return _json(404, {"error": {"message": f"no {request.path}"}})
        body = msgspec.json.decode(await request.read(), type=_Body)
        if self._is_new and body.max_tokens is not None:
            text = "Unsupported parameter: 'max_tokens'. Use 'max_completion_tokens' instead."
            return _json(400, {"error": {"message": text, "code": "unsupported_parameter"}})
        seen = ChatRequest(
            model=body.model,
            system=next((turn.content for turn in body.messages if turn.role == "system"), ""),
            text=body.messages[-1].content if body.messages else "",
            login=request.headers.get("Authorization", "").removeprefix("Bearer "),
            limit="max_tokens" if body.max_tokens is not None else "max_completion_tokens",
        )
        self.requests.append(seen)
        action = self._script.take(seen.text, side=False) or Reply(text=DEFAULT)
        if isinstance(action, Failure):
            return _json(action.status, action.body, dict(action.headers))
        if action.gate is not None:
            await action.gate.wait()
        message = {"role": "assistant", "content": action.text}
        done = {
            "id": new_id("chatcmpl"),
            "object": "chat.completion",
            "model": body.model,
            "choices": [{"index": 0, "message": message, "finish_reason": "stop"}],
            "usage": {"prompt_tokens": 120, "completion_tokens": 20, "total_tokens": 140},
        }
        return _json(200, done)


class _Turn(msgspec.Struct):
    role: str
    content: str


class _Body(msgspec.Struct):
    model: str
    messages: list[_Turn]
    max_tokens: int | None = None
    max_completion_tokens: int | None = None


def _json(status: int, body: object, headers: dict[str, str] | None = None) -> web.Response:
    return web.Response(
        status=status, body=msgspec.json.encode(body), content_type="application/json", headers=headers
    )
