"""Operations: playbooks of what must happen, and anything that may, with the node killed at every step."""

from __future__ import annotations

from typing import get_args

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from controlroom.core.operations import (
    END_MS,
    LOST_ENVIRONMENT,
    READY_MS,
    Clear,
    End,
    Finish,
    Kind,
    Saga,
    Seen,
    Wait,
    begin,
    cancel,
    decide,
)
from tests.unit.core.operations_world import Machine, Node

MOVING = ("restart", "fresh", "move")


def states(saga: Saga) -> dict[str, str]:
    return {step.name: step.state for step in saga.steps}


def test_a_restart_opens_the_window_first_and_removes_the_old_pane_last() -> None:
    node = Node(Machine(), begin("restart"))
    saga = node.run()
    assert saga.state == "delivered" and saga.failure is None
    acts = [effect for effect in node.effects if effect != "Wait"]
    assert acts == ["Open", "End", "Name", "Remove", "Finish"]
    machine = node.machine
    assert (machine.new, machine.old_pane, machine.named, machine.runs_at_once) == ("up", False, True, 1)


def test_stopping_a_dead_agent_succeeds() -> None:
    node = Node(Machine(runs=False), begin("stop"))
    saga = node.run()
    assert saga.state == "delivered"
    assert node.effects == ["Finish"]
    assert [step.detail for step in saga.steps] == ["It does not run.", "It had ended already."]


def test_a_gone_agent_is_started_again_in_a_new_window() -> None:
    node = Node(Machine(runs=False), begin("restart"))
    assert node.run().state == "delivered"
    assert node.machine.new == "up" and not node.machine.old_pane


def test_idle_waits_for_the_end_of_the_turn_and_says_why() -> None:
    machine = Machine(busy_for=5)
    saga, effect = decide(begin("stop"), machine.look())
    assert isinstance(effect, Wait) and saga.steps[0].detail == "It works."
    assert Node(machine, saga).run().state == "delivered"
    assert machine.busy_for == 0


def test_now_says_what_it_would_drop_and_drops_nothing() -> None:
    machine = Machine(busy_for=5, losses=("the running turn", "2 helpers"))
    saga = Node(machine, begin("stop", when="now")).run()
    assert saga.failure is not None and saga.failure.code == "busy"
    assert "the running turn and 2 helpers" in saga.failure.text
    assert machine.old_runs and not machine.ended_by_us


def test_now_drops_what_may_be_dropped_and_says_it() -> None:
    machine = Machine(busy_for=50, losses=("the running turn",))
    saga = Node(machine, begin("stop", when="now", drop=True)).run()
    assert saga.state == "delivered" and not machine.old_runs
    assert saga.steps[0].detail == "This drops the running turn."


def test_a_turn_that_began_since_is_waited_for_before_the_end_is_asked() -> None:
    machine = Machine()
    saga = begin("restart")
    for _ in range(2):  # waited, opened
        saga, effect = decide(saga, machine.look())
        if type(effect).__name__ == "Open":
            machine.perform(effect, saga)
            machine.busy_for = 3
    assert isinstance(effect, Wait) and not machine.ended_by_us
    assert Node(machine, saga).run().state == "delivered"


def test_a_program_that_does_not_end_keeps_its_place() -> None:
    machine = Machine(ends_after=None)
    saga = Node(machine, begin("restart")).run()
    assert saga.state == "failed" and saga.failure is not None and "left as it is" in saga.failure.text
    assert machine.old_runs and machine.old_pane and machine.new == "none"
    assert machine.end_asked <= END_MS // 10_000


def test_a_start_that_fails_tells_the_last_words_and_leaves_no_window() -> None:
    machine = Machine(runs=False, comes_up=False)
    saga = Node(machine, begin("restart")).run()
    assert saga.failure is not None and saga.failure.code == "failed"
    assert machine.new == "none" and machine.old_pane, "the old place is still there"
    assert states(saga)["close"] == "skipped"


def test_an_unknown_prompt_stops_with_its_words_and_the_window_is_named() -> None:
    machine = Machine(prompt=True)
    saga = Node(machine, begin("restart")).run()
    assert saga.failure is not None and saga.failure.code == "startup_prompt"
    assert "Trust this folder?" in saga.failure.text
    assert machine.new == "prompt" and machine.named, "renamed, whatever happens (lesson 1)"
    assert states(saga)["name"] == "done" and states(saga)["close"] == "skipped"


