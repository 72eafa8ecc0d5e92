"""Which adapters this installation has: found through entry points, so that others can add some."""

from __future__ import annotations

import os
from collections.abc import Callable
from importlib.metadata import entry_points
from typing import Any

import structlog

from controlroom.kit.clock import Clock
from controlroom.kit.health import HealthBoard
from controlroom.kit.settings import Settings
from controlroom.node.agents.base import DriverFactory
from controlroom.node.mux.base import Multiplexer

_log = structlog.get_logger("parts")


def multiplexers(settings: Settings, clock: Clock, health: HealthBoard) -> list[Multiplexer]:
    """One of each kind that is installed."""
    sockets = {"tmux": settings.tmux.sockets, "herdr": settings.herdr.sockets}
    return [
        make(environment=os.environ, sockets=sockets.get(name, "auto"), clock=clock)
        for name, make in _load("controlroom.multiplexers", health)
    ]


def drivers(settings: Settings, health: HealthBoard) -> list[DriverFactory]:
    """The factories of the kinds of agents that are installed and wanted."""
    kinds = settings.agents.kinds
    wanted = None if kinds == "auto" else frozenset(kinds)
    return [make for _, make in _load("controlroom.agents", health, wanted)]


def _load(
    group: str, health: HealthBoard, only: frozenset[str] | None = None
) -> list[tuple[str, Callable[..., Any]]]:
    """Names and factories."""
    found = []
    points = sorted(entry_points(group=group), key=lambda point: point.name)
    for name in (only or frozenset()) - {point.name for point in points}:
        health.raise_(
            f"kind:{name}",
            f"No adapter for agents of the kind {name} is installed",
            "Correct the setting agents.kinds, or install the package that brings it.",
        )
    for point in points:
        if only is not None and point.name not in only:
            continue
        try:
            found.append((point.name, point.load()))
        except Exception as error:  # noqa: BLE001 - a broken plug-in must not stop the rest
            _log.error("an adapter cannot be loaded", adapter=point.name, exc_info=error)
            health.raise_(
                f"adapter:{point.name}",
                f"The adapter {point.name} cannot be loaded",
                "Reinstall the Control Room, or remove the package that brings it.",
            )
    return found
