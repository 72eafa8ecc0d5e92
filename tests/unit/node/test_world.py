"""What the world makes of several multiplexers at once."""

from __future__ import annotations

import os

import pytest

from controlroom.kit.clock import SystemClock
from controlroom.kit.process import ProcProcesses
from controlroom.node.agents.base import Sighting
from controlroom.node.mux.base import PaneRef
from controlroom.node.world import PaneWorld
from controlroom.testing.fake_multiplexer import FakeMultiplexer


@pytest.mark.parametrize("is_inner_first", [True, False])
async def test_an_agent_in_a_multiplexer_within_another_is_one_agent(is_inner_first: bool) -> None:
    fake = FakeMultiplexer()
    outer = fake.add_server("/run/fake/outer").add_pane(pid=os.getppid())
    inner = fake.add_server("/run/fake/inner").add_pane(pid=os.getpid())
    world = PaneWorld([fake], ProcProcesses(), SystemClock())
    await world.refresh()
    start = world.processes.start_of(os.getpid())

    def seen(pane: PaneRef | None, key: str = f"{os.getpid()}@{start}") -> Sighting:
        return Sighting(kind="claude", incarnation=key, session_id="s", pane=pane)

    both = [seen(inner.ref), seen(outer.ref)]
    other = seen(outer.ref, "1@1")
    found = world.innermost([*(both if is_inner_first else reversed(both)), other])
    assert found == [seen(inner.ref), other]
    headless = [seen(None), seen(None)]
    assert world.innermost(headless) == headless  # a driver may have reasons to name one twice
