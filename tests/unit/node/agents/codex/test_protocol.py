"""Rows are decoded one by one; a damaged or unknown one is counted and hides nothing else."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from controlroom.node.agents.codex import protocol
from controlroom.node.agents.codex.protocol import decode, decode_all
from controlroom.node.agents.transcripts import Row
from tests.unit.node.agents.codex.samples import ROLLOUTS, decoded, entries, rows


def row(data: object) -> Row:
    raw = data if isinstance(data, bytes) else json.dumps(data).encode()
    return Row(0, len(raw) + 1, raw)


@pytest.mark.parametrize("path", ROLLOUTS, ids=lambda path: f"{path.parts[-5]}/{path.name[19:27]}")
def test_every_recorded_row_is_of_a_known_kind(path: Path) -> None:
    assert decoded(path).skipped == 0


def test_both_shapes_name_the_same_things() -> None:
    new = Counter(type(entry.payload).__name__ for entry in entries("11-07-12"))
    assert new["TurnStarted"] == new["TurnComplete"] == 3
    assert new["ItemCompleted"] == 7 and new["UsageRecord"] == 3
    old = Counter(type(entry.payload).__name__ for entry in entries("sessions-0.60.1/11-18-23"))
    assert old["UserText"] == 3 and old["AgentText"] == 2 and old["AgentReasoning"] == 1
    assert old["TurnStarted"] == 0


def test_an_entry_names_its_place_by_ordinal_else_by_offset() -> None:
    assert [entry.place for entry in entries("11-12-24")][:2] == ["14", "15"]
    assert entries("sessions-0.60.1/11-18-23")[0].place == "@0"


def test_row_times_are_milliseconds() -> None:
    assert entries("11-07-12")[0].at_ms == 1_796_036_835_392


@pytest.mark.parametrize(
    "data",
    [
        b'{"timestamp":"2026-11-30T11:00:00Z","type":"event_msg","payl',
        b"\x00\xff\xfe rubbish",
        b"[1, 2]",
        b"null",
        b'{"type":"event_msg","payload":{"type":"item_completed"}}',
        b'{"type":"event_msg","payload":{"type":"item_completed","item":{"type":"AgentMessage","content":7}}}',
        b"[" * 5000,
    ],
)
def test_a_damaged_row_is_skipped_and_counted(data: bytes) -> None:
    good = row({"type": "event_msg", "payload": {"type": "task_started", "turn_id": "t"}})
    found = decode_all([row(data), good])
    assert found.skipped == 1 and [type(e.payload) for e in found.entries] == [protocol.TurnStarted]


@pytest.mark.parametrize(
    "data",
    [
        {"type": "something_new", "payload": {"a": 1}},
        {"type": "event_msg", "payload": {"type": "brand_new_event"}},
        {"type": "response_item", "payload": {"type": "brand_new_call"}},
        {"type": "event_msg", "payload": {}},
        {},
    ],
)
def test_an_unknown_kind_is_counted_not_an_error(data: dict[str, object]) -> None:
    assert isinstance(decode(row(data)).payload, protocol.Unknown)
    assert decode_all([row(data)]) == protocol.Decoded((), 1)


def test_unknown_fields_are_ignored() -> None:
    data = {"type": "turn_context", "payload": {"model": "m", "cwd": "/x", "new": {"deep": [1]}}, "more": 1}
    assert decode(row(data)).payload == protocol.TurnContext("m", "/x")


def test_a_helpers_file_and_a_headless_one_say_so() -> None:
    kinds = {}
    for path in ROLLOUTS:
        meta = decode(rows(path)[0]).payload
        assert isinstance(meta, protocol.SessionMeta)
        kinds[f"{path.parts[-5]}/{path.name[19:27]}"] = (meta.is_helper, meta.is_headless)
    assert kinds["sessions-helpers/13-43-20"] == kinds["sessions-helpers/13-43-58"] == (True, False)
    assert kinds["sessions-helpers/13-42-32"] == (False, False)
    assert kinds["sessions/10-59-58"] == (False, True)


@pytest.mark.parametrize(
    ("info", "code"),
    [
        ("usage_limit_exceeded", "usage_limit_exceeded"),
        ({"http_connection_failed": {"http_status_code": 401}}, "http_connection_failed 401"),
        ({"response_stream_disconnected": {}}, "response_stream_disconnected"),
        (None, ""),
        (7, ""),
    ],
)
def test_an_error_has_one_code_whatever_its_shape(info: object, code: str) -> None:
    assert protocol.TurnError("said", info).code == code


@pytest.mark.parametrize(
    ("output", "text"),
    [
        ("plain", "plain"),
        ([{"type": "input_text", "text": "a"}, {"x": 1}, 7], "a"),
        ({"content": "c"}, "c"),
        (7, ""),
    ],
)
def test_a_tools_output_is_text_in_three_shapes(output: object, text: str) -> None:
    assert protocol.ToolOutput("c", output).text == text


@given(st.binary(max_size=200))
def test_whatever_a_row_holds_nothing_but_known_errors_come_out(data: bytes) -> None:
    try:
        decode(row(data))
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
        pass
