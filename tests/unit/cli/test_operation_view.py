"""Operations as lines."""

from __future__ import annotations

import msgspec

from controlroom.cli.operation_view import OperationView, news, render, undo_line
from controlroom.wire.operation import Operation, OperationArgs, OperationError, OperationStep, Undo

NOW = 1_796_000_000_000
VIEW = OperationView(
    now_ms=NOW,
    colour=False,
    names={"agt_1": "pear tree"},
    hint=lambda *words: "controlroom " + " ".join(words),
)
STOP = Operation(
    id="op_1",
    seq=7,
    kind="stop",
    machine_id="mac_1",
    state="running",
    steps=(
        OperationStep(name="wait", state="running", at_ms=NOW, detail="It works."),
        OperationStep(name="stop", state="waiting", at_ms=NOW),
    ),
    args=OperationArgs(),
    why="Enough \x1b[31mfor today",
    by="device:dev_1",
    created_at_ms=NOW,
    changed_at_ms=NOW,
    agent_id="agt_1",
    agent_name="orchard",
)


def changed(**fields: object) -> Operation:
    return msgspec.structs.replace(STOP, **fields)


def test_it_says_what_it_waits_for_why_and_by_whom() -> None:
    head, *rows = render(STOP, VIEW)
    assert "running" in head and head.endswith("stop pear tree  op_1")
    assert rows == [
        "  … wait until it may begin: It works.",
        "  · end the program",
        "  Why: Enough for today  By: device:dev_1",
    ]


def test_an_agent_that_has_left_is_called_as_it_was() -> None:
    view = msgspec.structs.replace(VIEW, names={})
    assert "stop orchard" in render(STOP, view)[0]


def test_the_undo_is_shown_while_there_is_one() -> None:
    done = changed(state="delivered", undo=Undo(until_ms=NOW + 1, what="Start it again."))
    shown = undo_line(done, VIEW)
    assert shown is not None and "Start it again. controlroom undo op_1 --why …" in shown
    assert undo_line(changed(undo=Undo(until_ms=NOW - 1, what="Start it again.")), VIEW) is None
    assert undo_line(changed(undone_by="op_2", undo=done.undo), VIEW) == "Taken back by op_2."


def test_a_failure_without_a_failed_step_is_shown() -> None:
    failed = changed(state="failed", error=OperationError(code="bad_request", text="No pane shows it."))
    assert "  ✗ No pane shows it." in render(failed, VIEW)


def test_news_are_the_steps_that_changed() -> None:
    assert [line[6:] for line in news(None, STOP)] == ["… wait until it may begin: It works."]
    assert news(STOP, STOP) == []
    steps = (
        OperationStep(name="wait", state="done", at_ms=NOW),
        OperationStep(name="stop", state="running", at_ms=NOW),
    )
    assert [line[6:] for line in news(STOP, changed(steps=steps))] == ["✓ wait until it may begin"]
