"""A message waits in order, is typed once, and is called delivered only with proof."""

from __future__ import annotations

import asyncio

import pytest

from controlroom.core.facts import Dialog
from controlroom.wire.node import AmendAct, SendAct
from tests.integration.node.conftest import Room
from tests.support.waiting import until


async def send(room: Room, id: str, text: str = "hello", agent: str = "orchard", **more: str) -> str:
    agent_id = (await room.agents())[agent].id
    result = await room.node.api.act(SendAct(id=id, agent_id=agent_id, text=text, **more))  # type: ignore[arg-type] # by name
    return result.code


async def states(room: Room, id: str) -> list[str]:
    return [row.state + (f":{row.held.code}" if row.held else "") for row in await room.progress(id)]


async def test_a_message_to_an_idle_agent_is_delivered(room: Room) -> None:
    agent = room.driver.add("orchard")
    await room.look()
    assert await send(room, "m1") == "ok"
    await room.look()
    assert agent.received == ["hello"]
    assert await states(room, "m1") == ["accepted", "sending", "delivered"]


async def test_what_is_written_is_told_however_long_the_journal_takes(room: Room) -> None:
    room.driver.add("orchard")
    await room.look()
    await send(room, "m1")
    assert [row.state for row in (await room.node.api.acts(0, 0)).acts] == ["accepted"]
    assert (await room.node.api.acts(1, 0)).acts == ()


async def test_a_message_sent_twice_is_one_message(room: Room) -> None:
    agent = room.driver.add("orchard")
    await room.look()
    assert [await send(room, "m1"), await send(room, "m1")] == ["ok", "ok"]
    await room.look()
    assert await send(room, "m1") == "ok"
    await room.look()
    assert agent.received == ["hello"]


async def test_the_same_id_with_another_text_is_a_conflict(room: Room) -> None:
    room.driver.add("orchard")
    await room.look()
    await send(room, "m1")
    assert await send(room, "m1", "something else") == "conflict"


async def test_messages_wait_for_the_end_of_the_turn_and_go_in_order(room: Room) -> None:
    agent = room.driver.add("orchard")
    agent.is_working = True
    await room.look()
    for number in (1, 2, 3):
        await send(room, f"m{number}", f"text {number}")
    await room.look(2)
    assert agent.received == []
    assert await states(room, "m2") == ["accepted", "accepted:working"]
    agent.is_working = False
    await room.look(6)
    assert agent.received == ["text 1", "text 2", "text 3"]


async def test_a_dialog_holds_a_message(room: Room) -> None:
    agent = room.driver.add("orchard")
    agent.dialog = Dialog(kind="permission", text="Go on?")
    await room.look()
    await send(room, "m1", when="now")
    await room.look()
    assert (await states(room, "m1"))[-1] == "accepted:dialog" and agent.received == []


async def test_a_draft_holds_a_message_without_flicker(room: Room) -> None:
    agent = room.driver.add("orchard")
    agent.draft = "half a thought"
    await room.look()
    await send(room, "m1")
    await room.look(4)
    assert await states(room, "m1") == ["accepted", "accepted:draft"]


async def test_a_message_to_an_agent_that_is_gone_waits_for_its_return(room: Room) -> None:
    agent = room.driver.add("orchard")
    await room.look()
    agent.is_running = False
    await room.look()
    await send(room, "m1")
    await room.look()
    assert (await states(room, "m1"))[-1] == "accepted:gone"
    agent.is_running = True
    await room.look(2)
    assert agent.received == ["hello"]


async def test_a_message_follows_a_starting_process_to_the_agent_that_it_turns_out_to_be(room: Room) -> None:
    """Identity rule 2: the agent made for the process gives way to the one whose session it opens."""
    old = room.driver.add("orchard", session_id="s")
    await room.look()
    first = (await room.agents())["orchard"].id
    room.driver.agents.remove(old)
    new = room.driver.add("newcomer", incarnation="later")
    new.session_id = None
    new.is_working = True
    await room.look()
    await send(room, "m1", agent="newcomer")
    await send(room, "m2", "second", agent="newcomer")
    newcomer = (await room.agents())["newcomer"].id
    await room.look()
    new.session_id = "s"
    await room.look()
    assert {row.agent_id for row in await room.progress("m1")} == {newcomer, first}
    await room.restart()
    new.is_working = False
    await room.look(4)
    late = await room.node.api.act(SendAct(id="m3", agent_id=newcomer, text="third"))
    assert late.code == "ok", "the hub may not have heard of it yet"
    await room.look(2)
    assert new.received == ["hello", "second", "third"]
    assert [(row.agent_id, row.state) for row in await room.progress("m3")][-1] == (first, "delivered")


