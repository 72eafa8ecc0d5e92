"""``controlroom policy explain``."""

from __future__ import annotations

import json

import msgspec
import pytest

from controlroom.wire.policy import PolicyAdvice, PolicyReport, PolicyRules
from tests.integration.cli.conftest import Cli
from tests.integration.cli.stub_hub import StubHub
from tests.unit.cli.agents import agent

ORCHARD, MEADOW = agent("orchard"), agent("meadow")


@pytest.fixture(autouse=True)
def opinion(hub: StubHub) -> None:
    hub.fleet = msgspec.structs.replace(hub.fleet, agents=(ORCHARD, MEADOW))
    advice = [
        PolicyAdvice(
            agent_id=one.id, what="stay", rule="enough_left", why="", sentences=(f"About {one.name}.",)
        )
        for one in (ORCHARD, MEADOW)
    ]
    rules = PolicyRules(week_min_pct=3, five_hours_min_pct=10, margin_pct=5, cool_down_min=30)
    hub.policy = PolicyReport(at_ms=0, rules=rules, advice=tuple(advice))


def test_every_agent_with_its_reasons(cli: Cli) -> None:
    ran = cli("policy", "explain")
    assert ran.status == 0
    assert "orchard  stays\n  About orchard.\n" in ran.out
    assert "Nothing is moved by this" in ran.out


def test_one_agent(cli: Cli) -> None:
    ran = cli("policy", "explain", "mea")
    assert "About meadow." in ran.out
    assert "orchard" not in ran.out
    assert cli("policy", "explain", "nobody").status == 1


def test_for_scripts(cli: Cli) -> None:
    told = json.loads(cli("policy", "explain", "--json").out)
    assert [one["agent_id"] for one in told["advice"]] == [ORCHARD.id, MEADOW.id]
    assert told["rules"]["margin_pct"] == 5


def test_wrong_use(cli: Cli) -> None:
    assert cli("policy").status == 2
    assert cli("policy", "enforce").status == 2
