"""What the policy remembers of agents, and which questions stand for the paid extra usage of accounts."""

from __future__ import annotations

import msgspec
from sqlalchemy import Connection, delete, insert, select, update

from controlroom.core import policy_memory
from controlroom.core.policy_memory import AgentMemory
from controlroom.hub.store.operation_rows import OperationRecord
from controlroom.hub.store.store import Change
from controlroom.hub.store.tables import agents, credit_questions, policy_agents
from controlroom.wire.codec import decode, encode

POLICY = "policy"
"""Who asks for moves of the policy."""

KEPT_MS = 30 * 86_400_000
"""Of what is remembered of an agent that left: longer than any cool-down (a week at most)."""


def memories(connection: Connection) -> dict[str, AgentMemory]:
    """By agent."""
    return {
        row.agent_id: decode(row.memory, AgentMemory) for row in connection.execute(select(policy_agents))
    }


def memory_of(connection: Connection, agent_id: str) -> AgentMemory:
    query = select(policy_agents.c.memory).where(policy_agents.c.agent_id == agent_id)
    raw = connection.execute(query).scalar()
    return AgentMemory() if raw is None else decode(raw, AgentMemory)


def put_memory(change: Change, agent_id: str, memory: AgentMemory) -> None:
    values = {"memory": encode(memory)}
    known = update(policy_agents).where(policy_agents.c.agent_id == agent_id).values(values)
    if change.connection.execute(known).rowcount == 0:
        change.connection.execute(insert(policy_agents).values(agent_id=agent_id, **values))


def forget_old(change: Change) -> None:
    """Forget agents that left the list, once nothing of what is remembered has counted for a long time."""
    query = select(policy_agents).outerjoin(agents, agents.c.id == policy_agents.c.agent_id)
    for row in change.connection.execute(query.where(agents.c.is_listed.is_not(True))).all():
        memory = decode(row.memory, AgentMemory)
        if policy_memory.counts_until_ms(memory) < change.now_ms - KEPT_MS:
            change.connection.execute(delete(policy_agents).where(policy_agents.c.agent_id == row.agent_id))


def note_end(change: Change, record: OperationRecord) -> None:
    """Remember how an operation ended, if it was a move."""
    operation = record.operation
    if operation.kind != "move" or operation.agent_id is None:
        return
    memory = memory_of(change.connection, operation.agent_id)
    if operation.error is None:
        memory = policy_memory.moved(memory, record.left, change.now_ms)
    elif operation.by != POLICY:
        return
    elif record.taken_back_by not in ("", POLICY):
        memory = policy_memory.taken_back(memory, record.left)
    elif operation.error.code != "cancelled":
        memory = policy_memory.failed(memory, record.left, change.now_ms)
    else:
        return
    put_memory(change, operation.agent_id, memory)


def note_undo(change: Change, record: OperationRecord, by: str) -> None:
    """Remember that somebody takes back a move of the policy that is over, other than the policy itself."""
    operation = record.operation
    is_move = operation.kind == "move" and operation.by == POLICY
    if is_move and by != POLICY and operation.agent_id is not None:
        memory = memory_of(change.connection, operation.agent_id)
        put_memory(change, operation.agent_id, policy_memory.taken_back(memory, record.left))


# ---- paid extra usage --------------------------------------------------------------------------------------


class CreditRow(msgspec.Struct, frozen=True, kw_only=True):
    """The question about one account. Its answer counts until ``until_ms``. ``model``: of the agent for which
    it was asked."""

    account_id: str
    question_id: str
    model: str
    until_ms: int


def credit_rows(connection: Connection) -> list[CreditRow]:
    return [
        CreditRow(
            account_id=row.account_id, question_id=row.question_id, model=row.model, until_ms=row.until_ms
        )
        for row in connection.execute(select(credit_questions))
    ]


def put_credit(change: Change, row: CreditRow) -> None:
    """Another question takes the place of the account's last one."""
    forget_credit(change, row.account_id)
    change.connection.execute(insert(credit_questions).values(**msgspec.structs.asdict(row)))


def forget_credit(change: Change, account_id: str) -> None:
    change.connection.execute(delete(credit_questions).where(credit_questions.c.account_id == account_id))
