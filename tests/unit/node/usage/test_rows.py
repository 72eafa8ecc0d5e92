"""What real transcripts tell about usage, and what damaged ones do not."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path

import msgspec
import pytest

from controlroom.core.tokens import Tokens
from controlroom.node.usage.claude_rows import ClaudeRows
from controlroom.node.usage.codex_rows import CodexRows
from controlroom.node.usage.told import ReadsRows, ToldAnswer, ToldLimits

FIXTURES = Path(__file__).parents[3] / "fixtures"
CLAUDE, CODEX = FIXTURES / "claude" / "transcripts", FIXTURES / "codex"
HOUR = 3_600_000


def read(reader: ReadsRows, path: Path) -> tuple[list[ToldAnswer], list[ToldLimits]]:
    answers: list[ToldAnswer] = []
    limits: list[ToldLimits] = []
    end = 0
    for line in path.read_bytes().splitlines(keepends=True):
        end += len(line)
        told = reader.feed(line.rstrip(b"\n"), end)
        answers += told.answers
        limits += [told.limits] if told.limits is not None else []
    return answers, limits


def claude(*paths: Path) -> tuple[list[ToldAnswer], list[ToldLimits]]:
    read_all = [read(ClaudeRows(path.stem), path) for path in paths]
    return [a for answers, _ in read_all for a in answers], [x for _, limits in read_all for x in limits]


def codex(path: Path) -> tuple[list[ToldAnswer], list[ToldLimits]]:
    return read(CodexRows("?"), path)


def total(answers: Iterable[ToldAnswer]) -> Tokens:
    once = {answer.key: answer.tokens for answer in answers}
    return sum(once.values(), Tokens())


def only(folder: Path) -> Path:
    (path,) = folder.rglob("*.jsonl")
    return path


def test_rows_of_one_claude_answer_have_one_key() -> None:
    answers, _ = claude(*(CLAUDE / "tools-and-permissions").rglob("*.jsonl"))
    assert len(answers) == 11
    assert len({answer.key for answer in answers}) == 5
    assert {answer.model for answer in answers} == {"claude-opus-5-5"}
    assert all(answer.at_ms > 1_796_000_000_000 for answer in answers)


def test_a_moved_session_has_the_same_keys_in_both_places() -> None:
    here, _ = claude(*(CLAUDE / "subagents").rglob("*.jsonl"))
    there, _ = claude(*(CLAUDE / "moved-and-resumed").rglob("*.jsonl"))
    assert {a.key for a in here} < {a.key for a in there}
    assert total([*here, *there]) == total(there)


def test_helpers_count_for_the_session_that_started_them() -> None:
    paths = (CLAUDE / "subagents").rglob("agent-*.jsonl")
    answers, _ = claude(*paths)
    assert {answer.session_id for answer in answers} == {"628fea9a-8b2b-4724-bc81-3070f92b7db5"}


@pytest.mark.parametrize(
    ("name", "minutes", "resets_ms"),
    [
        ("usage-limit-weekly-dialog", 10_080, 1_796_209_586_000),
        ("usage-limit-5h", 300, None),
    ],
)
def test_a_reached_limit_is_a_window_that_is_used_up(name: str, minutes: int, resets_ms: int | None) -> None:
    answers, limits = claude(only(CLAUDE / name))
    assert answers == []
    (window,) = limits[-1].windows
    assert (window.length_minutes, window.scope, window.used_pct) == (minutes, "", 100.0)
    assert resets_ms is None or window.resets_at_ms == resets_ms
    assert limits[-1].paid is False


def test_codex_responses_count_once_by_their_ids() -> None:
    answers, limits = codex(
        next((FIXTURES / "usage" / "codex" / "sessions-moved-to-other-account").rglob("*.jsonl"))
    )
    assert total(answers) == Tokens(input=800, cache_read=1600, output=68)
    assert len(answers) == 2
    assert answers[0].model == "gpt-6-sol"
    assert [window.used_pct for window in limits[-1].windows] == [42.0, 17.5]
    assert [window.length_minutes for window in limits[-1].windows] == [300, 10_080]


def test_a_moved_rollout_says_whose_account_began_it() -> None:
    reader = CodexRows("?")
    read(reader, next((FIXTURES / "usage" / "codex" / "sessions-moved-to-other-account").rglob("*.jsonl")))
    assert reader.creator == "acct-invented-1"
    assert reader.session_id == "01a22c30-49dd-7a21-a6ac-b35be0007dbc"


def test_an_old_rollout_counts_the_growth_of_its_totals() -> None:
    for path in (CODEX / "sessions-0.60.1").rglob("*.jsonl"):
        answers, _ = codex(path)
        totals = [
            row["payload"]["info"]["total_token_usage"]
            for row in map(json.loads, path.read_bytes().splitlines())
            if row["payload"].get("type") == "token_count" and row["payload"]["info"]
        ]
        used = total(answers)
        assert used.input + used.cache_read == totals[-1]["input_tokens"]
        assert used.output == totals[-1]["output_tokens"]


def test_an_old_file_that_a_new_version_goes_on_with_counts_nothing_twice() -> None:
    old = next((CODEX / "sessions-0.60.1").rglob("*11-17-15*.jsonl"))
    answers, _ = codex(next((CODEX / "sessions-0.60.1-resumed-by-0.171.0").rglob("*.jsonl")))
    before, _ = codex(old)
    assert {a.key for a in before} < {a.key for a in answers}
    records = [a for a in answers if a.key not in {b.key for b in before}]
    assert total(answers) == total(before) + total(records)


def test_every_row_of_every_sample_can_be_read() -> None:
    seen = 0
    for path in CLAUDE.rglob("*.jsonl"):
        seen += len(claude(path)[0])
    for path in CODEX.rglob("rollout-*.jsonl"):
        seen += len(codex(path)[0])
    assert seen > 200


def test_a_current_fork_holds_only_its_own_answers() -> None:
    """Its history lies in its parent's file: nothing is left out, nothing is counted twice."""
    (fork,) = (CODEX / "sessions").rglob("*11-12-24*.jsonl")
    (parent,) = (CODEX / "sessions").rglob("*11-11-59*.jsonl")
    reader = CodexRows("?")
    answers, _ = read(reader, fork)
    assert reader.session_id == "01a22c27-edff-7df2-ae00-849983bc9f16"
    assert answers
    assert not {a.key for a in answers} & {a.key for a in codex(parent)[0]}


