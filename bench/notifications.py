"""What notifications cost: from a question to its push at the channel, and in a storm of events, in which
every question is told, most of them together."""

from __future__ import annotations

import asyncio
import os
import tempfile
import time
from collections.abc import Mapping, Sequence
from pathlib import Path

from msgspec.structs import replace

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
from controlroom.wire.model import Activity, Item

AGENTS, TIMES, EVENTS, QUESTIONS = 20, 5, 1_000, 100  # five blocking ones in a minute go out singly
LIMIT_MS = 1_000
LONGEST_S = 25.0  # a burst is gathered for 20 seconds
PHONE = Target(id="sub_bench", channel="bench", device_id=None, address="", name="Phone")


class _Nobody:
    async def agent_of(self, pid: int) -> str | None:
        return None


class _Recorder:
    """Stands for the channel: when each notice was handed over."""

    def __init__(self, ways: Ways, clock: SystemClock) -> None:
        self._clock = clock
        self.heard: dict[str, float] = {}
        self.at_ms: dict[str, int] = {}  # by the notice's id
        self.count = 0
        setattr(ways, "send", self.send)  # noqa: B010 - the one seam before the network
        setattr(ways.book, "all", self.all)  # noqa: B010

    def all(self) -> Sequence[Target]:
        return (PHONE,)

    async def send(self, target: Target, notice: Notice) -> Answer:
        self.heard.setdefault(notice.body.split("\n")[0], time.perf_counter())
        self.at_ms.setdefault(notice.id, self._clock.now_ms())
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
        recorder = _Recorder(hub.ways, clock)
        took = [await _ask(node, recorder, clock, number) for number in range(TIMES)]
        middle, worst = percentile(took, 0.5) * 1000, percentile(took, 0.95) * 1000
        return [
            Row(
                "a question, until its push is at the channel",
                f"{middle:.0f} ms, p95 {worst:.0f} ms",
                f"{LIMIT_MS:,} ms",
                worst / LIMIT_MS,
            ),
            *await _storm(hub, node, recorder, clock),
        ]
    finally:
        await hub.aclose()


def _question(word: str, clock: SystemClock, *, is_blocking: bool) -> Item:
    said = f"Question for Founder: {word}\n- Yes, {word}\n- Later, {word}\n"
    said += f"Blocking: {'yes' if is_blocking else 'no'}"
    return Item(id=f"bench-{word}", at_ms=clock.now_ms(), kind="question", text=said)


async def _ask(node: FakeNode, recorder: _Recorder, clock: SystemClock, number: int) -> float:
    """Seconds from the agent's reply to the channel."""
    agent, word = f"agt_{number % AGENTS}", f"Is pear{number} ready?"
    began = time.perf_counter()
    await node.say(agent, _question(word, clock, is_blocking=True))
    while word not in recorder.heard:
        if time.perf_counter() - began > 120:
            raise TimeoutError(word)
        await asyncio.sleep(0.002)
    return recorder.heard[word] - began


async def _storm(hub: Hub, node: FakeNode, recorder: _Recorder, clock: SystemClock) -> list[Row]:
    """As many changes of agents as come in a bad minute, a hundred a second at most, and questions among
    them; then until the last of those is told, by itself or with others."""
    before, count = usage([os.getpid()]), recorder.count
    began = time.perf_counter()
    asked: dict[str, int] = {}
    for number in range(EVENTS):
        agent = f"agt_{number % AGENTS}"
        activity: Activity = ("working", "idle", "blocked")[number % 3]
        changed = replace(node.agents[agent], activity=activity, since_ms=clock.now_ms())
        await node.put(changed)
        if number % (EVENTS // QUESTIONS) == 0:
            word = f"Is plum{len(asked)} ripe?"
            asked[word] = clock.now_ms()
            asks = f"agt_{len(asked) % AGENTS}"
            await node.say(asks, _question(word, clock, is_blocking=len(asked) % 2 == 0))
        await asyncio.sleep(0.01)
    took = time.perf_counter() - began
    after = usage([os.getpid()])
    grown = (after.rss_bytes - before.rss_bytes) / 1e6
    cpu = after.cpu_s - before.cpu_s
    told = await _all_told(hub, recorder, asked)
    waits = [(told[word] - asked_ms) / 1000 for word, asked_ms in asked.items()]
    longest = max(waits)
    return [
        Row(
            f"{EVENTS:,} changes of agents, {QUESTIONS} questions among them",
            f"{took:.0f} s, {cpu:.1f} s of processor, {grown:+.1f} MB",
            "60 s",
            round(took / 60, 2),
        ),
        Row(
            f"the push that tells each of the {QUESTIONS}",
            f"{recorder.count - count} pushes: {percentile(waits, 0.5):.0f} s, longest {longest:.0f} s",
            f"{LONGEST_S:.0f} s",
            round(longest / LONGEST_S, 2),
        ),
    ]


async def _all_told(hub: Hub, recorder: _Recorder, asked: Mapping[str, int]) -> dict[str, int]:
    """When the push that tells of each question was at the channel."""
    latest = time.perf_counter() + 120
    while True:
        page = await hub.notifications.page(before=None, limit=EVENTS, agent_id=None, question_id=None)
        told = {
            word: recorder.at_ms[one.told_by or one.id]
            for one in page.notifications
            if (word := one.text.split("\n")[0]) in asked and (one.told_by or one.id) in recorder.at_ms
        }
        if len(told) == len(asked):
            return told
        if time.perf_counter() > latest:
            raise TimeoutError(f"{len(asked) - len(told)} of {len(asked)} questions were never told")
        await asyncio.sleep(0.1)
