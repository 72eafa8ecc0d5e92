"""The fleet from the live socket: applying events gives what a fresh fleet would."""

from __future__ import annotations

from typing import Any

import msgspec

from controlroom.cli.fleet_state import EMPTY, apply
from controlroom.wire.client import EventFrame, Ping, Resync, Welcome
from controlroom.wire.events import AgentGone
from tests.unit.cli.agents import agent, fleet, machine


def event(seq: int, name: str, data: Any) -> EventFrame:
    return EventFrame(seq=seq, at_ms=5, name=name, data=msgspec.Raw(msgspec.json.encode(data)))


def test_a_resync_is_the_whole_truth() -> None:
    assert apply(EMPTY, Resync(fleet=fleet(agent("a")))) == fleet(agent("a"))


def test_a_changed_agent_takes_its_place() -> None:
    start = fleet(agent("a"), agent("b"))
    after = apply(start, event(8, "agent.changed", agent("a", "working")))
    assert [one.activity for one in after.agents] == ["working", "idle"]
    assert after.seq == 8


def test_a_new_agent_and_a_new_machine_are_added() -> None:
    after = apply(
        apply(fleet(), event(8, "agent.changed", agent("a"))),
        event(9, "machine.changed", machine("m", id="mac_2")),
    )
    assert [one.name for one in after.agents] == ["a"]
    assert [one.name for one in after.machines] == ["build-box", "m"]


def test_an_agent_that_left_is_not_in_the_fleet() -> None:
    gone = AgentGone(id=agent("a").id, chat_id="cht_1")
    assert apply(fleet(agent("a")), event(8, "agent.gone", gone)).agents == ()


def test_what_says_nothing_of_the_fleet_changes_no_agent() -> None:
    start = fleet(agent("a"))
    for frame in (
        Ping(),
        Welcome(seq=9, protocol=1, server_time_ms=0, version="1"),
        event(8, "message.changed", {}),
    ):
        assert apply(start, frame).agents == start.agents


def test_old_and_unreadable_events_are_passed_over() -> None:
    start = fleet(agent("a"))
    assert apply(start, event(7, "agent.changed", agent("a", "working"))) is start
    assert apply(start, event(8, "agent.changed", {"id": 5})).agents == start.agents