async def test_what_never_shows_in_the_file_is_unconfirmed_and_not_typed_again(room: Room) -> None:
    agent = room.driver.add("orchard")
    agent.is_deaf = True
    await room.look()
    await send(room, "m1")
    await room.look(3)
    await room.restart()
    await room.look(3)
    assert (await states(room, "m1"))[-1] == "unconfirmed"
    assert agent.received == ["hello"]


async def test_a_waiting_message_can_be_changed_and_taken_back(room: Room) -> None:
    agent = room.driver.add("orchard")
    agent.is_working = True
    await room.look()
    await send(room, "m1", "frist")
    await send(room, "m2")
    await room.look()
    changed = await room.node.api.act(AmendAct(id="a1", message_id="m1", text="first"))
    taken = await room.node.api.act(AmendAct(id="a2", message_id="m2", cancel=True))
    assert (changed.code, taken.code) == ("ok", "ok")
    agent.is_working = False
    await room.look(4)
    assert agent.received == ["first"]
    assert (await states(room, "m2"))[-1] == "cancelled"


async def test_a_message_that_waits_for_a_draft_can_be_changed_at_any_moment(room: Room) -> None:
    """Each second it is looked whether it can go out: a change made meanwhile waits for that look."""
    agent = room.driver.add("orchard")
    agent.draft = "half a thought"
    await room.look()
    await send(room, "m1", "frist")
    agent.gate = asyncio.Event()
    async with asyncio.TaskGroup() as group:
        group.create_task(room.look())
        await until(lambda: agent.is_asked, "a submission looks")
        act = AmendAct(id="a1", message_id="m1", text="first")
        change = group.create_task(room.node.api.act(act))
        agent.gate.set()
    assert change.result().code == "ok"
    agent.draft = ""
    await room.look(2)
    assert agent.received == ["first"]


async def test_a_person_decides_what_becomes_of_a_draft_while_the_message_waits(room: Room) -> None:
    agent = room.driver.add("orchard")
    agent.draft = "half a thought"
    await room.look()
    await send(room, "m1")
    await room.look()
    assert (await states(room, "m1"))[-1] == "accepted:draft"
    assert (await room.node.api.act(AmendAct(id="a1", message_id="m1", on_draft="replace"))).code == "ok"
    await room.look()
    assert agent.received == ["hello"]


async def test_a_message_that_was_typed_cannot_be_changed(room: Room) -> None:
    room.driver.add("orchard")
    await room.look()
    await send(room, "m1")
    await room.look()
    result = await room.node.api.act(AmendAct(id="a1", message_id="m1", cancel=True))
    assert result.code == "conflict"


async def test_an_amended_message_that_is_offered_again_is_still_one_message(room: Room) -> None:
    agent = room.driver.add("orchard")
    agent.is_working = True
    await room.look()
    await send(room, "m1", "frist")
    await room.node.api.act(AmendAct(id="a1", message_id="m1", text="first"))
    assert await send(room, "m1", "frist") == "ok"
    agent.is_working = False
    await room.look(2)
    assert agent.received == ["first"]


@pytest.mark.parametrize(("breaks", "state"), [(2, "delivered"), (3, "failed")])
async def test_a_submission_that_breaks_is_tried_again_and_then_given_up(
    room: Room, breaks: int, state: str
) -> None:
    agent = room.driver.add("orchard")
    await room.look()
    agent.breaks = breaks
    await send(room, "m1")
    await room.look(4)
    assert (await states(room, "m1"))[-1] == state


async def test_waiting_messages_survive_a_restart_in_order(room: Room) -> None:
    agent = room.driver.add("orchard")
    agent.is_working = True
    await room.look()
    await send(room, "m1", "text 1")
    await send(room, "m2", "text 2")
    await room.look()
    await room.restart()
    agent.is_working = False
    await room.look(4)
    assert agent.received == ["text 1", "text 2"]
