"""What a widget shows, made of what clients see. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from controlroom.core.notify.badge import stopped_of
from controlroom.core.text import clean_line
from controlroom.hub.notify_facts import facts_of
from controlroom.wire.glance import Glance, GlanceAccount, GlanceWaiting, GlanceWindow
from controlroom.wire.model import Agent, Fleet, Health
from controlroom.wire.question import Question
from controlroom.wire.usage import Account

MOST_WAITING = 50
LONGEST_NAME = 60


def glance_of(
    fleet: Fleet,
    questions: Iterable[Question],
    accounts: Sequence[Account],
    health: Sequence[Health],
    *,
    now_ms: int,
) -> Glance:
    """Each waiting thing counts once, as at the app's icon."""
    reachable = {machine.id for machine in fleet.machines if machine.online}
    agents = [agent for agent in fleet.agents if agent.machine_id in reachable and not agent.archived]
    names = {agent.id: agent.name for agent in fleet.agents}
    asking = [one for one in questions if one.state == "open"]
    waiting = [
        GlanceWaiting(
            name=_name(names.get(one.agent_id, "")),
            why="question",
            blocking=one.blocking,
            since_ms=one.asked_at_ms,
            open=f"inbox/{one.id}",
        )
        for one in asking
    ]
    stopped = {agent.id for agent in stopped_of(facts_of(fleet, asking, (), ()))}
    for agent in fleet.agents:
        if agent.id not in stopped:
            continue
        if agent.fault is not None:
            waiting.append(_stopped(agent, "fault", agent.fault.since_ms))
        else:
            waiting.append(_stopped(agent, "prompt", agent.since_ms))
    waiting.sort(key=lambda one: (not one.blocking, one.since_ms))
    return Glance(
        at_ms=now_ms,
        needs=len(waiting),
        working=sum(agent.activity in ("working", "helpers") for agent in agents),
        finished=sum(agent.activity == "idle" and agent.finished is not None for agent in agents),
        waiting=tuple(waiting[:MOST_WAITING]),
        accounts=tuple(_account(one) for one in accounts),
        away=tuple(clean_line(one.name, LONGEST_NAME) for one in fleet.machines if not one.online),
        troubles=tuple(clean_line(one.title, 120) for one in health),
    )


def _name(name: str) -> str:
    return clean_line(name, LONGEST_NAME) or "An agent"


def _stopped(agent: Agent, why: str, since_ms: int) -> GlanceWaiting:
    return GlanceWaiting(
        name=_name(agent.name),
        why="fault" if why == "fault" else "prompt",
        blocking=True,
        since_ms=since_ms,
        open=f"agents/{agent.id}",
    )


def _account(account: Account) -> GlanceAccount:
    return GlanceAccount(
        name=clean_line(account.name, LONGEST_NAME),
        windows=tuple(
            GlanceWindow(
                name=one.name,
                used_pct=one.used_pct,
                at_least=one.state != "fresh",
                resets_at_ms=one.resets_at_ms,
            )
            for one in account.windows
        ),
    )
