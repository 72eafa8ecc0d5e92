"""Which account each agent should be on: the policy of one machine, decided from what is known and explained.

Theory. For one agent, first match:

1. Its account is not known: it stays. Nothing is known of the account's windows: it stays; unknown is not
   zero.
2. Its account has no trouble: it stays. Trouble (``core.allowance``) is a hold, because the account was seen
   at its limit, or a window with less left than its floor.
3. The person took a move of the policy back, or its moves keep failing: it is left alone until that
   account's next window.
4. It was moved a short while ago, or a move failed (cool-down): it waits.
5. The other accounts that have enough here (``core.policy_targets``) are its targets, best first.
6. No target: it stays, and what it waits for is said.
7. A target: it moves, now when it is idle, when its turn ends when it works. A prompt, helpers, or a state
   that is not known hold the move up.

The credit guard (``core.credit``) stands above 3 to 7: where the agent would go on with paid extra usage, or
the target may be spent by now, only the person's answer goes on. A move at once onto a proven account needs
no money and goes first.

Against ping-pong: the margin (a target is better than what an account is left for), the cool-down, and the
last part of 5.

Never: onto an account inside its reserve or at its limit, from a number that is not known, with money that
nobody allowed. Nothing acts here: this says what would be done now, and why.

Source: spec 002 sections 7 and 11; field lessons 35, 36 and 38.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Literal

import msgspec

from controlroom.core import policy_words as words
from controlroom.core.activity import Activity
from controlroom.core.allowance import (
    PolicyAccount,
    Rules,
    Trouble,
    counting,
    is_spent,
    is_week,
    left_now,
    troubles,
)
from controlroom.core.credit import CreditCard, Verdict, card, guard, spent_until
from controlroom.core.policy_targets import (
    LeftAccount,
    PolicyAgent,
    PolicyProfile,
    Situation,
    Target,
    targets_of,
)

What = Literal["stay", "wait", "move", "ask"]
"""``wait``: a move is due, and something that passes holds it up. ``ask``: only the person's answer goes
on."""

Rule = Literal[
    "account_unknown",
    "windows_unknown",
    "enough_left",
    "held",
    "week_low",
    "short_low",
    "reserve",
    "left_alone",
    "cool_down",
    "no_target",
    "busy",
    "credit_guard",
    "credit_allowed",
    "credit_refused",
]


class Advice(msgspec.Struct, frozen=True, kw_only=True):
    """What would be done with one agent now. ``rule`` decided; ``why`` is its trouble as a sentence, the why
    of a move; ``sentences`` explain all of it. ``when`` of a move: at once, or when its turn ends."""

    agent_id: str
    what: What
    rule: Rule
    why: str
    sentences: tuple[str, ...]
    account_id: str | None = None
    to_profile_id: str | None = None
    when: Literal["now", "idle"] | None = None
    card: CreditCard | None = None


_HELD_UP: Mapping[Activity, str] = {
    "blocked": "It waits at a prompt, and a move waits until that is answered.",
    "helpers": "Its background helpers would be lost, and a move waits until they have ended.",
    "starting": "It is starting, and a move waits until it is up.",
    "unknown": "What it does is not known, and a move waits.",
    "gone": "It is gone.",
}


_PAYS = "Paid extra usage would go on there: you are asked, and until you answer it is no."


def advise_one(agent: PolicyAgent, situation: Situation) -> Advice:
    """What would be done with one agent now, and why."""
    now_ms = situation.now_ms
    account = _account_of(agent, situation)
    if account is None:
        why = "Its account is not known."
        return Advice(agent_id=agent.id, what="stay", rule="account_unknown", why=why, sentences=(why,))
    found = troubles(account, agent.model, situation.rules, now_ms)
    start = Advice(
        agent_id=agent.id,
        what="stay",
        rule="enough_left",
        why="It has enough left.",
        sentences=(words.account_now(account, agent.model, now_ms),),
        account_id=account.id,
    )
    if not found:
        if all(left_now(window, now_ms) is None for window in counting(account, agent.model)):
            why = "What its account has left is not known, and unknown is not zero."
            return _with(start, "windows_unknown", why, why=why)
        return _with(start, "enough_left", start.why)
    said = [words.trouble(one, now_ms) for one in found]
    due = _with(start, _rule_of(found[0]), *said, why=said[0])
    planned = _planned(agent, due, found, situation)
    if planned.what == "move" and planned.when == "now":
        return planned
    return _guarded(agent, account, planned, situation)


def next_window(account: PolicyAccount, model: str, rules: Rules, now_ms: int) -> LeftAccount | None:
    """The window that an agent leaves this account for, and when it ends; of several the one that ends last.

    Until then no move of the policy leads back, and one that was taken back leaves the agent alone. None: the
    account has no trouble.
    """
    last = max(troubles(account, model, rules, now_ms), key=lambda one: one.until_ms, default=None)
    if last is None:
        return None
    return LeftAccount(account_id=account.id, length_minutes=last.length_minutes, until_ms=last.until_ms)


def may_land(account: PolicyAccount, model: str, rules: Rules, now_ms: int, answer: bool | None) -> bool:
    """Whether a move onto this account that still waits may go on. The margin has done its work: by now no
    trouble is enough. ``answer``: whether the person allows paid extra usage there."""
    is_known = all(left_now(window, now_ms) is not None for window in counting(account, model))
    is_free = guard("move", account, model, now_ms, answer) in ("free", "allowed")
    return is_known and is_free and not troubles(account, model, rules, now_ms)


def _with(
    advice: Advice,
    rule: Rule,
    *sentences: str,
    what: What = "stay",
    why: str | None = None,
    to: PolicyProfile | None = None,
    when: Literal["now", "idle"] | None = None,
    asked: CreditCard | None = None,
) -> Advice:
    """The advice so far with what follows from one more rule."""
    return msgspec.structs.replace(
        advice,
        what=what,
        rule=rule,
        why=advice.why if why is None else why,
        sentences=(*advice.sentences, *sentences),
        to_profile_id=to.id if to else None,
        when=when,
        card=asked,
    )


def _account_of(agent: PolicyAgent, situation: Situation) -> PolicyAccount | None:
    for profile in situation.profiles:
        if profile.id == agent.profile_id and profile.account_id is not None:
            return situation.accounts.get(profile.account_id)
    return None


def _rule_of(trouble: Trouble) -> Rule:
    if trouble.kind == "low":
        return "week_low" if is_week(trouble.length_minutes) else "short_low"
    return trouble.kind


# ---- a move that is due, and what holds it up --------------------------------------------------------------


def _planned(agent: PolicyAgent, due: Advice, found: Sequence[Trouble], situation: Situation) -> Advice:
    """Rules 3 to 7."""
    now_ms = situation.now_ms
    if now_ms < agent.alone_until_ms:
        rest = words.span(agent.alone_until_ms - now_ms)
        said = f"{agent.alone_why}: it is left alone until the next window, for {rest}."
        return _with(due, "left_alone", said)
    if (
        agent.moved_at_ms is not None
        and (cool_ms := agent.moved_at_ms + situation.rules.cool_down_ms - now_ms) > 0
    ):
        rest = words.span(cool_ms)
        said = f"It was moved a short while ago, and is not moved again for {rest}."
        if agent.has_failed:
            said = f"A move of it failed a short while ago, and is not tried again for {rest}."
        return _with(due, "cool_down", said, what="wait")
    targets, refused = targets_of(agent, due.account_id or "", situation)
    free = [one for one in targets if _landing(agent, one, situation) in ("free", "allowed")]
    if not free:
        return _nowhere(agent, due, [one for one in targets if one not in free], refused, found, situation)
    best, others = free[0], len(free) - 1
    due = _with(
        due, due.rule, *refused, words.chosen(best.account, best.week_ends_ms, others, best.is_old, now_ms)
    )
    is_asked = agent.activity == "blocked" and agent.asks_limit
    if (held_up := _HELD_UP.get(agent.activity)) is not None and not is_asked:
        return _with(due, "busy", held_up, what="wait", to=best.profile)
    is_busy = agent.activity == "working"
    notes = [words.LIMIT_PROMPT] if is_asked else []
    notes += [words.AT_LIMIT] if agent.at_limit or is_asked else []
    moved = f"It would move to {best.account.name}, profile {best.profile.name}, "
    moved += "when its turn ends." if is_busy else "now."
    return _with(
        due, due.rule, moved, *notes, what="move", to=best.profile, when="idle" if is_busy else "now"
    )


def _nowhere(
    agent: PolicyAgent,
    due: Advice,
    perhaps: Sequence[Target],
    refused: Sequence[str],
    found: Sequence[Trouble],
    situation: Situation,
) -> Advice:
    """No account is proven to have enough. One that perhaps has is asked about, because it may cost money."""
    now_ms = situation.now_ms
    asked = [one for one in perhaps if _landing(agent, one, situation) == "ask"]
    due = _with(due, due.rule, *refused)
    if asked:
        account = asked[0].account
        said = f"{account.name} may have enough, but its reading is old. {_PAYS}"
        question = card("move", agent.name, account, agent.model, now_ms)
        return _with(due, "credit_guard", said, what="ask", asked=question)
    rest = words.span(max(one.until_ms for one in found) - now_ms)
    return _with(
        due, "no_target", f"There is no account to move to. Its own has enough again in {rest} at the latest."
    )


def _landing(agent: PolicyAgent, target: Target, situation: Situation) -> Verdict:
    account = target.account
    return guard("move", account, agent.model, situation.now_ms, situation.answers.get(account.id))


def _guarded(agent: PolicyAgent, account: PolicyAccount, planned: Advice, situation: Situation) -> Advice:
    """What the credit guard says to going on where the agent is."""
    now_ms, answer = situation.now_ms, situation.answers.get(account.id)
    verdict = guard("go_on", account, agent.model, now_ms, answer)
    if verdict == "free":
        if account.extra == "unknown" and is_spent(account, agent.model, now_ms):
            said = f"Whether {account.name} would go on with paid extra usage is not known."
            return msgspec.structs.replace(planned, sentences=(*planned.sentences, said))
        return planned
    if verdict == "allowed":
        said = f"You allowed paid extra usage on {account.name} until its next window."
        if planned.what in ("move", "wait"):
            return msgspec.structs.replace(planned, sentences=(*planned.sentences, said))
        return _with(planned, "credit_allowed", said)
    if verdict == "refused":
        rest = words.span(spent_until(account, agent.model, now_ms) - now_ms)
        said = f"You did not allow paid extra usage on {account.name}: nothing is resumed there for {rest}."
        if planned.what == "move":
            return msgspec.structs.replace(planned, sentences=(*planned.sentences, said))
        return _with(planned, "credit_refused", said, what="wait")
    return msgspec.structs.replace(
        planned,
        what="ask",
        rule="credit_guard",
        sentences=(*planned.sentences, f"{account.name} is spent. {_PAYS}"),
        card=card("go_on", agent.name, account, agent.model, now_ms),
    )
