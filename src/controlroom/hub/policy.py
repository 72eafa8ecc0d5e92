"""The policy's opinion of the fleet: what is known of agents and accounts, given to ``core.policy``. Pure.

Each machine is judged by itself: an agent can only go to a profile of its own machine. ``policy_desk`` acts.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from controlroom.core.allowance import MINUTE_MS, Extra, PolicyAccount, PolicyWindow, Rules
from controlroom.core.policy import Advice, advise_one
from controlroom.core.policy_memory import AgentMemory
from controlroom.core.policy_targets import PolicyAgent, PolicyProfile, Situation
from controlroom.core.usage import Paid
from controlroom.hub.operation_profiles import profile_running
from controlroom.kit.settings import Policy
from controlroom.wire.model import Agent, Machine
from controlroom.wire.policy import PolicyAdvice, PolicyMachine, PolicyReport, PolicyRules
from controlroom.wire.usage import Account, Profile


def policy_report(
    agents: Iterable[Agent],
    accounts: Iterable[Account],
    profiles: Sequence[Profile],
    settings: Policy,
    now_ms: int,
    *,
    machines: Iterable[Machine] = (),
    memories: Mapping[str, AgentMemory] = {},
    answers: Mapping[str, bool] = {},
    is_paused: bool = False,
) -> PolicyReport:
    """What would be done with each agent that lives, in the order of ``agents``. ``memories``: what is
    remembered, by agent; ``answers``: whether paid extra usage is allowed, by account."""
    rules, machines = rules_of(settings), tuple(machines)
    names = {name for one in machines for name in (one.id, one.name)}
    known = {account.id: policy_account(account) for account in accounts}
    situations: dict[str, Situation] = {}
    advice = []
    for agent in agents:
        if agent.activity == "gone":
            continue
        if agent.machine_id not in situations:
            here = [_profile(one) for one in profiles if one.machine_id == agent.machine_id]
            situations[agent.machine_id] = Situation(
                accounts=known, profiles=here, rules=rules, now_ms=now_ms, answers=answers
            )
        judged = _agent(agent, profiles, memories.get(agent.id, AgentMemory()))
        advice.append(_wire(advise_one(judged, situations[agent.machine_id])))
    return PolicyReport(
        at_ms=now_ms,
        rules=PolicyRules(
            week_min_pct=settings.week_min_pct,
            five_hours_min_pct=settings.five_hours_min_pct,
            margin_pct=settings.margin_pct,
            cool_down_min=settings.cool_down_min,
        ),
        advice=tuple(advice),
        machines=tuple(
            PolicyMachine(id=one.id, name=one.name, automatic=is_automatic(settings, one)) for one in machines
        ),
        paused=is_paused,
        unknown=tuple(said for said in settings.automatic if said not in names),
    )


def rules_of(settings: Policy) -> Rules:
    return Rules(
        week_min_pct=settings.week_min_pct,
        short_min_pct=settings.five_hours_min_pct,
        margin_pct=settings.margin_pct,
        cool_down_ms=int(settings.cool_down_min * MINUTE_MS),
    )


def is_automatic(settings: Policy, machine: Machine) -> bool:
    """Whether the person lets the policy act on this machine, by its id or its name."""
    return any(said in (machine.id, machine.name) for said in settings.automatic)


def reserve_of(settings: Policy, account: Account) -> float | None:
    """The weekly reserve that the person set for an account, by its id or its name; None = none."""
    pairs = (entry.rpartition("=") for entry in settings.reserves)
    reserves = {name.casefold(): float(percent) for name, _, percent in pairs}
    return reserves.get(account.id) or reserves.get(account.name.casefold())


def policy_account(account: Account) -> PolicyAccount:
    windows = tuple(
        PolicyWindow(
            name=window.name,
            length_minutes=window.length_minutes,
            left_pct=None if window.used_pct is None else 100.0 - window.used_pct,
            resets_at_ms=window.resets_at_ms,
            taken_at_ms=window.taken_at_ms,
            scope=window.scope,
        )
        for window in account.windows
    )
    return PolicyAccount(
        id=account.id,
        kind=account.kind,
        name=account.name,
        windows=windows,
        hold_until_ms=account.hold.until_ms if account.hold else 0,
        reserve_pct=account.reserve_pct or 0.0,
        extra=_extra(account.paid),
        extra_said=_price(account.paid),
    )


def _extra(paid: Paid | None) -> Extra:
    if paid is None or (paid.is_enabled is None and not paid.is_in_use):
        return "unknown"
    return "on" if paid.is_enabled or paid.is_in_use else "off"


def _price(paid: Paid | None) -> str:
    """What is known of the price, a sentence; "" = nothing."""
    if paid is None or paid.used_cents is None:
        return ""
    used = f"{paid.used_cents / 100:.2f}"
    if paid.limit_cents is None:
        return f"{used} were spent on it this month."
    return f"{used} of a monthly limit of {paid.limit_cents / 100:.2f} were spent on it."


def _profile(profile: Profile) -> PolicyProfile:
    return PolicyProfile(
        id=profile.id,
        name=profile.name,
        kind=profile.kind,
        account_id=profile.account,
        has_login=profile.login != "out",
    )


def _agent(agent: Agent, profiles: Sequence[Profile], memory: AgentMemory) -> PolicyAgent:
    profile = profile_running(profiles, agent.machine_id, agent.kind, agent.profile)
    return PolicyAgent(
        id=agent.id,
        name=agent.name,
        kind=agent.kind,
        profile_id=None if profile is None else profile.id,
        activity=agent.activity,
        model=agent.model or "",
        at_limit=agent.fault is not None and agent.fault.code == "usage_limit",
        asks_limit=agent.waiting_for is not None and agent.waiting_for.kind == "limit",
        moved_at_ms=memory.moved_at_ms,
        has_failed=memory.failures > 0,
        left=memory.left,
        alone_until_ms=memory.alone_until_ms,
        alone_why=memory.alone_why,
    )


def _wire(advice: Advice) -> PolicyAdvice:
    return PolicyAdvice(
        agent_id=advice.agent_id,
        what=advice.what,
        rule=advice.rule,
        why=advice.why,
        sentences=advice.sentences,
        account=advice.account_id,
        to_profile=advice.to_profile_id,
        when=advice.when,
        card=advice.card,
    )
