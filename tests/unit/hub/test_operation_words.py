"""What can be taken back, and what the receipt of an end says."""

from __future__ import annotations

from collections.abc import Mapping

import pytest
from msgspec.structs import replace

from controlroom.core.operations import NOT_RUNNING, Kind
from controlroom.hub.operation_words import UNDO_MS, ended, ended_by, undo_of
from controlroom.hub.store.operation_rows import OperationRecord
from controlroom.wire.operation import Operation, OperationArgs, OperationError, OperationStep


def record(
    kind: Kind, detail: str = "", known: Mapping[str, str] = {}, error: OperationError | None = None
) -> OperationRecord:
    operation = Operation(
        id="op_1",
        seq=1,
        kind=kind,
        machine_id="mac_1",
        state="delivered" if error is None else "failed",
        steps=(OperationStep(name="wait", state="done", at_ms=1, detail=detail or None),),
        args=OperationArgs(name="pears"),
        why="It is late.",
        by="kim",
        created_at_ms=1,
        changed_at_ms=1,
        agent_id="agt_1",
        error=error,
    )
    return replace(OperationRecord(operation=operation), **known)


@pytest.mark.parametrize(
    ("kind", "detail", "known", "can_be"),
    [
        ("stop", "", {"old_session": "s1"}, True),
        ("stop", "", {}, False),  # nothing to start it again with
        ("stop", NOT_RUNNING, {"old_session": "s1"}, False),  # it ended nothing
        ("close", NOT_RUNNING, {"old_session": "s1"}, True),
        ("fresh", NOT_RUNNING, {"old_session": "s1"}, True),
        ("fresh", "", {}, False),
        ("restart", "", {"old_session": "s1"}, False),
        ("rename", "", {}, True),
        ("start", "", {}, True),
        ("move", "", {"old_profile": "prf_1"}, True),
        ("move", NOT_RUNNING, {"old_profile": "prf_1"}, True),
        ("move", "", {}, False),  # where it was is not known
    ],
)
def test_what_can_be_taken_back(kind: Kind, detail: str, known: dict[str, str], can_be: bool) -> None:
    undo = undo_of(record(kind, detail, known), 1_000)
    assert (undo is not None) == can_be
    assert undo is None or undo.until_ms == 1_000 + UNDO_MS


@pytest.mark.parametrize(
    ("code", "known", "by", "said"),
    [
        (
            "cancelled",
            {"taken_back_by": "lee", "taken_back_why": "Not yet."},
            "lee",
            "Asked to stop it, which was taken back while it waited. Why: Not yet.",
        ),
        ("cancelled", {}, "kim", "Asked to stop it, which was taken back while it waited."),
        (
            "failed",
            {"taken_back_by": "lee", "taken_back_why": "Not yet."},
            "kim",
            "Asked to stop it, which failed: No. Why: It is late.",
        ),
    ],
)
def test_an_end_is_by_whoever_took_it_back(code: str, known: dict[str, str], by: str, said: str) -> None:
    over = record("stop", known=known, error=OperationError(code=code, text="No."))
    assert (ended_by(over), ended(over)) == (by, said)
