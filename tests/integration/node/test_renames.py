"""Renames of agents without a pane, and operations that break."""

from __future__ import annotations

import pytest

from controlroom.node.acts.sight import Sight
from controlroom.wire.node import ActProgress, OperateAct
from tests.integration.node.conftest import Room
from tests.support.waiting import until


async def over(room: Room, id: str) -> ActProgress:
    """Look until the operation is over; what was told last."""

    async def is_over() -> bool:
        await room.look()
        rows = await room.progress(id)
        return bool(rows) and rows[-1].state in ("delivered", "failed")

    await until(is_over, f"{id} is over")
    return (await room.progress(id))[-1]


def rename(agent_id: str, name: str, id: str = "op_1") -> OperateAct:
    return OperateAct(id=id, kind="rename", agent_id=agent_id, name=name)


async def test_the_persons_name_holds_whatever_the_agent_calls_itself(room: Room) -> None:
    agent = room.driver.add("orchard")
    await room.look()
    id = (await room.agents())["orchard"].id
    assert (await room.node.api.act(rename(id, "pears"))).code == "ok"
    assert (await over(room, "op_1")).state == "delivered"
    agent.name = "plums"
    await room.look()
    assert (await room.agents())["pears"].id == id
    await room.restart()
    await room.look()
    assert (await room.agents())["pears"].id == id


async def test_an_agent_that_is_gone_is_renamed(room: Room) -> None:
    agent = room.driver.add("orchard")
    await room.look()
    id = (await room.agents())["orchard"].id
    agent.is_running = False
    await room.look()
    await room.node.api.act(rename(id, "pears"))
    assert (await over(room, "op_1")).state == "delivered"
    await room.look()
    assert (await room.agents())["pears"].activity == "gone"


async def test_a_kind_that_cannot_be_started_says_so(room: Room) -> None:
    room.driver.add("orchard")
    await room.look()
    id = (await room.agents())["orchard"].id
    refused = await room.node.api.act(OperateAct(id="op_1", kind="restart", agent_id=id))
    assert refused.code == "bad_request" and "kind fake" in refused.text


async def test_an_operation_that_breaks_ends_as_failed(room: Room, monkeypatch: pytest.MonkeyPatch) -> None:
    room.driver.add("orchard")
    await room.look()
    id = (await room.agents())["orchard"].id

    async def broken(*_: object) -> None:
        raise RuntimeError("broken as it was told to")

    monkeypatch.setattr(Sight, "look", broken)
    await room.node.api.act(rename(id, "pears"))
    told = await over(room, "op_1")
    assert told.state == "failed" and told.error is not None
    assert "look at the agent" in told.error.text
    monkeypatch.undo()
    assert (await room.node.api.act(rename(id, "pears", "op_2"))).code == "ok"
    assert (await over(room, "op_2")).state == "delivered", "the next one is not held up"
