"""From what a person types as AGENT to the agent that is meant; a guess is never taken."""

from __future__ import annotations

import difflib

from controlroom.cli import text
from controlroom.cli.errors import CliError, wrong_use
from controlroom.client import Refused, find_agent
from controlroom.wire.model import Agent, Fleet

SHOWN = 8


def pick(fleet: Fleet, said: str) -> Agent:
    """The agent with this id or name, or the only one whose id or name begins so.

    Raises Refused with the candidates when a name belongs to several, and a CliError that names near ones
    when it belongs to none.
    """
    try:
        return find_agent(fleet, said)
    except Refused as refused:
        if refused.code != "not_found":
            raise
    begun = said.casefold()
    alive = [agent for agent in fleet.agents if agent.activity != "gone" and not agent.archived]
    found = [a for a in alive if begun and (a.name.casefold().startswith(begun) or a.id.startswith(said))]
    if len(found) == 1:
        return found[0]
    if found:
        raise wrong_use(f"{text.line(said, 80)!r} fits several agents: {_listed(found)}.")
    raise CliError(f"There is no agent {text.line(said, 80)!r}. {_near(alive, begun)}", "not_found")


def _near(alive: list[Agent], begun: str) -> str:
    if not alive:
        return "No agent runs now; start one, or see: controlroom demo."
    words = {agent.name.casefold(): agent for agent in alive}
    close = [words[word] for word in difflib.get_close_matches(begun, words, n=3, cutoff=0.5)]
    close += [agent for word, agent in words.items() if begun and begun in word and agent not in close]
    if close:
        return f"Did you mean {_listed(close)}?"
    return f"There are: {_listed(alive)}."


def _listed(agents: list[Agent]) -> str:
    names = [agent.name for agent in agents]
    shown = [
        text.line(agent.name, 60) + (f" ({agent.id})" if names.count(agent.name) > 1 else "")
        for agent in agents[:SHOWN]
    ]
    return ", ".join(shown) + (f" and {len(agents) - SHOWN} more" if len(agents) > SHOWN else "")
