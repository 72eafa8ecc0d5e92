"""The driver of Codex CLI agents."""

from controlroom.node.agents.base import World
from controlroom.node.agents.codex.client import CodexDriver


def driver(world: World) -> CodexDriver:
    """What the entry point names."""
    return CodexDriver(world)
