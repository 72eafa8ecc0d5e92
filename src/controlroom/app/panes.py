"""Agents' panes for the relay's terminal channel: the hub's mirror, and its own way of pressing keys."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from typing import Final

from controlroom.client.errors import Refused
from controlroom.client.names import find_agent
from controlroom.core.screen import Cursor, Frame
from controlroom.core.terminal import AGENT_PREFIX
from controlroom.core.typed import Keys, Paste, Typed
from controlroom.hub.acts import Acts
from controlroom.hub.errors import HubError
from controlroom.hub.mirror import Mirror
from controlroom.kit.clock import new_id
from controlroom.kit.sql import DatabaseTrouble
from controlroom.wire.client import PressKeys
from controlroom.wire.model import Agent, Fleet
from controlroom.wire.node import FrameAnswer

STILL_THERE_S: Final = 1.0  # how soon a pane that has gone is noticed


class HubPanes:
    """``gateway.ports.AgentPanes`` over one hub."""

    def __init__(self, fleet: Callable[[], Fleet], mirror: Mirror, acts: Acts) -> None:
        self._fleet = fleet
        self._mirror = mirror
        self._acts = acts

    async def find(self, name: str) -> str | None:
        if name.startswith(AGENT_PREFIX):
            try:
                return find_agent(self._fleet(), name[len(AGENT_PREFIX) :]).id
            except Refused:
                return None
        return None if self._agent(name) is None else name

    async def frames(self, agent_id: str) -> AsyncIterator[Frame]:
        latest: FrameAnswer | None = None
        news = asyncio.Event()

        def take(frame: FrameAnswer) -> None:
            nonlocal latest
            latest = frame
            news.set()

        if self._is_gone(agent_id):
            return
        self._mirror.watch_frames(agent_id, take)
        try:
            while True:
                try:
                    async with asyncio.timeout(STILL_THERE_S):
                        await news.wait()
                except TimeoutError:
                    if self._is_gone(agent_id):
                        return
                    continue
                news.clear()
                if latest is not None:
                    yield frame_of(latest)
        finally:
            self._mirror.unwatch_frames(agent_id, take)

    async def type(self, agent_id: str, typed: Typed, seen_revision: str, by: str) -> str | None:
        """A dialog is answered only by somebody who saw this very screen. Without one the screen may differ:
        whoever types sees their own echo a moment later."""
        agent = self._agent(agent_id)
        if agent is None:
            return "This agent is gone."
        is_asking = agent.waiting_for is not None or agent.activity == "blocked"
        seen = seen_revision if is_asking else None
        request_id = new_id("req")
        try:
            match typed:
                case Keys(names):
                    keys = PressKeys(request_id=request_id, keys=names, seen_revision=seen)
                    await self._acts.keys(agent_id, keys, by)
                case Paste(text):
                    paste = PressKeys(request_id=request_id, paste=text, seen_revision=seen)
                    await self._acts.keys(agent_id, paste, by)
        except HubError as error:
            return error.text
        except DatabaseTrouble as error:
            return str(error)
        return None

    def _agent(self, agent_id: str) -> Agent | None:
        return next((agent for agent in self._fleet().agents if agent.id == agent_id), None)

    def _is_gone(self, agent_id: str) -> bool:
        agent = self._agent(agent_id)
        return agent is None or agent.activity == "gone"


def frame_of(answer: FrameAnswer) -> Frame:
    """The node's frame as a screen to be drawn."""
    return Frame(
        revision=answer.revision,
        width=answer.width,
        height=answer.height,
        cursor=Cursor(row=answer.row, column=answer.column, visible=answer.cursor_visible),
        rows=answer.rows,
        ansi=answer.ansi,
        alternate=False,
    )
