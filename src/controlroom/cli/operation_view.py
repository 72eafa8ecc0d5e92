"""Operations as lines: what was asked, how far it is, why, and how it is taken back."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

import msgspec

from controlroom.cli import text
from controlroom.cli.palette import Role, paint
from controlroom.cli.times import clock, stamp
from controlroom.wire.operation import Operation, OperationStep

Hint = Callable[..., str]

_STATES: dict[str, Role] = {"queued": "meta", "running": "work", "delivered": "good", "failed": "fault"}
_MARKS = {"waiting": "·", "running": "…", "done": "✓", "failed": "✗", "skipped": "-"}
_STEPS = {
    "wait": "wait until it may begin",
    "open": "open a new window",
    "stop": "end the program",
    "copy": "copy the session",
    "start": "come up",
    "back": "go on where it was",
    "name": "name it",
    "close": "remove the old pane",
}


class OperationView(msgspec.Struct, frozen=True, kw_only=True):
    """How operations are drawn on this terminal. ``names``: what agents are called now."""

    now_ms: int
    colour: bool
    names: dict[str, str]
    hint: Hint


def headline(operation: Operation, view: OperationView) -> str:
    """``14:09 delivered  restart orchard  op_…``"""
    whom = view.names.get(operation.agent_id or "") or operation.agent_name or operation.args.folder or ""
    when = stamp(operation.changed_at_ms, view.now_ms)
    state = paint(f"{operation.state:<9}", _STATES[operation.state], view.colour)
    return f"{when} {state}  {operation.kind} {text.line(whom, 60)}  {text.line(operation.id, 100)}"


def render(operation: Operation, view: OperationView) -> list[str]:
    """One operation whole."""
    lines = [headline(operation, view)]
    lines += [f"  {row}" for row in step_lines(operation.steps)]
    if operation.error is not None and not any(step.state == "failed" for step in operation.steps):
        lines.append(f"  ✗ {text.line(operation.error.text, 600)}")
    lines.append(f"  Why: {text.line(operation.why, 500)}  By: {text.line(operation.by, 100)}")
    if operation.undoes is not None:
        lines.append(f"  Takes back: {text.line(operation.undoes, 100)}")
    if (undo := undo_line(operation, view)) is not None:
        lines.append(f"  {undo}")
    return lines


def step_lines(steps: Iterable[OperationStep]) -> list[str]:
    """A line for each step; its detail says what it found or waits for."""
    found = []
    for step in steps:
        detail = f": {text.line(step.detail, 600)}" if step.detail else ""
        found.append(f"{_MARKS[step.state]} {_STEPS[step.name]}{detail}")
    return found


def undo_line(operation: Operation, view: OperationView) -> str | None:
    """How it is taken back, and until when; None when it cannot be."""
    if operation.undone_by is not None:
        return f"Taken back by {text.line(operation.undone_by, 100)}."
    if operation.undo is None or operation.undo.until_ms < view.now_ms:
        return None
    until = stamp(operation.undo.until_ms, view.now_ms)
    command = view.hint("undo", operation.id, "--why", "…")
    return f"Undo until {until}: {text.line(operation.undo.what, 200)} {command}"


def news(before: Operation | None, now: Operation) -> list[str]:
    """What changed, for a person who waits for it: steps that ended or wait for something."""
    old = {} if before is None else {step.name: step for step in before.steps}
    changed = [
        step
        for step in now.steps
        if step.state not in ("waiting", "skipped")
        and (step.state != "running" or step.detail)
        and (step.state, step.detail)
        != ((known.state, known.detail) if (known := old.get(step.name)) is not None else None)
    ]
    return [f"{clock(step.at_ms)} {row}" for step, row in zip(changed, step_lines(changed), strict=True)]


def render_all(operations: Sequence[Operation], view: OperationView) -> list[str]:
    """Several, with an empty line between them."""
    lines: list[str] = []
    for operation in operations:
        lines += [*([""] if lines else []), *render(operation, view)]
    return lines
