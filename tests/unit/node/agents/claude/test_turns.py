"""Where a conversation stands, row by row and from its tail alone."""

from __future__ import annotations

from collections.abc import Mapping

import msgspec
import pytest

from controlroom.core.facts import TurnState
from controlroom.node.agents.claude.protocol import Row, RowDecoder
from controlroom.node.agents.claude.turns import CALL_LIMIT, Standing
from controlroom.node.agents.transcripts import Row as FileRow
from tests.unit.node.agents.claude.samples import TRANSCRIPTS, placed

DECODER = RowDecoder()


def standing(name: str, *, until: int | None = None, last: int | None = None) -> Standing:
    """After the rows up to ``until``, or after the last ones only."""
    rows = placed(name)[:until]
    found = Standing()
    found.feed(rows[-last:] if last else rows)
    return found


def states(name: str) -> list[TurnState]:
    """Each state that the turn went through."""
    found, seen = Standing(), list[TurnState]()
    for each in placed(name):
        found.feed([each])
        if found.turn is not None and (not seen or seen[-1] != found.turn.value):
            seen.append(found.turn.value)
    return seen


def fed(*rows: Mapping[str, object]) -> Standing:
    found = Standing()
    for number, fields in enumerate(rows):
        data = msgspec.json.encode({"timestamp": f"2026-11-30T11:00:{number:02}Z", **fields})
        found.feed([(FileRow(number, number + 1, data), DECODER.decode(data))])
    return found


def prompt(text: str = "go", uuid: str = "p") -> dict[str, object]:
    return {"type": "user", "uuid": uuid, "promptSource": "typed", "message": {"content": text}}


def answer(*content: Mapping[str, object], stop: str | None, **more: object) -> dict[str, object]:
    message = {"id": "m", "model": "claude-x", "content": list(content), "stop_reason": stop}
    return {"type": "assistant", "uuid": "a", "message": message, **more}


USE: Mapping[str, object] = {"type": "tool_use", "id": "toolu_1", "name": "Bash", "input": {"command": "ls"}}


class TestTurns:
    @pytest.mark.parametrize(
        ("name", "expected"),
        [
            ("plain-chat", ["open", "ended"]),
            ("tools-and-permissions", ["open", "interrupted", "open", "ended"]),
            ("clear-interrupt-queue", ["open", "interrupted", "open", "ended"]),
            ("ask-user-question", ["open", "ended", "open", "ended"]),
            ("api-error-401", ["open", "failed"]),
            ("api-error-500-then-400", ["open", "ended", "open", "failed", "open", "failed"]),
            ("usage-limit-5h", ["open", "failed"]),
            ("usage-limit-auto-continued", ["open", "failed", "open", "ended"]),
            ("subagents", ["open", "ended", "open", "ended", "open", "ended", "open", "interrupted"]),
            ("compaction", [*["open", "ended"] * 4, "open", "interrupted"]),
        ],
    )
    def test_a_session_goes_through_these_states(self, name: str, expected: list[str]) -> None:
        assert states(name) == expected

    def test_a_turn_that_ran_when_the_program_quit_does_not_run_any_more(self) -> None:
        found = standing("pastes-and-queue")
        assert found.turn is not None and found.turn.value == "interrupted"
        assert found.quit

    def test_a_prompt_that_was_taken_back_leaves_the_turn_open_in_the_file(self) -> None:
        found = standing("prompt-taken-back")
        assert found.turn is not None and found.turn.value == "open"

    def test_a_stop_hook_that_sends_the_agent_on_opens_the_turn_again(self) -> None:
        text = {"type": "text", "text": "done"}
        found = fed(prompt(), answer(text, stop="end_turn"), answer(USE, stop="tool_use"))
        assert found.turn is not None and found.turn.value == "open"

    def test_thinking_alone_does_not_end_the_turn_although_its_row_names_the_stop_reason(self) -> None:
        thought = {"type": "thinking", "thinking": "hm"}
        found = fed(prompt(), answer(thought, stop="end_turn"))
        assert found.turn is not None and found.turn.value == "open" and found.reply is None

    def test_times_are_the_rows(self) -> None:
        found = standing("plain-chat")
        assert found.busy_since_ms is not None and found.turn is not None
        assert found.busy_since_ms < found.turn.at_ms <= found.moved_at_ms

    def test_the_filler_of_a_resumed_session_changes_nothing(self) -> None:
        filler = {
            "model": "<synthetic>",
            "stop_reason": "stop_sequence",
            "content": [{"type": "text", "text": "No response requested."}],
        }
        stopped = {"type": "user", "message": {"content": "[Request interrupted by user]"}}
        found = fed(prompt(), stopped, {"type": "assistant", "message": filler})
        assert found.turn is not None and found.turn.value == "interrupted"


class TestFromTheTail:
    @pytest.mark.parametrize("last", [40, 60, 100])
    @pytest.mark.parametrize("name", TRANSCRIPTS)
    def test_the_last_rows_tell_what_the_whole_file_tells(self, name: str, last: int) -> None:
        whole, tail = standing(name), standing(name, last=last)
        assert whole.turn is not None and tail.turn is not None
        assert tail.turn.value == whole.turn.value
        assert tail.reply == whole.reply
        assert (tail.last_author, tail.last_text) == (whole.last_author, whole.last_text)
        assert (tail.helpers, tail.last_id, tail.moved_at_ms) == (
            whole.helpers,
            whole.last_id,
            whole.moved_at_ms,
        )
        assert tail.chat_end == whole.chat_end

    def test_an_open_turn_is_seen_by_its_calls_when_its_beginning_is_out_of_sight(self) -> None:
        found = fed(answer(USE, stop="tool_use"))
        assert found.turn is not None and found.turn.value == "open"
        assert [call.title for call in found.calls] == ["Bash: ls"]


