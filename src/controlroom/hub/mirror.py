"""Live screens: one capture loop for each watched agent, however many watch it.

Each frame is encoded once and handed to the sinks, which keep the newest only: a slow watcher costs nothing.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from functools import partial

import structlog

from controlroom.core.screen import Cursor, drawn
from controlroom.hub.errors import HubError, no_agent
from controlroom.hub.fleet_view import FleetView
from controlroom.hub.nodes import Nodes
from controlroom.hub.ports import NodeAway, NodeRefused
from controlroom.kit.health import HealthBoard
from controlroom.kit.supervise import Tasks
from controlroom.wire.client import ScreenFrame
from controlroom.wire.codec import encode
from controlroom.wire.model import ScreenCursor
from controlroom.wire.node import FrameAnswer

_log = structlog.get_logger("mirror")

AGAIN_S = 1.0  # an agent that is restarted, or a machine that comes back, is shown again this soon

Sink = Callable[[str, bytes], None]
"""Takes (agent id, encoded frame) and returns at once."""

FrameSink = Callable[[FrameAnswer], None]
"""Takes a frame and returns at once."""


class Mirror:
    """Who watches whom."""

    def __init__(self, view: FleetView, nodes: Nodes, health: HealthBoard) -> None:
        self._view = view
        self._nodes = nodes
        self._health = health
        self._tasks = Tasks("mirror")
        self._sinks: dict[str, list[Sink]] = {}
        self._frame_sinks: dict[str, list[FrameSink]] = {}
        self._loops: dict[str, asyncio.Task[None]] = {}
        self._latest: dict[str, tuple[FrameAnswer, bytes]] = {}

    async def aclose(self) -> None:
        await self._tasks.aclose()

    def watch(self, agent_id: str, sink: Sink) -> None:
        """Send this agent's screens to ``sink`` from now on, the present one at once. Raises HubError."""
        if self._view.agent(agent_id) is None:
            raise no_agent(agent_id)
        sinks = self._sinks.setdefault(agent_id, [])
        if sink in sinks:
            return
        sinks.append(sink)
        if (latest := self._latest.get(agent_id)) is not None:
            sink(agent_id, latest[1])
        self._look(agent_id)

    def unwatch(self, agent_id: str, sink: Sink) -> None:
        """The last one to leave ends the captures."""
        sinks = self._sinks.get(agent_id, [])
        if sink in sinks:
            sinks.remove(sink)
        self._look_away(agent_id)

    def watch_frames(self, agent_id: str, sink: FrameSink) -> None:
        """As ``watch``, for one who draws the frames."""
        if self._view.agent(agent_id) is None:
            raise no_agent(agent_id)
        self._frame_sinks.setdefault(agent_id, []).append(sink)
        if (latest := self._latest.get(agent_id)) is not None:
            sink(latest[0])
        self._look(agent_id)

    def unwatch_frames(self, agent_id: str, sink: FrameSink) -> None:
        self._frame_sinks[agent_id].remove(sink)
        self._look_away(agent_id)

    def _look(self, agent_id: str) -> None:
        if agent_id not in self._loops:
            self._loops[agent_id] = self._tasks.supervise(
                f"watch:{agent_id}", partial(self._capture, agent_id), self._health
            )

    def _look_away(self, agent_id: str) -> None:
        if self._sinks.get(agent_id) or self._frame_sinks.get(agent_id):
            return
        for kept in (self._sinks, self._frame_sinks, self._latest):
            kept.pop(agent_id, None)
        if (loop := self._loops.pop(agent_id, None)) is not None:
            loop.cancel()

    async def _capture(self, agent_id: str) -> None:
        while True:
            agent = self._view.agent(agent_id)
            node = None if agent is None else self._nodes.get(agent.machine_id)
            try:
                if node is not None and node.is_online:
                    async for frame in node.link.watch(agent_id):
                        self._show(agent_id, frame)
            except (NodeAway, NodeRefused, HubError) as error:
                _log.debug("no frames", agent=agent_id, error=str(error))
            if (latest := self._latest.get(agent_id)) is not None:
                self._show(agent_id, latest[0], is_old=True)
            await asyncio.sleep(AGAIN_S)

    def _show(self, agent_id: str, frame: FrameAnswer, *, is_old: bool = False) -> None:
        data = encode(
            ScreenFrame(
                agent_id=agent_id,
                revision=frame.revision,
                width=frame.width,
                height=frame.height,
                cursor=ScreenCursor(row=frame.row, column=frame.column, visible=frame.cursor_visible),
                data=drawn(frame.ansi, Cursor(frame.row, frame.column, frame.cursor_visible)),
                echo=frame.echo,
                is_old=is_old,
            )
        )
        before = self._latest.get(agent_id)
        self._latest[agent_id] = (frame, data)
        if before is not None and before[1] == data:
            return
        for sink in tuple(self._sinks.get(agent_id, ())):
            sink(agent_id, data)
        if is_old:
            return
        for frame_sink in tuple(self._frame_sinks.get(agent_id, ())):
            frame_sink(frame)
