"""The fleet through a hub: snapshots in, events and one honest picture out."""

from __future__ import annotations

import msgspec

from controlroom.client import HubClient, Live
from controlroom.hub.fleet_view import FleetView
from controlroom.hub.store import fleet_rows
from controlroom.hub.store.store import Event
from controlroom.testing.fake_node import FakeNode, agent_state
from controlroom.wire.client import EventFrame, PatchAgent, Resync
from controlroom.wire.codec import decode
from controlroom.wire.model import Agent, Finished, Fleet, Health
from tests.integration.hub.conftest import House
from tests.support.waiting import until


def still(fleet: Fleet) -> Fleet:
    """Without what is newer than any event on purpose."""
    machines = tuple(msgspec.structs.replace(m, last_seen_ms=0, load=None) for m in fleet.machines)
    return msgspec.structs.replace(fleet, machines=machines)


async def stored(house: House) -> Fleet:
    """The fleet as the database has it."""
    return await house.store.read(
        lambda c: FleetView(
            house.store.seq,
            [row.machine for row in fleet_rows.machine_rows(c)],
            fleet_rows.listed_agents(c),
        ).fleet()
    )


class Follower:
    """A client that knows nothing but a first fleet and the events since."""

    def __init__(self, fleet: Fleet) -> None:
        self.view = FleetView(fleet.seq, fleet.machines, fleet.agents)

    async def follow(self, live: Live, seq: int) -> Fleet:
        async for frame in live:
            if isinstance(frame, Resync):
                self.view = FleetView(frame.fleet.seq, frame.fleet.machines, frame.fleet.agents)
            elif isinstance(frame, EventFrame):
                assert frame.seq == self.view.seq + 1, "gap"
                self.view.apply(Event(frame.seq, frame.at_ms, frame.name, bytes(frame.data)))
            if self.view.seq >= seq:
                break
        return self.view.fleet()


async def test_agents_appear_change_and_go(house: House) -> None:
    await house.node.put(agent_state())
    assert (await house.until_agent()).activity == "idle"
    await house.node.put(agent_state(activity="working", since_ms=5))
    agent = await house.until_agent(activity="working")
    assert (agent.machine_id, agent.since_ms) == ("mac_1", 5)
    await house.node.drop("agt_1")

    async def is_gone() -> bool:
        return await house.agent() is None

    await until(is_gone)
    assert (await house.client.items("cht_1")).items == ()


async def test_events_applied_to_the_old_fleet_give_the_new_one(house: House) -> None:
    await house.node.put(agent_state("agt_1"), agent_state("agt_2"))
    await house.until_agent("agt_2")
    old = await house.client.fleet()
    async with house.client.live(old.seq) as live:
        await house.node.put(agent_state("agt_1", activity="working"), agent_state("agt_3", name="new"))
        await house.node.drop("agt_2")
        await house.until_agent("agt_3")
        await house.client.patch_agent("agt_1", PatchAgent(pinned=True))
        await house.node.go_away()

        async def is_away() -> bool:
            return not (await house.client.fleet()).machines[0].online

        await until(is_away)
        await house.node.come_back()
        await house.until_agent("agt_1", pinned=True)
        await until(lambda: house.hub.fleet().machines[0].online)
        fresh = await house.client.fleet()
        followed = await Follower(old).follow(live, fresh.seq)
    assert still(followed) == still(fresh) == still(await stored(house))
    assert [agent.id for agent in fresh.agents] == ["agt_1", "agt_3"]


async def test_a_snapshot_told_again_makes_no_events(house: House) -> None:
    await house.node.put(agent_state())
    await house.until_agent()
    before = (await house.client.fleet()).seq
    for _ in range(3):
        await house.node.touch()
    await house.node.restart()
    await house.node.put(agent_state("agt_2"))
    await house.until_agent("agt_2")
    events = await house.store.events_after(before, 100)
    assert [(event.name, b"agt_2" in event.data) for event in events] == [("agent.changed", True)]


