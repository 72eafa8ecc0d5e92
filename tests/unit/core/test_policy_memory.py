"""What the policy remembers of an agent: moves, tries that failed, and moves that were taken back."""

from __future__ import annotations

from controlroom.core.policy import advise_one
from controlroom.core.policy_memory import TRIES, AgentMemory, failed, moved, taken_back
from controlroom.core.policy_targets import LeftAccount
from tests.unit.core.policies import DAY, HOUR, MIN, NOW, account, agent, situation

WORK = LeftAccount(account_id="work", length_minutes=10_080, until_ms=NOW + DAY)
HOME = LeftAccount(account_id="home", length_minutes=300, until_ms=NOW + HOUR)


def test_a_move_of_the_policy_remembers_what_was_left_until_it_ends() -> None:
    memory = moved(moved(AgentMemory(), WORK, NOW), HOME, NOW)
    assert (memory.moved_at_ms, memory.left) == (NOW, (WORK, HOME))
    assert moved(memory, None, NOW + 2 * HOUR).left == (WORK,), "somebody else moved it, after an end"
    later = LeftAccount(account_id="work", length_minutes=300, until_ms=NOW + 2 * DAY)
    assert moved(memory, later, NOW).left == (HOME, later)


def test_moves_that_fail_end_in_being_left_alone() -> None:
    memory = AgentMemory()
    for number in range(1, TRIES):
        memory = failed(memory, WORK, NOW)
        assert (memory.failures, memory.alone_until_ms, memory.moved_at_ms) == (number, 0, NOW)
    assert failed(memory, WORK, NOW).alone_until_ms == WORK.until_ms
    assert moved(memory, None, NOW).failures == 0


def test_what_it_leads_to_is_said() -> None:
    def sentence(memory: AgentMemory, now_ms: int = NOW) -> tuple[str, str]:
        known = agent(
            moved_at_ms=memory.moved_at_ms,
            has_failed=memory.failures > 0,
            left=memory.left,
            alone_until_ms=memory.alone_until_ms,
            alone_why=memory.alone_why,
        )
        found = advise_one(known, situation(account("Work", 2), account("Home"), now_ms=now_ms))
        return found.rule, found.sentences[-1]

    assert sentence(failed(AgentMemory(), WORK, NOW - MIN)) == (
        "cool_down",
        "A move of it failed a short while ago, and is not tried again for 29 min.",
    )
    assert sentence(moved(AgentMemory(), None, NOW - MIN))[1].startswith("It was moved a short while ago")
    assert sentence(taken_back(AgentMemory(), WORK)) == (
        "left_alone",
        "A move of the policy was taken back: it is left alone until the next window, for 1 d.",
    )
    memory = AgentMemory()
    for _ in range(TRIES):
        memory = failed(memory, WORK, NOW)
    assert sentence(memory)[1].startswith("3 moves of the policy failed in a row: it is left alone")