def test_a_known_prompt_is_answered() -> None:
    machine = Machine(prompt=True, prompt_option="Yes")
    assert Node(machine, begin("restart")).run().state == "delivered"


def test_lesson_a_working_agent_counts_as_up_and_is_renamed() -> None:
    """Spec 11: a queued message started a turn at once, and the wait for idle ran out. ``up`` is what the
    look says of one that works as well: nothing waits for idle after the start."""
    machine = Machine(runs=False)
    machine.busy_for = 1_000
    assert Node(machine, begin("restart")).run().state == "delivered"
    assert machine.named


def test_a_name_that_cannot_be_given_fails_nothing() -> None:
    machine = Machine(nameable=False)
    saga = Node(machine, begin("restart")).run()
    assert saga.state == "delivered"
    assert "could not be renamed" in next(step.detail for step in saga.steps if step.name == "name")


def test_a_pane_with_other_programs_stays() -> None:
    machine = Machine(shared=True)
    saga = Node(machine, begin("close")).run()
    assert saga.state == "delivered" and machine.old_pane
    assert "stays" in saga.steps[-1].detail


def test_nothing_is_concluded_while_the_panes_cannot_be_listed() -> None:
    saga = begin("restart")
    assert decide(saga, Seen(now_ms=1, is_clear=False)) == (saga, Wait())


def test_what_has_not_begun_can_be_taken_back() -> None:
    machine = Machine(busy_for=100)
    saga, _ = decide(begin("close"), machine.look())
    taken_back = cancel(saga)
    assert taken_back is not None
    ended = Node(machine, taken_back).run()
    assert ended.failure is not None and ended.failure.code == "cancelled" and machine.old_runs
    assert cancel(ended) is None
    begun = begin("close", when="now", drop=True)
    for _ in range(2):
        begun, _ = decide(begun, machine.look())
    assert cancel(begun) is None


@pytest.mark.parametrize("kind", get_args(Kind))
def test_every_kind_can_be_taken_back_before_its_first_step(kind: Kind) -> None:
    taken_back = cancel(begin(kind))
    assert taken_back is not None
    node = Node(Machine(runs=kind != "start"), taken_back)
    ended = node.run()
    assert ended.failure is not None and ended.failure.code == "cancelled"
    assert node.effects == ["Finish"]


machines = st.builds(
    Machine,
    runs=st.booleans(),
    busy_for=st.integers(0, 4),
    losses=st.sampled_from([(), ("the running turn",)]),
    ends_after=st.sampled_from([1, 3, 15, None]),
    comes_up=st.booleans(),
    prompt=st.booleans(),
    prompt_option=st.sampled_from([None, "Yes"]),
    shared=st.booleans(),
    nameable=st.booleans(),
    copies=st.booleans(),
    goes_back=st.booleans(),
    gives_way=st.booleans(),
    window_stays=st.booleans(),
)


@given(
    machine=machines,
    kind=st.sampled_from(get_args(Kind)),
    when=st.sampled_from(["now", "idle"]),
    drop=st.booleans(),
    kills=st.sets(st.integers(1, 60)),
)
def test_killed_at_any_moments_it_ends_in_a_state_that_is_true(
    machine: Machine, kind: Kind, when: str, drop: bool, kills: set[int]
) -> None:
    if kind == "start":
        machine.old_runs = machine.old_pane = False
    ran_before = machine.old_runs
    saga = begin(kind, when="now" if when == "now" else "idle", drop=drop)
    node = Node(machine, saga)
    ended = node.run(is_killed=lambda moment: moment in kills)
    assert ended.is_over and all(step.state in ("done", "failed", "skipped") for step in ended.steps)
    assert machine.runs_at_once <= 1, "one session is never open twice"
    assert machine.killed_agents == 0, "no window takes a living agent with it"
    assert machine.new not in ("waiting", "dead"), "no window is left behind"
    if ended.state == "delivered":
        assert kind == "rename" or not machine.old_runs
        if kind in (*MOVING, "start"):
            assert machine.new == "up"
        if machine.nameable and kind in (*MOVING, "start", "rename"):
            assert machine.named
        if kind in (*MOVING, "close") and not machine.shared:
            assert not machine.old_pane
    else:
        assert ended.failure is not None
        is_back = (machine.new, machine.bound) == ("up", "back")
        assert machine.old_pane or kind == "start" or is_back
        if kind == "move" and ran_before and machine.goes_back and machine.gives_way:
            assert machine.old_runs or (machine.new, machine.bound) == ("up", "back"), (
                "it goes on where it was"
            )
        if ended.failure.code == "busy":
            assert machine.old_runs == ran_before
        if machine.new != "none" and machine.nameable:
            assert machine.named, "whatever happens to the start, its window has its name"


