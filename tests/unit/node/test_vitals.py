"""The machine's figures become health items."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from controlroom.core.vitals import GB, Room
from controlroom.kit.clock import FakeClock
from controlroom.kit.health import HealthBoard
from controlroom.node.vitals import Vitals, read_vitals
from controlroom.testing.fake_node import agent_state


async def test_full_and_killed_and_over_again() -> None:
    """A count that was there before we looked is no news; who ended then is named; all of it ends."""
    clock = FakeClock()
    health = HealthBoard(clock)
    agents = [agent_state(name="oak"), agent_state("agt_2", name="elm", activity="gone")]
    figures = {"free": 10, "kills": 7}

    def read(folders: Sequence[Path]) -> tuple[list[Room], int | None]:
        return [Room("memory", figures["free"] * GB, 32 * GB)], figures["kills"]

    vitals = Vitals(folders=(), agents=lambda: agents, clock=clock, health=health, read=read)
    await vitals.look()
    assert len(health.items) == 0
    figures.update(free=1, kills=8)
    clock.advance(5)
    await vitals.look()
    assert [item.title for item in health.items] == [
        "Memory is nearly full: 1.0 GB of 32.0 GB left",
        "A program was killed for memory",
    ]
    agents[0] = agent_state(name="oak", activity="gone", since_ms=clock.now_ms())
    clock.advance(3)
    figures["free"] = 9
    await vitals.look()
    item = health.items[0]
    assert item.title == "A program was killed for memory, and oak ended at that moment"
    clock.advance(3_600)
    await vitals.look()
    assert len(health.items) == 0


def test_this_machine_has_figures(tmp_path: Path) -> None:
    (memory, disk), _ = read_vitals((tmp_path, tmp_path, tmp_path / "missing"))
    assert 0 < memory.free_bytes <= memory.all_bytes
    assert 0 < disk.free_bytes <= disk.all_bytes and disk.where == str(tmp_path)