async def test_a_node_that_is_away_keeps_its_agents_last_state(house: House) -> None:
    await house.node.put(agent_state(activity="working"))
    await house.until_agent(activity="working")
    await house.node.go_away()
    await until(lambda: not house.hub.fleet().machines[0].online)
    assert (await house.agent()) is not None
    assert house.hub.fleet().machines[0].last_seen_ms > 0


async def test_after_a_restart_nothing_is_called_online_before_it_answered(house: House) -> None:
    await house.node.put(agent_state())
    await house.until_agent()
    await house.node.go_away()
    await house.restart()
    fleet = await house.client.fleet()
    assert [machine.online for machine in fleet.machines] == [False]
    assert [agent.id for agent in fleet.agents] == ["agt_1"]
    await house.node.come_back()
    await until(lambda: house.hub.fleet().machines[0].online)


async def test_marks_are_kept_over_a_restart(house: House) -> None:
    await house.node.put(agent_state())
    await house.until_agent()
    patched = await house.client.patch_agent("agt_1", PatchAgent(pinned=True, muted=True))
    assert (patched.pinned, patched.muted, patched.archived) == (True, True, False)
    await house.client.patch_agent("agt_1", PatchAgent(muted=False))
    await house.restart()
    await house.until_agent(pinned=True, muted=False)


async def test_a_wrong_clock_of_a_node_does_not_reach_clients(house: House) -> None:
    node = FakeNode(house.clock, "mac_2", "laptop")
    node.clock_offset_ms = -3_600_000
    at_ms = house.clock.now_ms() + node.clock_offset_ms
    finished = Finished(at_ms=at_ms, busy_ms=10, text="done")
    await node.put(agent_state("agt_9", since_ms=at_ms, finished=finished))
    house.nodes.append(node)
    await house.restart()
    agent = await house.until_agent("agt_9")
    assert agent.finished is not None
    for time_ms in (agent.since_ms, agent.evidence.at_ms, agent.finished.at_ms):
        assert abs(time_ms - house.clock.now_ms()) < 60_000


async def test_a_stalled_node_does_not_slow_the_others(house: House) -> None:
    other = FakeNode(house.clock, "mac_2", "laptop")
    other.is_away = True
    house.nodes.insert(0, other)
    await house.restart()
    await house.node.put(agent_state())
    await house.until_agent()


async def test_a_client_that_knows_an_old_fleet_gets_what_it_missed(house: House) -> None:
    await house.node.put(agent_state())
    await house.until_agent()
    seq = (await house.client.fleet()).seq
    await house.node.put(agent_state(activity="working"))
    await house.until_agent(activity="working")
    async with house.client.live(seq) as live:
        async for frame in live:
            if isinstance(frame, EventFrame):
                assert frame.seq == seq + 1
                assert decode(bytes(frame.data), Agent).activity == "working"
                break
            assert not isinstance(frame, Resync)


async def test_a_client_with_a_future_seq_gets_a_fleet(house: House) -> None:
    await house.node.put(agent_state())
    await house.until_agent()
    async with HubClient(house.home.socket) as client, client.live(10_000) as live:
        async for frame in live:
            if isinstance(frame, Resync):
                assert [agent.id for agent in frame.fleet.agents] == ["agt_1"]
                break
            assert not isinstance(frame, EventFrame)


async def test_status_counts_and_names_troubles(house: House) -> None:
    house.node.health = (Health(code="tmux_old", title="tmux is old", since_ms=1, do="Update tmux."),)
    await house.node.put(agent_state(), agent_state("agt_2", activity="gone"))
    await house.until_agent()
    house.board.raise_("disk", "The disk is full", "Make room.")
    status = await house.client.status()
    assert (status.machines, status.agents) == (1, 1)
    assert [item.code for item in status.health] == ["disk", "tmux_old"]
    assert status.health[1].machine_id == "mac_1"
    assert status.url.startswith("http://localhost:")