def test_a_move_copies_only_after_the_end_and_starts_only_what_was_copied() -> None:
    node = Node(Machine(), begin("move"))
    assert node.run().state == "delivered"
    acts = [effect for effect in node.effects if effect != "Wait"]
    assert acts == ["Open", "End", "Copy", "Release", "Name", "Remove", "Finish"]
    assert node.machine.bound == "there"


def test_a_copy_that_fails_sends_the_waiting_window_back() -> None:
    node = Node(Machine(copies=False), begin("move"))
    saga = node.run()
    assert saga.failure is not None and saga.failure.text == "The disk is full. It goes on where it was."
    assert (node.machine.new, node.machine.bound, node.machine.opened) == ("up", "back", 1)
    told = [(step.name, step.state) for step in saga.steps if step.state != "done"]
    assert told == [("copy", "failed"), ("start", "skipped")] and states(saga)["back"] == "done"
    assert not node.machine.old_pane and node.machine.named


def test_what_does_not_come_up_there_goes_on_where_it_was() -> None:
    for machine in (Machine(comes_up=False), Machine(prompt=True)):
        node = Node(machine, begin("move"))
        saga = node.run()
        assert saga.failure is not None and saga.state == "failed"
        assert (machine.new, machine.bound, machine.opened) == ("up", "back", 2)
        assert "Abandon" in node.effects or not machine.prompt
        assert states(saga)["back"] == "done"


def test_one_that_did_not_run_is_not_started_by_a_move_that_fails() -> None:
    node = Node(Machine(runs=False, comes_up=False), begin("move"))
    saga = node.run()
    assert saga.state == "failed" and node.machine.new == "none" and node.machine.opened == 1
    assert "did not run before" in saga.steps[5].detail


def test_a_session_that_runs_elsewhere_is_not_moved() -> None:
    seen = msgspec.structs.replace(Machine().look(), elsewhere="in another window")
    saga, effect = decide(begin("move"), seen)
    assert saga.failure is not None and saga.failure.code == "busy" and isinstance(effect, Finish)


@pytest.mark.parametrize("kind", ["restart", "fresh", "move"])
def test_the_old_process_ends_only_once_its_environment_is_kept(kind: Kind) -> None:
    machine = Machine()
    saga, effect = decide(begin(kind), machine.look())
    machine.perform(effect, saga)
    not_yet = msgspec.structs.replace(machine.look(), is_ready=False)
    saga, effect = decide(saga, not_yet)
    assert isinstance(effect, Wait)
    late = msgspec.structs.replace(not_yet, now_ms=not_yet.now_ms + READY_MS)
    failed, effect = decide(saga, late)
    assert failed.failure is not None and isinstance(effect, Clear) and machine.old_runs
    lost, _ = decide(saga, msgspec.structs.replace(not_yet, is_alive=False))
    assert lost.steps[1].detail == LOST_ENVIRONMENT
    _, effect = decide(saga, machine.look())
    assert isinstance(effect, End)


@pytest.mark.parametrize("kind", get_args(Kind))
@pytest.mark.parametrize("moment", range(1, 30))
def test_killed_once_it_still_arrives(kind: Kind, moment: int) -> None:
    machine = Machine(runs=kind != "start")
    machine.old_pane = kind != "start"
    saga = Node(machine, begin(kind)).run(is_killed=lambda now: now == moment)
    assert saga.state == "delivered"
    assert machine.opened <= 2 and machine.runs_at_once <= 1
