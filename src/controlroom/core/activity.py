"""What an agent does, derived from facts; the first rule that matches decides (spec section 4).

1. ``gone``: its process has ended. What its file says of a turn does not matter any more.
2. ``unknown``: nothing could be read lately, or its process is suspended (Ctrl-Z) and what it said of itself
   holds no more.
3. ``blocked``: the agent says that it waits for a person, or a dialog that asks something is open. A screen
   that waits for a usage limit by itself asks nothing.
4. ``question``: no turn runs, and its last reply ends in a Question block.
5. ``working``: a turn runs.
6. ``helpers``: no turn runs, but helpers do.
7. ``idle``: at its prompt. A background shell command does not make an agent busy.
8. ``starting``: young, and nothing is known yet.
9. ``unknown``: the evidence that a rule needs is missing.

Whether a turn runs is told by, in this order: the agent's own registry or socket (strong: they are exact);
its transcript, unless that turn began before this process did; the title and the screen, but only when they
say that it works, and the screen only when it began to look so after the last turn ended. A visible composer
never ends a turn: it is drawn all the time.

What a multiplexer says of an agent (``witness``) counts only where the agent itself says nothing and its
screen is not recognised, and then only that it works or waits: to have recognised nothing is no evidence of
rest.
"""

from __future__ import annotations

from typing import Literal, TypeVar

import msgspec

from controlroom.core.blocks import parse_reply
from controlroom.core.facts import AgentFacts, Fact, Reported

Activity = Literal["blocked", "question", "working", "helpers", "idle", "starting", "unknown", "gone"]
T = TypeVar("T")

STALE_MS = 10_000
"""Facts that could not be read for this long do not decide any more."""

STARTING_MS = 30_000
"""A process may be silent this long after its start; the slowest start that we saw took 4 seconds."""

DRAWN_MS = 1_500
"""An agent says that it waits before it has drawn its dialog; 0.1 s seen, more on a loaded machine."""

WITNESS_MS = 3_000
"""A witness is believed when it has said the same for so long: its word flickers between two looks."""

STRONG_SOURCES = frozenset({"registry", "socket"})
DETAIL_LIMIT = 200


class Evidence(msgspec.Struct, frozen=True, kw_only=True):
    """Which rule decided, from what, in whose words, since when."""

    rule: Activity
    source: str
    detail: str
    at_ms: int


class Verdict(msgspec.Struct, frozen=True, kw_only=True):
    """``is_busy``: a turn or helpers run, also behind a dialog or a question."""

    activity: Activity
    evidence: Evidence
    is_busy: bool = False

    @property
    def since_ms(self) -> int:
        return self.evidence.at_ms


def derive(facts: AgentFacts, now_ms: int) -> Verdict:
    """The activity of one agent. Never guesses: see the rules above."""
    if not facts.alive.value:
        return _verdict("gone", _as_text(facts.alive))
    if now_ms - facts.read_at_ms > STALE_MS:
        return _say("unknown", "", "it could not be read lately", facts.read_at_ms)
    if facts.fault is not None and facts.fault.code == "suspended":
        return _say("unknown", "process", "its process is suspended", facts.fault.since_ms)
    turn = _running_turn(facts, now_ms)
    busy = turn or _running_helpers(facts)
    if (blocked := _blocked(facts, now_ms)) is not None:
        return _verdict("blocked", blocked, is_busy=busy is not None)
    if turn is None and (question := _question(facts)) is not None:
        return msgspec.structs.replace(question, is_busy=busy is not None)
    if busy is not None:
        return _verdict("helpers" if turn is None else "working", busy, is_busy=True)
    if (at_prompt := _at_prompt(facts)) is not None:
        return _verdict("idle", at_prompt)
    if not _is_shut_out(facts) and now_ms - facts.started_at_ms < STARTING_MS:
        return _say("starting", "process", "started, not at its prompt yet", facts.started_at_ms)
    return _say("unknown", "", "no evidence says what it does", facts.read_at_ms)


def _is_shut_out(facts: AgentFacts) -> bool:
    """Its files are there and cannot be read: that it is silent says nothing of a start."""
    return facts.fault is not None and facts.fault.code == "unreadable"


# --- the rules ---------------------------------------------------------------------------------------


def _blocked(facts: AgentFacts, now_ms: int) -> Fact[str] | None:
    """What shows that a person is needed. A dialog is not announced before it can be shown, but a screen
    that stays unreadable does not hide it."""
    screen, says = facts.screen, _says(facts)
    if screen is not None and screen.value.look == "limit_wait":
        return None
    if says is not None and says.value == "waiting":
        if screen is not None and screen.value.dialog is None:
            is_drawing = now_ms - max(says.at_ms, screen.at_ms) < DRAWN_MS
            return None if is_drawing else _as_text(says)
        return _as_text(says)
    if screen is not None and (screen.value.dialog is not None or screen.value.look == "startup"):
        return _look(facts)
    return _witnessed(facts, "waiting", now_ms)


