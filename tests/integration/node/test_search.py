"""Searching an agent's conversation on its machine."""

from __future__ import annotations

import pytest

from controlroom.node.api import Refused
from controlroom.node.chat_search import PAGE
from tests.integration.node.conftest import Room


async def chat_of(room: Room, name: str) -> tuple[str, str]:
    await room.look()
    state = (await room.agents())[name]
    return state.id, state.chat_id


async def test_the_whole_conversation_is_searched_in_any_case(room: Room) -> None:
    agent = room.driver.add("shop")
    for number in range(PAGE * 2 + 10):
        room.driver.say(agent, "assistant", f"Needle {number}" if number % 100 == 0 else "hay")
    ids = await chat_of(room, "shop")
    answer = await room.node.api.search(*ids, "nEEDLE")
    assert [hit.item.text for hit in answer.hits] == [f"Needle {n}" for n in (400, 300, 200, 100, 0)]
    assert answer.before is None
    page = await room.node.api.items(*ids, before=answer.hits[-1].page, limit=PAGE)
    assert answer.hits[-1].item in page.items


async def test_the_page_around_an_item(room: Room) -> None:
    agent = room.driver.add("shop")
    said = [room.driver.say(agent, "assistant", f"text {number}") for number in range(PAGE * 2)]
    ids = await chat_of(room, "shop")
    page = await room.node.api.around(*ids, said[3].id)
    assert said[3] in page.items
    newer = await room.node.api.items(*ids, after=page.after, limit=1)
    assert newer.items == (said[PAGE],)
    with pytest.raises(Refused) as caught:
        await room.node.api.around(*ids, "nowhere")
    assert caught.value.refusal.code == "not_found"


async def test_the_chat_of_a_gone_agent_is_searched_too(room: Room) -> None:
    agent = room.driver.add("shop")
    room.driver.say(agent, "assistant", "last words")
    ids = await chat_of(room, "shop")
    agent.is_running = False
    await room.look()
    await room.restart()
    answer = await room.node.api.search(*ids, "LAST")
    assert [hit.item.text for hit in answer.hits] == ["last words"]


async def test_what_is_missing_or_foreign_is_refused(room: Room) -> None:
    agent = room.driver.add("shop")
    room.driver.say(agent, "assistant", "words")
    agent_id, chat_id = await chat_of(room, "shop")
    with pytest.raises(Refused):
        await room.node.api.search(agent_id, "cht_other", "x")
    with pytest.raises(Refused):
        await room.node.api.around("agt_other", chat_id, "x")
