"""Receipts are read from both ends, page by page."""

from __future__ import annotations

import pytest

from controlroom.client import Refused
from controlroom.testing.fake_node import agent_state
from controlroom.wire.client import Interrupt, Receipts
from tests.integration.hub.conftest import House


async def some(house: House, count: int) -> list[int]:
    await house.node.put(agent_state())
    await house.until_agent()
    for number in range(count):
        await house.client.interrupt("agt_1", Interrupt(request_id=f"req_{number}"))
    return [receipt.seq for receipt in (await house.client.receipts()).receipts]


async def test_the_newest_come_first_and_older_pages_follow(house: House) -> None:
    every = await some(house, 5)
    assert len(every) == 5
    newest = await house.client.newest_receipts(limit=2)
    assert ([r.seq for r in newest.receipts], newest.more) == (every[3:], True)
    older = await house.client.newest_receipts(before=every[3], limit=2)
    assert ([r.seq for r in older.receipts], older.more) == (every[1:3], True)
    oldest = await house.client.newest_receipts(before=every[1], limit=2)
    assert ([r.seq for r in oldest.receipts], oldest.more) == (every[:1], False)
    assert (await house.client.newest_receipts(before=every[0])).receipts == ()


async def test_both_ends_at_once_are_refused(house: House) -> None:
    with pytest.raises(Refused) as refused:
        await house.client._get("/receipts", Receipts, before=3, after=1)
    assert refused.value.code == "bad_request"
