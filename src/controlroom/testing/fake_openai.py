"""A scriptable OpenAI Responses API on loopback, enough to run the real Codex CLI without a network.

    async with FakeOpenAI() as model:
        model.answer(Shell("touch x", escalate=True), match="make x")
        model.answer(Say("Done."), match=TOOL_RESULT)

Side requests are those by which Codex 0.171.0 makes a title for each new thread. Whatever no step answers
gets a default reply. Shell commands and patches use whatever tool the request offers: gpt-6 models have only
``exec`` with JavaScript ("code mode"), older ones plain functions.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Mapping
from types import TracebackType
from typing import Self

import msgspec
from aiohttp import web

from controlroom.kit.clock import Clock, SystemClock, new_id
from controlroom.testing.model_script import (
    TOOL_RESULT,
    EventStream,
    Failure,
    Gate,
    Loopback,
    Script,
    open_stream,
)

SIDE_PROMPT = re.compile(r"^Generate a concise, single-line task title")
INJECTED = ("<environment_context>", "# AGENTS.md", "<user_instructions>", "<turn_aborted>", "<permissions")
FIVE_HOURS, WEEK = 300, 10080  # lengths of the two rate-limit windows in minutes


class Say(msgspec.Struct, frozen=True):
    """Assistant text, streamed by words; ``pace_s`` between them is for people who watch."""

    text: str
    pace_s: float = 0.0


class Reasoning(msgspec.Struct, frozen=True):
    text: str


class Shell(msgspec.Struct, frozen=True):
    """A shell command; ``escalate`` asks to leave the sandbox, which opens an approval dialog."""

    command: str
    escalate: bool = False


class Patch(msgspec.Struct, frozen=True):
    """A patch that adds the file ``path``; outside the workspace it opens an approval dialog."""

    path: str
    lines: tuple[str, ...] = ("first line",)


class Call(msgspec.Struct, frozen=True):
    """A call of any other tool, such as ``request_user_input`` or ``update_plan``."""

    name: str
    arguments: Mapping[str, object]


Piece = Say | Reasoning | Shell | Patch | Call | Gate


class Reply(msgspec.Struct, frozen=True, kw_only=True):
    pieces: tuple[Piece, ...]
    input_tokens: int = 1200


class StreamFailure(msgspec.Struct, frozen=True):
    """A 200 whose stream ends with ``response.failed``; without a code it breaks off in mid-sentence."""

    code: str | None


class Windows(msgspec.Struct, kw_only=True):
    """Used percentages of the two windows, as sent with each answer; None leaves a window out."""

    primary: float | None = 42.0
    secondary: float | None = 17.5
    plan: str = "plus"


class Request(msgspec.Struct, frozen=True, kw_only=True):
    """One request for a response, as far as tests look at it."""

    side: bool
    model: str
    text: str  # the newest user text; outputs of tools have TOOL_RESULT before them
    tools: tuple[str, ...]
    whole: str = ""  # the request as it came


Action = Reply | Failure | StreamFailure
DEFAULT = Reply(pieces=(Say("Understood."),))
DEFAULT_SIDE = Reply(pieces=(Say("A session"),))


def usage_limit(resets_at_s: int, plan: str = "plus") -> Failure:
    """The 429 of a plan whose window is used up."""
    error = {
        "type": "usage_limit_reached",
        "message": "The usage limit has been reached",
        "plan_type": plan,
        "resets_at": resets_at_s,
    }
    return Failure(status=429, body={"error": error})


def api_error(status: int, kind: str = "server_error", text: str = "A scripted error") -> Failure:
    return Failure(status=status, body={"error": {"message": text, "type": kind, "code": kind}})


class FakeOpenAI:
    """The server. ``windows`` are the rate-limit headers of each answer; None sends none."""

    def __init__(self, clock: Clock | None = None) -> None:
        self.requests: list[Request] = []
        self.cut_off = 0  # replies that the agent did not hear to their end
        self.windows: Windows | None = Windows()
        self._clock = clock or SystemClock()
        self._script: Script[Action] = Script()
        self._server = Loopback(self._handle)

    @property
    def url(self) -> str:
        """For ``base_url`` of a model provider."""
        return f"{self._server.url}/v1"

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
        input_tokens: int = 1200,
    ) -> None:
        """Answer the next request whose newest text contains the pattern ``match`` with these pieces."""
        reply = Reply(pieces=pieces, input_tokens=input_tokens)
        self._script.add(reply, match=match, times=times, side=side)

    def fail(self, failure: Failure | StreamFailure, *, match: str = "", times: int | None = 1) -> None:
        self._script.add(failure, match=match, times=times, side=False)

    def clear(self) -> None:
        """Forget all steps."""
        self._script.clear()

    async def _handle(self, request: web.Request) -> web.StreamResponse:
        if request.method == "POST" and request.path.endswith("/responses"):
            return await self._respond(request)
        if request.method == "GET" and request.path.endswith("/models"):
            return _json(200, {"object": "list", "data": [], "models": []})
        if request.method == "GET" and request.path.endswith("/accounts/check"):
            account = request.headers.get("chatgpt-account-id", "acct-invented")
            return _json(200, _accounts(account, self._plan(), str(request.url.origin())))
        if request.method == "GET" and request.path.endswith("/usage"):
            return _json(200, self._usage())
        return _json(404, {"error": {"message": f"no {request.path}"}})

    async def _respond(self, request: web.Request) -> web.StreamResponse:
        came = await request.read()
        body = msgspec.json.decode(came, type=_Body)
        tools = _offered(body)
        text = _newest_text(body.input)
        seen = Request(
            side=SIDE_PROMPT.search(text) is not None,
            model=body.model,
            text=text,
            tools=tuple(tools),
            whole=came.decode(),
        )
        self.requests.append(seen)
        action = self._script.take(text, side=seen.side) or (DEFAULT_SIDE if seen.side else DEFAULT)
        if isinstance(action, Failure):
            return _json(action.status, action.body, {**self._limits(), **action.headers})
        try:
            stream = await open_stream(request, self._limits())
            await _stream(stream, action, tools)
        except (asyncio.CancelledError, ConnectionError):
            self.cut_off += 1
            raise
        return stream.response

    def _plan(self) -> str:
        return self.windows.plan if self.windows else "plus"

    def _readings(self) -> list[tuple[str, float, int, int]]:
        """(name, used percent, minutes, reset in seconds since 1970) of each window."""
        if self.windows is None:
            return []
        now = self._clock.now_ms() // 1000
        both = (("primary", self.windows.primary, FIVE_HOURS), ("secondary", self.windows.secondary, WEEK))
        return [(name, used, length, now + length * 30) for name, used, length in both if used is not None]

    def _limits(self) -> dict[str, str]:
        headers = {}
        for name, used, length, reset in self._readings():
            headers[f"x-codex-{name}-used-percent"] = str(used)
            headers[f"x-codex-{name}-window-minutes"] = str(length)
            headers[f"x-codex-{name}-reset-at"] = str(reset)
        return headers

    def _usage(self) -> dict[str, object]:
        windows = {
            f"{name}_window": {
                "used_percent": int(used),
                "limit_window_seconds": length * 60,
                "reset_after_seconds": length * 30,
                "reset_at": reset,
            }
            for name, used, length, reset in self._readings()
        }
        limits = {"allowed": True, "limit_reached": False, **windows}
        return {"plan_type": self._plan(), "rate_limit": limits}


class _Tool(msgspec.Struct):
    type: str = ""
    name: str = ""
    namespace: str | None = None
    tools: list[_Tool] = []


class _Part(msgspec.Struct):
    text: str = ""


class _Entry(msgspec.Struct):
    type: str = ""
    role: str = ""
    content: list[_Part] | None = None
    output: msgspec.Raw = msgspec.Raw(b'""')
    tools: list[_Tool] | None = None


class _Body(msgspec.Struct):
    model: str = ""
    input: list[_Entry] = []
    tools: list[_Tool] = []


def _offered(body: _Body) -> dict[str, _Tool]:
    """Tools by name: those of the request, those of its ``additional_tools`` entry, those in namespaces."""
    found: dict[str, _Tool] = {}
    for tool in [*body.tools, *(tool for entry in body.input for tool in entry.tools or [])]:
        if tool.type == "namespace":
            for inner in tool.tools:
                inner.namespace = tool.name
                found[inner.name] = inner
        found[tool.name or tool.type] = tool
    return found


def _newest_text(entries: list[_Entry]) -> str:
    for entry in reversed(entries):
        if entry.type.endswith("_output"):
            return TOOL_RESULT + _output_text(entry.output)
        if entry.role == "user":
            text = "".join(part.text for part in entry.content or []).strip()
            if not text.startswith(INJECTED):
                return text
    return ""


def _output_text(raw: msgspec.Raw) -> str:
    output = msgspec.json.decode(raw)
    if isinstance(output, list):
        return " ".join(str(part.get("text", "")) for part in output if isinstance(part, dict))
    return output if isinstance(output, str) else bytes(raw).decode()


async def _stream(stream: EventStream, action: Reply | StreamFailure, tools: Mapping[str, _Tool]) -> None:
    response_id = new_id("resp")
    await stream.send(
        "response.created", response={"id": response_id, "object": "response", "status": "in_progress"}
    )
    if isinstance(action, StreamFailure):
        await _fail(stream, response_id, action.code)
        return
    for piece in action.pieces:
        match piece:
            case Gate():
                await piece.wait()
            case Say():
                await _say(stream, piece)
            case Reasoning():
                await _reason(stream, piece)
            case Shell() | Patch() | Call():
                await stream.send("response.output_item.done", output_index=0, item=_call(piece, tools))
    usage = {
        "input_tokens": action.input_tokens,
        "input_tokens_details": {"cached_tokens": min(800, action.input_tokens)},
        "output_tokens": 34,
        "output_tokens_details": {"reasoning_tokens": 12},
        "total_tokens": action.input_tokens + 34,
    }
    done = {"id": response_id, "object": "response", "status": "completed", "usage": usage}
    await stream.send("response.completed", response=done)


async def _fail(stream: EventStream, response_id: str, code: str | None) -> None:
    if code is not None:
        error = {"code": code, "message": f"A scripted failure: {code}"}
        await stream.send("response.failed", response={"id": response_id, "status": "failed", "error": error})
        return
    item = {"type": "message", "id": new_id("msg"), "role": "assistant", "content": []}
    await stream.send("response.output_item.added", output_index=0, item=item)
    await stream.send(
        "response.output_text.delta", item_id=item["id"], output_index=0, content_index=0, delta="half a sen"
    )


async def _say(stream: EventStream, piece: Say) -> None:
    item: dict[str, object] = {"type": "message", "id": new_id("msg"), "role": "assistant"}
    begun = {**item, "status": "in_progress", "content": []}
    await stream.send("response.output_item.added", output_index=0, item=begun)
    for word in re.findall(r"\s*\S+\s*", piece.text) or [piece.text]:
        await stream.send(
            "response.output_text.delta", item_id=item["id"], output_index=0, content_index=0, delta=word
        )
        await asyncio.sleep(piece.pace_s)
    content = [{"type": "output_text", "text": piece.text, "annotations": []}]
    done = {**item, "status": "completed", "content": content}
    await stream.send("response.output_item.done", output_index=0, item=done)


async def _reason(stream: EventStream, piece: Reasoning) -> None:
    item = {"type": "reasoning", "id": new_id("rs"), "content": None, "encrypted_content": None}
    await stream.send("response.output_item.added", output_index=0, item={**item, "summary": []})
    summary = [{"type": "summary_text", "text": piece.text}]
    await stream.send("response.output_item.done", output_index=0, item={**item, "summary": summary})


def _call(piece: Shell | Patch | Call, tools: Mapping[str, _Tool]) -> dict[str, object]:
    match piece:
        case Shell():
            return _shell(piece, tools)
        case Patch():
            added = "".join(f"+{line}\n" for line in piece.lines)
            patch = f"*** Begin Patch\n*** Add File: {piece.path}\n{added}*** End Patch\n"
            if "apply_patch" not in tools and "exec" in tools:
                return _code("apply_patch", patch)
            if "apply_patch" in tools and tools["apply_patch"].type == "custom":
                return _custom("apply_patch", patch)
            return _function("apply_patch", {"input": patch}, tools)
        case Call():
            if piece.name not in tools and "exec" in tools:
                return _code(piece.name, piece.arguments)
            return _function(piece.name, piece.arguments, tools)


def _shell(piece: Shell, tools: Mapping[str, _Tool]) -> dict[str, object]:
    ask = {"sandbox_permissions": "require_escalated", "justification": "Run this outside the sandbox?"}
    extra = ask if piece.escalate else {}
    if "exec_command" in tools:
        return _function("exec_command", {"cmd": piece.command, **extra}, tools)
    if "shell_command" in tools:
        return _function("shell_command", {"command": piece.command, **extra}, tools)
    if "exec" in tools:
        return _code("exec_command", {"cmd": piece.command, **extra})
    return _function("shell", {"command": ["bash", "-lc", piece.command], **extra}, tools)


def _code(name: str, argument: object) -> dict[str, object]:
    """Code mode: the tool is called from JavaScript."""
    literal = msgspec.json.encode(argument).decode()
    return _custom("exec", f"const r = await tools.{name}({literal}); text(JSON.stringify(r));")


def _custom(name: str, text: str) -> dict[str, object]:
    return {
        "type": "custom_tool_call",
        "id": new_id("ctc"),
        "call_id": new_id("call"),
        "name": name,
        "input": text,
        "status": "completed",
    }


def _function(name: str, arguments: Mapping[str, object], tools: Mapping[str, _Tool]) -> dict[str, object]:
    call: dict[str, object] = {
        "type": "function_call",
        "id": new_id("fc"),
        "call_id": new_id("call"),
        "name": name,
        "arguments": msgspec.json.encode(arguments).decode(),
        "status": "completed",
    }
    if name in tools and tools[name].namespace:
        call["namespace"] = tools[name].namespace
    return call


def _accounts(account: str, plan: str, origin: str) -> dict[str, object]:
    """What a ChatGPT login asks for at start-up."""
    entry = {
        "id": account,
        "account_id": account,
        "name": "Invented account",
        "plan_type": plan,
        "structure": "personal",
        "account_user_role": "account-owner",
        "is_deactivated": False,
        "can_access_with_session": True,
        "sso_connection_name": None,
        "profile_picture_url": None,
        "is_fedramp_compliant_workspace": False,
        "workspace_backend_origin": origin,
        "account_routing_override": "NO_CONSTRAINT",
    }
    return {"accounts": [entry], "account_ordering": [account], "default_account_id": account}


def _json(status: int, body: object, headers: Mapping[str, str] | None = None) -> web.Response:
    return web.Response(
        status=status,
        body=msgspec.json.encode(body),
        content_type="application/json",
        headers=dict(headers or {}),
    )