def line(kind: str, at: str = "2026-11-30T11:00:00.000Z", **payload: object) -> bytes:
    return json.dumps({"timestamp": at, "type": kind, "payload": payload}).encode()


def usage(whole: int, output: int) -> dict[str, object]:
    return {"total_token_usage": {"input_tokens": whole, "cached_input_tokens": 0, "output_tokens": output}}


def test_rows_that_an_old_fork_copied_are_only_its_beginning() -> None:
    reader = CodexRows("child")
    reader.feed(line("session_meta", id="child", forked_from_id="parent"), 1)
    reader.feed(line("session_meta", id="parent"), 2)
    copied = line("event_msg", "2026-11-30T11:00:00.300Z", type="token_count", info=usage(900, 90))
    own = line("event_msg", "2026-11-30T11:05:00.000Z", type="token_count", info=usage(1000, 95))
    assert reader.feed(copied, 3).answers == ()
    (answer,) = reader.feed(own, 4).answers
    assert answer.tokens == Tokens(input=100, output=5)
    assert answer.session_id == "child"


def test_a_total_that_is_repeated_adds_nothing_and_one_that_fell_begins_anew() -> None:
    reader = CodexRows("ses")
    told = [
        reader.feed(line("event_msg", type="token_count", info=usage(whole, output)), 0).answers
        for whole, output in [(100, 10), (100, 10), (30, 3)]
    ]
    assert [[a.tokens for a in answers] for answers in told] == [
        [Tokens(input=100, output=10)],
        [],
        [Tokens(input=30, output=3)],
    ]


def test_reading_goes_on_where_it_ended_with_what_was_remembered() -> None:
    path = next((CODEX / "sessions-0.60.1").rglob("*11-17-15*.jsonl"))
    whole, _ = codex(path)
    rows = path.read_bytes().splitlines()
    memory, found = b"", list[ToldAnswer]()
    for row in rows:
        reader = CodexRows("?", memory)
        found += reader.feed(row, 0).answers
        memory = reader.memory()
    assert found == whole


@pytest.mark.parametrize(
    ("limits", "windows"),
    [
        (None, None),
        ({"primary": None, "secondary": None}, None),
        ({"primary": {"used_percent": None, "window_minutes": 300, "resets_at": None}}, [None]),
        ({"primary": {"used_percent": -4, "window_minutes": 300, "resets_at": 1}}, [None]),
        ({"primary": {"used_percent": 250, "window_minutes": 10080}}, [100.0]),
        ({"primary": {"used_percent": 5, "window_minutes": -1}}, None),
        ({"primary": {"used_percent": 5, "window_minutes": 1e12}}, None),
    ],
)
def test_null_and_negative_limits_are_unknown(limits: object, windows: list[float | None] | None) -> None:
    told = CodexRows("ses").feed(line("event_msg", type="token_count", info=None, rate_limits=limits), 9)
    assert (None if told.limits is None else [w.used_pct for w in told.limits.windows]) == windows


def test_limits_of_some_models_are_named_by_them() -> None:
    limits = {
        "limit_id": "codex_x",
        "limit_name": "GPT-X",
        "primary": {"used_percent": 1, "window_minutes": 300},
    }
    told = CodexRows("ses").feed(line("event_msg", type="token_count", info=None, rate_limits=limits), 9)
    assert told.limits is not None
    assert told.limits.windows[0].scope == "GPT-X"


@pytest.mark.parametrize("reader", [ClaudeRows("ses"), CodexRows("ses")])
@pytest.mark.parametrize(
    "data",
    [
        b'{"type":"assistant","message":{"id":5,"usage":{}}}',
        b'{"type":"token_usage_record","payload":{"usage":"much"}}',
        b'{"type":"assistant","usage"',
        b'{"type":"token_count"',
    ],
)
def test_a_damaged_row_is_refused_or_says_nothing(reader: ReadsRows, data: bytes) -> None:
    try:
        told = reader.feed(data, 1)
    except msgspec.MsgspecError:
        return
    assert told.answers == ()


def test_an_answer_without_a_request_id_still_has_a_key() -> None:
    row = {
        "type": "assistant",
        "timestamp": "2026-11-30T11:00:00Z",
        "sessionId": "ses",
        "message": {"id": "msg_1", "model": "m", "usage": {"output_tokens": 5, "input_tokens": -3}},
    }
    (answer,) = ClaudeRows("ses").feed(json.dumps(row).encode(), 1).answers
    assert answer.tokens == Tokens(output=5)


def test_cache_writes_for_an_hour_are_told_apart() -> None:
    row = {
        "type": "assistant",
        "message": {
            "id": "m",
            "model": "m",
            "usage": {"cache_creation_input_tokens": 30, "cache_creation": {"ephemeral_1h_input_tokens": 20}},
        },
    }
    (answer,) = ClaudeRows("ses").feed(json.dumps(row).encode(), 1).answers
    assert answer.tokens == Tokens(cache_write=10, cache_write_long=20)
