"""The policy at work: on machines where the person lets it, it asks for moves, and asks about money.

It asks for a move like everybody else, by ``policy``, with its rule as the why; so a move has its receipts
and its undo, survives restarts, and is never done twice at once. An agent that has an operation gets no
other, and a machine gets one move at a time: readings and load have changed by the next. A move that still
waits when its account has enough again, or when its target has not any more, is taken back.

Nothing is done while the Control Room is paused, nor on machines that are away. Times: a look every half
minute, and soon after something changed.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence

import msgspec
import structlog

from controlroom.core.allowance import PolicyAccount
from controlroom.core.policy import may_land, next_window
from controlroom.hub.accounts import Accounts
from controlroom.hub.credit import CreditGuard
from controlroom.hub.errors import HubError
from controlroom.hub.operation_profiles import profile_running
from controlroom.hub.operations import OperationBook
from controlroom.hub.policy import is_automatic, policy_account, policy_report, rules_of
from controlroom.hub.store import policy_rows
from controlroom.hub.store.policy_rows import POLICY
from controlroom.hub.store.store import Event, Store
from controlroom.kit.clock import Clock, new_id, wait_at_most
from controlroom.kit.settings import Policy
from controlroom.kit.sql import DatabaseTrouble
from controlroom.wire.model import Agent, Fleet
from controlroom.wire.operation import AskOperation, Operation, OperationArgs
from controlroom.wire.policy import PolicyAdvice, PolicyReport

_log = structlog.get_logger("policy")

LOOK_S = 30.0
REST_S = 5.0  # between two looks: a burst of changes is one
WAKING = frozenset(
    {"account.changed", "agent.changed", "question.changed", "operation.changed", "pause.changed"}
)


class PolicyDesk:
    """Says what should be, and does it where it may. ``run`` it for ever; ``event`` it with all events."""

    def __init__(
        self,
        store: Store,
        clock: Clock,
        *,
        fleet: Callable[[], Fleet],
        accounts: Accounts,
        operations: OperationBook,
        credit: CreditGuard,
        is_paused: Callable[[], bool],
        reconsider: Callable[[], None],
        settings: Policy,
    ) -> None:
        """``reconsider``: asks again about what the credit guard holds up."""
        self._store = store
        self._clock = clock
        self._fleet = fleet
        self._accounts = accounts
        self._operations = operations
        self._credit = credit
        self._is_paused = is_paused
        self._reconsider = reconsider
        self._settings = settings
        self._poked = asyncio.Event()

    async def report(self) -> PolicyReport:
        """What would be done with each agent now, and why. Raises DatabaseTrouble."""
        report = await self._report(self._fleet())
        moves = {one.agent_id: one for one in await self._operations.under_way() if one.kind == "move"}
        advice = tuple(_with_move(one, moves.get(one.agent_id)) for one in report.advice)
        return msgspec.structs.replace(report, advice=advice)

    async def _report(self, fleet: Fleet) -> PolicyReport:
        return policy_report(
            fleet.agents,
            self._accounts.accounts(),
            self._accounts.profiles(),
            self._settings,
            self._clock.now_ms(),
            machines=fleet.machines,
            memories=await self._store.read(policy_rows.memories),
            answers=await self._credit.answers(),
            is_paused=self._is_paused(),
        )

    def event(self, event: Event) -> None:
        if self._settings.automatic and event.name in WAKING:
            self._poked.set()

    async def run(self) -> None:
        """Look again and again, for ever."""
        while True:
            self._poked.clear()
            try:
                await self.look()
            except DatabaseTrouble as error:  # the database shows it in Health
                _log.warning("the policy cannot look", error=str(error))
            await asyncio.sleep(REST_S)
            await wait_at_most(self._poked, LOOK_S)

    async def look(self) -> None:
        """Do what is due now. Raises DatabaseTrouble."""
        await self._credit.tidy({one.id: policy_account(one) for one in self._accounts.accounts()})
        self._reconsider()
        fleet = self._fleet()
        machines = {one.id for one in fleet.machines if one.online and is_automatic(self._settings, one)}
        if not machines or self._is_paused():
            return
        agents = {agent.id: agent for agent in fleet.agents}
        under_way = await self._operations.under_way()
        just_now_ms = self._clock.now_ms() - int(LOOK_S * 1000)
        taken = {
            one.machine_id
            for one in under_way
            if one.kind == "move" and (_acts(one) or one.created_at_ms > just_now_ms)
        }
        for advice in (await self._report(fleet)).advice:
            agent = agents[advice.agent_id]
            if self._is_paused():  # by now
                return
            if agent.machine_id not in machines:
                continue
            own = [operation for operation in under_way if operation.agent_id == agent.id]
            if own:
                await self._take_back(advice, agent, own)
            elif advice.what == "ask":
                await self._ask(advice, agent)
            elif advice.what == "move" and agent.machine_id not in taken:
                taken.add(agent.machine_id)
                await self._move(advice, agent)

    async def _move(self, advice: PolicyAdvice, agent: Agent) -> None:
        account = account_known(self._accounts, advice.account)
        left = None
        if account is not None:
            left = next_window(account, agent.model or "", rules_of(self._settings), self._clock.now_ms())
        wish = AskOperation(
            id=new_id("op"),
            kind="move",
            why=advice.why,
            agent_id=agent.id,
            args=OperationArgs(profile=advice.to_profile, when="idle"),
        )
        try:
            await self._operations.ask(wish, POLICY, left=left)
        except HubError as error:  # the agent or the profile has just gone
            _log.info("a move of the policy cannot be", agent=agent.id, code=error.code)

    async def _ask(self, advice: PolicyAdvice, agent: Agent) -> None:
        account = None if advice.card is None else account_known(self._accounts, advice.card.account_id)
        if advice.card is not None and account is not None:
            await self._credit.ask(agent.id, advice.card, account, agent.model or "")

    async def _take_back(self, advice: PolicyAdvice, agent: Agent, own: Sequence[Operation]) -> None:
        """A move that waits is not needed any more, because its account has enough again; or it would not
        be asked for by now, because its target has not."""
        for operation in own:
            if operation.kind != "move" or operation.by != POLICY or _acts(operation):
                continue
            why = "Its account has enough again."
            if advice.rule != "enough_left":
                if await self._may_land(operation, agent):
                    continue
                why = "The account that it would move to has not enough any more."
            try:
                await self._operations.withdraw(operation, POLICY, why)
            except HubError as error:  # it has just begun
                _log.info("a move is not taken back", operation=operation.id, code=error.code)

    async def _may_land(self, operation: Operation, agent: Agent) -> bool:
        target = account_of(self._accounts, operation.args.profile or "")
        if target is None:  # its machine tells of accounts a moment after it comes back
            return True
        answer = (await self._credit.answers()).get(target.id)
        return may_land(target, agent.model or "", rules_of(self._settings), self._clock.now_ms(), answer)


def place_of(accounts: Accounts, agent: Agent) -> PolicyAccount | None:
    """The account on which an agent runs, as the policy sees it."""
    profile = profile_running(accounts.profiles(), agent.machine_id, agent.kind, agent.profile)
    return None if profile is None else account_known(accounts, profile.account)


def account_of(accounts: Accounts, profile_id: str) -> PolicyAccount | None:
    """The account of a profile, as the policy sees it."""
    found = next((one.account for one in accounts.profiles() if one.id == profile_id), None)
    return account_known(accounts, found)


def account_known(accounts: Accounts, account_id: str | None) -> PolicyAccount | None:
    return next((policy_account(one) for one in accounts.accounts() if one.id == account_id), None)


def _with_move(advice: PolicyAdvice, move: Operation | None) -> PolicyAdvice:
    """The advice with the move of its agent that is under way."""
    if move is None:
        return advice
    by = "by the policy" if move.by == POLICY else "by hand"
    profile = move.profile_name or move.args.profile
    said = f"Its move {by} to profile {profile} waits: {move.id}."
    if _acts(move):
        said = f"It is being moved {by} to profile {profile}: {move.id}."
    return msgspec.structs.replace(advice, sentences=(*advice.sentences, said), operation=move.id)


def _acts(operation: Operation) -> bool:
    """Whether a move has begun to act: it waits no more."""
    return operation.kind == "move" and any(
        step.name != "wait" and step.state != "waiting" for step in operation.steps
    )
