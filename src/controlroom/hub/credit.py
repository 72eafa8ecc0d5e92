"""The credit guard at work: its questions in the Inbox, and operations that wait for their answers.

One question stands for an account until its next window, whichever agent it is about and whatever became of
it: unanswered, skipped and dismissed are no. It is asked again when that window has ended, or when its agent
left before it was answered.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

import msgspec
from sqlalchemy import Connection

from controlroom.core.allowance import PolicyAccount
from controlroom.core.credit import CreditCard, Deed, card, guard, spent_until
from controlroom.core.delivery import WAITS
from controlroom.core.questions import Expire
from controlroom.hub.question_cards import card_of_credit, question_id
from controlroom.hub.question_intake import new_question
from controlroom.hub.question_steps import Steps
from controlroom.hub.store import fleet_rows, policy_rows, question_rows
from controlroom.hub.store.operation_rows import OperationRecord
from controlroom.hub.store.policy_rows import POLICY, CreditRow
from controlroom.hub.store.question_rows import QuestionRow
from controlroom.hub.store.store import Change, Store
from controlroom.kit.clock import Clock
from controlroom.wire.model import Agent

LEAST_MS = 3_600_000  # of a window whose end is not known; else it would be asked all the time
OVER = "Its window has ended, or there is enough left again."
ASKS = "It waits for your answer in the Inbox: it might go on with paid extra usage."
REFUSED = "It might go on with paid extra usage, and you did not allow that until the account's next window."
WAITS_FOR_RESET = "You did not allow paid extra usage: goes out when its account has enough again."
NOBODY = "It might go on with paid extra usage, and its agent has left: nobody can be asked."


class Halt(msgspec.Struct, frozen=True):
    """An operation may not begin: yet, or (``is_over``) at all."""

    text: str
    is_over: bool = False


class CreditGuard:
    """``agent_of``: an agent that is listed. ``place_of``: the account, as the policy sees it, on which an
    agent runs. ``account_of``: that of a profile, by its id."""

    def __init__(
        self,
        store: Store,
        clock: Clock,
        steps: Steps,
        *,
        agent_of: Callable[[str], Agent | None],
        place_of: Callable[[Agent], PolicyAccount | None],
        account_of: Callable[[str], PolicyAccount | None],
    ) -> None:
        self._agent_of = agent_of
        self._place_of = place_of
        self._store = store
        self._clock = clock
        self._steps = steps
        self._account_of = account_of

    async def answers(self) -> Mapping[str, bool]:
        """Whether the person allows paid extra usage, by account; without those that are not decided."""
        now_ms = self._clock.now_ms()
        return await self._store.read(lambda connection: _answers(connection, now_ms))

    async def ask(self, agent_id: str, asked: CreditCard, account: PolicyAccount, model: str) -> None:
        """Ask the person, unless a question about this account stands."""
        await self._store.change(lambda change: self._ask(change, agent_id, asked, account, model))

    async def check(self, record: OperationRecord) -> Halt | None:
        """Whether an operation has to wait or may not be, because it might cost money. None: it may begin."""
        operation = record.operation
        if operation.kind not in ("restart", "fresh", "move") or operation.agent_id is None:
            return None
        is_move = operation.kind == "move"
        account = self._account_of((operation.args.profile if is_move else record.old_profile) or "")
        if account is None:
            return None
        deed: Deed = "move" if is_move else "resume"
        agent_id = operation.agent_id

        def job(change: Change) -> Halt | None:
            state = fleet_rows.last_state(change.connection, agent_id)
            model = "" if state is None else state.model or ""
            answer = _answers(change.connection, change.now_ms).get(account.id)
            match guard(deed, account, model, change.now_ms, answer):
                case "free" | "allowed":
                    return None
                case "refused":
                    return Halt(REFUSED, is_over=True)
            name = operation.agent_name or "it"
            asked = card(deed, name, account, model, change.now_ms)
            return Halt(ASKS) if self._ask(change, agent_id, asked, account, model) else Halt(NOBODY, True)

        return await self._store.change(job)

    async def hold(self, agent_id: str) -> str | None:
        """Why nothing may be sent to an agent now: it would go on with paid extra usage. None: it may."""
        agent = self._agent_of(agent_id)
        account = None if agent is None else self._place_of(agent)
        if agent is None or account is None:
            return None
        model, now_ms = agent.model or "", self._clock.now_ms()
        if guard("go_on", account, model, now_ms, None) == "free":
            return None
        match guard("go_on", account, model, now_ms, (await self.answers()).get(account.id)):
            case "allowed" | "free":
                return None
            case "refused":
                return WAITS_FOR_RESET
        await self.ask(agent_id, card("go_on", agent.name, account, model, now_ms), account, model)
        return WAITS["credit"]

    async def tidy(self, accounts: Mapping[str, PolicyAccount]) -> None:
        """Close questions that are none any more, and forget answers whose window has ended."""
        if not await self._store.read(policy_rows.credit_rows):
            return

        def job(change: Change) -> None:
            for row in policy_rows.credit_rows(change.connection):
                question = question_rows.question_row(change.connection, row.question_id)
                account = accounts.get(row.account_id)
                is_over = row.until_ms <= change.now_ms or (
                    account is not None and guard("move", account, row.model, change.now_ms, None) == "free"
                )
                if is_over and question is not None and question.is_open:
                    self._steps.take(change, question, Expire(at_ms=change.now_ms, why=OVER))
                if is_over or question is None or question.log.state == "expired":
                    policy_rows.forget_credit(change, row.account_id)

        await self._store.change(job)

    def _ask(
        self, change: Change, agent_id: str, asked: CreditCard, account: PolicyAccount, model: str
    ) -> bool:
        """Whether a question stands now."""
        if account.id in _standing(change.connection, change.now_ms):
            return True
        agent = fleet_rows.agent_row(change.connection, agent_id)
        if agent is None or not agent.is_listed:
            return False
        until_ms = max(spent_until(account, model, change.now_ms), change.now_ms + LEAST_MS)
        id = question_id("credit", account.id, agent_id, str(change.now_ms))
        made = card_of_credit(asked, change.now_ms)
        row = new_question(change, id, agent_id, agent.chat_id, made, is_blocking=True, by=POLICY, own=True)
        self._steps.put(change, row)
        known = CreditRow(account_id=account.id, question_id=id, model=model, until_ms=until_ms)
        policy_rows.put_credit(change, known)
        return True


def _standing(connection: Connection, now_ms: int) -> dict[str, QuestionRow]:
    """The questions that stand, by account: their window has not ended, nor have they expired."""
    found = {}
    for row in policy_rows.credit_rows(connection):
        question = question_rows.question_row(connection, row.question_id)
        if question is not None and question.log.state != "expired" and row.until_ms > now_ms:
            found[row.account_id] = question
    return found


def _answers(connection: Connection, now_ms: int) -> dict[str, bool]:
    return {
        account_id: question.log.given is not None and question.log.given.option == "yes"
        for account_id, question in _standing(connection, now_ms).items()
        if not question.is_open
    }