def _witnessed(facts: AgentFacts, value: Reported, now_ms: int) -> Fact[str] | None:
    """What the multiplexer says, where nothing better is known and it says so steadily."""
    witness, screen = facts.witness, facts.screen
    is_read = screen is not None and screen.value.look != "other"
    if witness is None or witness.value != value or facts.reported or is_read:
        return None
    if facts.turn is not None and witness.at_ms <= facts.turn.at_ms:
        return None
    return _as_text(witness) if now_ms - witness.at_ms >= WITNESS_MS else None


def _running_turn(facts: AgentFacts, now_ms: int) -> Fact[str] | None:
    """What shows that a turn runs, None when nothing does."""
    says, open_turn = _says(facts), _open_turn(facts)
    if says is not None and says.source in STRONG_SOURCES:
        if says.value != "busy":
            return open_turn if says.value == "waiting" else None
        if open_turn is None and facts.turn is not None and _counted_helpers(facts) is not None:
            return None  # the registry calls an agent busy whose helpers run
        return _as_text(says)
    if open_turn is not None:
        return open_turn
    if says is not None and says.value == "busy":
        return _as_text(says)
    look = _look(facts)
    if look is not None and look.value == "working" and (facts.turn is None or look.at_ms > facts.turn.at_ms):
        return look
    return _witnessed(facts, "busy", now_ms)


def _open_turn(facts: AgentFacts) -> Fact[str] | None:
    """A turn that is open in the file. One that began before this process, with no row since, died with an
    earlier process: its end is never written."""
    turn = facts.turn
    if turn is None or turn.value != "open":
        return None
    if turn.at_ms < facts.started_at_ms and facts.moved_at_ms < facts.started_at_ms:
        return None
    return _as_text(turn)


def _running_helpers(facts: AgentFacts) -> Fact[str] | None:
    """Helpers that run. An exact source that calls the agent idle has seen them end, whatever their files
    say (a helper that was killed never says that it ended)."""
    helpers, says = _counted_helpers(facts), _says(facts)
    if helpers is None:
        return None
    is_idle = says is not None and says.source in STRONG_SOURCES and says.value in ("idle", "shell")
    if is_idle and helpers.source not in STRONG_SOURCES:
        return None
    if facts.turn is None:
        return None  # whether the main turn ended is not known
    return _as_text(helpers)


def _question(facts: AgentFacts) -> Verdict | None:
    """Only the reply of the last turn asks: an older one was answered, or overtaken."""
    reply, turn = facts.reply, facts.turn
    if reply is None or turn is None or turn.value != "ended":
        return None
    if facts.busy_since_ms is not None and reply.at_ms < facts.busy_since_ms:
        return None
    parsed = parse_reply(reply.text)
    if not parsed.ends_in_question:
        return None
    return _say("question", "transcript", parsed.questions[-1].question, reply.at_ms)


def _at_prompt(facts: AgentFacts) -> Fact[str] | None:
    """What shows that no turn runs. A composer alone shows it only before the first turn."""
    says, turn, look = _says(facts), facts.turn, _look(facts)
    if says is not None and says.value in ("idle", "shell"):
        return _as_text(says)
    if turn is None:
        return None
    if turn.value in ("ended", "interrupted", "failed"):
        return _as_text(turn)
    return look if look is not None and look.value in ("ready", "limit_wait") else None


# --- facts -------------------------------------------------------------------------------------------


def _says(facts: AgentFacts) -> Fact[Reported] | None:
    return facts.reported[0] if facts.reported else None


def _counted_helpers(facts: AgentFacts) -> Fact[int] | None:
    return facts.helpers if facts.helpers is not None and facts.helpers.value > 0 else None


def _look(facts: AgentFacts) -> Fact[str] | None:
    screen = facts.screen
    return None if screen is None else Fact(screen.value.look, screen.source, screen.detail, screen.at_ms)


def _as_text(fact: Fact[T]) -> Fact[str]:
    return Fact(str(fact.value), fact.source, fact.detail, fact.at_ms)


def _verdict(activity: Activity, fact: Fact[str], *, is_busy: bool = False) -> Verdict:
    return _say(activity, fact.source, fact.detail, fact.at_ms, is_busy=is_busy)


def _say(activity: Activity, source: str, detail: str, at_ms: int, *, is_busy: bool = False) -> Verdict:
    evidence = Evidence(rule=activity, source=source, detail=detail[:DETAIL_LIMIT], at_ms=at_ms)
    return Verdict(activity=activity, evidence=evidence, is_busy=is_busy)
