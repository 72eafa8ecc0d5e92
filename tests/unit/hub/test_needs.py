"""What needs the person is counted in one way: for pushes, for widgets, and by the app (needs.test.ts)."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from controlroom.core.notify.badge import badge_of
from controlroom.hub.glance_view import glance_of
from controlroom.hub.notify_facts import facts_of
from controlroom.wire.model import FaultInfo, WaitingFor
from tests.unit.cli.agents import NOW, agent, fleet, machine
from tests.unit.cli.questions import question

CASES: list[dict[str, Any]] = json.loads((Path(__file__).parents[2] / "fixtures/needs.json").read_text())


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["name"])
def test_the_hub_counts_as_the_app_does(case: dict[str, Any]) -> None:
    machines = tuple(machine(id, id=id, online=online) for id, online in case["machines"].items())
    agents = tuple(
        agent(
            one["id"],
            one["activity"],
            id=one["id"],
            machine_id=one["machine_id"],
            archived=one.get("archived", False),
            fault=FaultInfo(code="limit", text="No more today.", since_ms=NOW) if "fault" in one else None,
            waiting_for=WaitingFor(
                id=one["dialog"], kind=one.get("kind", "permission"), text="Run it?", since_ms=NOW
            )
            if "dialog" in one
            else None,
        )
        for one in case["agents"]
    )
    asked = [question(**one) for one in case["questions"]]
    shown = fleet(*agents, machines=machines)
    assert badge_of(facts_of(shown, asked, (), ())) == case["needs"]
    assert glance_of(shown, asked, (), (), now_ms=NOW).needs == case["needs"]
