"""Who waits for the end of a question, and which of them is the command of the agent that asked."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager

import msgspec

from controlroom.hub.store.question_rows import QuestionRow
from controlroom.hub.store.store import Event
from controlroom.kit.clock import Clock
from controlroom.wire.codec import decode

BETWEEN_S = 5.0  # a command that still waits asks again well within this
REMEMBERED = 1_000


class Waits:
    """Long polls of questions."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._waiting: dict[str, set[asyncio.Event]] = {}
        self._askers: Counter[str] = Counter()
        self._left: dict[str, float] = {}  # when an asker's last poll ended

    def has_asker(self, row: QuestionRow) -> bool:
        """Whether the command of the agent that asked waits for the end of this question now."""
        left = self._left.get(row.id)
        is_between = left is not None and self._clock.monotonic() - left < BETWEEN_S
        return self._askers[row.id] > 0 or is_between

    @asynccontextmanager
    async def wait(self, question_id: str, *, is_asker: bool) -> AsyncIterator[Callable[[], Awaitable[None]]]:
        """Gives what waits until the question has changed since the last look."""
        event = asyncio.Event()
        self._waiting.setdefault(question_id, set()).add(event)
        self._askers[question_id] += is_asker

        async def changed() -> None:
            await event.wait()
            event.clear()

        try:
            yield changed
        finally:
            self._waiting[question_id].discard(event)
            if not self._waiting[question_id]:
                del self._waiting[question_id]
            if is_asker:
                self._leave(question_id)

    def event(self, event: Event) -> None:
        if event.name == "question.changed" and self._waiting:
            for waiting in self._waiting.get(decode(event.data, _Named).id, ()):
                waiting.set()

    def _leave(self, question_id: str) -> None:
        self._askers[question_id] -= 1
        if not self._askers[question_id]:
            del self._askers[question_id]
        if len(self._left) >= REMEMBERED:
            self._left.clear()
        self._left[question_id] = self._clock.monotonic()


class _Named(msgspec.Struct):
    id: str
