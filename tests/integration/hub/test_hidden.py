"""What people hide is hidden on all devices, comes back, and touches nothing else."""

from __future__ import annotations

from typing import Any

import msgspec

from controlroom.testing.fake_node import agent_state
from controlroom.wire.client import SendMessage
from controlroom.wire.model import Item, LastWords
from tests.integration.hub.conftest import House
from tests.integration.hub.test_messages import until_message, until_taken
from tests.support.waiting import until


async def ready(house: House, *texts: str) -> None:
    """The chat is read from its start on, so that what is said counts as unread."""
    await house.node.put(agent_state())
    await house.until_agent()
    now_ms = house.clock.now_ms()
    for number, text in enumerate(texts):
        await house.node.say(
            "agt_1", Item(id=f"i{number}", at_ms=now_ms + number, kind="assistant", text=text)
        )
    await house.until_agent(unread=len(texts))


async def ask(house: House, method: str, path: str) -> tuple[int, dict[str, Any]]:
    async with house.raw() as session, session.request(method, f"/api/v1/chats/cht_1{path}") as answer:
        return answer.status, await answer.json()


async def shown(house: House) -> list[str]:
    return [item.id for item in (await house.client.items("cht_1")).items]


async def events(house: House, name: str) -> list[Any]:
    return [msgspec.json.decode(e.data) for e in await house.store.events_after(0, 1000) if e.name == name]


async def test_an_item_is_hidden_and_comes_back(house: House) -> None:
    await ready(house, "one", "two")
    assert (await ask(house, "DELETE", "/items/i0"))[1]["items"] == ["i0"]
    assert await shown(house) == ["i1"]
    await house.until_agent(unread=1)
    await ask(house, "POST", "/items/i0/restore")
    assert await shown(house) == ["i0", "i1"]
    await house.until_agent(unread=2)
    told = await events(house, "chat.hidden")
    assert [(e["item_id"], e["is_hidden"]) for e in told] == [("i0", True), ("i0", False)]
    receipts = (await house.client.receipts()).receipts
    assert [(r.what, r.agent_id) for r in receipts] == [("hide", "agt_1"), ("show", "agt_1")]


async def test_the_list_does_not_say_what_is_hidden(house: House) -> None:
    await ready(house, "one", "two")
    state = house.node.agents["agt_1"]
    at_ms = house.node.chats["cht_1"][-1].at_ms
    last = LastWords(author="assistant", text="two", at_ms=at_ms)
    await house.node.put(msgspec.structs.replace(state, last=last))
    await house.until_agent(last=last)
    await ask(house, "DELETE", "/items/i1")
    await house.until_agent(last=None)
    await ask(house, "POST", "/items/i1/restore")
    await house.until_agent(last=last)
    await ask(house, "DELETE", "")
    await house.until_agent(last=None)


async def test_hiding_twice_is_hiding_once(house: House) -> None:
    await ready(house, "one")
    for _ in range(2):
        await ask(house, "DELETE", "/items/i0")
    assert len(await events(house, "chat.hidden")) == 1


async def test_a_whole_chat_is_hidden_up_to_now(house: House) -> None:
    await ready(house, "one", "two")
    status, hidden = await ask(house, "DELETE", "")
    assert status == 200 and hidden["before_ms"]
    page = await house.client.items("cht_1")
    assert (page.items, page.before) == ((), None)
    await house.until_agent(unread=0)
    later = Item(id="i9", at_ms=house.clock.now_ms() + 1000, kind="assistant", text="three")
    await house.node.say("agt_1", later)
    await house.until_agent(unread=1)
    assert await shown(house) == ["i9"]
    await ask(house, "DELETE", "")
    assert await shown(house) == []
    await ask(house, "POST", "/restore")
    assert await shown(house) == ["i9"]
    await ask(house, "POST", "/restore")
    assert await shown(house) == ["i0", "i1", "i9"]


async def test_what_is_hidden_stays_hidden_while_the_machine_is_away(
    house: House,
) -> None:
    await ready(house, "one", "two")
    await ask(house, "DELETE", "/items/i1")
    await house.node.go_away()
    await until(lambda: not house.hub.fleet().machines[0].online)
    assert await shown(house) == ["i0"]
    await house.restart()
    assert await shown(house) == ["i0"]


async def test_a_message_that_is_to_go_out_cannot_be_hidden_and_one_that_failed_can(house: House) -> None:
    await ready(house)
    await house.client.send("agt_1", SendMessage(id="msg_1", text="hi"))
    await until_taken(house, "msg_1")
    status, refusal = await ask(house, "DELETE", "/items/msg_1")
    assert (status, refusal["code"]) == (409, "conflict")
    await house.node.progress("msg_1", "failed", detail="It broke.")
    await until_message(house, "msg_1", lambda m: m.state == "failed")
    assert await shown(house) == ["msg_1"]
    assert (await ask(house, "DELETE", "/items/msg_1"))[0] == 200
    assert await shown(house) == []


async def test_an_unknown_chat_is_not_found(house: House) -> None:
    async with house.raw() as session, session.delete("/api/v1/chats/cht_9") as answer:
        assert answer.status == 404
