"""The live part of ``controlroom chat --follow``: each item once, in order, over breaks of the connection.

A tool is printed when it has ended; what runs now stands in a last line that comes and goes (at a terminal).
"""

from __future__ import annotations

from collections.abc import Iterable

from controlroom.cli import text
from controlroom.cli.chat_view import ChatPrinter, ChatView
from controlroom.cli.command import Call
from controlroom.cli.fleet_state import apply
from controlroom.cli.look import compose
from controlroom.cli.states import state_of
from controlroom.client import HubClient, Lost
from controlroom.kit.clock import SystemClock
from controlroom.wire.client import FromServer, ItemsFrame, Welcome
from controlroom.wire.model import Agent, Fleet, Item, Items

ERASE = "\r\x1b[K"


async def follow_chat(call: Call, hub: HubClient, agent: Agent, page: Items) -> None:
    """Print this page and whatever comes; ends only with Ctrl-C."""
    sheet = _Sheet(call, agent)
    sheet.add(page.items)
    chat_id, after = agent.chat_id, page.after
    async with hub.live() as live:
        await live.open(chat_id)
        async for frame in live:
            if isinstance(frame, Welcome):  # also after a break: what was missed, read again
                after = await _catch_up(hub, sheet, chat_id, after)
            elif isinstance(frame, ItemsFrame) and frame.chat_id == chat_id:
                sheet.add(frame.items)
            else:
                sheet.take(frame)
            if sheet.chat_id != chat_id:  # cleared, or a fresh session: the old chat is over
                await live.close(chat_id)
                chat_id = sheet.chat_id
                await live.open(chat_id)
                sheet.begin_another()
                newest = await hub.items(chat_id)
                sheet.add(newest.items)
                after = newest.after


async def _catch_up(hub: HubClient, sheet: _Sheet, chat_id: str, after: str) -> str:
    while True:
        page = await hub.items(chat_id, after=after)
        sheet.add(page.items)
        if not page.items or page.after == after:
            return page.after
        after = page.after


class _Sheet:
    """What has been printed, so that each item stands there once."""

    def __init__(self, call: Call, agent: Agent) -> None:
        self._call = call
        self._agent = agent
        self._fleet = Fleet(seq=0, machines=(), agents=(agent,))
        view = ChatView(
            name=agent.name,
            now_ms=SystemClock().now_ms(),
            width=call.out.width,
            colour=call.out.colour,
        )
        self._printer = ChatPrinter(view)
        self._printed: dict[str, Item] = {}
        self._running: dict[str, Item] = {}
        self._lost = ""

    @property
    def chat_id(self) -> str:
        return self._agent.chat_id

    def begin_another(self) -> None:
        """The agent began a new conversation."""
        self._running.clear()
        if not self._call.json:
            self._erase()
            self._call.out.say("\nA new conversation begins here.", "meta")

    def add(self, items: Iterable[Item]) -> None:
        """Print what is new. Items with an id that was printed replace it: only what changed is said."""
        out = self._call.out
        fresh: list[Item] = []
        for item in items:
            if item.tool is not None and item.tool.state == "running":
                self._running[item.id] = item
                continue
            self._running.pop(item.id, None)
            old = self._printed.get(item.id)
            if old is None or (old.text, old.delivery, old.tool) != (item.text, item.delivery, item.tool):
                fresh.append(item)
            self._printed[item.id] = item
        if self._call.json:
            for item in fresh:
                out.json_line(item)
            return
        self._erase()
        out.lines(self._printer.lines(fresh))
        self._status()

    def take(self, frame: FromServer | Lost) -> None:
        """News of the agent itself, for the last line."""
        self._lost = "connection lost, trying again" if isinstance(frame, Lost) else ""
        if not isinstance(frame, Lost):
            self._fleet = apply(self._fleet, frame)
        for agent in self._fleet.agents:
            if agent.id == self._agent.id:
                self._agent = agent
        if not self._call.json:
            self._erase()
            self._status()

    def _erase(self) -> None:
        if self._call.out.is_terminal:
            self._call.out.raw(ERASE)

    def _status(self) -> None:
        out = self._call.out
        if out.is_terminal:
            state = state_of(self._agent)
            words = self._lost or self._doing()
            spans = [(f"{state.lamp} {state.word}", state.role), (f"  {words}", "meta")]
            out.raw(compose(spans, out.width - 1, out.colour))
        out.flush()

    def _doing(self) -> str:
        if state_of(self._agent).group == "needs":
            return f"answer with: {self._call.hint('answer', self._agent.name)}"
        running = list(self._running.values())
        if running and running[-1].tool is not None:
            return text.summary(running[-1].tool.title)
        return text.summary(self._agent.header or "")
