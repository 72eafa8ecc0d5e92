"""A scriptable Anthropic Messages API on loopback, enough to run the real Claude Code without a network.

    async with FakeAnthropic() as model:
        gate = Gate()
        model.answer(Text("Looking."), gate, ToolUse("Bash", {"command": "touch x"}), match="make x")

Requests that carry tools are the conversation (Claude Code 2.1.332 sends about 13); those without are side
requests (titles, checks). Whatever no step answers gets a short default reply.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from types import TracebackType
from typing import Self

import msgspec
from aiohttp import web

from controlroom.kit.clock import new_id
from controlroom.testing.model_script import (
    TOOL_RESULT,
    EventStream,
    Failure,
    Gate,
    Loopback,
    Script,
    chunks,
    open_stream,
)

TEXT_CHUNK, JSON_CHUNK = 40, 60  # characters per delta: a reply of a few words comes in several pieces


class Text(msgspec.Struct, frozen=True):
    """Reply text; ``pace_s`` between its pieces is for people who watch."""

    text: str
    pace_s: float = 0.0


class Thinking(msgspec.Struct, frozen=True):
    text: str


class ToolUse(msgspec.Struct, frozen=True):
    """A call of one of the agent's tools: Bash {command}, Write {file_path, content}, Agent {description,
    prompt, subagent_type}, AskUserQuestion {questions}, …"""

    name: str
    input: Mapping[str, object]


Piece = Text | Thinking | ToolUse | Gate


class Reply(msgspec.Struct, frozen=True, kw_only=True):
    """One assistant message. The stop reason is ``tool_use`` when a tool is called, else ``end_turn``."""

    pieces: tuple[Piece, ...]
    input_tokens: int = 120
    output_tokens: int = 20
    headers: Mapping[str, str] = {}


class Request(msgspec.Struct, frozen=True, kw_only=True):
    """One request for a message, as far as tests look at it."""

    side: bool
    model: str
    text: str  # the newest user message; outputs of tools have TOOL_RESULT before them
    session_id: str
    tools: tuple[str, ...]
    messages: int
    login: str = ""  # the key or token that came with it
    system: str = ""
    whole: str = ""  # the request as it came


DEFAULT = Reply(pieces=(Text("Understood."),))
DEFAULT_SIDE = Reply(pieces=(Text('{"title": "A session", "isNewTopic": false}'),))


def usage_limit(resets_at_s: int, claim: str = "five_hour") -> Failure:
    """The 429 of a plan whose window (``five_hour``, ``seven_day``) is used up (claude-usage facts).

    Only a login (CLAUDE_CODE_OAUTH_TOKEN) shows it as a limit; with an API key it is retried.
    """
    return Failure(
        status=429,
        body=_error("rate_limit_error", "This request would exceed your account's rate limit."),
        headers={
            "anthropic-ratelimit-unified-status": "rejected",
            "anthropic-ratelimit-unified-reset": str(resets_at_s),
            "anthropic-ratelimit-unified-representative-claim": claim,
            "x-should-retry": "false",
        },
    )


def api_error(status: int, kind: str = "api_error", text: str = "A scripted error") -> Failure:
    """An error of the API. 500, 529, 401 and (with an API key) 429 are retried by the agent; 400 is not."""
    return Failure(status=status, body=_error(kind, text))


class FakeAnthropic:
    """The server. ``headers`` go out with each reply (rate-limit readings); ``documents`` answer GETs."""

    def __init__(self) -> None:
        self.requests: list[Request] = []
        self.cut_off = 0  # replies that the agent did not hear to their end
        self.headers: dict[str, str] = {}
        self.documents: dict[str, object] = {}
        self._script: Script[Reply | Failure] = Script()
        self._server = Loopback(self._handle)

    @property
    def url(self) -> str:
        """For ANTHROPIC_BASE_URL."""
        return self._server.url

    async def start(self, port: int = 0) -> None:
        await self._server.start(port)

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
        self,
        *pieces: Piece,
        match: str = "",
        times: int | None = 1,
        side: bool = False,
        input_tokens: int = 120,
        headers: Mapping[str, str] | None = None,
    ) -> None:
        """Answer the next request whose newest text contains the pattern ``match`` with these pieces."""
        reply = Reply(pieces=pieces, input_tokens=input_tokens, headers=headers or {})
        self._script.add(reply, match=match, times=times, side=side)

    def fail(self, failure: Failure, *, match: str = "", times: int | None = 1, side: bool = False) -> None:
        self._script.add(failure, match=match, times=times, side=side)

    def clear(self) -> None:
        """Forget all steps."""
        self._script.clear()

    async def _handle(self, request: web.Request) -> web.StreamResponse:
        if request.method == "HEAD":
            return web.Response()
        if request.method == "GET" and request.path in self.documents:
            return _json(200, self.documents[request.path])
        if request.method == "POST" and request.path == "/v1/messages/count_tokens":
            return _json(200, {"input_tokens": max(1, len(await request.read()) // 4)})
        if request.method == "POST" and request.path == "/v1/messages":
            return await self._message(request)
        return _json(404, _error("not_found_error", f"no {request.path}"))

    async def _message(self, request: web.Request) -> web.StreamResponse:
        came = await request.read()
        body = msgspec.json.decode(came, type=_Body)
        seen = Request(
            side=not body.tools,
            model=body.model,
            text=_newest_text(body.messages),
            session_id=request.headers.get("x-claude-code-session-id", ""),
            tools=tuple(tool.name for tool in body.tools),
            messages=len(body.messages),
            login=request.headers.get("x-api-key") or _token(request.headers.get("Authorization", "")),
            system=_system_text(body.system),
            whole=came.decode(),
        )
        self.requests.append(seen)
        action = self._script.take(seen.text, side=seen.side) or (DEFAULT_SIDE if seen.side else DEFAULT)
        if isinstance(action, Failure):
            return _json(action.status, action.body, action.headers)
        headers = {"request-id": new_id("req"), **self.headers, **action.headers}
        if not body.stream:
            return _json(200, await _whole(action, body.model), headers)
        try:
            stream = await open_stream(request, headers)
            await _stream(stream, action, body.model)
        except (asyncio.CancelledError, ConnectionError):
            self.cut_off += 1
            raise
        return stream.response


class _ToolName(msgspec.Struct):
    name: str = ""


class _Block(msgspec.Struct):
    type: str = ""
    text: str = ""
    content: msgspec.Raw = msgspec.Raw(b"null")


class _Turn(msgspec.Struct):
    role: str
    content: str | list[_Block]


class _Body(msgspec.Struct):
    model: str = ""
    messages: list[_Turn] = []
    tools: list[_ToolName] = []
    stream: bool = False
    system: str | list[_Block] = ""


def _newest_text(messages: list[_Turn]) -> str:
    turn = next((turn for turn in reversed(messages) if turn.role == "user"), None)
    if turn is None:
        return ""
    if isinstance(turn.content, str):
        return turn.content
    return "\n".join(_block_text(block) for block in turn.content)


def _token(authorization: str) -> str:
    return authorization.removeprefix("Bearer ")


def _system_text(system: str | list[_Block]) -> str:
    return system if isinstance(system, str) else "\n".join(block.text for block in system)


def _block_text(block: _Block) -> str:
    if block.type != "tool_result":
        return block.text
    content = msgspec.json.decode(block.content, type=str | list[_Block] | None)
    if isinstance(content, list):
        content = " ".join(part.text for part in content)
    return TOOL_RESULT + (content or "")


async def _whole(reply: Reply, model: str) -> dict[str, object]:
    blocks: list[dict[str, object]] = []
    for piece in reply.pieces:
        if isinstance(piece, Gate):
            await piece.wait()
        else:
            blocks.append(_filled(piece))
    return {
        **_empty_message(reply, model),
        "content": blocks,
        "stop_reason": _stop_reason(reply),
        "usage": _usage(reply, reply.output_tokens),
    }


async def _stream(stream: EventStream, reply: Reply, model: str) -> None:
    await stream.send("message_start", message=_empty_message(reply, model))
    index = 0
    for piece in reply.pieces:
        if isinstance(piece, Gate):
            await piece.wait()
            continue
        await stream.send("content_block_start", index=index, content_block=_unfilled(piece))
        await _deltas(stream, index, piece)
        await stream.send("content_block_stop", index=index)
        index += 1
    await stream.send(
        "message_delta",
        delta={"stop_reason": _stop_reason(reply), "stop_sequence": None},
        usage=_usage(reply, reply.output_tokens),
    )
    await stream.send("message_stop")


async def _deltas(stream: EventStream, index: int, piece: Text | Thinking | ToolUse) -> None:
    match piece:
        case Text():
            for part in chunks(piece.text, TEXT_CHUNK):
                delta: dict[str, str] = {"type": "text_delta", "text": part}
                await stream.send("content_block_delta", index=index, delta=delta)
                await asyncio.sleep(piece.pace_s)
        case Thinking():
            delta = {"type": "thinking_delta", "thinking": piece.text}
            await stream.send("content_block_delta", index=index, delta=delta)
            delta = {"type": "signature_delta", "signature": "c2NyaXB0ZWQ="}
            await stream.send("content_block_delta", index=index, delta=delta)
        case ToolUse():
            for part in chunks(msgspec.json.encode(piece.input).decode(), JSON_CHUNK):
                delta = {"type": "input_json_delta", "partial_json": part}
                await stream.send("content_block_delta", index=index, delta=delta)


def _unfilled(piece: Text | Thinking | ToolUse) -> dict[str, object]:
    match piece:
        case Text():
            return {"type": "text", "text": ""}
        case Thinking():
            return {"type": "thinking", "thinking": "", "signature": ""}
        case ToolUse():
            return {"type": "tool_use", "id": new_id("toolu"), "name": piece.name, "input": {}}


def _filled(piece: Text | Thinking | ToolUse) -> dict[str, object]:
    match piece:
        case Text():
            return {"type": "text", "text": piece.text}
        case Thinking():
            return {"type": "thinking", "thinking": piece.text, "signature": "c2NyaXB0ZWQ="}
        case ToolUse():
            return {"type": "tool_use", "id": new_id("toolu"), "name": piece.name, "input": dict(piece.input)}


def _empty_message(reply: Reply, model: str) -> dict[str, object]:
    return {
        "id": new_id("msg"),
        "type": "message",
        "role": "assistant",
        "model": model,
        "content": [],
        "stop_reason": None,
        "stop_sequence": None,
        "usage": _usage(reply, 1),
    }


def _stop_reason(reply: Reply) -> str:
    return "tool_use" if any(isinstance(piece, ToolUse) for piece in reply.pieces) else "end_turn"


def _usage(reply: Reply, output_tokens: int) -> dict[str, object]:
    return {
        "input_tokens": reply.input_tokens,
        "cache_creation_input_tokens": 0,
        "cache_read_input_tokens": 0,
        "output_tokens": output_tokens,
        "service_tier": "standard",
    }


def _error(kind: str, text: str) -> dict[str, object]:
    return {"type": "error", "error": {"type": kind, "message": text}}


def _json(status: int, body: object, headers: Mapping[str, str] | None = None) -> web.Response:
    return web.Response(
        status=status,
        body=msgspec.json.encode(body),
        content_type="application/json",
        headers={"request-id": new_id("req"), **(headers or {})},
    )
