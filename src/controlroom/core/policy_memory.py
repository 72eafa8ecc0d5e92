"""What the policy remembers of an agent, so that it does not push it to and fro. Pure; the hub stores it.

Theory. Three things outlive the moment: when the agent was moved last (by whomever), which accounts the
policy moved it away from in which window, and until when it is left alone, because the person took a move
back or because moves of it keep failing. All of them end by time alone, so a lost memory is no harm for long.
"""

from __future__ import annotations

from typing import Final

import msgspec

from controlroom.core.policy_targets import LeftAccount

TRIES: Final = 3
"""Moves that may fail in a row; then the agent is left alone until the window of its account has ended."""

UNDONE: Final = "A move of the policy was taken back"
FAILING: Final = f"{TRIES} moves of the policy failed in a row"


class AgentMemory(msgspec.Struct, frozen=True, kw_only=True):
    """``moved_at_ms``: its last move, or try. ``failures``: tries that failed since it was moved last."""

    moved_at_ms: int | None = None
    left: tuple[LeftAccount, ...] = ()
    alone_until_ms: int = 0
    alone_why: str = ""
    failures: int = 0


def counts_until_ms(memory: AgentMemory) -> int:
    """The last moment that stands in it; only a cool-down can count for longer."""
    return max(memory.moved_at_ms or 0, memory.alone_until_ms, *(one.until_ms for one in memory.left))


def moved(memory: AgentMemory, left: LeftAccount | None, now_ms: int) -> AgentMemory:
    """It was moved. ``left``: the account that the policy moved it away from; None: somebody else did."""
    still = tuple(one for one in memory.left if one.until_ms > now_ms)
    if left is not None:
        still = (*(one for one in still if one.account_id != left.account_id), left)
    return msgspec.structs.replace(memory, moved_at_ms=now_ms, left=still, failures=0)


def failed(memory: AgentMemory, left: LeftAccount | None, now_ms: int) -> AgentMemory:
    """A move of the policy away from that account failed."""
    tried = msgspec.structs.replace(memory, moved_at_ms=now_ms, failures=memory.failures + 1)
    return tried if tried.failures < TRIES else _left_alone(tried, left, FAILING)


def taken_back(memory: AgentMemory, left: LeftAccount | None) -> AgentMemory:
    """The person took a move of the policy away from that account back."""
    return _left_alone(memory, left, UNDONE)


def _left_alone(memory: AgentMemory, left: LeftAccount | None, why: str) -> AgentMemory:
    until_ms = max(memory.alone_until_ms, left.until_ms if left else 0)
    return msgspec.structs.replace(memory, alone_until_ms=until_ms, alone_why=why, failures=0)
