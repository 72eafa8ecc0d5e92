"""What a node says of its agents, look by look."""

from __future__ import annotations

import asyncio

import msgspec
import pytest

from controlroom.core.facts import Dialog, Option
from controlroom.core.notify.episodes import trouble_delay
from controlroom.node.agents.base import Found
from controlroom.node.mux.base import PaneRef
from controlroom.node.tracker import OFTEN_S
from tests.integration.node.conftest import Room


async def test_an_agent_is_named_with_its_activity_and_evidence(room: Room) -> None:
    room.driver.add("orchard")
    await room.look()
    agent = (await room.agents())["orchard"]
    assert (agent.activity, agent.kind, agent.rule) == ("idle", "fake", "new")
    assert agent.evidence.source == "registry"


async def test_while_an_effect_is_awaited_the_next_look_comes_soon(room: Room) -> None:
    tracker = room.node._tracker
    tracker.hurry(10)
    async with asyncio.timeout(60):
        await tracker.wait_for_poke(3600)
    room.clock.advance(10)
    with pytest.raises(TimeoutError):
        async with asyncio.timeout(OFTEN_S * 2):
            await tracker.wait_for_poke(3600)


async def test_an_agent_keeps_its_id_and_chat_over_a_restart(room: Room) -> None:
    room.driver.add("orchard")
    await room.look()
    before = (await room.agents())["orchard"]
    await room.restart()
    await room.look()
    after = (await room.agents())["orchard"]
    assert (after.id, after.chat_id, after.rule) == (before.id, before.chat_id, "new")


async def test_since_holds_while_the_activity_does_and_over_a_restart(room: Room) -> None:
    agent = room.driver.add("orchard")
    agent.is_working = True
    await room.look()
    first = (await room.agents())["orchard"].since_ms
    await room.look(3)
    await room.restart()
    await room.look()
    assert (await room.agents())["orchard"].since_ms == first


async def test_a_snapshot_moves_only_when_something_visible_changed(room: Room) -> None:
    agent = room.driver.add("orchard")
    await room.look()
    snapshot = await room.node.api.snapshot(-1, 1)
    assert snapshot is not None
    await room.look(3)
    assert await room.node.api.snapshot(snapshot.rev, 0.01) is None
    agent.is_working = True
    await room.look()
    moved = await room.node.api.snapshot(snapshot.rev, 1)
    assert moved is not None and moved.rev == snapshot.rev + 1


async def test_a_blocked_agent_carries_its_whole_dialog(room: Room) -> None:
    agent = room.driver.add("orchard")
    agent.dialog = Dialog(
        kind="permission",
        text="Run rm -r build?",
        options=(Option("1", "Yes"), Option("2", "No", risky=True)),
    )
    await room.look()
    shown = (await room.agents())["orchard"]
    assert shown.activity == "blocked" and shown.waiting_for is not None
    assert shown.waiting_for.text == "Run rm -r build?"
    assert [(o.key, o.label, o.risky) for o in shown.waiting_for.options or ()] == [
        ("1", "Yes", False),
        ("2", "No", True),
    ]


async def test_a_new_dialog_with_the_same_text_has_a_new_id(room: Room) -> None:
    agent = room.driver.add("orchard")
    agent.dialog = Dialog(kind="permission", text="Go on?")
    await room.look()
    first = (await room.agents())["orchard"].waiting_for
    await room.look()
    same = (await room.agents())["orchard"].waiting_for
    room.driver.say(agent, "assistant", "Next.")
    await room.look()
    second = (await room.agents())["orchard"].waiting_for
    assert first and same and second
    assert first == same and first.id != second.id


async def test_an_agent_that_ends_is_gone_and_comes_back_with_its_session(room: Room) -> None:
    agent = room.driver.add("orchard")
    await room.look()
    before = (await room.agents())["orchard"]
    agent.is_running = False
    await room.look()
    assert (await room.agents())["orchard"].activity == "gone"
    room.driver.agents.clear()
    room.driver.add("orchard", session_id=agent.session_id, incarnation="later")
    await room.look()
    back = (await room.agents())["orchard"]
    assert (back.id, back.activity, back.rule) == (before.id, "idle", "session_continues")


async def test_clear_keeps_the_agent_and_begins_a_chat(room: Room) -> None:
    agent = room.driver.add("orchard")
    await room.look()
    before = (await room.agents())["orchard"]
    agent.session_id = "session-after-clear"
    await room.look()
    after = (await room.agents())["orchard"]
    assert after.id == before.id and after.chat_id != before.chat_id


async def test_a_session_open_twice_is_a_fault_on_both(room: Room) -> None:
    room.driver.add("orchard", session_id="s")
    await room.look()
    room.driver.add("cellar", session_id="s")
    await room.look()
    agents = await room.agents()
    assert [a.fault.code for a in agents.values() if a.fault] == ["session_open_twice"] * 2
    room.driver.agents[1].is_running = False
    await room.look()
    assert (await room.agents())["orchard"].fault is None


async def test_an_agent_made_while_starting_gives_way_to_the_one_it_continues(room: Room) -> None:
    old = room.driver.add("orchard", session_id="s")
    await room.look()
    first = (await room.agents())["orchard"].id
    old.is_running = False
    room.driver.agents.clear()
    new = room.driver.add("orchard", incarnation="later")
    new.session_id = None
    await room.look()
    assert len(await room.agents()) == 2
    new.session_id = "s"
    await room.look()
    assert {agent.id for agent in (await room.agents()).values()} == {first}


