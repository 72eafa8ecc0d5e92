"""What the hub knows, as the facts that notifications are decided on. Pure."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable
from functools import lru_cache
from typing import get_args

from controlroom.core.blocking import why_blocking
from controlroom.core.facts import DialogKind
from controlroom.core.notify.model import Asked, Choice, Done, Facts, Seen, Silent, Stands, Trouble
from controlroom.wire.model import Agent, Fleet, Health
from controlroom.wire.question import Question

_KINDS: dict[str, DialogKind] = {kind: kind for kind in get_args(DialogKind)}

ItemPlace = tuple[str, str]
"""Chat and item."""


def facts_of(
    fleet: Fleet,
    questions: Iterable[Question],
    read: Collection[ItemPlace],
    health: Iterable[Health],
    is_open: Callable[[str], bool] = lambda chat_id: False,
) -> Facts:
    """``questions``: the open ones; ``read``: items of theirs that were read on some device; ``is_open``:
    whether a chat is open on some device now."""
    machines = {machine.id: machine for machine in fleet.machines}
    online = {machine.id for machine in fleet.machines if machine.online}
    lost = [agent.machine_id for agent in fleet.agents if agent.activity != "gone"]
    return Facts(
        questions=tuple(
            _asked(question, read, question.item_id is not None and is_open(question.chat_id))
            for question in questions
        ),
        agents=tuple(_seen(agent, agent.machine_id in online) for agent in fleet.agents),
        silent=tuple(
            Silent(
                machine_id=machine.id,
                name=machine.name,
                seen_ms=machine.last_seen_ms,
                agents=lost.count(machine.id),
            )
            for machine in fleet.machines
            if not machine.online
        ),
        troubles=tuple(
            Trouble(
                code=item.code,
                title=item.title,
                do=item.do,
                since_ms=item.since_ms,
                machine_id=item.machine_id or "",
                machine=machines[item.machine_id].name if item.machine_id in machines else "",
            )
            for item in health
        ),
    )


def place_of(question: Question) -> ItemPlace | None:
    """The item that asked; None for one that stands in no chat."""
    return None if question.item_id is None else (question.chat_id, question.item_id)


def _asked(question: Question, read: Collection[ItemPlace], is_open: bool) -> Asked:
    default = question.default
    last = question.history[-1] if question.history else None
    is_again = last is not None and len(question.history) > 1 and last.state == "open"
    return Asked(
        id=question.id,
        agent_id=question.agent_id,
        question=question.question,
        asked_at_ms=question.asked_at_ms,
        is_blocking=question.blocking,
        choices=tuple(
            Choice(key=option.key, label=option.label, is_risky=_is_risky(option.label, option.what or ""))
            for option in question.options
        ),
        is_multi=question.multi,
        default="" if default is None else default.text,
        due_at_ms=None if default is None else default.due_at_ms,
        waiting_id=question.waiting_id or "",
        more=question.more,
        is_read=place_of(question) in read,
        is_open=is_open,
        by_hand=is_again and last is not None and last.by.startswith(("host", "device:")),
    )


@lru_cache(maxsize=1024)
def _is_risky(label: str, what: str) -> bool:
    """Whether an option must not be chosen by a tap on a locked screen."""
    return why_blocking(f"{label}: {what}") is not None


def _seen(agent: Agent, is_known: bool) -> Seen:
    waiting, finished = agent.waiting_for, agent.finished
    return Seen(
        id=agent.id,
        name=agent.name,
        chat_id=agent.chat_id,
        activity=agent.activity,
        since_ms=agent.since_ms,
        is_known=is_known,
        is_muted=agent.muted,
        is_archived=agent.archived,
        is_faulty=agent.fault is not None,
        stands=None
        if waiting is None
        else Stands(
            id=waiting.id,
            kind=_KINDS.get(waiting.kind, "other"),
            text=waiting.text,
            since_ms=waiting.since_ms,
            has_risk=any(option.risky for option in waiting.options or ()),
        ),
        done=None
        if finished is None
        else Done(at_ms=finished.at_ms, busy_ms=finished.busy_ms, text=finished.text),
    )
