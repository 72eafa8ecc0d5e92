"""What notifications cost: from a question to its push at the channel, and a thousand events in a minute."""

from __future__ import annotations

import asyncio
import os
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

from bench.measure import Row, percentile, usage
from controlroom.hub.channels.base import Answer, Delivered, Notice, Target
from controlroom.hub.channels.ways import Ways
from controlroom.hub.hub import Hub
from controlroom.hub.store.store import Store
from controlroom.kit.clock import SystemClock
from controlroom.kit.health import HealthBoard
from controlroom.kit.home import Home
from controlroom.kit.settings import Door, Settings
from controlroom.testing.fake_node import FakeNode, agent_state
from controlroom.wire.model import Item

AGENTS, TIMES, EVENTS = 20, 5, 1_000  # five blocking ones in a minute go out singly
LIMIT_MS = 1_000
PHONE = Target(id="sub_bench", channel="bench", device_id=None, address="", name="Phone")


class _Nobody:
    async def agent_of(self, pid: int) -> str | None:
        return None


class _Recorder:
    """Stands for the channel: when each notice was handed over."""

    def __init__(self, ways: Ways) -> None:
        self.heard: dict[str, float] = {}
        self.count = 0
        setattr(ways, "send", self.send)  # noqa: B010 - the one seam before the network
        setattr(ways.book, "all", self.all)  # noqa: B010

    def all(self) -> Sequence[Target]:
        return (PHONE,)

    async def send(self, target: Target, notice: Notice) -> Answer:
        self.heard.setdefault(notice.body.split("\n")[0], time.perf_counter())
        self.count += 1
        return Delivered()


def notifications() -> list[Row]:
    with tempfile.TemporaryDirectory(prefix="crb-", dir="/tmp") as folder:
        return asyncio.run(_measured(Path(folder)))


async def _measured(folder: Path) -> list[Row]:
    clock, home = SystemClock(), Home(folder / "home")
    home.prepare()
    node = FakeNode(clock)
    for number in range(AGENTS):
        await node.put(agent_state(f"agt_{number}", name=f"orchard-{number}", since_ms=clock.now_ms()))
    board = HealthBoard(clock)
    store = Store.at(home.database("hub"), clock, board)
    hub = Hub(Settings(door=Door(port=0)), home, store, [node], _Nobody(), clock, board)
    await hub.start()
    try:
        await hub.settled()
        recorder = _Recorder(hub.ways)
        took = [await _ask(node, recorder, clock, number) for number in range(TIMES)]
        middle, worst = percentile(took, 0.5) * 1000, percentile(took, 0.95) * 1000
        return [
            Row(
                "a question, until its push is at the channel",
                f"{middle:.0f} ms, p95 {worst:.0f} ms",
                f"{LIMIT_MS:,} ms",
                worst / LIMIT_MS,
            ),
            await _storm(node, recorder, clock),
        ]
    finally:
        await hub.aclose()


async def _ask(node: FakeNode, recorder: _Recorder, clock: SystemClock, number: int) -> float:
    """Seconds from the agent's reply to the channel."""
    agent, word = f"agt_{number % AGENTS}", f"Is pear{number} ready?"
    text = f"Question for Founder: {word}\n- Ready{number}\n- Late{number}\nBlocking: yes"
    began = time.perf_counter()
    await node.say(agent, Item(id=f"bench-{number}", at_ms=clock.now_ms(), kind="question", text=text))
    while word not in recorder.heard:
        if time.perf_counter() - began > 120:
            raise TimeoutError(word)
        await asyncio.sleep(0.002)
    return recorder.heard[word] - began


async def _storm(node: FakeNode, recorder: _Recorder, clock: SystemClock) -> Row:
    """As many changes of agents as come in a bad minute, a hundred a second at most."""
    before, count = usage([os.getpid()]), recorder.count
    began = time.perf_counter()
    for number in range(EVENTS):
        activity = ("working", "idle", "blocked")[number % 3]
        await node.put(
            agent_state(
                f"agt_{number % AGENTS}",
                name=f"orchard-{number % AGENTS}",
                activity=activity,  # type: ignore[arg-type]  # one of three words
                since_ms=clock.now_ms(),
            )
        )
        await asyncio.sleep(0.01)
    took = time.perf_counter() - began
    after = usage([os.getpid()])
    grown = (after.rss_bytes - before.rss_bytes) / 1e6
    cpu = after.cpu_s - before.cpu_s
    told = recorder.count - count
    measured = f"{took:.0f} s, {cpu:.1f} s of processor, {grown:+.1f} MB, {told} pushes"
    return Row(f"{EVENTS:,} changes of agents", measured, "60 s", round(took / 60, 2))
