"""Widgets: a token that sees one thing."""

from __future__ import annotations

import asyncio
import re
from collections.abc import AsyncIterator

import pytest

from controlroom.core.access import RIGHTS
from controlroom.hub.api.routes import ROUTES
from controlroom.testing.fake_node import agent_state
from tests.integration.hub.conftest import House
from tests.integration.hub.device_door import Door, open_door


@pytest.fixture
async def door(house: House) -> AsyncIterator[Door]:
    async with open_door(house) as door:
        yield door


async def test_a_token_shows_what_needs_the_person(house: House, door: Door) -> None:
    await house.node.put(
        agent_state("agt_1", name="limiter", activity="blocked"),
        agent_state("agt_2", name="sorter", activity="working"),
    )
    await house.until_agent("agt_2")
    token = (await house.client.make_glance_token("Phone widget")).token
    headers = {"Authorization": f"Bearer {token}"}
    answer = await door.ask("GET", "/glance", headers=headers)
    assert answer.status == 200
    (waits,) = answer.body["waiting"]
    assert (waits["name"], waits["why"], waits["open"]) == ("limiter", "prompt", "agents/agt_1")
    assert (answer.body["needs"], answer.body["working"], answer.body["away"]) == (1, 1, [])

    await house.restart()
    async with open_door(house) as again:
        assert (await again.ask("GET", "/glance", headers=headers)).status == 200
        (shown,) = (await house.client.glance_tokens()).tokens
        assert (shown.name, shown.token) == ("Phone widget", None) and shown.used_ms is not None
        await house.client.remove_glance_token(shown.id)
        assert (await again.ask("GET", "/glance", headers=headers)).code == "not_paired"


async def test_a_token_sees_nothing_else(house: House, door: Door) -> None:
    token = (await house.client.make_glance_token("Widget")).token
    headers = {"Authorization": f"Bearer {token}"}
    assert [subject for subject, rule in RIGHTS.items() if rule.glance] == ["GET /api/v1/glance"]
    others = [route for route in ROUTES if route.rule.right != "host" and not route.rule.glance]

    async def refused(method: str, path: str) -> bool:
        answer = await door.ask(
            method, re.sub(r"\{\w+\}", "x_1", path), None if method == "GET" else {}, headers
        )
        return answer.status in (401, 403)

    answers = await asyncio.gather(*(refused(one.method, one.path) for one in others))
    assert all(answers), [one.path for one, is_refused in zip(others, answers, strict=True) if not is_refused]
    assert (await door.ask("GET", "/openapi.json", headers=headers)).status == 403
    for wrong in (f"{token}x", "glance_", "glance_nothing"):
        answer = await door.ask("GET", "/glance", headers={"Authorization": f"Bearer {wrong}"})
        assert answer.code == "not_paired"


async def test_devices_may_look_and_take_tokens_away_but_make_none(house: House, door: Door) -> None:
    laptop = await door.laptop()
    made = await house.client.make_glance_token("Widget")
    assert (await door.ask("GET", "/glance", headers=laptop)).status == 200
    assert (await door.ask("POST", "/host/glance-tokens", {"name": "x"}, laptop)).status == 404
    answer = await door.ask("DELETE", f"/glance-tokens/{made.id}", headers=laptop)
    assert answer.body == {"tokens": []}
