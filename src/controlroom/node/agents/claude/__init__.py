"""Claude Code in terminal panes: found by its processes, read from its registry, transcript and screen."""

from __future__ import annotations

from controlroom.node.agents.base import World
from controlroom.node.agents.claude.client import ClaudeDriver


def driver(world: World) -> ClaudeDriver:
    """The entry point of this kind of agent."""
    return ClaudeDriver(world)
