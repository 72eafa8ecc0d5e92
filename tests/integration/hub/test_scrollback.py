"""Rows above a screen, and whether a screen echoes, as a client sees them."""

from __future__ import annotations

import asyncio

import pytest

from controlroom.client.errors import Refused
from controlroom.testing.fake_node import agent_state
from controlroom.wire.client import ScreenFrame
from tests.integration.hub.conftest import House


async def ready(house: House) -> None:
    await house.node.put(agent_state())
    await house.node.draw("agt_1", "now")
    house.node.histories["agt_1"] = tuple(f"row {number}" for number in range(700))
    await house.until_agent()


async def test_the_last_rows_come_with_the_hubs_own_time(house: House) -> None:
    await ready(house)
    answer = await house.client.scrollback("agt_1", 3)
    assert answer.rows == answer.ansi == ("row 698", "row 699", "now")
    assert (answer.height, answer.kept, answer.alternate) == (1, 700, False)
    assert abs(answer.at_ms - house.clock.now_ms()) < 60_000


@pytest.mark.parametrize(("lines", "count"), [(None, 500), (0, 1), (9_999_999, 701)])
async def test_the_number_of_rows_is_bounded(house: House, lines: int | None, count: int) -> None:
    await ready(house)
    assert len((await house.client.scrollback("agt_1", lines)).rows) == count


async def test_an_agent_without_a_pane_has_none(house: House) -> None:
    await house.node.put(agent_state())
    await house.until_agent()
    with pytest.raises(Refused) as refused:
        await house.client.scrollback("agt_1")
    assert refused.value.code == "not_found"


async def test_a_frame_says_that_a_password_is_read_although_the_screen_is_the_same(house: House) -> None:
    await ready(house)
    async with house.client.live() as live:
        await live.watch("agt_1")
        seen: list[bool | None] = []
        async with asyncio.timeout(15):
            async for frame in live:
                if isinstance(frame, ScreenFrame):
                    seen.append(frame.echo)
                    if len(seen) == 1:
                        await house.node.echo("agt_1", False)
                    else:
                        break
        assert seen == [None, False]


async def test_emoji_stay_in_the_multiplexers_columns(house: House) -> None:
    await ready(house)
    await house.node.draw("agt_1", "❤️ ok")
    async with house.client.live() as live:
        await live.watch("agt_1")
        async with asyncio.timeout(15):
            async for frame in live:
                if isinstance(frame, ScreenFrame):
                    assert "❤️\x1b[2G ok" in frame.data
                    return
    pytest.fail("the socket ended")
