"""Operations as they are asked for: what they need, what takes them back, and what their machine is told.
Pure."""

from __future__ import annotations

import hashlib

from controlroom.core.operations import Kind
from controlroom.core.text import clean_line
from controlroom.hub.errors import HubError
from controlroom.hub.requests import ID
from controlroom.hub.store.operation_rows import OperationRecord
from controlroom.wire.codec import encode
from controlroom.wire.node import OperateAct
from controlroom.wire.operation import AskOperation, OperationArgs

LONGEST_WHY, LONGEST_PROMPT = 500, 100_000
LONGEST_BRANCH, LONGEST_FLAGS, MOST_FLAGS = 100, 200, 20


def check(body: AskOperation) -> None:
    """Raises HubError ``bad_request``, ``too_large``."""
    if not ID.fullmatch(body.id):
        raise HubError("bad_request", "id: up to 100 letters, digits and _ . : - are allowed.")
    check_why(body.why)
    args = body.args
    if body.kind == "start":
        if body.agent_id is not None:
            raise HubError("bad_request", "agent_id: a start makes a new agent.")
        if not args.kind or not args.folder:
            raise HubError("bad_request", "args: a start needs kind and folder.")
    elif not body.agent_id:
        raise HubError("bad_request", "agent_id: say which agent.")
    if body.kind == "move" and not args.profile:
        raise HubError("bad_request", "args: a move needs profile: its id, name or folder.")
    if body.kind == "rename" and not args.name:
        raise HubError("bad_request", "args: a rename needs name.")
    if len(args.worktree or "") > LONGEST_BRANCH:
        raise HubError("bad_request", f"worktree: a branch of at most {LONGEST_BRANCH} characters.")
    if len(args.flags) > MOST_FLAGS or any(len(each) > LONGEST_FLAGS for each in args.flags):
        raise HubError("bad_request", f"flags: at most {MOST_FLAGS}, of at most {LONGEST_FLAGS} characters.")
    if args.prompt is not None and len(args.prompt) > LONGEST_PROMPT:
        raise HubError("too_large", f"prompt: at most {LONGEST_PROMPT} characters.")


def check_why(why: str) -> None:
    """Raises HubError ``bad_request``."""
    if not why.strip():
        raise HubError("bad_request", "why: say why; it stands in the receipt.")
    if len(why) > LONGEST_WHY:
        raise HubError("bad_request", f"why: at most {LONGEST_WHY} characters.")
    if clean_line(why, LONGEST_WHY) != why:
        raise HubError("bad_request", "why: one line, without control characters.")


def undoing(record: OperationRecord, id: str, why: str) -> AskOperation:
    """The operation that takes this one back."""
    operation = record.operation
    kinds: dict[Kind, Kind] = {
        "stop": "restart",
        "close": "restart",
        "fresh": "restart",
        "rename": "rename",
        "start": "close",
        "move": "move",
    }
    name = record.old_name if operation.kind == "rename" else None
    profile = record.old_profile if operation.kind == "move" else None
    return AskOperation(
        id=id,
        kind=kinds[operation.kind],
        why=why,
        agent_id=operation.agent_id,
        args=OperationArgs(name=name, profile=profile),
    )


def undo_id(operation_id: str, request_id: str, by: str) -> str:
    digest = hashlib.blake2b("\0".join((by, operation_id, request_id)).encode(), digest_size=12)
    return f"op_{digest.hexdigest()}"


def digest_of(body: AskOperation, by: str) -> str:
    return hashlib.sha256(encode([by, body])).hexdigest()


def act_of(record: OperationRecord) -> OperateAct:
    operation, args = record.operation, record.operation.args
    return OperateAct(
        id=operation.id,
        kind=operation.kind,
        agent_id=operation.agent_id or "",
        when=args.when,
        drop=args.drop,
        name=args.name or "",
        agent_kind=args.kind or "",
        folder=args.folder or "",
        profile=record.profile_folder or args.profile or "",
        model=args.model or "",
        flags=args.flags,
        worktree=args.worktree or "",
        session_id=record.session_id,
        by=operation.by,
    )
