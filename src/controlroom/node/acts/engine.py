"""Carries out acts, each once for its id, with an intent on disk before the first key.

Messages wait in order in the journal and go out one at a time for each agent (``core.queue`` says when);
answers, interrupts and keys are done at once. At most one act touches an agent at a time.
"""

from __future__ import annotations

import asyncio
from collections import OrderedDict, defaultdict
from collections.abc import Callable
from functools import partial
from pathlib import Path

import msgspec
import structlog

from controlroom.core.attachments import Placed, typed_text
from controlroom.core.queue import WaitingMessage, has_begun, sort_out
from controlroom.core.starts import Starts
from controlroom.kit.clock import Clock
from controlroom.kit.supervise import Tasks
from controlroom.node.acts.hands import Hands
from controlroom.node.acts.operations import Operations, told
from controlroom.node.agents.base import Answered, Intent, Outcome, Outgoing, Sighting
from controlroom.node.inbox import CannotPlace, Inbox
from controlroom.node.journal.journal import Journal, SameIdOtherAct
from controlroom.node.journal.records import ActRecord
from controlroom.node.tracker import Tracker
from controlroom.node.world import PaneWorld
from controlroom.wire.model import Held, HeldCode
from controlroom.wire.node import (
    Act,
    ActProgress,
    ActResult,
    ActsAnswer,
    AmendAct,
    AnswerAct,
    InterruptAct,
    KeysAct,
    OperateAct,
    SendAct,
)

_log = structlog.get_logger("acts")

TURN_S = 30.0
"""How long an answer, an interrupt or keys wait for a message that is being typed; then they are refused."""

AMEND_S = 15.0
"""How long a change of a waiting message waits for a look whether it can go out (seconds, not more)."""

KEYS_REMEMBERED = 1000
"""Ids of key presses are remembered in memory only: a key is worth no write to disk."""

AFTER = "Goes out when the operation on this agent is over."
_TOO_LATE = ActResult(code="conflict", text="It is not waiting any more.")
_TYPED = ActResult(code="conflict", text="It is being typed or was typed already.")

TRIES = 3
"""A message whose submission broke this often in a row (a bug, not a busy agent) is given up, honestly."""


