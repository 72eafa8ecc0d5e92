"""From what a person types to the agent that is meant."""

from __future__ import annotations

from controlroom.client.errors import Refused
from controlroom.wire.model import Agent, Fleet

SHOWN = 10  # candidates in an error: more help nobody


def find_agent(fleet: Fleet, text: str) -> Agent:
    """The agent with this id, or with this name; letter case counts only when it decides.

    Agents that are gone or archived are found by id, or by a name that no other agent has. Raises Refused:
    ``not_found``, or ``bad_request`` with the candidates when several agents have the name.
    """
    for agent in fleet.agents:
        if agent.id == text:
            return agent
    found = [agent for agent in fleet.agents if agent.name == text]
    found = found or [agent for agent in fleet.agents if agent.name.casefold() == text.casefold()]
    present = [agent for agent in found if agent.activity != "gone" and not agent.archived]
    found = present or found
    if len(found) == 1:
        return found[0]
    if not found:
        raise Refused("not_found", f"There is no agent {text[:80]!r}. See: controlroom fleet")
    named = ", ".join(_described(agent, fleet) for agent in found[:SHOWN])
    more = f" and {len(found) - SHOWN} more" if len(found) > SHOWN else ""
    raise Refused("bad_request", f"{len(found)} agents are called {text[:80]!r}; use an id: {named}{more}")


def _described(agent: Agent, fleet: Fleet) -> str:
    machines = {machine.id: machine.name for machine in fleet.machines}
    where = [agent.kind, agent.folder or "", machines.get(agent.machine_id, "") if len(machines) > 1 else ""]
    return f"{agent.id} ({', '.join(part for part in where if part)})"
