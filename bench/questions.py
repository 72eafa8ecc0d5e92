"""What the Inbox costs with a long history: ten thousand closed questions, two hundred open ones."""

from __future__ import annotations

import asyncio
import random
import tempfile
import time
from collections.abc import Awaitable, Callable
from itertools import count
from pathlib import Path

import msgspec

from bench.measure import Row, percentile
from controlroom.client import HubClient
from controlroom.core import questions as machine
from controlroom.hub.hub import Hub
from controlroom.hub.question_intake import new_question
from controlroom.hub.store import question_rows
from controlroom.hub.store.question_rows import Card
from controlroom.hub.store.store import Change, Store
from controlroom.kit.clock import SystemClock
from controlroom.kit.health import HealthBoard
from controlroom.kit.home import Home
from controlroom.kit.settings import Door, Settings
from controlroom.testing.fake_node import FakeNode, agent_state
from controlroom.wire.model import Item
from controlroom.wire.question import AnswerQuestion, QuestionDefault, QuestionOption

CLOSED, OPEN, AGENTS = 10_000, 200, 20
TIMES = 40
LIMIT_MS = 100
WORDS = ("pear", "plum", "apple", "quince", "cherry", "crate", "ladder", "barn", "label", "press", "cellar")


class _Nobody:
    async def agent_of(self, pid: int) -> str | None:
        return None


def questions() -> list[Row]:
    """Over the private socket, as the command line asks; the store is a file."""
    with tempfile.TemporaryDirectory(prefix="crb-", dir="/tmp") as folder:
        return asyncio.run(_measured(Path(folder)))


async def _measured(folder: Path) -> list[Row]:
    clock, home = SystemClock(), Home(folder / "home")
    home.prepare()
    node = FakeNode(clock)
    for number in range(AGENTS):
        await node.put(agent_state(f"agt_{number}", name=f"orchard-{number}"))
    board = HealthBoard(clock)
    store = Store.at(home.database("hub"), clock, board)
    hub = Hub(Settings(door=Door(port=0)), home, store, [node], _Nobody(), clock, board)
    await hub.start()
    try:
        await hub.settled()
        await store.change(_fill)
        async with HubClient(home.socket) as client:
            ids = [one.id for one in (await client.questions()).questions]
            rows = [
                await _row(f"Inbox, {OPEN} open of {CLOSED + OPEN:,}", client.questions, LIMIT_MS),
                await _row("a page of the history (50)", lambda: client.questions("all")),
            ]
            left = iter(ids)

            async def answer() -> None:
                id = next(left)
                await client.answer_question(id, AnswerQuestion(request_id=f"req_{id}", option="1"))

            numbers = count(1)

            async def ask() -> None:
                await _ask(node, client, clock, next(numbers))

            rows.append(await _row("an answer, stored with its message", answer))
            rows.append(await _row("a reply with a question, until its card", ask))
        return rows
    finally:
        await hub.aclose()


async def _row(what: str, act: Callable[[], Awaitable[object]], target_ms: int | None = None) -> Row:
    took = []
    for _ in range(TIMES):
        began = time.perf_counter()
        await act()
        took.append((time.perf_counter() - began) * 1000)
    middle, worst = percentile(took, 0.5), percentile(took, 0.95)
    measured = f"{middle:.0f} ms, p95 {worst:.0f} ms"
    if target_ms is None:
        return Row(what, measured, "–")
    return Row(what, measured, f"{target_ms} ms", round(middle / target_ms, 2))


async def _ask(node: FakeNode, client: HubClient, clock: SystemClock, number: int) -> None:
    """Agents take turns, so that none asks too fast."""
    agent = f"agt_{number % AGENTS}"
    word = f"{WORDS[number % len(WORDS)]}{number}"
    text = f"Question for Founder: Is {word} ready?\n- Ready{number}\n- Late{number}\nBlocking: yes"
    await node.say(agent, Item(id=f"bench-{number}", at_ms=clock.now_ms(), kind="question", text=text))
    while not any(word in one.question for one in (await client.questions(agent_id=agent)).questions):
        await asyncio.sleep(0.002)


def _fill(change: Change) -> None:
    """Questions of an ordinary size, from long ago."""
    chance = random.Random(5)
    for number in range(CLOSED + OPEN):
        agent = number % AGENTS
        named = " ".join(chance.sample(WORDS, 4))
        options = tuple(
            QuestionOption(key=str(at), label=f"{WORDS[at]} {number}", what="This is what happens then. " * 3)
            for at in range(1, 5)
        )
        asked_ms = change.now_ms - 40 * 86_400_000 + number * 60_000
        card = Card(
            source="block",
            question=f"Shall the {named} be done in the order of number {number}?",
            asked_at_ms=asked_ms,
            options=options,
            default=QuestionDefault(
                text="I wait", due_at_ms=change.now_ms + 86_400_000 + number, said="later"
            ),
            context="One or two sentences that say why this is asked at all. " * 2,
        )
        row = new_question(change, f"q_{number}", f"agt_{agent}", f"cht_{agent}", card, is_blocking=False)
        row = msgspec.structs.replace(row, created_ms=asked_ms)
        if number < CLOSED:
            closed = machine.step(row.log, machine.Dismiss(at_ms=asked_ms + 1000, by="host"))
            row = msgspec.structs.replace(row, log=closed.log)
        question_rows.put_question(change, row)
