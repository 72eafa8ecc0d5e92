"""What needs the person, each thing counted once: the number at the app's icon, in pushes and in widgets.

The app counts the same by itself, for it knows sooner (web/src/store/agents.ts, ``needs``): both are tested
by the cases of tests/fixtures/needs.json.
"""

from __future__ import annotations

from controlroom.core.notify.model import Facts, Seen


def badge_of(facts: Facts) -> int:
    """Open questions, and agents that are stopped."""
    return len(facts.questions) + len(stopped_of(facts))


def stopped_of(facts: Facts) -> tuple[Seen, ...]:
    """Agents that are stopped by a prompt or a fault (design, principle 7). A dialog that is shown as a
    question counts as that question. Agents of machines that cannot be reached, and archived ones, do not
    count; their questions do."""
    carded = {asked.waiting_id for asked in facts.questions if asked.waiting_id}
    return tuple(
        agent
        for agent in facts.agents
        if agent.is_known
        and not agent.is_archived
        and (
            agent.is_faulty
            or (agent.activity == "blocked" and (agent.stands is None or agent.stands.id not in carded))
        )
    )
