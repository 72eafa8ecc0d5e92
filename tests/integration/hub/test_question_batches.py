"""However a conversation arrives, in one piece or in many, once or again: the cards are the same."""

from __future__ import annotations

import asyncio
import tempfile
from collections.abc import Iterator, Sequence
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from controlroom.hub.store import chat_rows
from controlroom.hub.store.store import Change
from controlroom.node.agents.replies import asks_among
from controlroom.testing.fake_node import agent_state
from controlroom.wire.model import Item
from tests.integration.hub.conftest import House
from tests.support.waiting import until

PEARS = (
    "Question for Founder: Shall the pears be picked?\n- Today\n- Later\nDefault: I wait by 40 hours from now"
)
PLUMS = "Question for Founder: Which crate for the plums?\n- Oak: heavy\n- Elm: light\nBlocking: yes"
SAID = st.sampled_from(
    [
        ("question", PEARS),
        ("question", PEARS.replace("Shall", "So: shall")),
        ("question", f"{PLUMS}\n\n{PEARS}"),
        ("question", "Question for Founder: Ladder?\n- Yes"),
        ("assistant", "Resolved for Founder: Which crate for the plums?: Oak it is."),
        ("assistant", "Resolved for Founder: The barn door?: Painted."),
        ("assistant", "Let me see."),
        ("assistant", f"> {PLUMS}"),
        ("user", "1"),
        ("user", "elm"),
        ("user", "Later"),
        ("user", "Please go on."),
        ("notice", "Conversation compacted"),
    ]
)


class World:
    """A hub that goes on from example to example; each has two agents of its own."""

    def __init__(self, folder: Path) -> None:
        self.house = House(folder)
        self.count = 0

    async def agent(self) -> str:
        self.count += 1
        id = f"agt_{self.count}"
        await self.house.node.put(agent_state(id, name=id))
        await until(lambda: self.house.hub._chats.is_read(id))
        return id

    async def take(self, agent_id: str, items: Sequence[Item]) -> None:
        """These items arrive together."""
        (node,) = self.house.hub._nodes.all()
        chat_id = agent_id.replace("agt", "cht")

        def job(change: Change) -> None:
            chat = chat_rows.chat_row(change.connection, chat_id)
            assert chat is not None
            self.house.hub._questions.took(change, chat, node, items, asks_among(items), False)
            chat_rows.put_items(change, chat_id, items)

        await self.house.store.change(job)

    async def cards(self, agent_id: str) -> list[tuple[object, ...]]:
        """What came of it, without what only this agent has."""
        page = await self.house.hub._questions.page(is_open=False, agent_id=agent_id, limit=200)
        found: list[tuple[object, ...]] = []
        for one in page.questions:
            option = None if one.answer is None else one.answer.option
            steps = [(step.state, step.why) for step in one.history]
            found.append((one.item_id, one.question, one.blocking, bool(one.replaces), option, steps))
        return found

    async def receipts(self, agent_id: str) -> list[tuple[str, str, str]]:
        page = await self.house.client.receipts(0)
        found = list(page.receipts)
        while page.more:
            page = await self.house.client.receipts(found[-1].seq)
            found += page.receipts
        return [(one.what, one.code, one.text) for one in found if one.agent_id == agent_id]


@pytest.fixture(scope="module")
def runner() -> Iterator[asyncio.Runner]:
    with asyncio.Runner() as runner:
        yield runner


@pytest.fixture(scope="module")
def world(runner: asyncio.Runner) -> Iterator[World]:
    with tempfile.TemporaryDirectory(prefix="acr") as path:
        world = World(Path(path))
        runner.run(world.house.start())
        yield world
        runner.run(world.house.stop())


@settings(max_examples=60, deadline=None)
@given(st.lists(SAID, max_size=12), st.lists(st.integers(1, 12), max_size=6), st.integers(0, 4))
def test_the_same_words_make_the_same_cards(
    runner: asyncio.Runner, world: World, said: list[tuple[str, str]], cuts: list[int], again: int
) -> None:
    runner.run(_compare(world, said, cuts, again))


async def _compare(world: World, said: list[tuple[str, str]], cuts: list[int], again: int) -> None:
    now = world.house.clock.now_ms()
    items = [
        Item(id=f"i{at}", at_ms=now + at, kind=kind, text=text)  # type: ignore[arg-type]  # of the list above
        for at, (kind, text) in enumerate(said)
    ]
    whole, parts = await world.agent(), await world.agent()
    await world.take(whole, items)
    places = sorted({0, len(items), *(cut for cut in cuts if cut < len(items))})
    for start, end in pairwise(places):
        await world.take(parts, items[max(0, start - again) : end])
    assert await world.cards(parts) == await world.cards(whole)
    assert await world.receipts(parts) == await world.receipts(whole)
