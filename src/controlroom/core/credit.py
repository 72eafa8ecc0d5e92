"""The credit guard: no paid extra usage without the person.

Theory. A spent account stops, unless it has paid extra usage switched on: then it goes on and costs money,
and the agent does not say so. So before something would go on, resume or land where that may happen, the
person is asked with a blocking question: which account, the price as far as it is known, and what the
choices lead to. The answer is for that account, until its next window. No answer is no: nothing is resumed
or moved there meanwhile, and while it is known to cost money, no new message is sent there.

Where it is not known whether extra usage is on, an agent that is there already goes on or stops by itself,
which the policy cannot help; resuming and landing there can wait, so they are asked about. An old reading
proves nothing to who lands there; an agent that is there already is no worse off for being resumed."""

from __future__ import annotations

from typing import Literal

import msgspec

from controlroom.core.allowance import PolicyAccount, counting, ends_at, is_held, is_old, is_spent, left_now
from controlroom.core.policy_words import span

Deed = Literal["go_on", "resume", "move"]
"""What would spend money: an agent that is there goes on, is resumed there, or is moved there."""

Verdict = Literal["free", "ask", "allowed", "refused"]

_VERBS: dict[Deed, str] = {"go_on": "go on", "resume": "be resumed", "move": "move to where it goes on"}
LABELS = {"no": "No, wait", "yes": "Yes, pay"}
"""The choices by their keys. Only the second one allows anything."""


class CreditChoice(msgspec.Struct, frozen=True, kw_only=True):
    """One way to answer. ``allows``: paid extra usage on this account, until its next window."""

    key: str
    label: str
    what: str
    allows: bool = False


class CreditCard(msgspec.Struct, frozen=True, kw_only=True):
    """What the person is asked before money is spent. It is blocking: unanswered means no.

    The question stands in receipts, so the account, whose name may be an address, is named in the context
    only.
    """

    account_id: str
    question: str
    context: str
    choices: tuple[CreditChoice, ...]


def guard(deed: Deed, account: PolicyAccount, model: str, now_ms: int, answer: bool | None) -> Verdict:
    """Whether a deed may run into paid extra usage, and what the person said to it. ``answer`` None:
    nothing."""
    if account.extra == "off" or (account.extra == "unknown" and deed == "go_on"):
        return "free"
    might_be_spent = (
        deed == "move"
        and account.extra == "on"
        and any(is_old(window, now_ms) for window in counting(account, model))
    )
    if not is_spent(account, model, now_ms) and not might_be_spent:
        return "free"
    if answer is None:
        return "ask"
    return "allowed" if answer else "refused"


def card(deed: Deed, agent: str, account: PolicyAccount, model: str, now_ms: int) -> CreditCard:
    """The question for the person; ``agent`` is its name."""
    rest = span(spent_until(account, model, now_ms) - now_ms)
    spent = (
        "has nothing left"
        if is_spent(account, model, now_ms)
        else "may have nothing left: its reading is old"
    )
    extra = {
        "on": "Paid extra usage is on there.",
        "unknown": "Whether paid extra usage is on there is not known.",
        "off": "",
    }[account.extra]
    price = account.extra_said or "What it costs is not known here."
    return CreditCard(
        account_id=account.id,
        question=f"Shall {agent} {_VERBS[deed]} with paid extra usage?",
        context=f"{account.name} {spent}. {extra} {price}",
        choices=(
            CreditChoice(
                key="no",
                label=LABELS["no"],
                what=f"{agent} waits until the next window, in {rest}, or until another account has enough",
            ),
            CreditChoice(
                key="yes",
                label=LABELS["yes"],
                what=f"what agents do on {account.name} costs extra for {rest}",
                allows=True,
            ),
        ),
    )


def spent_until(account: PolicyAccount, model: str, now_ms: int) -> int:
    """When all that is spent is full again; of an account that is only perhaps spent, when its windows
    end."""
    spent = [window for window in counting(account, model) if left_now(window, now_ms) == 0.0]
    ends = [ends_at(window) for window in spent]
    if is_held(account, now_ms):
        ends.append(account.hold_until_ms)
    if not ends:
        ends = [ends_at(window) for window in counting(account, model) if is_old(window, now_ms)]
    return max(ends, default=now_ms)
