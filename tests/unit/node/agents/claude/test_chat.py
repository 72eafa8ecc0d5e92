"""Chat items of recorded sessions: one for each thing that happened, and nothing that nobody said."""

from __future__ import annotations

from collections.abc import Mapping

import msgspec
import pytest

from controlroom.node.agents.claude.chat import TEXT_LIMIT, Chat, notification
from controlroom.node.agents.claude.protocol import Row, RowDecoder
from controlroom.wire.model import Item
from tests.unit.node.agents.claude.samples import TRANSCRIPTS, rows


def chat_of(found: list[Row]) -> Chat:
    chat = Chat()
    for row in found:
        chat.feed(row)
    return chat


def items(name: str) -> tuple[Item, ...]:
    return chat_of(rows(name)).items()


def told(name: str) -> list[tuple[str, str]]:
    """(kind, first words) of each item."""
    return [
        (item.kind, item.tool.title if item.tool else (item.text or "").split("\n")[0][:40])
        for item in items(name)
    ]


def tool(name: str, title: str) -> Item:
    return next(item for item in items(name) if item.tool is not None and item.tool.title == title)


def row(**fields: object) -> Row:
    return RowDecoder().decode(msgspec.json.encode({"timestamp": "2026-11-30T11:00:00Z", **fields}))


class TestConversations:
    def test_tools_stand_between_the_words_with_their_outcome(self) -> None:
        assert told("tools-and-permissions") == [
            ("user", "Please make the inventory report run and"),
            ("thinking", "I should look at the code first."),
            ("assistant", "I will look at the code first."),
            ("tool", "Read orchard.py"),
            ("tool", "Bash: git log --oneline | head -3"),
            ("assistant", "Now I need to run the report script."),
            (
                "tool",
                'Bash: python3 -c "import orchard; print(orchard.total([{\\"qty\\":3},{\\"qty\\":4}]))"'
                " > report.txt && cat report.txt",
            ),
            ("assistant", "The total is 7. I will fix the docstring"),
            ("tool", "Edit orchard.py"),
            ("assistant", "And a new file with the notes."),
            ("tool", "Write NOTES.md"),
            ("notice", "Interrupted"),
            ("user", "Fine, skip the notes file. Finish up."),
            ("result", "Result: the inventory report says 7. I l"),
        ]

    def test_an_edit_names_its_file_and_lines_and_a_refused_write_changes_nothing(self) -> None:
        edit = tool("tools-and-permissions", "Edit orchard.py").tool
        assert edit is not None and edit.changes is not None and edit.state == "done"
        assert [(c.path, c.added, c.removed) for c in edit.changes] == [("orchard.py", 1, 0)]
        write = tool("tools-and-permissions", "Write NOTES.md").tool
        assert write is not None and (write.state, write.changes) == ("refused", None)

    def test_interruptions_and_queued_words(self) -> None:
        assert told("clear-interrupt-queue") == [
            ("notice", "/clear"),
            ("user", "Tell me a long story about a pear."),
            ("assistant", "Once upon a time in an orchard there liv"),
            ("notice", "Interrupted"),
            ("user", "Also mention a plum please"),
            ("assistant", "Understood. (fake default reply)"),
        ]

    def test_a_message_handed_over_inside_a_turn_is_a_user_bubble(self) -> None:
        kinds = told("queued-during-tools")
        assert ("user", "queued during tool") in kinds
        assert ("user", "long line 0") in kinds
        assert not any(text.startswith("queue ") for _, text in kinds)  # those were taken back

    def test_helpers_are_helper_activity_and_never_user_bubbles(self) -> None:
        found = told("subagents")
        assert [text for kind, text in found if kind == "user"] == [
            "Use two helpers to count the fruit.",
            "Please touch the marker.",
        ]
        pears = tool("subagents", "Agent: Count pears")
        assert pears.kind == "helper" and pears.text == "Count pears" and pears.tool is not None
        assert (pears.tool.state, pears.tool.output) == ("done", "There are 3 lines and no pears.")
        assert ("helper", 'Agent "Count plums" finished') in found

    def test_a_helper_that_died_with_its_program_failed(self) -> None:
        slow = tool("subagent-killed-then-resumed", "Agent: Slow count")
        assert slow.tool is not None and slow.tool.state == "failed"

    def test_questions_status_lines_and_results_are_told_apart(self) -> None:
        kinds = [item.kind for item in items("question-status-result-blocks")]
        assert kinds == ["user", "question", "user", "user", "result", "user", "assistant"]

    def test_answers_stand_in_the_picker(self) -> None:
        picker = tool("ask-user-question", "Question: Ship the label printer now?").tool
        assert picker is not None
        assert picker.input == "Ship the label printer now?\n- Yes\n- No"
        assert picker.output == "Ship the label printer now? → Ship it on Tuesday – après le déjeuner"

    def test_errors_limits_and_compaction_are_notices(self) -> None:
        assert ("notice", "You've hit your 5-hour limit · resets 1:06p") not in told("usage-limit-5h")
        assert [kind for kind, _ in told("usage-limit-5h")] == ["user", "notice", "notice", "notice"]
        assert ("notice", "Conversation compacted") in told("compaction")
        assert ("notice", "/compact") in told("compaction")
        assert not any("being continued" in text for _, text in told("compaction"))
        assert ("notice", "API Error: 400 messages.1: something is ") in told("api-error-500-then-400")

    def test_pastes_are_shown_without_their_wrapper(self) -> None:
        texts = [item.text or "" for item in items("pastes-and-queue") if item.kind == "user"]
        assert "a\nb\nc\nd" in texts
        assert not any("pasted_content" in text for text in texts)

    def test_a_shell_command_is_a_notice_with_its_output(self) -> None:
        assert told("clear-and-shell-command")[:3] == [
            ("notice", "/clear"),
            ("notice", "!echo hi"),
            ("notice", "hi"),
        ]

    def test_the_filler_of_a_resumed_session_is_hidden(self) -> None:
        assert not any("No response requested" in text for _, text in told("moved-and-resumed"))

    def test_terminal_codes_never_reach_a_chat(self) -> None:
        for name in TRANSCRIPTS:
            assert not any("\x1b" in (item.text or "") for item in items(name))


