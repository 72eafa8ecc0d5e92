"""The states table of the design: first match wins."""

from __future__ import annotations

import pytest

from controlroom.cli.states import GROUPS, state_of
from controlroom.wire.model import Agent, FaultInfo, Finished
from tests.unit.cli.agents import MIN, NOW, agent, all_states, waiting

FAULT = FaultInfo(code="crashed", text="It crashed.", since_ms=NOW)
DONE = Finished(at_ms=NOW, busy_ms=1, text="")


@pytest.mark.parametrize(
    ("shown", "word", "group"),
    [
        (agent("a", "working", fault=FAULT), "Fault", "needs"),
        (agent("a", "blocked", waiting_for=waiting("x")), "Permission needed", "needs"),
        (agent("a", "blocked", waiting_for=waiting("x", kind="picker")), "Choice needed", "needs"),
        (agent("a", "blocked", waiting_for=waiting("x", kind="plan")), "Plan to approve", "needs"),
        (agent("a", "blocked", waiting_for=waiting("x", kind="new-kind")), "Waits for you", "needs"),
        (agent("a", "blocked"), "Waits for you", "needs"),
        (agent("a", "question", finished=DONE), "Question for you", "needs"),
        (agent("a", "working", finished=DONE), "Working", "working"),
        (agent("a", "helpers", finished=DONE), "Waiting on helpers", "helpers"),
        (agent("a", "idle", finished=DONE), "Finished", "finished"),
        (agent("a", "idle"), "Idle", "idle"),
        (agent("a", "starting"), "Starting", "working"),
        (agent("a", "unknown"), "Not known", "unknown"),
        (agent("a", "gone", finished=DONE), "Gone", "gone"),
    ],
)
def test_first_match(shown: Agent, word: str, group: str) -> None:
    state = state_of(shown)
    assert (state.word, state.group) == (word, group)


def test_the_age_of_a_prompt_is_the_prompts_own() -> None:
    shown = agent("a", "blocked", 30 * MIN, waiting_for=waiting("x", 12 * MIN))
    assert state_of(shown).since_ms == NOW - 12 * MIN


def test_states_can_be_told_apart_without_colour() -> None:
    states = [state_of(one) for one in all_states().agents]
    assert len({state.lamp for state in states}) == len({state.word for state in states})
    assert {state.group for state in states} == set(GROUPS)
