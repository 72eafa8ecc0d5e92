"""The stage of Claude Code: a scripted agent in a real tmux server, and the driver over them."""

from __future__ import annotations

import shutil
import tempfile
from functools import partial
from pathlib import Path

from controlroom.core.facts import AgentFacts
from controlroom.kit.clock import SystemClock
from controlroom.kit.process import ProcProcesses
from controlroom.node.agents.base import Driver, Sighting
from controlroom.node.agents.claude import driver
from controlroom.node.mux.tmux import multiplexer
from controlroom.node.world import PaneWorld
from controlroom.testing.scripted.desk import Desk
from controlroom.testing.scripted.steps import Begin, Hold, Quit, Say, Scene, Turn, Use
from tests.support.waiting import until

NAME = "orchard"


class ClaudeStage:
    """Looks are made by hand; each move waits until the agent's own files show it."""

    def __init__(self) -> None:
        self._folder = Path(tempfile.mkdtemp(prefix="cr-"))  # short: it holds sockets
        self._desk = Desk(self._folder)
        clock = SystemClock()
        tmux = multiplexer(environment=self._desk.environ, sockets=(str(self._desk.socket),), clock=clock)
        self._world = PaneWorld([tmux], ProcProcesses(), clock)
        self.driver: Driver = driver(self._world)
        self._turns = 0

    async def begin(self) -> None:
        hello = Turn(prompt="hello", steps=(Say(text="Hello."),))
        self._desk.add(Scene(name=NAME, folder=NAME, turns=(hello,)))
        await self._world.start()
        await until(self._is_idle, "the agent is at its prompt after its first turn")

    async def talk(self, turns: int) -> None:
        for _ in range(turns):
            self._turns += 1
            prompt, reply = f"prompt {self._turns}", f"reply {self._turns}"
            self._desk.tell(NAME, Begin(turn=Turn(prompt=prompt, steps=(Say(text=reply),))))
            await until(partial(self._has_said, reply), reply)

    async def open_dialog(self) -> None:
        steps = (Use(name="Bash", input={"command": "touch pears"}, ask=True), Say(text="Done."))
        self._desk.tell(NAME, Begin(turn=Turn(prompt="touch the pears", steps=steps)))
        await until(self._has_dialog, "the dialog is open")

    async def work(self) -> None:
        self._desk.tell(NAME, Begin(turn=Turn(prompt="work", steps=(Hold(), Say(text="Worked.")))))
        await until(self._is_busy, "the turn runs")

    async def end(self) -> None:
        self._desk.tell(NAME, Quit())
        await until(self._is_gone, "the agent has ended")

    async def close(self) -> None:
        await self._world.aclose()
        self._desk.close()
        shutil.rmtree(self._folder, ignore_errors=True)

    async def _who(self) -> Sighting | None:
        await self._world.refresh()
        return next(iter((await self.driver.find()).sightings), None)

    async def _facts(self) -> AgentFacts | None:
        who = await self._who()
        return None if who is None else await self.driver.facts(who)

    async def _is_idle(self) -> bool:
        facts = await self._facts()
        return (
            facts is not None
            and [fact.value for fact in facts.reported] == ["idle"]
            and facts.turn is not None
            and facts.turn.value == "ended"
        )

    async def _has_said(self, reply: str) -> bool:
        facts = await self._facts()
        return facts is not None and facts.last_text == reply and await self._is_idle()

    async def _has_dialog(self) -> bool:
        facts = await self._facts()
        return facts is not None and facts.screen is not None and facts.screen.value.dialog is not None

    async def _is_busy(self) -> bool:
        facts = await self._facts()
        return facts is not None and [fact.value for fact in facts.reported] == ["busy"]

    async def _is_gone(self) -> bool:
        return await self._who() is None