class ActEngine:
    """All acts of one node."""

    def __init__(
        self,
        *,
        journal: Journal,
        tracker: Tracker,
        hands: Hands,
        inbox: Inbox,
        world: PaneWorld,
        clock: Clock,
        moves: Path,
        worktrees: Path,
        starts: Starts,
    ) -> None:
        """``moves`` and ``worktrees``: private folders for what is remembered of them; they may not exist
        yet."""
        self._journal = journal
        self._tracker = tracker
        self._hands = hands
        self._inbox = inbox
        self._clock = clock
        self._tasks = Tasks("acts")
        self._queues: dict[str, list[ActRecord]] = {}
        self._busy: defaultdict[str, asyncio.Lock] = defaultdict(asyncio.Lock)
        self._sending: set[str] = set()
        self._broken: dict[str, int] = {}
        self._keys: OrderedDict[str, ActResult] = OrderedDict()
        self._news = asyncio.Condition()
        self._journal_id = ""
        self._operations = Operations(
            journal=journal,
            tracker=tracker,
            world=world,
            clock=clock,
            moves=moves,
            worktrees=worktrees,
            starts=starts,
            save=self._save,
            hold=lambda agent_id: self._busy[agent_id],
        )

    async def load(self, journal_id: str) -> None:
        """Take up what was left: messages and operations go on, a cut-off answer is closed as not known."""
        self._journal_id = journal_id
        for record in await self._journal.open_acts():
            if isinstance(record.act, SendAct):
                self._queue_of(record.act).append(record)
            elif isinstance(record.act, OperateAct):
                self._operations.take_up(record)
            else:
                detail = "The Control Room was stopped while it acted: look at the agent."
                await self._save(msgspec.structs.replace(record, state="unconfirmed", detail=detail))

    async def drained(self) -> None:
        """Wait until no message is under way."""
        await self._tasks.finished()

    async def aclose(self) -> None:
        await self._operations.aclose()
        await self._tasks.aclose()

    # ---- what the hub asks -----------------------------------------------------------------------------

    async def take(self, act: Act) -> ActResult:
        """Take one act. The same id again gives the first result."""
        match act:
            case SendAct():
                return await self._take_message(act)
            case AmendAct():
                return await self._amend(act)
            case KeysAct():
                return await self._press(act)
            case AnswerAct() | InterruptAct():
                return await self._do_once(act)
            case OperateAct():
                return await self._operations.take(act)

    async def progress(self, after: int, wait_s: float) -> ActsAnswer:
        """Progress behind ``after``, at once when there is some, else after at most ``wait_s`` seconds."""
        until = asyncio.get_running_loop().time() + wait_s  # only news is waited for so long, not the journal
        async with self._news:
            while not (rows := await self._journal.progress_after(after)):
                try:
                    async with asyncio.timeout_at(until):
                        await self._news.wait()
                except TimeoutError:
                    break
        return ActsAnswer(journal_id=self._journal_id, now_ms=self._clock.now_ms(), acts=tuple(rows))

    # ---- messages --------------------------------------------------------------------------------------

    async def _take_message(self, act: SendAct) -> ActResult:
        record = ActRecord(act=act, created_ms=self._clock.now_ms(), text=act.text, when=act.when)
        try:
            stored = await self._journal.take(record, "send", act.agent_id, self._told(record))
        except SameIdOtherAct:
            return ActResult(
                code="conflict", text="A message with this id and another text was taken before."
            )
        if stored.state == "failed" and not has_begun(stored.intent):
            # A person asks for it again, and nothing of it was ever typed.
            await self._journal.save(record, self._told(record))
            stored = record
        if stored is record:
            self._queue_of(act).append(record)
            await self._announce()
            self._tracker.poke()
        return ActResult(code="ok")

    async def _amend(self, act: AmendAct) -> ActResult:
        if act.cancel and self._operations.holds(act.message_id):
            return await self._operations.take_back(act.message_id)
        record = self._find_waiting(act.message_id)
        if record is None or not isinstance(record.act, SendAct):
            known = await self._journal.find(act.message_id)
            if known is None:
                return ActResult(code="not_found", text="This machine knows no such message.")
            return _TOO_LATE
        if has_begun(record.intent):
            return _TYPED
        # A try that is under way types it, or finds that it must wait.
        lock = self._busy[self._tracker.present_id(record.act.agent_id)]
        try:
            async with asyncio.timeout(AMEND_S):
                await lock.acquire()
        except TimeoutError:
            return ActResult(code="busy", text="It is just being looked whether it can go out; try again.")
        try:
            return await self._amend_waiting(act)
        finally:
            lock.release()

    async def _amend_waiting(self, act: AmendAct) -> ActResult:
        record = self._find_waiting(act.message_id)
        if record is None:
            return _TOO_LATE
        if has_begun(record.intent):
            return _TYPED
        if act.cancel:
            changed = msgspec.structs.replace(record, state="cancelled", held=None)
        else:
            changed = msgspec.structs.replace(
                record,
                text=record.text if act.text is None else act.text,
                when=act.when or record.when,
                on_draft=act.on_draft or record.on_draft,
            )
        await self._save(changed)
        self._tracker.poke()
        return ActResult(code="ok")

    def _find_waiting(self, message_id: str) -> ActRecord | None:
        return next(
            (record for queue in self._queues.values() for record in queue if record.act.id == message_id),
            None,
        )

    def _queue_of(self, act: SendAct) -> list[ActRecord]:
        return self._queues.setdefault(self._tracker.present_id(act.agent_id), [])

    async def _follow_agents(self) -> None:
        """Messages for an agent that gave way to an older one go where its process went."""
        for former in list(self._queues):
            present = self._tracker.present_id(former)
            if present == former:
                continue
            moved = self._queues.pop(former)
            queue = [*self._queues.get(present, []), *moved]
            queue.sort(key=lambda r: (not has_begun(r.intent), r.act.id not in self._sending, r.created_ms))
            self._queues[present] = queue
            if not self._busy[former].locked():  # else it is told with what comes next
                for record in moved:
                    await self._change(present, record.act.id, lambda current: current)

    async def _change(
        self, agent_id: str, message_id: str, change: Callable[[ActRecord], ActRecord | None]
    ) -> None:
        """Store another state of a waiting message, unless an act is under way: then the next look does it.

        Whoever changes a message holds its agent's lock: two changes at once would lose one of them.
        """
        if self._busy[agent_id].locked():
            return
        async with self._busy[agent_id]:
            current = self._find_waiting(message_id)
            changed = None if current is None else change(current)
            if changed is not None:
                await self._save(changed)

    async def advance(self) -> None:
        """One look at all queues (called after each look at the agents): hold, or let the next one go."""
        await self._operations.looked()
        await self._follow_agents()
        for agent_id in list(self._queues):
            queue = self._queues[agent_id]
            if not queue:
                del self._queues[agent_id]
                continue
            activity = self._tracker.activity(agent_id) or "gone"
            is_after = activity in ("idle", "question") and self._operations.goes_first(agent_id)
            verdicts = sort_out(
                "working" if is_after else activity,
                [WaitingMessage(id=r.act.id, when=r.when, has_begun=has_begun(r.intent)) for r in queue],
            )
            for verdict in verdicts:
                if verdict.code is not None:
                    is_next = verdict.id == queue[0].act.id
                    text = AFTER if is_after and is_next else verdict.text
                    hold = partial(self._held, code=verdict.code, text=text)
                    await self._change(agent_id, verdict.id, hold)
                elif verdict.id not in self._sending:
                    self._sending.add(verdict.id)
                    self._tasks.start(f"send:{verdict.id}", self._send(agent_id, verdict.id))

    async def _send(self, agent_id: str, message_id: str) -> None:
        try:
            async with self._busy[agent_id]:
                record = self._find_waiting(message_id)
                who = self._tracker.sighting(agent_id)
                if record is None:
                    return
                if who is None:
                    await self._settle(
                        record, Outcome(state="held", code="gone", text="It does not run now.")
                    )
                    return
                await self._submit(agent_id, who, record)
        finally:
            self._sending.discard(message_id)

    async def _submit(self, agent_id: str, who: Sighting, record: ActRecord) -> None:
        assert isinstance(record.act, SendAct)
        try:
            text = await self._typed(record)
        except CannotPlace as error:
            await self._settle(record, Outcome(state="failed", text=str(error)))
            return
        outgoing = Outgoing(
            id=record.act.id,
            text=text,
            when=record.when,
            send_as=record.act.send_as,
            on_draft=record.on_draft or record.act.on_draft,
            intent=record.intent,
        )
        try:
            outcome = await self._tracker.driver_of(agent_id).submit(who, outgoing, _IntentLog(self, record))
        except Exception as error:  # noqa: BLE001 - a message must end in a state, whatever broke
            _log.error("submitting a message broke", message=record.act.id, exc_info=error)
            outcome = self._give_up_after_tries(record)
        else:
            self._broken.pop(record.act.id, None)
        current = self._find_waiting(record.act.id)
        if current is not None:
            await self._settle(current, outcome)
        self._tracker.poke()

    async def _typed(self, record: ActRecord) -> str:
        """What is typed for a message: its text, and where its files lie. Raises CannotPlace when one is gone
        before anything was typed; later its intent knows the text."""
        assert isinstance(record.act, SendAct)
        if has_begun(record.intent):
            return record.text
        files = []
        for attachment in record.act.attachments:
            placed = await self._inbox.find(attachment.id)
            if placed is None:
                raise CannotPlace(f"{attachment.name} is not in the agent's inbox any more.")
            files.append(Placed(placed.path, attachment.type, attachment.bytes))
        return typed_text(record.text, files)

    def _give_up_after_tries(self, record: ActRecord) -> Outcome:
        count = self._broken[record.act.id] = self._broken.get(record.act.id, 0) + 1
        if count < TRIES:
            return Outcome(state="held", code="offline", text="Could not be handed over; tried again.")
        del self._broken[record.act.id]
        current = self._find_waiting(record.act.id) or record
        if not has_begun(current.intent):
            return Outcome(state="failed", text="Handing it over kept failing; nothing of it was typed.")
        return Outcome(state="unconfirmed", text="Handing it over kept failing after it was begun.")

    async def _settle(self, record: ActRecord, outcome: Outcome) -> None:
        """Carry an outcome into the record."""
        if outcome.state == "held":
            held = self._held(record, outcome.code, outcome.text)
            if held is not None:
                await self._save(held)
            return
        await self._save(
            msgspec.structs.replace(
                record,
                state=outcome.state,
                held=None,
                detail=outcome.text or None,
                item_id=outcome.item_id,
            )
        )

    def _held(self, record: ActRecord, code: str, text: str) -> ActRecord | None:
        """The record as held for this reason; None when it is so already."""
        old = record.held
        held_code = _held_code(code)
        if old is not None and (old.code, old.text) == (held_code, text) and record.state == "accepted":
            return None
        since = old.since_ms if old is not None and old.code == held_code else self._clock.now_ms()
        held = Held(code=held_code, text=text, since_ms=since)
        return msgspec.structs.replace(record, state="accepted", held=held)

    async def save_intent(self, message_id: str, intent: Intent) -> None:
        """The intent of a message, on disk before the key that it announces."""
        record = self._find_waiting(message_id)
        if record is None:
            raise LookupError(message_id)
        await self._save(msgspec.structs.replace(record, intent=intent, state="sending", held=None))

    # ---- acts that are done at once --------------------------------------------------------------------

    async def _do_once(self, act: AnswerAct | InterruptAct) -> ActResult:
        kind = "answer" if isinstance(act, AnswerAct) else "interrupt"
        who = self._tracker.sighting(act.agent_id)
        if who is None:
            return ActResult(code="not_found", text="No such agent runs on this machine now.")
        record = ActRecord(act=act, created_ms=self._clock.now_ms(), state="sending")
        try:
            async with asyncio.timeout(TURN_S):
                await self._busy[act.agent_id].acquire()
        except TimeoutError:
            return ActResult(code="busy", text="A message is being typed to it; try again.")
        try:
            result = await self._act(record, kind, who)
        finally:
            self._busy[act.agent_id].release()
        if who.pane is not None:
            self._hands.poke(who.pane)
        self._tracker.poke()
        return result

    async def _act(self, record: ActRecord, kind: str, who: Sighting) -> ActResult:
        act = record.act
        assert isinstance(act, AnswerAct | InterruptAct)
        try:
            stored = await self._journal.take(record, kind, act.agent_id, None)
        except SameIdOtherAct:
            return ActResult(code="conflict", text="This request id was used for something else.")
        if stored is not record:
            return _first_result(stored)
        driver = self._tracker.driver_of(act.agent_id)
        try:
            if isinstance(act, AnswerAct):
                answered = await driver.answer(who, act.waiting_id, act.option, act.text)
            else:
                answered = await driver.interrupt(who)
        except Exception as error:  # noqa: BLE001 - the caller must hear that it is not known
            _log.error("an act broke", act=act.id, kind=kind, exc_info=error)
            answered = Answered(state="unconfirmed", text="It broke half way: look at the agent.")
        if answered.state in ("changed", "failed"):
            await self._journal.forget(act.id)
            return ActResult(code=answered.state, text=answered.text)
        done = msgspec.structs.replace(record, state=answered.state, detail=answered.text or None)
        await self._save(done)
        return _first_result(done)

    async def _press(self, act: KeysAct) -> ActResult:
        if (before := self._keys.get(act.id)) is not None:
            return before
        who = self._tracker.sighting(act.agent_id)
        if who is None or who.pane is None:
            return ActResult(code="not_found", text="No pane of this agent can take keys now.")
        try:
            async with asyncio.timeout(TURN_S):
                await self._busy[act.agent_id].acquire()
        except TimeoutError:
            return ActResult(code="busy", text="A message is being typed to it; try again.")
        try:
            is_blocked = self._tracker.activity(act.agent_id) == "blocked"
            result = await self._hands.press(
                who,
                who.pane,
                act.keys,
                act.seen_revision,
                paste=act.paste,
                must_have_seen=is_blocked,
                asks=self._tracker.driver_of(act.agent_id).asks,
            )
        finally:
            self._busy[act.agent_id].release()
        if result.code == "ok":
            self._keys[act.id] = result
            while len(self._keys) > KEYS_REMEMBERED:
                self._keys.popitem(last=False)
            self._tracker.poke()
        return result

    # ---- the journal -----------------------------------------------------------------------------------

    async def _save(self, record: ActRecord) -> None:
        """Store a record, tell the hub, and keep the queue in step."""
        await self._journal.save(record, self._told(record))
        for queue in self._queues.values():
            for index, old in enumerate(queue):
                if old.act.id != record.act.id:
                    continue
                if record.is_over:
                    del queue[index]
                else:
                    queue[index] = record
                break
        await self._announce()

    async def _announce(self) -> None:
        async with self._news:
            self._news.notify_all()

    def _told(self, record: ActRecord) -> ActProgress:
        act = record.act
        assert not isinstance(act, AmendAct | KeysAct)
        if isinstance(act, OperateAct):
            return told(record, self._clock)
        is_message = isinstance(act, SendAct)
        return ActProgress(
            seq=0,
            id=act.id,
            kind={SendAct: "send", AnswerAct: "answer", InterruptAct: "interrupt"}[type(act)],
            agent_id=self._tracker.present_id(act.agent_id),
            state=record.state,
            at_ms=self._clock.now_ms(),
            held=record.held,
            detail=record.detail,
            item_id=record.item_id,
            text=record.text if is_message else None,
            when=record.when if is_message else None,
        )


class _IntentLog:
    """The journal as one submission sees it."""

    def __init__(self, engine: ActEngine, record: ActRecord) -> None:
        self._engine = engine
        self._id = record.act.id

    async def save(self, intent: Intent) -> None:
        await self._engine.save_intent(self._id, intent)


def _first_result(record: ActRecord) -> ActResult:
    """What the first call of an answer or interrupt was told."""
    if record.state == "delivered":
        return ActResult(code="ok", text=record.detail or "")
    return ActResult(code="failed", text=record.detail or "It cannot be said whether it arrived.")


def _held_code(code: str) -> HeldCode:
    known: dict[str, HeldCode] = {
        "working": "working",
        "dialog": "dialog",
        "draft": "draft",
        "startup": "startup",
        "in_agents_queue": "in_agents_queue",
        "offline": "offline",
        "gone": "gone",
    }
    return known.get(code, "offline")
