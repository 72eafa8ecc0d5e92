"""The Responses API on loopback answers as its script says, with the tools that the request offers."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from typing import Any

import aiohttp
import pytest

from controlroom.kit.clock import FakeClock
from controlroom.testing.fake_openai import (
    Call,
    FakeOpenAI,
    Patch,
    Reasoning,
    Say,
    Shell,
    StreamFailure,
    usage_limit,
)
from controlroom.testing.model_script import TOOL_RESULT

FUNCTIONS = [{"type": "function", "name": "exec_command"}, {"type": "custom", "name": "apply_patch"}]
CODE_MODE = [{"type": "custom", "name": "exec"}]


@pytest.fixture
async def model() -> AsyncIterator[FakeOpenAI]:
    async with FakeOpenAI(FakeClock(at_ms=1_000_000)) as server:
        yield server


@pytest.fixture
async def http() -> AsyncIterator[aiohttp.ClientSession]:
    async with aiohttp.ClientSession() as session:
        yield session


def prompt(text: str, tools: list[dict[str, str]] = FUNCTIONS) -> dict[str, Any]:
    entry = {"type": "message", "role": "user", "content": [{"type": "input_text", "text": text}]}
    return {"model": "m", "input": [entry], "tools": tools}


async def ask(http: aiohttp.ClientSession, model: FakeOpenAI, body: dict[str, Any]) -> list[dict[str, Any]]:
    async with http.post(f"{model.url}/responses", json=body) as response:
        assert response.status == 200
        blocks = (await response.text()).strip().split("\n\n")
        return [json.loads(block.split("\ndata: ")[1]) for block in blocks]


def called(events: list[dict[str, Any]]) -> dict[str, Any]:
    return next(e["item"] for e in events if e["type"] == "response.output_item.done")


async def test_text_is_streamed_by_words_and_completed(
    model: FakeOpenAI, http: aiohttp.ClientSession
) -> None:
    model.answer(Reasoning("hm"), Say("two words"), input_tokens=99)
    events = await ask(http, model, prompt("hello"))
    assert events[0]["type"] == "response.created"
    assert [e["delta"] for e in events if e["type"] == "response.output_text.delta"] == ["two ", "words"]
    assert events[-1]["response"]["usage"]["input_tokens"] == 99


@pytest.mark.parametrize("escalate", [False, True])
async def test_shell_commands_use_the_function_that_is_offered(
    model: FakeOpenAI, http: aiohttp.ClientSession, escalate: bool
) -> None:
    model.answer(Shell("ls", escalate=escalate))
    item = called(await ask(http, model, prompt("x")))
    arguments = json.loads(item["arguments"])
    assert (item["type"], item["name"], arguments["cmd"]) == ("function_call", "exec_command", "ls")
    assert (arguments.get("sandbox_permissions") == "require_escalated") is escalate


async def test_code_mode_calls_tools_from_javascript(model: FakeOpenAI, http: aiohttp.ClientSession) -> None:
    model.answer(Shell("ls"))
    item = called(await ask(http, model, prompt("x", CODE_MODE)))
    assert (item["type"], item["name"]) == ("custom_tool_call", "exec")
    assert 'tools.exec_command({"cmd":"ls"})' in item["input"]


async def test_patches_use_the_custom_tool(model: FakeOpenAI, http: aiohttp.ClientSession) -> None:
    model.answer(Patch("a.txt", ("one", "two")))
    item = called(await ask(http, model, prompt("x")))
    assert item["input"] == "*** Begin Patch\n*** Add File: a.txt\n+one\n+two\n*** End Patch\n"


async def test_tools_in_namespaces_are_named_with_it(model: FakeOpenAI, http: aiohttp.ClientSession) -> None:
    tools: list[Any] = [{"type": "namespace", "name": "ui", "tools": [{"type": "function", "name": "ask"}]}]
    model.answer(Call("ask", {"q": 1}))
    item = called(await ask(http, model, prompt("x", tools)))
    assert (item["name"], item["namespace"]) == ("ask", "ui")


async def test_the_output_of_a_tool_is_marked(model: FakeOpenAI, http: aiohttp.ClientSession) -> None:
    body = prompt("x")
    body["input"].append({"type": "function_call_output", "call_id": "c", "output": "3 files"})
    model.answer(Say("Three."), match=f"^{TOOL_RESULT}3 files")
    assert "Three." in str(await ask(http, model, body))


async def test_what_the_agent_injects_is_not_the_newest_text(
    model: FakeOpenAI, http: aiohttp.ClientSession
) -> None:
    body = prompt("typed")
    body["input"] += prompt("<environment_context>x</environment_context>")["input"]
    await ask(http, model, body)
    assert model.requests[0].text == "typed"


async def test_title_requests_are_side_requests(model: FakeOpenAI, http: aiohttp.ClientSession) -> None:
    model.answer(Say("for the conversation"))
    await ask(http, model, prompt("Generate a concise, single-line task title for: x"))
    assert model.requests[0].side
    assert "for the conversation" in str(await ask(http, model, prompt("x")))


async def test_both_windows_are_sent_with_each_answer(model: FakeOpenAI, http: aiohttp.ClientSession) -> None:
    model.fail(usage_limit(5000))
    async with http.post(f"{model.url}/responses", json=prompt("x")) as response:
        assert response.status == 429
        assert response.headers["x-codex-primary-used-percent"] == "42.0"
        assert response.headers["x-codex-secondary-window-minutes"] == "10080"
        assert response.headers["x-codex-primary-reset-at"] == "10000"
        assert (await response.json())["error"]["resets_at"] == 5000


async def test_a_server_without_windows_sends_no_readings(
    model: FakeOpenAI, http: aiohttp.ClientSession
) -> None:
    model.windows = None
    async with http.post(f"{model.url}/responses", json=prompt("x")) as response:
        assert not [name for name in response.headers if name.lower().startswith("x-codex")]


@pytest.mark.parametrize(
    ("code", "last"), [("server_error", "response.failed"), (None, "response.output_text.delta")]
)
async def test_a_stream_can_fail_or_break_off(
    model: FakeOpenAI, http: aiohttp.ClientSession, code: str | None, last: str
) -> None:
    model.fail(StreamFailure(code))
    assert (await ask(http, model, prompt("x")))[-1]["type"] == last


async def test_a_chatgpt_login_finds_its_account(model: FakeOpenAI, http: aiohttp.ClientSession) -> None:
    root = model.url.removesuffix("/v1")
    async with http.get(f"{root}/wham/accounts/check", headers={"chatgpt-account-id": "acct-1"}) as response:
        assert (await response.json())["default_account_id"] == "acct-1"
    async with http.get(f"{root}/wham/usage") as response:
        limits = (await response.json())["rate_limit"]
    assert limits["primary_window"]["reset_at"] == 1000 + 9000
    async with http.get(f"{model.url}/models") as response:
        assert (await response.json())["models"] == []
