"""Operations on agents, as clients and nodes see them."""

from __future__ import annotations

from typing import Literal

from controlroom.core.operations import Kind, StepName, StepState, When
from controlroom.wire.model import Struct

OperationState = Literal["queued", "running", "delivered", "failed"]


class OperationStep(Struct, frozen=True, kw_only=True):
    """One named step. ``detail``: what it found, or waits for."""

    name: StepName
    state: StepState
    at_ms: int
    detail: str | None = None


class OperationError(Struct, frozen=True, kw_only=True):
    """Why an operation failed. ``code`` is one of the API's, ``startup_prompt`` (it waits for a person in its
    new window) or ``cancelled``."""

    code: str
    text: str


class OperationArgs(Struct, frozen=True, kw_only=True):
    """What an operation needs to know.

    ``when``: of restart, fresh, stop, close and move: once it is idle (the running turn is finished), or now.
    ``drop``: with ``now``, a running turn, helpers and an open dialog may be dropped; without it such an
    operation is refused, and says what it would drop. ``name``: of start and rename. ``profile``: of move and
    start: id, name or folder of a config folder of the agent's machine; a start without it takes the usual
    one. The others are of start: ``kind`` of agent, ``folder``, ``model``, ``flags`` (each as the settings
    allow it), ``worktree`` (the name of a new branch: the agent works in a git worktree of its own, beside
    the repository of ``folder``), the first ``prompt``, ``machine_id`` (without it the primary machine).
    """

    when: When = "idle"
    drop: bool = False
    name: str | None = None
    kind: str | None = None
    folder: str | None = None
    profile: str | None = None
    model: str | None = None
    flags: tuple[str, ...] = ()
    worktree: str | None = None
    prompt: str | None = None
    machine_id: str | None = None


class Undo(Struct, frozen=True, kw_only=True):
    """How an operation can be taken back, and until when."""

    until_ms: int
    what: str


class Operation(Struct, frozen=True, kw_only=True):
    """One operation. ``delivered`` says that its steps are done, never that work is. ``undoes``: the
    operation that this one takes back; ``undone_by``: the one that took this one back."""

    id: str
    seq: int
    kind: Kind
    machine_id: str
    state: OperationState
    steps: tuple[OperationStep, ...]
    args: OperationArgs
    why: str
    by: str
    created_at_ms: int
    changed_at_ms: int
    agent_id: str | None = None
    agent_name: str | None = None  # as it was called when it was asked for
    profile_name: str | None = None  # likewise: where a move goes, or a start
    undo: Undo | None = None
    undoes: str | None = None
    undone_by: str | None = None
    error: OperationError | None = None


class Operations(Struct, frozen=True, kw_only=True):
    """A page of operations, oldest first; ``more``: others follow."""

    operations: tuple[Operation, ...]
    more: bool


class AskOperation(Struct, frozen=True, kw_only=True):
    """Do something to an agent. The same id again is the same operation."""

    id: str
    kind: Kind
    why: str
    agent_id: str | None = None
    args: OperationArgs = OperationArgs()


class UndoOperation(Struct, frozen=True, kw_only=True):
    """Take an operation back, by another one."""

    request_id: str
    why: str
