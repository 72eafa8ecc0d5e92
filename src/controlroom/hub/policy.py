"""The policy's opinion of the fleet: what is known of agents and accounts, given to ``core.policy``.

Each machine is judged by itself: an agent can only go to a profile of its own machine. Nothing acts here.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from controlroom.core.allowance import MINUTE_MS, Extra, PolicyAccount, PolicyWindow, Rules
from controlroom.core.policy import Advice, advise_one
from controlroom.core.policy_targets import PolicyAgent, PolicyProfile, Situation
from controlroom.core.usage import Paid
from controlroom.hub.operation_profiles import profile_running
from controlroom.kit.settings import Policy
from controlroom.wire.model import Agent
from controlroom.wire.policy import PolicyAdvice, PolicyReport, PolicyRules
from controlroom.wire.usage import Account, Profile


def policy_report(
    agents: Iterable[Agent],
    accounts: Iterable[Account],
    profiles: Sequence[Profile],
    settings: Policy,
    now_ms: int,
) -> PolicyReport:
    """What would be done with each agent that lives, in the order of ``agents``."""
    rules = Rules(
        week_min_pct=settings.week_min_pct,
        short_min_pct=settings.five_hours_min_pct,
        margin_pct=settings.margin_pct,
        cool_down_ms=int(settings.cool_down_min * MINUTE_MS),
    )
    known = {account.id: _account(account) for account in accounts}
    machines: dict[str, Situation] = {}
    advice = []
    for agent in agents:
        if agent.activity == "gone":
            continue
        if agent.machine_id not in machines:
            here = [_profile(one) for one in profiles if one.machine_id == agent.machine_id]
            machines[agent.machine_id] = Situation(accounts=known, profiles=here, rules=rules, now_ms=now_ms)
        advice.append(_wire(advise_one(_agent(agent, profiles), machines[agent.machine_id])))
    return PolicyReport(
        at_ms=now_ms,
        rules=PolicyRules(
            week_min_pct=settings.week_min_pct,
            five_hours_min_pct=settings.five_hours_min_pct,
            margin_pct=settings.margin_pct,
            cool_down_min=settings.cool_down_min,
        ),
        advice=tuple(advice),
    )


def reserve_of(settings: Policy, account: Account) -> float | None:
    """The weekly reserve that the person set for an account, by its id or its name; None = none."""
    pairs = (entry.rpartition("=") for entry in settings.reserves)
    reserves = {name.casefold(): float(percent) for name, _, percent in pairs}
    return reserves.get(account.id) or reserves.get(account.name.casefold())


def _account(account: Account) -> PolicyAccount:
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


def _agent(agent: Agent, profiles: Sequence[Profile]) -> PolicyAgent:
    profile = profile_running(profiles, agent.machine_id, agent.kind, agent.profile)
    return PolicyAgent(
        id=agent.id,
        name=agent.name,
        kind=agent.kind,
        profile_id=None if profile is None else profile.id,
        activity=agent.activity,
        model=agent.model or "",
        at_limit=agent.fault is not None and agent.fault.code == "usage_limit",
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
