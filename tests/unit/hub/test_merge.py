"""What a client sees of an agent, and what a snapshot changes."""

from __future__ import annotations

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from controlroom.hub.merge import FleetDiff, Marks, diff, merge, steady_offset
from controlroom.testing.fake_node import agent_state
from controlroom.wire.model import Activity, Agent, FaultInfo, Finished, LastWords, WaitingFor, Was
from controlroom.wire.node import AgentState

activities: list[Activity] = ["idle", "working", "blocked"]
states = st.dictionaries(
    st.sampled_from(["agt_1", "agt_2", "agt_3", "agt_4"]), st.sampled_from(activities)
).map(lambda chosen: {id: agent_state(id, activity=activity) for id, activity in chosen.items()})


@given(states, states)
def test_applying_a_difference_gives_the_snapshot(
    old: dict[str, AgentState], new: dict[str, AgentState]
) -> None:
    change = diff(old, new.values())
    applied = {id: state for id, state in old.items() if id not in change.gone}
    applied.update({state.id: state for state in change.changed})
    assert applied == new


@given(states)
def test_the_same_snapshot_again_changes_nothing(known: dict[str, AgentState]) -> None:
    assert diff(known, known.values()) == FleetDiff((), ())


@pytest.mark.parametrize(
    ("used", "measured", "expected"),
    [
        (0, 0, 0),
        (0, 40, 0),
        (0, -1_999, 0),
        (0, 5_000, 5_000),
        (5_000, 5_900, 5_000),
        (5_000, 9_000, 9_000),
        (5_000, 10, 0),
    ],
)
def test_an_offset_moves_only_when_the_clocks_really_differ(used: int, measured: int, expected: int) -> None:
    assert steady_offset(used, measured) == expected


def test_an_agent_is_shown_with_its_marks() -> None:
    marks = Marks(unread=3, is_pinned=True, is_muted=True, is_archived=True)
    agent = merge(agent_state(), "mac_1", marks, 0)
    assert (agent.machine_id, agent.unread, agent.pinned, agent.muted, agent.archived) == (
        "mac_1",
        3,
        True,
        True,
        True,
    )


@pytest.mark.parametrize(("read_ms", "shown"), [(0, True), (99, True), (100, False), (101, False)])
def test_what_finished_is_shown_until_it_was_read(read_ms: int, shown: bool) -> None:
    state = agent_state(finished=Finished(at_ms=100, busy_ms=5, text="t"))
    agent = merge(state, "mac_1", Marks(finish_read_ms=read_ms), 0)
    assert (agent.finished is not None) is shown


def test_every_time_is_moved_into_the_hubs_time() -> None:
    state = agent_state(
        since_ms=10,
        was=Was(activity="idle", at_ms=20),
        fault=FaultInfo(code="crashed", text="t", since_ms=30),
        waiting_for=WaitingFor(id="d", kind="plan", text="t", since_ms=40),
        finished=Finished(at_ms=50, busy_ms=5, text="t"),
        last=LastWords(author="user", text="t", at_ms=60),
    )
    agent = merge(state, "mac_1", Marks(), 1_000)
    assert agent.was and agent.fault and agent.waiting_for and agent.finished and agent.last
    assert [
        agent.since_ms,
        agent.evidence.at_ms,
        agent.was.at_ms,
        agent.fault.since_ms,
        agent.waiting_for.since_ms,
        agent.finished.at_ms,
        agent.last.at_ms,
    ] == [1_010, 1_010, 1_020, 1_030, 1_040, 1_050, 1_060]
    assert agent.finished.busy_ms == 5


def test_no_field_of_a_state_is_forgotten() -> None:
    """A field that is added to what nodes tell is shown to clients, or is named here."""
    inner = {"rule", "mark", "reply", "skipped"}
    told = {field.name for field in msgspec.structs.fields(AgentState)}
    shown = {field.name for field in msgspec.structs.fields(Agent)}
    assert told - shown == inner
