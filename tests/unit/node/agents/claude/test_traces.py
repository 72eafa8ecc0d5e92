"""Looking for a message: found where it stands, in the queue while it waits, and nowhere else."""

from __future__ import annotations

import io
from collections.abc import Mapping

import msgspec
import pytest

from controlroom.core.delivery import Intent, Trace
from controlroom.node.agents.claude.protocol import Row, RowDecoder
from controlroom.node.agents.claude.traces import (
    Position,
    parse_position,
    position_now,
    rows_behind,
    trace,
)
from tests.unit.node.agents.claude.samples import rows, transcript

T0 = 1796037000000  # 2026-11-30T11:10:00Z


def intent(text: str, position: str = "") -> Intent:
    return Intent(session_id="s", position=position, text=text)


def line(**fields: object) -> bytes:
    return msgspec.json.encode({"timestamp": "2026-11-30T11:10:00Z", **fields}) + b"\n"


def queue(operation: str, content: str | None = None) -> Row:
    more: Mapping[str, object] = {} if content is None else {"content": content}
    return RowDecoder().decode(line(type="queue-operation", operation=operation, **more))


class TestTrace:
    @pytest.mark.parametrize(
        ("name", "text"),
        [
            ("plain-chat", "How do I tell when a pear is ripe? Café ☕ ünïcode 測試"),
            ("pastes-and-queue", "a\nb\nc\nd"),  # wrapped as a paste
            ("pastes-and-queue", "queued one\nwith two lines"),
            ("queued-during-tools", "queued during tool"),  # handed over inside the turn
            ("queued-during-tools", "\n".join(f"long queued {n}" for n in range(8))),
            ("clear-and-shell-command", "/clear"),
            ("clear-and-shell-command", "!echo hi"),
        ],
    )
    def test_a_message_is_found_in_its_row(self, name: str, text: str) -> None:
        found = trace(rows(name), intent(text), 0)
        assert found.state == "row" and found.item_id and found.at_ms

    @pytest.mark.parametrize(
        "text", ["How do I tell when a pear is ripe", "Pick when the skin gives slightly", "", "/exit"]
    )
    def test_nothing_else_is(self, text: str) -> None:
        assert trace(rows("plain-chat")[:30], intent(text), 0) == Trace(state="none")

    def test_it_waits_in_the_queue_until_it_leaves_it(self) -> None:
        found = rows("queued-during-tools")
        at = next(n for n, row in enumerate(found) if row.operation == "enqueue")
        wanted = intent("queued during tool")
        assert trace(found[: at + 1], wanted, 0).state == "queued"
        assert trace(found, wanted, 0).state == "row"

    def test_what_was_taken_back_from_the_queue_is_nowhere(self) -> None:
        assert trace(rows("queued-during-tools"), intent("queue A"), 0).state == "none"

    def test_the_queue_of_an_ended_process_is_no_queue(self) -> None:
        waiting = [queue("enqueue", "later")]
        assert trace(waiting, intent("later"), T0 - 1000).state == "queued"
        assert trace(waiting, intent("later"), T0 + 60_000).state == "none"
        assert trace([*waiting, Row(type="cost-state")], intent("later"), 0).state == "none"

    def test_the_queue_is_first_in_first_out(self) -> None:
        found = [queue("enqueue", "one"), queue("enqueue", "two"), queue("dequeue")]
        assert trace(found, intent("one"), 0).state == "none"
        assert trace(found, intent("two"), 0).state == "queued"

    def test_behind_a_draft_the_row_ends_with_it(self) -> None:
        row = RowDecoder().decode(line(type="user", uuid="u", message={"content": "draft and mine"}))
        assert trace([row], intent(" and mine"), 0).state == "none"
        behind = msgspec.structs.replace(intent(" and mine"), draft="draft")
        assert trace([row], behind, 0).state == "row"

    def test_what_the_composer_changes_does_not_hide_it(self) -> None:
        row = RowDecoder().decode(line(type="user", uuid="u", message={"content": "a    b é"}))
        assert trace([row], intent("a\tb e\u0301  \n"), 0).state == "row"


class TestPositions:
    def test_a_position_is_a_text_and_back(self) -> None:
        position = Position("some-session", "120-abcdef", T0)
        assert parse_position(position.text()) == position
        assert parse_position("") == Position("", "", 0)
        assert parse_position("x|y|z") == Position("x", "y", 0)

    def test_only_rows_behind_it_count(self) -> None:
        first, second = line(type="user", uuid="1"), line(type="user", uuid="2")
        position = position_now(io.BytesIO(first), "s", T0)
        found = rows_behind(io.BytesIO(first + second), position, is_same_session=True)
        assert [row.uuid for row in found] == ["2"]

    def test_a_session_without_a_file_begins_at_its_beginning(self) -> None:
        position = position_now(None, "s", T0)
        found = rows_behind(io.BytesIO(line(type="user", uuid="1")), position, is_same_session=True)
        assert [row.uuid for row in found] == ["1"]

    def test_half_a_row_is_not_passed_over(self) -> None:
        first, second = line(type="user", uuid="1"), line(type="user", uuid="2")
        position = position_now(io.BytesIO(first + second[:20]), "s", T0)
        found = rows_behind(io.BytesIO(first + second), position, is_same_session=True)
        assert [row.uuid for row in found] == ["2"]

    @pytest.mark.parametrize("is_same_session", [True, False])
    def test_in_another_or_a_replaced_file_only_younger_rows_count(self, is_same_session: bool) -> None:
        old = line(type="user", uuid="old", timestamp="2026-11-30T11:00:00Z")
        young = line(type="user", uuid="young") + line(type="mode")
        position = Position("s", "999999-000000000000", T0)
        found = rows_behind(io.BytesIO(old + young), position, is_same_session=is_same_session)
        assert [row.uuid for row in found] == ["young", None]

    def test_the_same_words_of_yesterday_are_no_proof(self) -> None:
        with transcript("plain-chat").open("rb") as file:
            position = position_now(file, "s", T0)
            found = rows_behind(file, position, is_same_session=True)
        assert found == ()
