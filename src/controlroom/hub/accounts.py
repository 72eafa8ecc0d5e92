"""Accounts of all machines: kept when a machine is away, told when something about them changed.

Time alone changes an account too (a reading grows old, a reset passes, a login ends), so they are looked at
every half minute.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Generic, NamedTuple, TypeVar

import structlog

from controlroom.hub.account_view import accounts_of, added, in_hub_time, profiles_of
from controlroom.hub.errors import HubError
from controlroom.hub.nodes import Node, Nodes
from controlroom.hub.ports import NodeLink
from controlroom.hub.store import usage_rows
from controlroom.hub.store.store import Change, Store
from controlroom.kit.clock import Clock, wait_at_most
from controlroom.kit.sql import DatabaseTrouble
from controlroom.wire.events import AccountGone
from controlroom.wire.usage import (
    Account,
    Profile,
    ReadingProgress,
    UsageBy,
    UsageReport,
    UsageState,
)

_log = structlog.get_logger("accounts")

T = TypeVar("T")

LOOK_S = 30.0
ASK_S = 20.0  # sums of years are read from the machine's journal


class _Answer(NamedTuple, Generic[T]):
    value: T


class Accounts:
    """What is known of accounts, profiles and use. ``reserve_of``: the part of the week that the person keeps
    of an account, in percent."""

    def __init__(
        self,
        store: Store,
        nodes: Nodes,
        clock: Clock,
        reserve_of: Callable[[Account], float | None] = lambda account: None,
    ) -> None:
        self._store = store
        self._nodes = nodes
        self._clock = clock
        self._reserve_of = reserve_of
        self._machines: dict[str, UsageState] = {}
        self._unsaved: set[str] = set()
        self._changed = asyncio.Event()

    async def start(self) -> None:
        """Remember what machines told before."""
        self._machines = await self._store.read(usage_rows.machine_usages)

    def snapshot(self, node: Node, usage: UsageState) -> None:
        """What a machine knows now."""
        told = in_hub_time(usage, node.offset_ms)
        if self._machines.get(node.machine_id) != told:
            self._machines[node.machine_id] = told
            self._unsaved.add(node.machine_id)
            self._changed.set()

    async def run(self) -> None:
        """Store what is new and tell what changed, for ever."""
        while True:
            try:
                await self.look()
            except DatabaseTrouble as error:  # the database shows it in Health
                _log.warning("accounts cannot be stored", error=str(error))
                await asyncio.sleep(LOOK_S)
            await wait_at_most(self._changed, LOOK_S)

    async def look(self) -> None:
        """Store what machines told, and tell clients what is different by now. Raises DatabaseTrouble."""
        self._changed.clear()
        unsaved = {id: self._machines[id] for id in self._unsaved}
        present = self.accounts()

        def job(change: Change) -> None:
            for machine_id, usage in unsaved.items():
                usage_rows.put_machine_usage(change, machine_id, usage)
            shown = usage_rows.shown_accounts(change.connection)
            for account in present:
                if shown.pop(account.id, None) != account:
                    usage_rows.put_shown(change, account)
                    change.emit("account.changed", account)
            for gone in shown:
                usage_rows.forget_shown(change, gone)
                change.emit("account.gone", AccountGone(id=gone))

        await self._store.change(job)
        self._unsaved -= {id for id, usage in unsaved.items() if self._machines[id] == usage}

    # ---- what is asked ---------------------------------------------------------------------------------

    def accounts(self) -> tuple[Account, ...]:
        """All accounts, as they stand now."""
        return tuple(accounts_of(self._machines, self._reserve_of, self._clock.now_ms()))

    def profiles(self) -> tuple[Profile, ...]:
        return tuple(profiles_of(self._machines, self._clock.now_ms()))

    async def read_again(self) -> tuple[str, ...]:
        """Have every machine read again what accounts have left; the ids of those that are away."""
        _, missing = await self._ask_all(lambda link: link.read_usage(), "read again")
        return missing

    async def used(self, by: UsageBy) -> UsageReport:
        """What agents used, of all machines that answer."""
        answers, missing = await self._ask_all(lambda link: link.usage(by), "tell what it used")
        progress = [answer.reading for answer in answers if answer.reading is not None]
        return UsageReport(
            rows=added(row for answer in answers for row in answer.rows),
            unpriced=tuple(sorted({model for answer in answers for model in answer.unpriced})),
            missing=missing,
            reading=ReadingProgress(
                done=sum(one.done for one in progress), total=sum(one.total for one in progress)
            )
            if progress
            else None,
        )

    async def _ask_all(
        self, call: Callable[[NodeLink], Awaitable[T]], what: str
    ) -> tuple[list[T], tuple[str, ...]]:
        """What all machines answer, asked at once, each with its own time; and the ids of those that do not,
        among them machines that told something before but were not met since the start."""

        async def ask(node: Node) -> _Answer[T] | None:
            try:
                return _Answer(await node.ask(call, ASK_S))
            except HubError as error:
                _log.info(f"a machine does not {what}", machine=node.machine_id, code=error.code)
                return None

        nodes = tuple(self._nodes.all())
        found = await asyncio.gather(*map(ask, nodes))
        met = {node.machine_id for node in nodes}
        missing = [node.machine_id for node, answer in zip(nodes, found, strict=True) if answer is None]
        missing += sorted(id for id in self._machines if id not in met)
        return [answer.value for answer in found if answer is not None], tuple(missing)
