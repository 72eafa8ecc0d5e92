"""Between hub and node: an answer that gets lost, a hub that ends at any moment."""

from __future__ import annotations

import pytest

from controlroom.hub.ports import NodeAway
from controlroom.hub.store import message_rows
from controlroom.testing.fake_node import agent_state
from controlroom.wire.client import ItemsFrame, Resync, SendMessage
from controlroom.wire.model import Item
from controlroom.wire.node import Act, ActResult
from tests.integration.hub.conftest import House
from tests.integration.hub.test_live import first
from tests.support.waiting import until


async def ready(house: House) -> None:
    await house.node.put(agent_state())
    await house.until_agent()


def lose_the_first_answer(house: House, monkeypatch: pytest.MonkeyPatch) -> None:
    """The node does what it is asked, and its first answer gets lost."""
    whole = house.node.act

    async def act(act: Act) -> ActResult:
        result = await whole(act)
        if len(house.node.asked) == 1:
            raise NodeAway("the answer was lost")
        return result

    monkeypatch.setattr(house.node, "act", act)


async def is_taken(house: House) -> bool:
    row = await house.store.read(lambda c: message_rows.message_row(c, "msg_1"))
    return row is not None and row.is_taken


async def test_a_lost_answer_makes_the_hub_ask_again_with_the_same_id(
    house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    await ready(house)
    lose_the_first_answer(house, monkeypatch)
    await house.client.send("agt_1", SendMessage(id="msg_1", text="hi"))
    await until(lambda: is_taken(house))
    assert [act.id for act in house.node.asked] == ["msg_1", "msg_1"]
    assert list(house.node.taken) == ["msg_1"]


async def test_a_hub_that_ends_before_the_answer_asks_again_after_its_start(
    house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    await ready(house)
    lose_the_first_answer(house, monkeypatch)
    await house.client.send("agt_1", SendMessage(id="msg_1", text="hi"))
    await until(lambda: house.node.asked)
    await house.restart()
    await until(lambda: is_taken(house))
    assert {act.id for act in house.node.asked} == {"msg_1"}
    assert list(house.node.taken) == ["msg_1"]


async def test_a_message_that_a_new_journal_would_take_as_new_is_not_handed_over_again(
    house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    await ready(house)
    lose_the_first_answer(house, monkeypatch)
    await house.client.send("agt_1", SendMessage(id="msg_1", text="hi"))
    await until(lambda: house.node.asked)
    await house.node.lose_journal()

    async def is_unconfirmed() -> bool:
        return (await house.client.message("msg_1")).state == "unconfirmed"

    await until(is_unconfirmed)
    assert len(house.node.asked) == 1


async def test_progress_that_was_missed_while_the_hub_was_down_is_read_after_its_start(
    house: House,
) -> None:
    await ready(house)
    await house.client.send("agt_1", SendMessage(id="msg_1", text="hi"))
    await until(lambda: is_taken(house))
    await house.stop()
    await house.node.progress("msg_1", "sending")
    await house.node.progress("msg_1", "delivered", item_id="i1")
    await house.start()

    async def is_delivered() -> bool:
        return (await house.client.message("msg_1")).state == "delivered"

    await until(is_delivered)
    names = [event.name for event in await house.store.events_after(0, 1000)]
    count = names.count("message.changed")
    await house.restart()
    await house.until_agent()
    again = [event.name for event in await house.store.events_after(0, 1000)]
    assert again.count("message.changed") == count  # a replay is no news


async def test_a_row_that_was_pushed_too_early_is_pushed_again_with_its_delivery(house: House) -> None:
    await house.node.put(agent_state())
    await house.until_agent()
    await house.client.send("agt_1", SendMessage(id="msg_1", text="hi"))
    await until(lambda: "msg_1" in house.node.taken)
    async with house.client.live() as live:
        await first(live, Resync)
        await live.open("cht_1")
        await house.node.say("agt_1", Item(id="i1", at_ms=5, kind="user", text="hi"))
        (pushed,) = (await first(live, ItemsFrame)).items
        assert (pushed.id, pushed.delivery) == ("i1", None)
        await house.node.progress("msg_1", "delivered", item_id="i1")
        (pushed,) = (await first(live, ItemsFrame)).items
        assert pushed.delivery is not None
        assert (pushed.id, pushed.delivery.id, pushed.delivery.state) == ("i1", "msg_1", "delivered")
