"""Chats through a hub: pages, the kept copy, hints, read marks."""

from __future__ import annotations

import pytest
from sqlalchemy import func, select

from controlroom.client import Refused
from controlroom.hub.store.chat_rows import ITEMS_KEPT
from controlroom.hub.store.tables import chat_items
from controlroom.testing.fake_node import agent_state
from controlroom.wire.client import EventFrame, ItemsFrame, Resync
from controlroom.wire.codec import decode
from controlroom.wire.events import ChatItems
from controlroom.wire.model import Finished, Item, ItemKind
from tests.integration.hub.conftest import House
from tests.support.waiting import until


def item(house: House, number: int, kind: ItemKind = "assistant", text: str = "") -> Item:
    return Item(id=f"i{number}", at_ms=house.clock.now_ms() + 1000, kind=kind, text=text or f"text {number}")


async def kept(house: House, count: int, chat_id: str = "cht_1") -> None:
    """Wait until the hub has its copy."""
    query = select(func.count()).select_from(chat_items).where(chat_items.c.chat_id == chat_id)

    async def is_kept() -> bool:
        return await house.store.read(lambda c: c.execute(query).scalar_one()) == count

    await until(is_kept, f"{count} items kept")


async def test_pages_go_through_to_the_node(house: House) -> None:
    await house.node.put(agent_state())
    await house.node.say("agt_1", *(item(house, n) for n in range(120)))
    await house.until_agent()
    newest = await house.client.items("cht_1")
    assert [i.id for i in newest.items] == [f"i{n}" for n in range(70, 120)]
    older = await house.client.agent_items("agt_1", before=newest.before, limit=30)
    assert [i.id for i in older.items] == [f"i{n}" for n in range(40, 70)]
    nothing = await house.client.items("cht_1", after=newest.after)
    assert nothing.items == ()
    await house.node.say("agt_1", item(house, 120))
    assert [i.id for i in (await house.client.items("cht_1", after=newest.after)).items] == ["i120"]


async def test_a_machine_that_is_away_can_still_be_read(house: House) -> None:
    await house.node.put(agent_state())
    await house.node.say("agt_1", *(item(house, n) for n in range(ITEMS_KEPT + 50)))
    await house.until_agent()
    await kept(house, ITEMS_KEPT)
    cursor = (await house.client.items("cht_1")).after
    await house.node.go_away()
    await until(lambda: not house.hub.fleet().machines[0].online)
    page = await house.client.items("cht_1", limit=150)
    assert [i.id for i in page.items] == [f"i{n}" for n in range(100, 250)]
    assert page.after == cursor
    assert (await house.client.items("cht_1", after=page.after)).items == ()
    older = await house.client.items("cht_1", before=page.before, limit=150)
    assert [i.id for i in older.items] == [f"i{n}" for n in range(50, 100)]
    with pytest.raises(Refused) as caught:  # what is not kept is not called the beginning
        await house.client.items("cht_1", before=older.before)
    assert caught.value.code == "offline"


async def test_a_chat_of_an_agent_that_left_is_still_readable(house: House) -> None:
    await house.node.put(agent_state())
    await house.node.say("agt_1", item(house, 1))
    await house.until_agent()
    await kept(house, 1)
    await house.node.drop("agt_1")
    del house.node.chats["cht_1"]  # the node forgot it, or its file is gone
    assert [i.id for i in (await house.client.items("cht_1")).items] == ["i1"]


async def test_a_missing_history_is_said(house: House) -> None:
    await house.node.put(agent_state())
    del house.node.chats["cht_1"]
    await house.until_agent()
    with pytest.raises(Refused, match="history is missing") as caught:
        await house.client.items("cht_1")
    assert caught.value.code == "not_found"


