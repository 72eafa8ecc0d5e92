"""Stages on which the driver contract is played: one for each kind of agent."""

from __future__ import annotations

from typing import Protocol

from controlroom.core.facts import Dialog, Option
from controlroom.kit.clock import FakeClock
from controlroom.node.agents.base import Driver, Intent
from controlroom.testing.fake_driver import FakeDriver


class Stage(Protocol):
    """What the suite needs of a kind of agent: one agent, and ways to move it."""

    driver: Driver

    async def begin(self) -> None:
        """One agent, idle, with ``words`` user and assistant rows in its conversation so far."""

    async def talk(self, turns: int) -> None:
        """This many turns more: a person's words and a reply each."""

    async def open_dialog(self) -> None:
        """A permission dialog with at least two options opens."""

    async def work(self) -> None:
        """A turn begins and goes on."""

    async def end(self) -> None:
        """The agent's process ends cleanly."""

    async def close(self) -> None:
        """Leave nothing behind; also after a beginning that failed."""


class IntentList:
    """An ``IntentLog`` that remembers."""

    def __init__(self) -> None:
        self.saved: list[Intent] = []

    async def save(self, intent: Intent) -> None:
        self.saved.append(intent)


class FakeStage:
    """The agent that lives in memory."""

    def __init__(self) -> None:
        self.clock = FakeClock()
        self.fake = FakeDriver(self.clock)
        self.driver: Driver = self.fake

    async def begin(self) -> None:
        self.agent = self.fake.add("orchard")
        await self.talk(1)

    async def talk(self, turns: int) -> None:
        for _ in range(turns):
            for kind in ("user", "assistant"):
                self.clock.advance(1)
                self.fake.say(self.agent, kind, f"{kind} {len(self.agent.items)}")

    async def open_dialog(self) -> None:
        self.agent.dialog = Dialog(
            kind="permission", text="Pick pears?", options=(Option("1", "Yes"), Option("2", "No"))
        )

    async def work(self) -> None:
        self.agent.is_working = True

    async def end(self) -> None:
        self.agent.is_running = False

    async def close(self) -> None:
        return
