"""Finding chats and what was said in them, through a hub."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from controlroom.hub.store.chat_rows import ITEMS_KEPT
from controlroom.testing.fake_node import agent_state
from controlroom.wire.client import ChatList, FoundItems
from controlroom.wire.codec import decode
from controlroom.wire.model import Item, Items
from tests.integration.hub.conftest import House
from tests.integration.hub.test_chats import item, kept
from tests.support.waiting import until

MANY = 450


async def ask(house: House, path: str, **query: str) -> tuple[int, bytes]:
    async with house.raw() as session, session.get(f"/api/v1{path}", params=query) as answer:
        return answer.status, await answer.read()


async def search(house: House, **query: str) -> FoundItems:
    status, body = await ask(house, "/chats/cht_1/search", **query)
    assert status == 200, body
    return decode(body, FoundItems)


async def chats(house: House, **query: str) -> ChatList:
    status, body = await ask(house, "/chats", **query)
    assert status == 200, body
    return decode(body, ChatList)


def spoken(house: House) -> list[Item]:
    return [item(house, n, text="the Needle" if n % 100 == 7 else f"hay {n}") for n in range(MANY)]


def ids(found: FoundItems) -> Sequence[str]:
    return [hit.item.id for hit in found.hits]


async def test_the_whole_conversation_is_searched(house: House) -> None:
    await house.node.put(agent_state())
    await house.node.say("agt_1", *spoken(house))
    await house.until_agent()
    found = await search(house, q="needle")
    hits = list(found.hits)
    while found.before is not None:
        found = await search(house, q="NEEDLE", before=found.before)
        hits += found.hits
    assert [hit.item.id for hit in hits] == ["i407", "i307", "i207", "i107", "i7"]
    oldest = hits[-1]
    assert oldest.page is not None
    page = await house.client.items("cht_1", before=oldest.page, limit=200)
    assert "i7" in [one.id for one in page.items]


async def test_while_its_machine_is_away_what_is_kept_is_searched_and_that_is_said(house: House) -> None:
    await house.node.put(agent_state())
    await house.node.say("agt_1", *spoken(house))
    await house.until_agent()
    await kept(house, ITEMS_KEPT)
    await house.node.go_away()
    await until(lambda: not house.hub.fleet().machines[0].online)
    found = await search(house, q="needle")
    assert found.kept_only
    assert found.before is None
    assert ids(found) == ["i407", "i307"]


@pytest.mark.parametrize("query", [{}, {"q": "  "}, {"q": "x" * 201}])
async def test_a_search_needs_a_text(house: House, query: dict[str, str]) -> None:
    await house.node.put(agent_state())
    await house.until_agent()
    assert (await ask(house, "/chats/cht_1/search", **query))[0] == 400
    assert (await ask(house, "/chats/cht_9/search", q="x"))[0] == 404


async def test_a_chat_opens_around_an_item(house: House) -> None:
    await house.node.put(agent_state())
    await house.node.say("agt_1", *spoken(house))
    await house.until_agent()
    status, body = await ask(house, "/chats/cht_1/items", around="i30")
    assert status == 200
    page = decode(body, Items)
    assert "i30" in [one.id for one in page.items]
    assert (await ask(house, "/chats/cht_1/items", around="i9999"))[0] == 404
    assert (await ask(house, "/chats/cht_1/items", around="i30", before="1"))[0] == 400


async def test_all_chats_are_listed_the_newest_word_first(house: House) -> None:
    await house.node.put(agent_state("agt_1", name="shop"), agent_state("agt_2", name="garden"))
    await house.until_agent("agt_2")
    await house.node.say("agt_1", item(house, 1, text="early"))
    await kept(house, 1, "cht_1")
    later = Item(id="j1", at_ms=house.clock.now_ms() + 60_000, kind="assistant", text="late")
    await house.node.say("agt_2", later)
    await kept(house, 1, "cht_2")
    listed = await chats(house)
    assert [(one.name, one.last, one.present) for one in listed.chats] == [
        ("garden", "late", True),
        ("shop", "early", True),
    ]
    first = await chats(house, limit="1")
    assert first.before is not None
    assert [one.name for one in (await chats(house, before=first.before)).chats] == ["shop"]
    assert [one.name for one in (await chats(house, q="GARD")).chats] == ["garden"]


async def test_a_gone_agent_that_left_the_list_can_be_found_read_and_searched(house: House) -> None:
    await house.node.put(agent_state(activity="gone", since_ms=5_000))
    await house.node.say("agt_1", item(house, 1, text="last words"))
    await house.until_agent()
    await kept(house, 1)
    await house.node.drop("agt_1")

    async def left() -> bool:
        return await house.agent() is None

    await until(left)
    (only,) = (await chats(house, q="shop")).chats
    assert not only.present
    assert only.gone_since_ms == 5_000
    assert [one.id for one in (await house.client.items("cht_1")).items] == ["i1"]
    assert ids(await search(house, q="LAST")) == ["i1"]
