"""What an agent does, derived from facts; the first rule that matches decides (spec section 4).

1. ``gone``: its process has ended.  2. ``unknown``: nothing could be read lately.
3. ``blocked``: a dialog that asks something is open, or the agent itself says that it waits for a person. A
   screen that waits for a usage limit by itself asks nothing.
4. ``question``: at its prompt, and its last reply ends in a Question block.
5. ``working``: a turn runs.  6. ``helpers``: at its prompt while helpers still run.
7. ``idle``: at its prompt. A background shell command does not make an agent busy.
8. ``starting``: young, and nothing is known yet.  9. ``unknown``: the evidence that a rule needs is missing.

Strong sources (the agent's own registry or socket) beat the transcript; weak ones (title, screen) do not: a
visible composer is no end of a turn.
"""

from __future__ import annotations

from typing import TypeVar

import msgspec

from controlroom.core.blocks import parse_reply
from controlroom.core.facts import AgentFacts, Fact, Reported
from controlroom.wire.model import Activity, Evidence

T = TypeVar("T")

STALE_MS = 10_000
"""Facts that could not be read for this long do not decide any more."""

STARTING_MS = 30_000
"""A process may be silent this long after its start; the slowest start that we saw took 4 seconds."""

STRONG_SOURCES = frozenset({"registry", "socket"})


class Verdict(msgspec.Struct, frozen=True):
    """The activity, since when its evidence holds, and that evidence."""

    activity: Activity
    since_ms: int
    evidence: Evidence


def derive(facts: AgentFacts, now_ms: int) -> Verdict:
    """The activity of one agent. Never guesses: see the rules above."""
    if not facts.alive.value:
        return _verdict("gone", facts.alive)
    if now_ms - facts.read_at_ms > STALE_MS:
        return _say("unknown", "", "it could not be read lately", facts.read_at_ms)
    if (blocked := _blocked(facts)) is not None:
        return blocked
    if (busy := _busy(facts)) is not None:
        return busy
    if (resting := _resting(facts)) is not None:
        return resting
    if now_ms - facts.started_at_ms < STARTING_MS:
        return _say("starting", "process", "started, not at its prompt yet", facts.started_at_ms)
    return _say("unknown", "", "no evidence says what it does", facts.read_at_ms)


def _blocked(facts: AgentFacts) -> Verdict | None:
    screen = facts.screen
    if screen is not None and screen.value.look == "limit_wait":
        return None
    if screen is not None and screen.value.dialog is not None:
        return _verdict("blocked", screen)
    says = _says(facts)
    if says is not None and says.value == "waiting":
        return _verdict("blocked", says)
    return None


def _busy(facts: AgentFacts) -> Verdict | None:
    """Working or waiting on helpers, or a question that was asked while helpers run."""
    says, turn = _says(facts), facts.turn
    is_open = turn is not None and turn.value == "open"
    if says is not None and says.source in STRONG_SOURCES:
        if says.value != "busy":
            return None
        if not is_open and (helpers := _running(facts)) is not None:
            return _asked(facts) or _verdict("helpers", helpers)
        return _verdict("working", says)
    if says is not None and says.value == "busy":
        return _verdict("working", says)
    if turn is not None and is_open:
        return _verdict("working", turn)
    if (running := _running(facts)) is not None and turn is not None:
        return _asked(facts) or _verdict("helpers", running)
    return None


def _resting(facts: AgentFacts) -> Verdict | None:
    says, turn, screen = _says(facts), facts.turn, facts.screen
    if says is not None and says.value in ("idle", "shell"):
        return _asked(facts) or _verdict("idle", says)
    if turn is not None and turn.value != "none":
        return _asked(facts) or _verdict("idle", turn)
    if screen is not None and screen.value.look in ("ready", "limit_wait"):
        return _verdict("idle", screen)
    return None


def _says(facts: AgentFacts) -> Fact[Reported] | None:
    return facts.reported[0] if facts.reported else None


def _running(facts: AgentFacts) -> Fact[int] | None:
    return facts.helpers if facts.helpers is not None and facts.helpers.value > 0 else None


def _asked(facts: AgentFacts) -> Verdict | None:
    reply = facts.reply
    if reply is None or facts.turn is None or facts.turn.value != "ended":
        return None
    parsed = parse_reply(reply.text)
    if not parsed.ends_in_question:
        return None
    return _say("question", "transcript", parsed.questions[-1].question, reply.at_ms)


def _verdict(activity: Activity, fact: Fact[T]) -> Verdict:
    return _say(activity, fact.source, fact.detail, fact.at_ms)


def _say(activity: Activity, source: str, detail: str, at_ms: int) -> Verdict:
    return Verdict(activity, at_ms, Evidence(rule=activity, source=source, detail=detail[:200], at_ms=at_ms))
