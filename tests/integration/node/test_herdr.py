"""A node over Herdr's panes: agents that come back on another account, and Herdr as one witness."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import msgspec
import pytest

from controlroom.core.facts import AgentFacts, Fact, ScreenReading
from controlroom.kit.clock import FakeClock
from controlroom.kit.health import HealthBoard
from controlroom.kit.process import ProcProcesses
from controlroom.node.agents.base import Found, Sighting
from controlroom.node.mux.base import PaneRef
from controlroom.node.node import Node
from controlroom.testing.fake_driver import FakeDriver
from controlroom.testing.fake_herdr import FakeHerdr
from controlroom.wire.node import AgentState
from tests.support.multiplexers import HerdrBench
from tests.support.tmux import TmuxFolder
from tests.support.waiting import until


class PaneDriver(FakeDriver):
    """Agents of a kind that says nothing of itself, in the first pane of a server."""

    def __init__(self, clock: FakeClock) -> None:
        super().__init__(clock)
        self.place: PaneRef | None = None
        self.profile = "/home/ada/.claude-b"
        self.is_silent = False

    async def find(self) -> Found:
        found = await super().find()
        more = {"pane": self.place, "profile": self.profile}
        return Found(tuple(msgspec.structs.replace(who, **more) for who in found.sightings))

    async def facts(self, who: Sighting) -> AgentFacts:
        facts = await super().facts(who)
        if not self.is_silent:
            return facts
        screen = Fact(ScreenReading(look="other"), "screen", "", facts.read_at_ms)
        return msgspec.structs.replace(facts, reported=(), turn=None, screen=screen)


class House:
    """One node, one server with one pane."""

    def __init__(self, bench: HerdrBench, clock: FakeClock, folder: Path) -> None:
        self.clock = clock
        self.bench = bench
        self.driver = PaneDriver(self.clock)
        self.node = Node(
            database=folder / "node.sqlite",
            name="attic",
            multiplexers=[bench.mux],
            drivers=[lambda world: self.driver],
            processes=ProcProcesses(),
            clock=self.clock,
            health=HealthBoard(self.clock),
        )

    @property
    def herdr(self) -> FakeHerdr:
        return self.bench.servers["default"]

    async def look(self, seconds: float = 1.0) -> AgentState:
        """The only agent after one more look."""
        self.clock.advance(seconds)
        await self.node.look()
        snapshot = await self.node.api.snapshot(-1, 1)
        assert snapshot is not None
        (agent,) = snapshot.agents
        return agent

    async def bring_back(self, incarnation: str, profile: str, *, restart: bool = True) -> AgentState:
        """The agent's process ends; its session goes on in another one in the same pane."""
        if restart:
            await self.herdr.stop()
            await self.herdr.start()
        self.driver.agents.clear()
        self.driver.profile = profile
        self.driver.add("orchard", session_id="s", incarnation=incarnation)
        return await self.look()


@pytest.fixture
async def new_house(tmux_folder: TmuxFolder, tmp_path: Path) -> AsyncIterator[House]:
    """Nobody looks yet."""
    clock = FakeClock()
    bench = HerdrBench(tmux_folder.path, clock=clock)
    await bench.start_server()
    house = House(bench, clock, tmp_path)
    house.driver.place = PaneRef("herdr", str(house.herdr.path), "w1:p1")
    house.driver.add("orchard", session_id="s", incarnation="first")
    yield house
    await house.node.aclose()
    await bench.close()


@pytest.fixture
async def house(new_house: House) -> House:
    """It looks when it is told to."""
    await new_house.node.open()
    return new_house


async def test_an_agent_that_came_back_on_another_account_is_a_fault(house: House) -> None:
    before = await house.look()
    assert before.fault is None and before.pane is not None and before.pane.multiplexer == "herdr"
    after = await house.bring_back("second", "/home/ada/.claude")
    assert after.id == before.id and after.fault is not None
    assert after.fault.code == "other_account"
    assert "/home/ada/.claude now, not in /home/ada/.claude-b" in after.fault.text
    assert (await house.look()).fault == after.fault
    again = await house.bring_back("third", "/home/ada/.claude-b", restart=False)
    assert again.fault is None


async def test_a_person_who_starts_it_on_another_account_chose_that(house: House) -> None:
    await house.look()
    assert (await house.bring_back("second", "/home/ada/.claude", restart=False)).fault is None


async def test_an_agent_that_came_back_on_its_own_account_is_no_fault(house: House) -> None:
    await house.look()
    assert (await house.bring_back("second", "/home/ada/.claude-b")).fault is None


async def test_herdr_is_heard_where_nothing_else_speaks(house: House) -> None:
    house.driver.is_silent = True
    pane = house.herdr.panes["w1:p1"]
    house.herdr.set_agent(pane, "fake", "blocked")
    await house.look(60)
    agent = await house.look(5)
    assert (agent.activity, agent.evidence.source) == ("blocked", "herdr")
    house.herdr.set_agent(pane, "fake", "done")  # that nothing was recognised is no evidence of rest
    assert (await house.look(60)).activity == "unknown"
    house.herdr.set_agent(pane, "codex", "working")  # another agent than the one that we see there
    await house.look()
    assert (await house.look(60)).activity == "unknown"


async def test_an_agent_that_speaks_for_itself_is_believed_before_herdr(house: House) -> None:
    house.herdr.set_agent(house.herdr.panes["w1:p1"], "fake", "blocked")
    await house.look(60)
    assert (await house.look(60)).activity == "idle"


async def test_what_herdr_tells_is_looked_at_at_once(
    new_house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("controlroom.node.node.LOOK_EVERY_S", 3600.0)
    house, herdr = new_house, new_house.herdr
    await house.node.start()

    async def sees(count: int) -> bool:
        snapshot = await house.node.api.snapshot(-1, 0.1)
        return snapshot is not None and len(snapshot.agents) == count

    await until(lambda: sees(1), "the first look")
    house.driver.add("pears")
    herdr.set_agent(herdr.panes["w1:p1"], "fake", "working")
    await until(lambda: sees(2), "a look after a word of Herdr")
