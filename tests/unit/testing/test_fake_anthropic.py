"""The Messages API on loopback answers as its script says, in the order and shape of the real one."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from typing import Any

import aiohttp
import pytest

from controlroom.testing.fake_anthropic import (
    FakeAnthropic,
    Text,
    Thinking,
    ToolUse,
    api_error,
    usage_limit,
)
from controlroom.testing.model_script import Gate

TOOLS = [{"name": "Bash"}, {"name": "Write"}]


@pytest.fixture
async def model() -> AsyncIterator[FakeAnthropic]:
    async with FakeAnthropic() as server:
        yield server


@pytest.fixture
async def http() -> AsyncIterator[aiohttp.ClientSession]:
    async with aiohttp.ClientSession() as session:
        yield session


def prompt(text: str, *, tools: bool = True, stream: bool = True) -> dict[str, Any]:
    body = {"model": "m", "stream": stream, "messages": [{"role": "user", "content": text}]}
    return {**body, "tools": TOOLS} if tools else body


async def post(http: aiohttp.ClientSession, model: FakeAnthropic, body: dict[str, Any]) -> tuple[int, bytes]:
    async with http.post(f"{model.url}/v1/messages?beta=true", json=body) as response:
        return response.status, await response.read()


def events(raw: bytes) -> list[dict[str, Any]]:
    found = []
    for block in raw.decode().strip().split("\n\n"):
        name, data = block.split("\n")
        event = json.loads(data.removeprefix("data: "))
        assert name == f"event: {event['type']}"
        found.append(event)
    return found


async def test_a_reply_is_streamed_block_by_block(model: FakeAnthropic, http: aiohttp.ClientSession) -> None:
    model.answer(Thinking("hm"), Text("x" * 50), ToolUse("Bash", {"command": "ls"}))
    status, raw = await post(http, model, prompt("hello"))
    found = events(raw)
    assert status == 200
    assert [e["type"] for e in found[:2]] == ["message_start", "content_block_start"]
    deltas = [e["delta"] for e in found if e["type"] == "content_block_delta"]
    assert "".join(delta.get("text", "") for delta in deltas) == "x" * 50
    arguments = "".join(delta.get("partial_json", "") for delta in deltas)
    assert json.loads(arguments) == {"command": "ls"}
    assert found[-2]["delta"]["stop_reason"] == "tool_use"
    assert [e["index"] for e in found if e["type"] == "content_block_start"] == [0, 1, 2]


async def test_without_a_step_there_is_a_default_reply(
    model: FakeAnthropic, http: aiohttp.ClientSession
) -> None:
    _, raw = await post(http, model, prompt("hello", stream=False))
    assert json.loads(raw)["content"] == [{"type": "text", "text": "Understood."}]


async def test_requests_without_tools_are_side_requests(
    model: FakeAnthropic, http: aiohttp.ClientSession
) -> None:
    model.answer(Text("for the conversation"))
    _, raw = await post(http, model, prompt("a title, please", tools=False, stream=False))
    assert "title" in json.loads(raw)["content"][0]["text"]
    assert [request.side for request in model.requests] == [True]


async def test_what_is_behind_a_gate_comes_when_it_opens(
    model: FakeAnthropic, http: aiohttp.ClientSession
) -> None:
    gate = Gate()
    model.answer(Text("before"), gate, Text("after"))
    async with http.post(f"{model.url}/v1/messages", json=prompt("x")) as response:
        await gate.arrived()
        seen = b""
        while b"content_block_stop" not in seen:
            seen += await response.content.readany()
        assert b"before" in seen
        assert b"after" not in seen
        gate.open()
        assert b"after" in await response.read()


async def test_an_agent_that_hangs_up_is_counted(model: FakeAnthropic, http: aiohttp.ClientSession) -> None:
    gate = Gate()
    model.answer(gate)
    response = await http.post(f"{model.url}/v1/messages", json=prompt("x"))
    await gate.arrived()
    response.close()
    await model.aclose()  # has ended all replies when it returns
    assert model.cut_off == 1


async def test_the_newest_text_is_what_steps_see(model: FakeAnthropic, http: aiohttp.ClientSession) -> None:
    result = {"type": "tool_result", "tool_use_id": "t", "content": [{"type": "text", "text": "3 files"}]}
    turns = [
        {"role": "user", "content": "first"},
        {"role": "assistant", "content": "ok"},
        {"role": "user", "content": [{"type": "text", "text": "second"}, result]},
    ]
    await post(http, model, {"model": "m", "tools": TOOLS, "messages": turns})
    assert model.requests[0].text == "second\nTOOL_RESULT 3 files"
    assert model.requests[0].tools == ("Bash", "Write")


async def test_a_usage_limit_names_its_window_and_its_end(
    model: FakeAnthropic, http: aiohttp.ClientSession
) -> None:
    model.fail(usage_limit(1_800_000_000, claim="seven_day"))
    async with http.post(f"{model.url}/v1/messages", json=prompt("x")) as response:
        assert response.status == 429
        assert response.headers["anthropic-ratelimit-unified-reset"] == "1800000000"
        assert response.headers["anthropic-ratelimit-unified-representative-claim"] == "seven_day"
        assert (await response.json())["error"]["type"] == "rate_limit_error"


async def test_an_error_is_used_up_like_a_reply(model: FakeAnthropic, http: aiohttp.ClientSession) -> None:
    model.fail(api_error(529, "overloaded_error"))
    assert (await post(http, model, prompt("x")))[0] == 529
    assert (await post(http, model, prompt("x")))[0] == 200


async def test_headers_go_out_with_each_reply(model: FakeAnthropic, http: aiohttp.ClientSession) -> None:
    model.headers["anthropic-ratelimit-unified-5h-utilization"] = "0.93"
    async with http.post(f"{model.url}/v1/messages", json=prompt("x")) as response:
        assert response.headers["anthropic-ratelimit-unified-5h-utilization"] == "0.93"


async def test_documents_answer_gets_and_all_else_is_not_found(
    model: FakeAnthropic, http: aiohttp.ClientSession
) -> None:
    model.documents["/api/usage"] = {"used": 1}
    async with http.get(f"{model.url}/api/usage") as response:
        assert await response.json() == {"used": 1}
    async with http.get(f"{model.url}/other") as response:
        assert response.status == 404
    async with http.head(f"{model.url}/api/hello") as response:
        assert response.status == 200
    async with http.post(f"{model.url}/v1/messages/count_tokens", json={}) as response:
        assert await response.json() == {"input_tokens": 1}
