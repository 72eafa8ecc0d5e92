"""A widget counts what the app's icon counts."""

from __future__ import annotations

from controlroom.core.notify.badge import badge_of
from controlroom.hub.glance_view import glance_of
from controlroom.hub.notify_facts import facts_of
from controlroom.wire.model import WaitingFor
from tests.unit.cli.agents import NOW, agent, fleet, machine
from tests.unit.cli.questions import question


def test_each_waiting_thing_counts_once_as_at_the_icon() -> None:
    machines = (machine(id="mac_1"), machine(id="mac_2", name="attic", online=False))
    prompt = WaitingFor(id="dlg_1", kind="permission", text="Bash", since_ms=NOW)
    agents = (
        agent("oak", "blocked", id="agt_1", machine_id="mac_1", waiting_for=prompt),
        agent("elm", "blocked", id="agt_2", machine_id="mac_1"),  # and it asked something before
        agent("fir", "question", id="agt_3", machine_id="mac_2"),
        agent("yew", "blocked", id="agt_4", machine_id="mac_2"),
        agent("ash", "blocked", id="agt_5", machine_id="mac_1", archived=True),
    )
    asked = [
        question(id="q_1", agent_id="agt_1", waiting_id="dlg_1"),  # the prompt itself
        question(id="q_2", agent_id="agt_2"),
        question(id="q_3", agent_id="agt_3"),
        question(id="q_4", agent_id="agt_9"),
    ]
    shown = glance_of(fleet(*agents, machines=machines), asked, (), (), now_ms=NOW)
    assert sorted((one.name, one.why) for one in shown.waiting) == [
        ("An agent", "question"),
        ("elm", "prompt"),
        ("elm", "question"),
        ("fir", "question"),
        ("oak", "question"),
    ]
    assert shown.needs == badge_of(facts_of(fleet(*agents, machines=machines), asked, (), ()))
