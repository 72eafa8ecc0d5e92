"""What the hub relies on in its store, whichever database is behind it."""

from __future__ import annotations

import asyncio
import contextlib
import sqlite3
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from controlroom.hub.merge import Marks, merge
from controlroom.hub.store import chat_rows, fleet_rows, message_rows, request_rows
from controlroom.hub.store import store as store_module
from controlroom.hub.store.store import Change, Event, Store
from controlroom.hub.store.tables import SCHEMA, metadata
from controlroom.kit.clock import FakeClock
from controlroom.kit.schema import Schema
from controlroom.kit.sql import Database
from controlroom.testing.fake_node import agent_state
from controlroom.wire.events import AgentGone
from controlroom.wire.model import Item, Machine, Message

MACHINE = Machine(
    id="mac_1", name="desk", primary=True, online=True, last_seen_ms=1, version="1", capabilities=("a",)
)


@pytest.fixture
def clock() -> FakeClock:
    return FakeClock()


@pytest.fixture
async def store(tmp_path: Path, clock: FakeClock) -> AsyncIterator[Store]:
    store = Store.at(tmp_path / "hub.sqlite", clock)
    await store.start()
    yield store
    await store.aclose()


async def test_events_are_numbered_without_gaps_and_told_in_order(store: Store) -> None:
    told: list[Event] = []
    store.subscribe(told.append)

    def one(change: Change) -> None:
        change.emit("agent.gone", AgentGone(id="a", chat_id="c"))
        change.emit("agent.gone", AgentGone(id="b", chat_id="c"))

    def broken(change: Change) -> None:
        change.emit("agent.gone", AgentGone(id="never", chat_id="c"))
        raise ValueError

    jobs = [store.change(broken if number % 3 == 0 else one) for number in range(60)]
    await asyncio.gather(*jobs, return_exceptions=True)
    assert [event.seq for event in told] == list(range(1, 81))
    assert store.seq == 80
    assert await store.events_after(0, 1000) == told
    assert await store.events_after(78, 1000) == told[78:]
    assert b"never" not in b"".join(event.data for event in told)


async def test_numbers_go_on_after_a_restart(store: Store, tmp_path: Path, clock: FakeClock) -> None:
    await store.change(lambda c: c.emit("agent.gone", AgentGone(id="a", chat_id="c")))
    await store.aclose()
    again = Store.at(tmp_path / "hub.sqlite", clock)
    await again.start()
    assert (again.seq, again.oldest) == (1, 1)
    await again.change(lambda c: c.emit("agent.gone", AgentGone(id="b", chat_id="c")))
    assert again.seq == 2
    await again.aclose()


