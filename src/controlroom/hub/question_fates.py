"""What becomes of the messages of questions, and taking them back.

The messages are followed by their events; at a start all that were still on their way are looked at once. A
message that is to be taken back is named in its question's row until that is done or known to be too late.
"""

from __future__ import annotations

import asyncio
from functools import partial

import msgspec
import structlog

from controlroom.core.questions import Fate, Fated
from controlroom.hub.delivery import TAKEN_BACK
from controlroom.hub.errors import HubError
from controlroom.hub.messages import Messages
from controlroom.hub.question_steps import Steps
from controlroom.hub.store import message_rows, question_rows
from controlroom.hub.store.question_rows import message_id, step_of
from controlroom.hub.store.store import Change, Event, Store
from controlroom.kit.sql import DatabaseTrouble
from controlroom.kit.supervise import Tasks
from controlroom.wire.codec import decode
from controlroom.wire.model import Message

_log = structlog.get_logger("questions")

AGAIN_S = 5.0  # before a machine that is away is asked again


class Fates:
    """Follows messages into the logs of their questions. ``run`` it for ever."""

    def __init__(self, store: Store, messages: Messages, steps: Steps) -> None:
        self._store = store
        self._messages = messages
        self._steps = steps
        self._tasks = Tasks("withdrawals")
        self._changed: set[str] = set()
        self._poked = asyncio.Event()
        self._withdrawn: set[str] = set()  # questions of which something is being taken back
        self._taken_by: dict[str, str] = {}  # by whom a message is being taken back

    async def aclose(self) -> None:
        await self._tasks.aclose()

    def event(self, event: Event) -> None:
        """Something became of a message, or something of a question is to be taken back."""
        if event.name == "message.changed":
            id = decode(event.data, _Named).id
            if step_of(id) is None:
                return
            self._changed.add(id)
        elif event.name != "question.changed":
            return
        self._poked.set()

    async def run(self) -> None:
        self._changed |= set(await self._store.read(question_rows.followed_messages))
        self._poked.set()
        while True:
            await self._poked.wait()
            self._poked.clear()
            try:
                await self._work()
            except DatabaseTrouble as error:  # the database shows it in Health
                _log.warning("cannot follow messages of questions", error=str(error))
                await asyncio.sleep(AGAIN_S)
                self._poked.set()

    async def _work(self) -> None:
        while self._changed:
            id = next(iter(self._changed))
            await self._store.change(partial(self._follow, id=id))
            self._changed.discard(id)
        for question_id, number in await self._store.read(question_rows.withdrawals):
            if question_id not in self._withdrawn:
                self._withdrawn.add(question_id)
                self._tasks.start(question_id, self._withdraw(question_id, number))

    def _follow(self, change: Change, id: str) -> None:
        found = step_of(id)
        message = message_rows.message_row(change.connection, id)
        row = None if found is None else question_rows.question_row(change.connection, found[0])
        if found is None or message is None or row is None:
            return
        fate = fate_of(message.message)
        by = self._taken_by.get(id)
        after = self._steps.take(change, row, Fated(at_ms=change.now_ms, number=found[1], fate=fate, by=by))
        is_answer = (
            row.log.given is not None and row.log.typed is not None and row.log.typed.number == found[1]
        )
        if after is row and is_answer:  # it is held for another reason now
            self._steps.tell(change, row)

    # ---- taking back -----------------------------------------------------------------------------------

    async def take_back(self, question_id: str, number: int, by: str) -> None:
        """Take the message of a step back, now. Raises HubError: ``conflict`` when it is typed already,
        ``offline`` when its machine has it and cannot be asked."""
        id = message_id(question_id, number)
        self._taken_by[id] = by
        try:
            await self._messages.take_back(id)
            await self._store.change(partial(self._follow, id=id))
        finally:
            self._taken_by.pop(id, None)

    async def _withdraw(self, question_id: str, number: int) -> None:
        """Take back what still waits of the messages up to this number, however long its machine is away."""
        try:
            ids = [message_id(question_id, one) for one in range(1, number + 1)]
            while True:
                if await self._are_back(ids):
                    break
                await asyncio.sleep(AGAIN_S)
            await self._store.change(lambda change: _settle(change, question_id, number))
        except DatabaseTrouble as error:
            _log.warning("cannot take a message back", question=question_id, error=str(error))
        finally:
            self._withdrawn.discard(question_id)

    async def _are_back(self, ids: list[str]) -> bool:
        """Whether none of them waits any more."""
        rows = await self._store.read(lambda c: message_rows.messages_named(c, ids))
        for id in (id for id, row in rows.items() if row.message.state == "accepted"):
            try:
                await self._messages.take_back(id)
            except HubError as error:
                if error.code in ("offline", "busy", "failed"):
                    return False
        return True


class _Named(msgspec.Struct):
    id: str


def fate_of(message: Message) -> Fate:
    """What became of a message, for its question."""
    match message.state:
        case "delivered" | "unconfirmed":
            return message.state
        case "failed":
            return "withdrawn" if message.detail == TAKEN_BACK else "failed"
        case _:
            return "waiting"


def _settle(change: Change, question_id: str, number: int) -> None:
    row = question_rows.question_row(change.connection, question_id)
    if row is not None and row.withdraw == number:
        question_rows.put_question(change, msgspec.structs.replace(row, withdraw=None))
