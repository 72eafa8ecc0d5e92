"""Facts as they are now, made into episodes that may be worth a push.

A dialog that is shown as a question is one episode, the question's. An end of a stretch that is a question is
one too. What an agent of an unreachable machine did is no news, and not over either.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from datetime import tzinfo

from controlroom.core.notify.model import (
    Asked,
    Choice,
    Done,
    Episode,
    Facts,
    Rules,
    Seen,
    Silent,
    Trouble,
)
from controlroom.core.notify.words import (
    asked_words,
    done_words,
    shown_name,
    silent_words,
    trouble_words,
    waiting_words,
    without_secrets,
)

HOUR_MS = 3_600_000
QUIET_SPELL_MS = 5_000
"""An end is told when it has held this long: helpers wake an agent again within seconds."""

LOOKED_AT_MS = 1_500
"""A device that shows a chat says within half a second that its newest item was read."""

AFTER_WAKING_MS = 5_000
"""After a start or a sleep of the machine, what is known is as old as the sleep until a look was taken."""

FOUND_MS = 60_000
"""All servers of a machine have been tried this long after a start."""

ASKED_MS = 60_000
"""A question that was asked this long before an end, or later, belongs to it."""

FINISHED_STALE_MS = HOUR_MS
BUTTONS = 2
BUTTON_LIMIT = 40  # a label that a system cuts would say something else

_LATER: Mapping[str, int] = {
    "usage:": HOUR_MS,
    "clock:": HOUR_MS,
    "agents:": HOUR_MS,
    "crashed:": 60_000,
    "multiplexer:": 60_000,
    "vitals:": 0,
    "database": 5_000,
    "chief:": 0,
}
"""How long trouble lasts before it is told, by how its code begins; what is not named is only shown."""


def episodes_of(facts: Facts, rules: Rules, now_ms: int, zone: tzinfo, awake_ms: int) -> dict[str, Episode]:
    """All of them by key. ``awake_ms``: since when the hub has looked without a break."""
    agents = {agent.id: agent for agent in facts.agents}
    found: list[Episode] = [
        _asked(asked, agents.get(asked.agent_id), rules, now_ms, zone) for asked in facts.questions
    ]
    carded = {asked.waiting_id for asked in facts.questions if asked.waiting_id}
    asked_ms = {asked.agent_id: asked.asked_at_ms for asked in facts.questions}  # the newest of each
    settled_ms = awake_ms + AFTER_WAKING_MS
    for agent in facts.agents:
        if not agent.is_known:
            continue
        if agent.activity == "blocked" and (agent.stands is None or agent.stands.id not in carded):
            found.append(_waiting(agent, rules, settled_ms))
        if agent.done is not None:
            has_question = asked_ms.get(agent.id, 0) >= agent.done.at_ms - ASKED_MS
            found.append(_finished(agent, agent.done, rules, has_question, settled_ms))
    found += [_silent(one, rules, now_ms, zone, awake_ms) for one in facts.silent]
    found += [
        _trouble(one, delay_ms)
        for one in facts.troubles
        if (delay_ms := trouble_delay(one.code)) is not None and not _is_of_old(one, awake_ms)
    ]
    return {one.key: one for one in found}


def trouble_delay(code: str) -> int | None:
    """How long such trouble lasts before it is told; None: it is never told, only shown."""
    return next((delay for begin, delay in _LATER.items() if code.startswith(begin)), None)


def _is_of_old(trouble: Trouble, awake_ms: int) -> bool:
    """A server that never could be read (another user's, too old a version) is no server that is gone."""
    return trouble.code.startswith("multiplexer:") and trouble.since_ms < awake_ms + FOUND_MS


def owner_of(key: str) -> str:
    """The agent that an episode is about, by its key, when its machine decides whether it is over."""
    kind, _, rest = key.partition(":")
    return rest.partition(":")[0] if kind in ("waiting", "finished") else ""


def finished_key(agent: Seen, done: Done) -> str:
    """The same when a clock is corrected: only how long it was busy, and what it said, count."""
    said = f"{agent.chat_id}\0{done.busy_ms}\0{done.text}".encode(errors="replace")
    return f"finished:{agent.id}:{hashlib.blake2b(said, digest_size=9).hexdigest()}"


def _asked(asked: Asked, agent: Seen | None, rules: Rules, now_ms: int, zone: tzinfo) -> Episode:
    name = shown_name(agent.name if agent is not None else "")
    title, text = asked_words(asked, name, rules.previews, now_ms, zone)
    refused = ""
    if asked.by_hand:
        refused = "You opened it again yourself."
    elif asked.is_read:
        refused = "You have read it on one of your devices."
    return Episode(
        key=f"question:{asked.id}",
        kind="question",
        tag=f"agent:{asked.agent_id}",
        began_ms=asked.asked_at_ms,
        due_ms=asked.asked_at_ms + LOOKED_AT_MS if asked.is_open else 0,
        name=name,
        title=title,
        text=text,
        place=f"inbox/{asked.id}",
        urgency="high" if asked.is_blocking else "normal",
        ttl_ms=24 * HOUR_MS,
        is_blocking=asked.is_blocking,
        agent_id=asked.agent_id,
        chat_id="" if agent is None else agent.chat_id,
        question_id=asked.id,
        dialog=asked.waiting_id,
        choices=buttons(asked) if rules.previews != "none" else (),
        is_read=asked.is_read,
        refused=refused,
    )


def buttons(asked: Asked) -> tuple[Choice, ...]:
    """The options that may be chosen from a notification: none when a tap could do harm, or could be
    mistaken for another."""
    fits = all(
        len(one.label) <= BUTTON_LIMIT and without_secrets(one.label) == one.label for one in asked.choices
    )
    is_safe = not asked.is_blocking and not any(one.is_risky for one in asked.choices)
    if asked.is_multi or asked.more or not fits or not is_safe:
        return ()
    return asked.choices[:BUTTONS]


def _waiting(agent: Seen, rules: Rules, settled_ms: int) -> Episode:
    name = shown_name(agent.name)
    title, text = waiting_words(agent, name, rules.previews)
    since_ms = agent.since_ms if agent.stands is None else agent.stands.since_ms
    return Episode(
        key=f"waiting:{agent.id}:{agent.stands.id if agent.stands is not None else 'prompt'}",
        kind="waiting",
        tag=f"agent:{agent.id}",
        began_ms=since_ms,
        due_ms=max(since_ms + rules.waiting_after_ms, settled_ms),
        name=name,
        title=title,
        text=text,
        place=f"agents/{agent.id}/terminal",
        urgency="high",
        ttl_ms=4 * HOUR_MS,
        is_blocking=True,
        agent_id=agent.id,
        chat_id=agent.chat_id,
        dialog="" if agent.stands is None else agent.stands.id,
    )


def _finished(agent: Seen, done: Done, rules: Rules, has_question: bool, settled_ms: int) -> Episode:
    name = shown_name(agent.name)
    title, text = done_words(done, name, rules.previews)
    refused = ""
    if done.busy_ms < rules.finished_after_ms:
        refused = "It was not busy long enough."
    elif agent.activity == "question" or has_question:
        refused = "It ended with a question, which is told by itself."
    return Episode(
        key=finished_key(agent, done),
        kind="finished",
        tag=f"agent:{agent.id}",
        began_ms=done.at_ms,
        due_ms=max(done.at_ms + QUIET_SPELL_MS, settled_ms),
        name=name,
        title=title,
        text=text,
        place=f"agents/{agent.id}",
        urgency="normal",
        ttl_ms=12 * HOUR_MS,
        agent_id=agent.id,
        chat_id=agent.chat_id,
        stale_ms=FINISHED_STALE_MS,
        refused=refused,
    )


def _silent(silent: Silent, rules: Rules, now_ms: int, zone: tzinfo, awake_ms: int) -> Episode:
    title, text = silent_words(silent, now_ms, zone)
    since_ms = max(min(silent.seen_ms, now_ms), awake_ms)
    return _of_room(
        f"silent:{silent.machine_id}", title, text, since_ms, since_ms + rules.silent_after_ms, silent.name
    )


def _trouble(trouble: Trouble, delay_ms: int) -> Episode:
    title, text = trouble_words(trouble)
    where = trouble.machine_id or "hub"
    due_ms = trouble.since_ms + delay_ms
    return _of_room(f"trouble:{where}:{trouble.code}", title, text, trouble.since_ms, due_ms, trouble.machine)


def _of_room(key: str, title: str, text: str, began_ms: int, due_ms: int, name: str) -> Episode:
    return Episode(
        key=key,
        kind="trouble",
        tag=key,
        began_ms=began_ms,
        due_ms=due_ms,
        name=shown_name(name) if name else "",
        title=title,
        text=text,
        place="settings/machines",
        urgency="normal",
        ttl_ms=12 * HOUR_MS,
    )