async def test_old_events_are_forgotten_and_the_oldest_is_known(
    store: Store, clock: FakeClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    def three(change: Change) -> None:
        for name in "abc":
            change.emit("agent.gone", AgentGone(id=name, chat_id="c"))

    await store.change(three)
    clock.advance(8 * 24 * 3600)
    await store.change(three)
    await store.prune()
    assert store.oldest == 4
    monkeypatch.setattr(store_module, "EVENTS_KEPT", 2)
    await store.prune()
    assert (store.oldest, store.seq) == (5, 6)
    clock.advance(8 * 24 * 3600)
    await store.prune()
    assert (store.oldest, store.seq) == (7, 6)
    await store.change(three)
    assert [event.seq for event in await store.events_after(0, 10)] == [7, 8, 9]


async def test_agents_are_announced_only_when_something_shown_differs(store: Store) -> None:
    async def put(name: str, mark: str) -> None:
        state = agent_state(name=name, mark=mark)
        await store.change(lambda change: fleet_rows.put_state(change, "mac_1", state, 0))

    await store.change(lambda c: fleet_rows.put_machine(c, MACHINE, 0))
    for name, mark in (("a", "1"), ("a", "1"), ("a", "2"), ("b", "2")):
        await put(name, mark)
    told = [(e.name, b'"name":"b"' in e.data) for e in await store.events_after(1, 10)]
    assert told == [("agent.changed", False), ("agent.changed", True)]
    (agent,) = await store.read(fleet_rows.listed_agents)
    assert agent == merge(agent_state(name="b", mark="2"), "mac_1", Marks(), 0)
    (state,) = await store.read(lambda c: fleet_rows.listed_states(c, "mac_1"))
    assert state.mark == "2"


async def test_freshness_of_a_machine_is_no_event(store: Store) -> None:
    fresher = Machine(
        id="mac_1",
        name="desk",
        primary=True,
        online=True,
        last_seen_ms=99,
        version="1",
        capabilities=("a",),
        load=3.0,
    )
    await store.change(lambda c: fleet_rows.put_machine(c, MACHINE, 0))
    await store.change(lambda c: fleet_rows.put_machine(c, fresher, 0))
    assert store.seq == 1


def items(first: int, count: int) -> list[Item]:
    return [Item(id=f"i{n}", at_ms=n, kind="assistant", text=str(n)) for n in range(first, first + count)]


async def chat(store: Store) -> None:
    def job(change: Change) -> None:
        fleet_rows.put_machine(change, MACHINE, 0)
        fleet_rows.put_state(change, "mac_1", agent_state(), 0)

    await store.change(job)


async def test_two_hundred_items_of_a_chat_are_kept(store: Store) -> None:
    await chat(store)

    def job(change: Change) -> None:
        for first in (0, 150, 300):
            chat_rows.put_items(change, "cht_1", items(first, 150))

    await store.change(job)
    found, more = await store.read(lambda c: chat_rows.kept_items(c, "cht_1", before=None, limit=500))
    assert [item.id for item in found] == [f"i{n}" for n in range(250, 450)]
    assert more is None
    row = await store.read(lambda c: chat_rows.chat_row(c, "cht_1"))
    assert row is not None
    assert row.older


async def test_the_read_mark_never_goes_back(store: Store) -> None:
    await chat(store)

    def job(change: Change) -> list[int]:
        chat_rows.put_items(change, "cht_1", items(1, 10))
        counts = []
        for position in (0, 4, 2, 10, 1):
            chat_rows.put_read(change, "cht_1", position)
            counts.append(chat_rows.recount_unread(change, "cht_1"))
        return counts

    assert await store.change(job) == [10, 6, 6, 0, 0]


def message(id: str, text: str = "t") -> Message:
    return Message(
        id=id,
        chat_id="cht_1",
        agent_id="agt_1",
        text=text,
        state="accepted",
        when="idle",
        created_at_ms=1,
        changed_at_ms=1,
    )


async def test_messages_wait_in_the_order_of_their_acceptance(store: Store) -> None:
    names = ["msg_9", "msg_1", "msg_5"]

    def job(change: Change) -> None:
        for name in names:
            message_rows.add_message(change, message(name), "mac_1", "d")
        message_rows.mark_taken(change, "msg_1")

    await store.change(job)
    waiting = await store.read(lambda c: message_rows.untaken(c, "mac_1", 10))
    assert [row.message.id for row in waiting] == ["msg_9", "msg_5"]
    assert [
        row.message.id for row in await store.read(lambda c: message_rows.open_messages(c, "mac_1"))
    ] == names
    assert await store.read(lambda c: message_rows.untaken(c, "mac_2", 10)) == []


async def test_requests_are_kept_per_caller_for_a_week(store: Store, clock: FakeClock) -> None:
    await store.change(lambda c: request_rows.add_request(c, "host", "r1", "d1", b"x"))
    await store.change(lambda c: request_rows.add_request(c, "host", "r1", "d2", b"y"))
    await store.change(lambda c: request_rows.add_request(c, "device:1", "r1", "d3", b"z"))

    async def found(caller: str) -> object:
        return await store.read(lambda c: request_rows.request_row(c, caller, "r1"))

    assert await found("host") == request_rows.RequestRow("d1", b"x")
    assert await found("device:1") == request_rows.RequestRow("d3", b"z")
    clock.advance(8 * 24 * 3600)
    await store.prune()
    assert await found("host") is None


async def test_a_receipt_has_the_number_of_its_event(store: Store) -> None:
    await store.change(
        lambda c: request_rows.add_receipt(c, by="host", what="keys", code="ok", text="x" * 900)
    )
    (receipt,) = await store.read(lambda c: request_rows.receipts_after(c, 0, 10))
    (event,) = await store.events_after(0, 10)
    assert (receipt.seq, event.name, len(receipt.text)) == (event.seq, "receipt.added", 500)
    assert await store.read(lambda c: request_rows.receipts_after(c, receipt.seq, 10)) == []


def shape(path: Path) -> dict[str, list[tuple[object, ...]]]:
    with contextlib.closing(sqlite3.connect(path)) as connection:
        tables = [row[0] for row in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
        indexes = connection.execute(
            "SELECT tbl_name, name FROM sqlite_master WHERE type = 'index'"
        ).fetchall()
        found: dict[str, list[tuple[object, ...]]] = {
            table: [tuple(row[1:]) for row in connection.execute(f"PRAGMA table_info({table})")]
            for table in tables
        }
        found["indexes"] = sorted(indexes)
        return found


async def test_migrations_lead_to_the_tables_that_a_fresh_database_has(
    tmp_path: Path, clock: FakeClock
) -> None:
    fresh = Database(tmp_path / "fresh.sqlite", SCHEMA, clock=clock)
    await fresh.start()
    await fresh.aclose()
    with contextlib.closing(sqlite3.connect(tmp_path / "old.sqlite")) as connection:
        connection.execute("CREATE TABLE alembic_version (version_num VARCHAR NOT NULL)")
        connection.commit()
    migrated = Database(
        tmp_path / "old.sqlite", Schema(metadata, SCHEMA.migrations, SCHEMA.head), clock=clock
    )
    await migrated.start()
    version = await migrated.read(
        lambda c: c.exec_driver_sql("SELECT version_num FROM alembic_version").all()
    )
    await migrated.aclose()
    assert [row[0] for row in version] == [SCHEMA.head]
    old, new = shape(tmp_path / "old.sqlite"), shape(tmp_path / "fresh.sqlite")
    for found in (old, new):
        del found["alembic_version"]
        found["indexes"] = [index for index in found["indexes"] if index[0] != "alembic_version"]
    assert old == new