class TestReply:
    def test_the_reply_is_the_last_answer_and_not_what_was_said_on_the_way(self) -> None:
        found = standing("tools-and-permissions")
        assert found.reply is not None
        assert found.reply.text == "Result: the inventory report says 7. I left NOTES.md out, as you asked."

    def test_an_interrupted_turn_keeps_the_reply_before(self) -> None:
        found = standing("subagents")
        assert found.reply is not None and found.reply.text == "Understood. (fake default reply)"

    def test_texts_of_one_answer_are_one_reply(self) -> None:
        one, two = {"type": "text", "text": "one"}, {"type": "text", "text": "two"}
        found = fed(prompt(), answer(one, stop="end_turn"), answer(two, stop="end_turn"))
        assert found.reply is not None and found.reply.text == "one\n\ntwo"

    def test_a_status_line_is_the_reply_but_not_the_last_words(self) -> None:
        status = {"type": "text", "text": "Status: printing"}
        found = fed(prompt("how far?"), answer(status, stop="end_turn"))
        assert found.reply is not None and found.reply.text == "Status: printing"
        assert (found.last_author, found.last_text) == ("user", "how far?")

    def test_words_handed_over_inside_a_turn_are_the_last_words(self) -> None:
        rows = placed("queued-during-tools")
        at = next(n for n, (_, row) in enumerate(rows) if row.type == "attachment")
        found = standing("queued-during-tools", until=at + 1)
        assert (found.last_author, found.last_text) == ("user", "queued during tool")
        assert found.turn is not None and found.turn.value == "open"


class TestCallsAndHelpers:
    def test_the_first_open_call_is_the_one_that_asks(self) -> None:
        rows = placed("tools-and-permissions")
        waits = next(n for n, (_, r) in enumerate(rows) if b"report.txt" in bytes(r.message)) + 1
        (call,) = standing("tools-and-permissions", until=waits).calls
        assert call.name == "Bash" and call.given.endswith("> report.txt && cat report.txt")

    def test_what_a_call_would_do_is_kept_whole(self) -> None:
        use = {**USE, "input": {"command": "echo " + "x" * 50_000}}
        (call,) = fed(prompt(), answer(use, stop="tool_use")).calls
        assert len(call.given) == 50_005 < CALL_LIMIT

    def test_helpers_are_counted_until_they_report(self) -> None:
        counts = list[int]()
        found = Standing()
        for each in placed("subagents"):
            found.feed([each])
            if not counts or counts[-1] != found.helpers:
                counts.append(found.helpers)
        assert counts == [0, 1, 2, 1, 0]

    def test_helpers_whose_start_is_out_of_sight_are_counted_by_the_turns_end(self) -> None:
        end = {"type": "system", "subtype": "turn_duration", "pendingBackgroundAgentCount": 2}
        text = "<task-notification>\n<task-id>a1</task-id></task-notification>"
        note = {"type": "user", "promptSource": "system", "message": {"content": text}}
        assert fed(end).helpers == 2
        assert fed(end, note).helpers == 1
        assert fed(end, note, {"type": "system", "subtype": "turn_duration"}).helpers == 0

    def test_helpers_die_with_their_program(self) -> None:
        assert standing("subagent-killed-then-resumed").helpers == 0


class TestFailures:
    def test_a_usage_limit_says_when_it_ends(self) -> None:
        failure = standing("usage-limit-5h").failure
        assert failure is not None
        assert (failure.code, failure.resets_ms) == ("usage_limit", 1796043962000)
        assert failure.text == "You've hit your 5-hour limit · resets 1:06pm (UTC)"

    @pytest.mark.parametrize(
        ("name", "code"),
        [
            ("api-error-401", "signed_out"),
            ("api-error-529", "api_error"),
            ("api-error-429-apikey", "api_error"),
        ],
    )
    def test_other_errors(self, name: str, code: str) -> None:
        failure = standing(name).failure
        assert failure is not None and failure.code == code

    def test_the_next_turn_forgets_it(self) -> None:
        assert standing("usage-limit-auto-continued").failure is None


class TestRowsThatDoNotCount:
    def test_unknown_types_are_counted_and_known_metadata_is_not(self) -> None:
        found = fed({"type": "mode"}, {"type": "from-the-future"}, prompt())
        assert found.skipped == 1

    @pytest.mark.parametrize("name", TRANSCRIPTS)
    def test_no_recorded_row_is_unknown(self, name: str) -> None:
        assert standing(name).skipped == 0

    def test_only_rows_that_a_chat_could_show_move_its_end(self) -> None:
        found = fed(prompt(), {"type": "last-prompt"}, {"type": "attachment", "attachment": {"type": "date"}})
        assert found.chat_end == 1

    def test_rows_of_helpers_in_the_main_file_change_nothing(self) -> None:
        found = fed({**prompt(), "isSidechain": True})
        assert found.turn is None and found.last_id == ""

    def test_no_row_of_any_shape_raises(self) -> None:
        odd: list[Row] = [Row(type=kind) for kind in ("user", "assistant", "system", "attachment")]
        found = Standing()
        found.feed([(FileRow(0, 1, b""), row) for row in odd])
        assert found.turn is None
