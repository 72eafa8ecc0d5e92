"""Tasks with an owner, a name and an end. A crash of one part never stops the service."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Coroutine
from typing import Any

import structlog

from controlroom.kit.health import HealthBoard

_log = structlog.get_logger("supervise")
FIRST_DELAY_S, LAST_DELAY_S = 0.5, 30.0


class Tasks:
    """The tasks of one owner; ``aclose`` ends them all and waits for them."""

    def __init__(self, owner: str) -> None:
        self._owner = owner
        self._tasks: set[asyncio.Task[Any]] = set()

    def start(self, name: str, work: Coroutine[Any, Any, Any]) -> asyncio.Task[Any]:
        """Run ``work`` once. A failure is logged, never lost."""
        task = asyncio.get_running_loop().create_task(work, name=f"{self._owner}:{name}")
        self._tasks.add(task)
        task.add_done_callback(self._ended)
        return task

    def supervise(
        self, name: str, run: Callable[[], Awaitable[None]], health: HealthBoard
    ) -> asyncio.Task[None]:
        """Keep ``run`` running: restarted with growing pauses after a crash, shown in Health meanwhile."""
        return self.start(name, _keep_running(f"{self._owner}:{name}", run, health))

    def _ended(self, task: asyncio.Task[Any]) -> None:
        self._tasks.discard(task)
        if not task.cancelled() and (error := task.exception()) is not None:
            _log.error("task failed", task=task.get_name(), exc_info=error)

    async def finished(self) -> None:
        """Wait until all tasks that run now have ended by themselves."""
        await asyncio.gather(*self._tasks, return_exceptions=True)

    async def aclose(self) -> None:
        tasks = [task for task in self._tasks if task is not asyncio.current_task()]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


async def _keep_running(name: str, run: Callable[[], Awaitable[None]], health: HealthBoard) -> None:
    delay = FIRST_DELAY_S
    loop = asyncio.get_running_loop()
    while True:
        began = loop.time()
        try:
            await run()
            return
        except Exception as error:  # noqa: BLE001 - the one place that catches all, on purpose
            _log.error("part crashed, restarting", part=name, in_s=delay, exc_info=error)
            health.raise_(
                f"crashed:{name}", f"{name} keeps failing", "Run controlroom doctor and report the log."
            )
            if loop.time() - began > LAST_DELAY_S:
                delay = FIRST_DELAY_S
        await asyncio.sleep(delay)
        delay = min(delay * 2, LAST_DELAY_S)
        health.clear(f"crashed:{name}")
