"""The control room is killed at any moment: no message is lost silently, none is typed twice."""

from __future__ import annotations

import asyncio
import random

import pytest

from tests.real.conftest import Desk
from tests.real.support.room import Room

SENDS = 20
LONGEST_S = 1.2  # longer than a message needs from acceptance to its row


@pytest.mark.timeout(900)
@pytest.mark.parametrize("agent_kind", ["claude", "codex"])
async def test_killed_at_random_moments_of_twenty_sends(desk: Desk, room: Room, agent_kind: str) -> None:
    """Kills come at moments drawn from a seed: before, within and after the typing."""
    moments = random.Random(20261130)
    agent = await (desk.claude() if agent_kind == "claude" else desk.codex())
    found = await room.until_activity(agent.pane, "idle")
    sent = {}
    for number in range(SENDS):
        text = f"message number {number:02d} of the night"
        sent[await room.send(found.id, text)] = text
        await asyncio.sleep(moments.uniform(0, LONGEST_S))
        await room.kill()
        await room.start()
    states = {}
    for message_id, text in sent.items():
        ended = await room.until_message(
            message_id, lambda message: message.state not in ("accepted", "sending"), within_s=120
        )
        states[text] = ended.state
    typed = agent.typed()
    assert set(states.values()) <= {"delivered", "unconfirmed"}
    assert {text: typed.count(text) for text in states} == {
        text: 1 if state == "delivered" else 0 for text, state in states.items()
    }
    assert len(typed) == len(set(typed))


async def test_the_fleet_is_the_same_after_a_kill(desk: Desk, room: Room) -> None:
    claude = await desk.claude()
    before = await room.until_activity(claude.pane, "idle")
    await room.kill()
    await room.start()
    after = await room.until_activity(claude.pane, "idle")
    assert (after.id, after.chat_id) == (before.id, before.chat_id)


async def test_a_second_control_room_on_the_same_home_leaves_the_first_alone(desk: Desk, room: Room) -> None:
    _, said = await room.run("up", "--port", "0", expect=1)
    assert len(said.strip().splitlines()) == 1
    await room.json("status")