async def test_new_items_are_hinted_and_pushed_to_whoever_has_the_chat_open(house: House) -> None:
    await house.node.put(agent_state())
    await house.node.say("agt_1", item(house, 1))
    await house.until_agent()
    await kept(house, 1)
    async with house.client.live() as live:
        await live.open("cht_1")
        hints: list[ChatItems] = []
        pushed: list[str] = []
        async for frame in live:
            if isinstance(frame, Resync):
                await until(lambda: any("cht_1" in c.chats for c in house.hub._live._open))
                await house.node.say("agt_1", item(house, 2, "user"), item(house, 3, text="x" * 400))
            elif isinstance(frame, EventFrame) and frame.name == "chat.items":
                hints.append(decode(bytes(frame.data), ChatItems))
            elif isinstance(frame, ItemsFrame):
                pushed += [i.id for i in frame.items]
            if hints and pushed:
                break
    assert pushed == ["i2", "i3"]
    assert (hints[0].after, hints[0].count, hints[0].last) == ("1", 2, "x" * 300)


async def test_unread_counts_what_the_agent_said_since(house: House) -> None:
    old = Item(id="old", at_ms=5, kind="assistant", text="from before the hub knew the chat")
    await house.node.put(agent_state())
    await house.node.say("agt_1", old)
    await house.until_agent(unread=0)
    await house.node.say(
        "agt_1",
        item(house, 1, "user"),
        item(house, 2, "thinking"),
        item(house, 3, "assistant"),
        item(house, 4, "question"),
    )
    await house.until_agent(unread=2)
    async with house.client.live() as live:
        await live.seen("cht_1", "i3")
        await house.until_agent(unread=1)
        await live.seen("cht_1", "old")  # another device is behind: the mark never goes back
        await live.seen("cht_1", "i4")
        await house.until_agent(unread=0)
    await house.restart()
    await house.until_agent(unread=0)


async def test_reading_the_end_clears_finished(house: House) -> None:
    await house.node.put(agent_state())
    await house.node.say("agt_1", item(house, 1))
    now = house.clock.now_ms()
    done = Finished(at_ms=now + 1000, busy_ms=60_000, text="done")
    mark = house.node.agents["agt_1"].mark
    await house.node.put(agent_state(finished=done, mark=mark))
    agent = await house.until_agent(unread=1)
    await until(lambda: house.hub.fleet().agents[0].finished is not None)
    async with house.client.live() as live:
        await live.seen("cht_1", "i1")
        agent = await house.until_agent(unread=0, finished=None)
    again = Finished(at_ms=now + 99_000, busy_ms=10, text="again")
    await house.node.put(agent_state(finished=again, mark=mark))
    agent = await house.until_agent(finished=again)
    assert agent.finished == again


async def test_what_was_read_before_the_hub_had_it_counts_when_it_has(house: House) -> None:
    await house.node.put(agent_state())
    await house.until_agent()
    async with house.client.live() as live:
        await live.seen("cht_1", "i2")
        await until(lambda: "cht_1" in house.hub._chats._seen_early)
        await house.node.say("agt_1", item(house, 1), item(house, 2), item(house, 3))
        await house.until_agent(unread=1)


async def test_a_changed_item_replaces_the_kept_one(house: House) -> None:
    await house.node.put(agent_state())
    await house.node.say("agt_1", item(house, 1), item(house, 2))
    await house.until_agent()
    await kept(house, 2)
    await house.node.say("agt_1", item(house, 1, text="changed"), item(house, 3))
    await kept(house, 3)
    await house.node.go_away()
    await until(lambda: not house.hub.fleet().machines[0].online)
    page = await house.client.items("cht_1")
    assert [(i.id, i.text) for i in page.items] == [
        ("i1", "changed"),
        ("i2", "text 2"),
        ("i3", "text 3"),
    ]


@pytest.mark.parametrize("path", ["/api/v1/chats/none/items", "/api/v1/agents/none/chat"])
async def test_unknown_chats_are_not_found(house: House, path: str) -> None:
    async with house.raw() as session, session.get(path) as answer:
        assert answer.status == 404
        assert (await answer.json())["code"] == "not_found"


@pytest.mark.parametrize("query", ["limit=x", "limit=-1", "before=a&after=b"])
async def test_bad_queries_are_refused(house: House, query: str) -> None:
    await house.node.put(agent_state())
    await house.until_agent()
    async with house.raw() as session, session.get(f"/api/v1/chats/cht_1/items?{query}") as answer:
        assert answer.status == 400
        assert (await answer.json())["code"] == "bad_request"
