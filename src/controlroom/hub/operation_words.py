"""What is said of operations, in receipts and as their undo. Pure."""

from __future__ import annotations

from collections.abc import Mapping

from controlroom.core.operations import NOT_RUNNING, Kind
from controlroom.hub.store.operation_rows import OperationRecord
from controlroom.wire.operation import Operation, Undo

UNDO_MS = 24 * 3600 * 1000
"""How long an operation can be taken back: as long as an agent that ended stays in the list."""

_ASKED: Mapping[Kind, str] = {
    "start": "Asked for a new agent",
    "restart": "Asked for a restart with the same session",
    "fresh": "Asked for a fresh session",
    "stop": "Asked to stop it",
    "close": "Asked to close it",
    "rename": "Asked for another name",
    "move": "Asked for a move",
}
_ENDED: Mapping[Kind, str] = {
    "start": "Started",
    "restart": "Restarted with the same session",
    "fresh": "Started with a fresh session",
    "stop": "Stopped",
    "close": "Closed",
    "rename": "Renamed",
    "move": "Moved",
}
_UNDO: Mapping[Kind, str] = {
    "start": "Close it again.",
    "fresh": "Go back to the session that it had before.",
    "stop": "Start it again with its session.",
    "close": "Start it again with its session, in a new window.",
    "rename": "Give it its old name back.",
    "move": "Move it back to the profile in which it was.",
}


def asked(operation: Operation) -> str:
    """Of the receipt when it is asked for."""
    args = operation.args
    text = _ASKED[operation.kind] + _where(operation)
    if operation.kind in ("restart", "fresh", "stop", "close", "move"):
        text += ", once it is idle" if args.when == "idle" else ", now"
    if operation.kind == "rename":
        text += f": {args.name}"
    if operation.kind == "start":
        text += f" ({args.kind} in {args.folder})"
    if operation.undoes is not None:
        text += f", to take back {operation.undoes}"
    return f"{text}. Why: {operation.why}"


def ended_by(record: OperationRecord) -> str:
    """Who is behind the end: whoever took it back, else whoever asked for it."""
    return (record.taken_back_by if is_taken_back(record.operation) else "") or record.operation.by


def ended(record: OperationRecord) -> str:
    """Of the receipt when it is over."""
    operation = record.operation
    if operation.error is not None:
        asked = _ASKED[operation.kind] + _where(operation)
        if is_taken_back(operation):
            why = f" Why: {record.taken_back_why}" if record.taken_back_why else ""
            return f"{asked}, which was taken back while it waited.{why}"
        return f"{asked}, which failed: {operation.error.text} Why: {operation.why}"
    details = [step.detail for step in operation.steps if step.detail and step.state == "done"]
    done = _ENDED[operation.kind] + _where(operation)
    return " ".join([f"{done}.", *details, f"Why: {operation.why}"])


def is_taken_back(operation: Operation) -> bool:
    """Whether it was ended while it waited."""
    return operation.error is not None and operation.error.code == "cancelled"


def _where(operation: Operation) -> str:
    """To which profile, by its name: an account's name may be an address, and has no place in a receipt."""
    if operation.kind != "move":
        return ""
    return f" to profile {operation.profile_name or operation.args.profile}"


def undo_of(record: OperationRecord, now_ms: int) -> Undo | None:
    """How a delivered operation can be taken back; None when it cannot be."""
    operation = record.operation
    what = _UNDO.get(operation.kind)
    needs_session = operation.kind in ("stop", "close", "fresh")
    if what is None or operation.agent_id is None or (needs_session and not record.old_session):
        return None
    if operation.kind == "move" and not record.old_profile:
        return None
    if operation.kind == "stop" and any(step.detail == NOT_RUNNING for step in operation.steps):
        return None
    return Undo(until_ms=now_ms + UNDO_MS, what=what)