class TestRules:
    @pytest.mark.parametrize("name", TRANSCRIPTS)
    def test_ids_are_unique_and_reading_twice_changes_nothing(self, name: str) -> None:
        found = rows(name)
        once, twice = chat_of(found), chat_of([*found, *found])
        assert once.items() == twice.items()
        assert len({item.id for item in once.items()}) == len(once.items())

    @pytest.mark.parametrize("name", TRANSCRIPTS)
    def test_tokens_of_an_answer_count_once(self, name: str) -> None:
        answers = dict[str, int]()
        for each in rows(name):
            if each.type == "assistant" and not each.is_sidechain:
                message = msgspec.json.decode(each.message)
                if message["model"] != "<synthetic>":
                    output = message["usage"]["output_tokens"]
                    answers[message["id"]] = max(output, answers.get(message["id"], 0))
        counted = sum(item.tokens.output for item in items(name) if item.tokens)
        hidden = 20 if name == "question-status-result-blocks" else 0  # the status line has no bubble
        assert counted == sum(answers.values()) - hidden

    def test_the_largest_output_count_of_an_answer_is_kept(self) -> None:
        def part(uuid: str, block: Mapping[str, object], output: int) -> Row:
            usage = {"input_tokens": 4, "cache_read_input_tokens": 6, "output_tokens": output}
            message = {"id": "m1", "model": "claude-x", "content": [block], "usage": usage}
            return row(type="assistant", uuid=uuid, message=message)

        use = {"type": "tool_use", "id": "toolu_1", "name": "Bash", "input": {}}
        chat = chat_of([part("u1", {"type": "text", "text": "a"}, 1), part("u2", use, 90)])
        tokens = [item.tokens for item in chat.items()]
        assert tokens[0] is not None and (tokens[0].input, tokens[0].output) == (10, 90)
        assert tokens[1] is None

    def test_a_call_without_a_result_ends_with_the_next_turn(self) -> None:
        use = {"type": "tool_use", "id": "toolu_1", "name": "Bash", "input": {"command": "ls"}}
        first = row(type="assistant", uuid="a", message={"id": "m", "model": "x", "content": [use]})
        chat = chat_of([first])
        assert chat.unfinished() == {"toolu_1"}
        chat.feed(row(type="user", uuid="b", message={"content": "go on"}))
        assert not chat.unfinished()
        assert [i.tool.state for i in chat.take() if i.tool] == ["failed"]

    def test_only_what_changed_is_taken(self) -> None:
        found = rows("tools-and-permissions")
        chat = Chat()
        changed: list[str] = []
        for each in found:
            chat.feed(each)
            changed += [item.id for item in chat.take()]
        assert changed.count("toolu_05ed3508d1ab4ba6ac1b5cf6") == 2  # the call, then its result
        assert chat.take() == ()

    def test_an_overlong_text_is_clipped_and_says_so(self) -> None:
        chat = chat_of([row(type="user", uuid="u", message={"content": "x" * 12_000_000})])
        (item,) = chat.items()
        assert item.clipped and len(item.text or "") == TEXT_LIMIT

    def test_rows_of_helpers_in_the_main_file_are_no_items(self) -> None:
        chat = chat_of([row(type="user", uuid="u", isSidechain=True, message={"content": "inner words"})])
        assert chat.items() == ()


def test_a_notification_is_read_tolerantly() -> None:
    note = notification("<task-notification><status>completed</status></task-notification>")
    assert note is not None and (note.status, note.tool_use_id, note.of_helper) == ("completed", "", False)
    assert notification("hello") is None