async def test_two_agents_in_one_folder_have_two_names(room: Room) -> None:
    room.driver.add("orchard", session_id="s1")
    room.driver.add("orchard", session_id="s2")
    await room.look(2)
    assert set(await room.agents()) == {"orchard", "orchard 2"}


async def test_finished_is_said_once_and_survives_a_restart(room: Room) -> None:
    agent = room.driver.add("orchard")
    await room.look()
    agent.is_working = True
    await room.look()
    room.driver.say(agent, "assistant", "All pears are picked.")
    agent.is_working = False
    await room.look()
    finished = (await room.agents())["orchard"].finished
    assert finished is not None and finished.text == "All pears are picked."
    await room.restart()
    await room.look(2)
    assert (await room.agents())["orchard"].finished == finished


async def test_a_turn_that_was_over_before_the_first_look_is_finished(room: Room) -> None:
    await room.look()
    agent = room.driver.add("orchard")
    room.clock.advance(1)
    room.driver.say(agent, "assistant", "All pears are picked.")
    await room.look()
    finished = (await room.agents())["orchard"].finished
    assert finished is not None and finished.text == "All pears are picked."


async def test_what_was_over_before_the_first_start_is_no_news(room: Room) -> None:
    agent = room.driver.add("orchard")
    room.clock.advance(1)
    room.driver.say(agent, "assistant", "All pears are picked.")
    await room.restart()
    await room.look(2)
    assert (await room.agents())["orchard"].finished is None


async def test_a_turn_that_was_over_before_the_next_start_is_finished(room: Room) -> None:
    agent = room.driver.add("orchard")
    await room.look()
    room.clock.advance(1)
    room.driver.say(agent, "assistant", "All pears are picked.")
    room.clock.advance(1)
    await room.restart()
    await room.look()
    assert (await room.agents())["orchard"].finished is not None


async def test_an_old_session_in_a_new_process_brings_no_old_news(room: Room) -> None:
    agent = room.driver.add("orchard")
    await room.look()
    room.driver.say(agent, "assistant", "All pears are picked.")
    agent.is_running = False
    await room.look()
    back = room.driver.add("orchard", session_id=agent.session_id, incarnation="later")
    back.items += agent.items
    room.driver.agents.remove(agent)
    await room.look()
    shown = (await room.agents())["orchard"]
    assert (shown.activity, shown.finished) == ("idle", None)


async def test_a_status_reply_becomes_the_header(room: Room) -> None:
    agent = room.driver.add("orchard")
    room.driver.say(agent, "assistant", "Status: pruning row 3")
    await room.look()
    assert (await room.agents())["orchard"].header == "pruning row 3"
    room.driver.say(agent, "assistant", "Pruned.")
    await room.look()
    assert (await room.agents())["orchard"].header == "pruning row 3"


async def test_a_question_block_at_the_end_is_a_question(room: Room) -> None:
    agent = room.driver.add("orchard")
    room.driver.say(
        agent, "assistant", "Done.\n\nQuestion for Founder: Plant pears?\n- Yes: we plant\n- No: we wait"
    )
    await room.look()
    shown = (await room.agents())["orchard"]
    assert (shown.activity, shown.evidence.detail) == ("question", "Plant pears?")


async def test_a_driver_that_breaks_is_a_health_item_and_hides_nobody(room: Room) -> None:
    room.driver.add("orchard")
    await room.look()

    async def broken() -> None:
        raise RuntimeError("broken on purpose")

    find, room.driver.find = room.driver.find, broken  # type: ignore[method-assign, assignment] # a fault
    await room.look()
    snapshot = await room.node.api.snapshot(-1, 1)
    assert snapshot is not None
    assert [item.code for item in snapshot.health] == ["agents:fake:failing"]
    assert (await room.agents())["orchard"].activity == "idle"
    room.driver.find = find  # type: ignore[method-assign] # healed
    await room.look()
    healed = await room.node.api.snapshot(-1, 1)
    assert healed is not None and healed.health == ()


async def test_a_server_that_ends_under_its_agents_is_a_health_item(room: Room) -> None:
    """They lived in its panes at one look, and at the next nothing is there any more."""
    pane = PaneRef("fake", "/run/fake", "%0")
    for name in ("orchard", "kiln"):
        room.driver.add(name)
    find = room.driver.find

    async def in_panes() -> Found:
        found = await find()
        return Found(tuple(msgspec.structs.replace(who, pane=pane) for who in found.sightings))

    room.driver.find = in_panes  # type: ignore[method-assign] # this kind has no panes
    await room.look()
    room.driver.agents.clear()
    await room.look(2)
    snapshot = await room.node.api.snapshot(-1, 1)
    assert snapshot is not None
    assert [(item.code, item.title) for item in snapshot.health] == [
        ("multiplexer:/run/fake", "fake at /run/fake is gone; 2 agents were in it")
    ]
    assert trouble_delay(snapshot.health[0].code) == 60_000  # it is told then


async def test_since_moves_when_the_agent_worked_between_two_looks(room: Room) -> None:
    agent = room.driver.add("orchard")
    await room.look()
    first = (await room.agents())["orchard"].since_ms
    room.driver.say(agent, "assistant", "Done in no time.")
    await room.look()
    shown = (await room.agents())["orchard"]
    assert first < shown.since_ms == shown.evidence.at_ms
