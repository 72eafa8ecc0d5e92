"""A full disk, a node that talks nonsense: said in words, the rest goes on, nothing is lost."""

from __future__ import annotations

import pytest
from sqlalchemy import text

from controlroom.client import Refused
from controlroom.testing.fake_node import agent_state
from controlroom.wire.client import SendMessage
from controlroom.wire.node import ActsAnswer
from tests.integration.hub.conftest import House
from tests.support.waiting import until


async def pages(house: House, most: int) -> None:
    """SQLite's own limit stands for the disk's: the failure is the same one."""
    await house.store.change(lambda c: c.connection.execute(text(f"PRAGMA max_page_count = {most}")).close())


async def test_a_full_disk_is_said_and_shown_and_everything_goes_on_when_there_is_room(
    house: House,
) -> None:
    await house.node.put(agent_state())
    await house.until_agent()
    await pages(house, 1)  # SQLite takes this as: what there is, and no more
    with pytest.raises(Refused, match="no space is left on the disk") as caught:
        await house.client.send("agt_1", SendMessage(id="msg_1", text="x" * 300_000))
    assert caught.value.code == "failed"
    assert [item.code for item in (await house.client.status()).health] == ["database:hub"]
    big = "n" * 200_000
    await house.node.put(agent_state(name=big))  # cannot be stored either
    assert (await house.client.fleet()).agents[0].name == "shop"  # reading goes on
    await pages(house, 1_000_000)
    await house.client.send("agt_1", SendMessage(id="msg_1", text="x" * 300_000))
    await until(lambda: "msg_1" in house.node.taken)
    await house.until_agent(name=big)  # what could not be stored heals
    assert (await house.client.status()).health == ()


async def test_a_part_that_crashes_is_started_again(house: House, monkeypatch: pytest.MonkeyPatch) -> None:
    await house.node.put(agent_state())
    await house.until_agent()
    whole = house.node.acts
    broken: list[int] = []

    async def acts(after: int, wait_s: float) -> ActsAnswer:
        if not broken:
            broken.append(after)
            raise ValueError("nonsense")
        return await whole(after, wait_s)

    monkeypatch.setattr(house.node, "acts", acts)
    await house.node.lose_journal()  # ends the running poll
    await until(lambda: broken)
    await house.client.send("agt_1", SendMessage(id="msg_1", text="hi"))
    await until(lambda: "msg_1" in house.node.taken)
    await house.node.progress("msg_1", "delivered", item_id="i1")

    async def is_delivered() -> bool:
        return (await house.client.message("msg_1")).state == "delivered"

    await until(is_delivered)
