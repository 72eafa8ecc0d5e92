"""The list of notifications page by page: each once, whatever happens between two pages."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from controlroom.client import Refused
from controlroom.hub.store import notification_rows
from controlroom.hub.store.store import Change
from controlroom.wire.notification import Notification
from tests.integration.hub.conftest import House


def record(number: int) -> Notification:
    return Notification(
        id=f"ntf_{number}",
        kind="finished",
        state="pushed",
        began_ms=number,
        at_ms=number,
        title=f"orchard {number}",
        text="",
        why="It was told.",
        open="agents/agt_1",
        agent_id="agt_1" if number % 2 else "agt_2",
    )


async def keep(house: House, *records: Notification) -> None:
    def job(change: Change) -> None:
        for one in records:
            notification_rows.put_record(change, one)

    await house.store.change(job)


@pytest.mark.parametrize("limit", [1, 2, 3, 6, 7, 200])
async def test_each_stands_on_one_page(house: House, limit: int) -> None:
    await keep(house, *(record(number) for number in range(1, 7)))
    seen: list[str] = []
    page = await house.client.notifications(limit=limit)
    while True:
        seen += [one.id for one in page.notifications]
        if page.before is None:
            break
        assert len(page.notifications) == limit
        # What is new, and what is decided anew, moves nothing that is older.
        await keep(house, record(100 + len(seen)), replace(record(1), state="over", at_ms=1_000))
        page = await house.client.notifications(limit=limit, before=page.before)
    assert seen == [f"ntf_{number}" for number in range(6, 0, -1)]


async def test_pages_of_one_agent(house: House) -> None:
    await keep(house, *(record(number) for number in range(1, 7)))
    first = await house.client.notifications(agent_id="agt_1", limit=2)
    assert [one.id for one in first.notifications] == ["ntf_5", "ntf_3"]
    last = await house.client.notifications(agent_id="agt_1", limit=2, before=first.before)
    assert ([one.id for one in last.notifications], last.before) == (["ntf_1"], None)


async def test_a_cursor_of_another_list_is_refused(house: House) -> None:
    with pytest.raises(Refused, match="no cursor"):
        await house.client.notifications(before="last")
