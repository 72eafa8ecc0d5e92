"""The fleet in memory is what its events say, and the web app applies the same story to the same end."""

from __future__ import annotations

import re

from controlroom.hub.fleet_view import FleetView
from controlroom.wire import events
from tests.unit.hub.sync_case import EVENTS, FILE, START, document


def _after_all() -> FleetView:
    view = FleetView(START.seq, START.machines, START.agents)
    for event in EVENTS:
        view.apply(event)
    return view


def test_the_fleet_is_what_the_events_made_of_it() -> None:
    fleet = _after_all().fleet()
    assert fleet.seq == START.seq + len(EVENTS)
    assert [agent.id for agent in fleet.agents] == ["agt_1", "agt_3"]
    assert [machine.online for machine in fleet.machines] == [True, False, True]
    assert fleet.agents[0].waiting_for is None
    assert fleet.agents[0].finished is not None


def test_the_story_that_the_web_app_is_tested_with_is_this_one() -> None:
    """Write it anew with ``python -m tests.unit.hub.sync_case``."""
    assert FILE.read_bytes() == document(_after_all().fleet())


def test_the_story_has_an_event_of_each_name() -> None:
    """A new name is told here first, then read in ``web/src/store/state.ts``."""
    names = set(re.findall(r"^``([a-z.]+)``", events.__doc__ or "", re.MULTILINE))
    assert {event.name for event in EVENTS} == names
