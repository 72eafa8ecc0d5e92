"""What the policy would do with each agent now, and why, for people to read."""

from __future__ import annotations

from typing import Literal

from controlroom.core.credit import CreditCard as CreditCard
from controlroom.core.credit import CreditChoice as CreditChoice
from controlroom.core.policy import Rule, What
from controlroom.wire.model import Struct


class PolicyRules(Struct, frozen=True, kw_only=True, omit_defaults=False):
    """The rules that were used: settings of [policy]. Percentages are of what is left."""

    week_min_pct: float
    five_hours_min_pct: float
    margin_pct: float
    cool_down_min: float


class PolicyAdvice(Struct, frozen=True, kw_only=True):
    """What would be done with one agent. ``what``: ``stay``; ``move`` (to ``to_profile``, now or when its
    turn ends); ``wait`` (a move is due and something holds it up); ``ask`` (it would cost money: ``card`` is
    what you would be asked). ``why`` says it in a sentence, ``sentences`` explain it. ``operation``: the move
    of this agent that is under way, whoever asked for it."""

    agent_id: str
    what: What
    rule: Rule
    why: str
    sentences: tuple[str, ...]
    account: str | None = None
    to_profile: str | None = None
    when: Literal["now", "idle"] | None = None
    card: CreditCard | None = None
    operation: str | None = None


class PolicyMachine(Struct, frozen=True, kw_only=True, omit_defaults=False):
    """``automatic``: the person lets the policy act there (the setting policy.automatic)."""

    id: str
    name: str
    automatic: bool


class PolicyReport(Struct, frozen=True, kw_only=True, omit_defaults=False):
    """The policy's opinion at one moment. Reading it moves nothing: on machines that are ``automatic`` it is
    done by itself, unless that is ``paused``; on the others it is a dry run. ``unknown``: what
    policy.automatic names and no machine is called."""

    at_ms: int
    rules: PolicyRules
    advice: tuple[PolicyAdvice, ...]
    machines: tuple[PolicyMachine, ...] = ()
    paused: bool = False
    unknown: tuple[str, ...] = ()
