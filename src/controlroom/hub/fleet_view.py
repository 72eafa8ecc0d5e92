"""The fleet in memory: nothing but the events that were told, applied in their order."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from controlroom.hub.store.store import Event
from controlroom.wire.codec import decode
from controlroom.wire.events import AgentGone
from controlroom.wire.model import Agent, Fleet, Machine


class FleetView:
    """Machines and agents as clients see them, at the event ``seq``."""

    def __init__(self, seq: int, machines: Iterable[Machine], agents: Iterable[Agent]) -> None:
        self.seq = seq
        self._machines = {machine.id: machine for machine in machines}
        self._agents = {agent.id: agent for agent in agents}

    def apply(self, event: Event) -> None:
        """Take one event; those that do not concern the fleet only move ``seq``."""
        self.seq = event.seq
        match event.name:
            case "agent.changed":
                agent = decode(event.data, Agent)
                self._agents[agent.id] = agent
            case "agent.gone":
                self._agents.pop(decode(event.data, AgentGone).id, None)
            case "machine.changed":
                machine = decode(event.data, Machine)
                self._machines[machine.id] = machine

    def agent(self, agent_id: str) -> Agent | None:
        return self._agents.get(agent_id)

    @property
    def counts(self) -> tuple[int, int]:
        """How many machines, and how many agents that are not gone."""
        return len(self._machines), sum(agent.activity != "gone" for agent in self._agents.values())

    def fleet(self, freshen: Callable[[Machine], Machine] = lambda machine: machine) -> Fleet:
        """Everything at this ``seq``; ``freshen`` adds what is always newer than the last event."""
        return Fleet(
            seq=self.seq,
            machines=tuple(freshen(machine) for machine in self._machines.values()),
            agents=tuple(self._agents.values()),
        )
