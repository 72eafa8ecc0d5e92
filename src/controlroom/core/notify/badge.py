"""The number at the app's icon: things that need the person, each counted once."""

from __future__ import annotations

from controlroom.core.notify.model import Facts


def badge_of(facts: Facts) -> int:
    """Open questions, and agents that are stopped by a prompt or a fault (design, principle 7; the app counts
    the same). A dialog that is shown as a question counts as that question.

    Agents of machines that cannot be reached, and archived ones, do not count; their questions do.
    """
    carded = {asked.waiting_id for asked in facts.questions if asked.waiting_id}
    stopped = sum(
        agent.is_known
        and not agent.is_archived
        and (
            agent.is_faulty
            or (agent.activity == "blocked" and (agent.stands is None or agent.stands.id not in carded))
        )
        for agent in facts.agents
    )
    return len(facts.questions) + stopped
