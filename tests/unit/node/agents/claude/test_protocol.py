"""Rows: every shape is optional, nothing unexpected costs a row, and only people's words are people's."""

from __future__ import annotations

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from controlroom.node.agents.claude.protocol import (
    Message,
    Row,
    RowDecoder,
    blocks,
    command_words,
    content_text,
    is_typed,
    loose,
    queued_words,
    starts_turn,
    unix_ms,
    unwrapped,
)
from tests.unit.node.agents.claude.samples import TRANSCRIPTS, rows

DECODE = RowDecoder().decode


def user(text: str, **more: object) -> Row:
    return DECODE(msgspec.json.encode({"type": "user", "message": {"role": "user", "content": text}, **more}))


@pytest.mark.parametrize("name", TRANSCRIPTS)
def test_every_recorded_row_is_decoded_in_one_pass(name: str) -> None:
    assert all(row.type for row in rows(name))


def test_a_field_of_an_unexpected_shape_is_left_out_and_the_row_stays() -> None:
    row = DECODE(b'{"type":"user","uuid":{"a":1},"isMeta":"yes","timestamp":"2026-11-30T11:02:33.183Z"}')
    assert (row.type, row.uuid, row.is_meta, row.at_ms) == ("user", None, None, 1796036553183)


@pytest.mark.parametrize("data", [b"", b"[1]", b"1", b'{"type":"us\xff"}', b'{"type":'])
def test_what_is_no_object_is_refused(data: bytes) -> None:
    with pytest.raises(msgspec.MsgspecError):
        DECODE(data)


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=8,
)


@given(JSON, JSON, JSON)
def test_no_shape_of_a_row_raises(content: object, attachment: object, origin: object) -> None:
    data = {
        "type": "user",
        "message": {"content": content, "usage": origin, "id": attachment},
        "attachment": {"type": "queued_command", "prompt": attachment, "origin": origin},
        "origin": origin,
    }
    row = DECODE(msgspec.json.encode(data))
    text = content_text(loose(row.message, Message).content)
    assert isinstance(is_typed(row, text) or starts_turn(row, text), bool)
    assert queued_words(row) is None
    assert queued_words(msgspec.structs.replace(row, type="attachment")) in (None, attachment)


class TestContent:
    def test_a_string_and_a_list_hold_the_same_text(self) -> None:
        assert content_text(msgspec.Raw(b'"hi"')) == "hi"
        assert content_text(msgspec.Raw(b'[{"type":"text","text":"hi"}]')) == "hi"

    def test_pictures_are_named(self) -> None:
        raw = msgspec.Raw(b'[{"type":"text","text":"see"},{"type":"image","source":{"data":"..."}}]')
        assert content_text(raw) == "see\n[image]"

    def test_one_strange_block_does_not_hide_the_others(self) -> None:
        found = blocks(msgspec.Raw(b'[{"type":"text","text":5},7,{"type":"text","text":"b"}]'))
        assert [block.text for block in found] == [None, None, "b"]

    @pytest.mark.parametrize("text", [None, "", "yesterday", "2026-13-01"])
    def test_no_time_is_zero(self, text: str | None) -> None:
        assert unix_ms(text) == 0


class TestWhoSaidIt:
    @pytest.mark.parametrize(
        "row",
        [
            user("hi", origin={"kind": "human"}, promptSource="typed"),
            user("hi", promptSource="queued"),
            user("hi", promptSource="sdk"),
            user("hi"),  # rows of older versions say nothing
        ],
    )
    def test_a_person(self, row: Row) -> None:
        assert is_typed(row, "hi") and starts_turn(row, "hi")

    @pytest.mark.parametrize(
        "row",
        [
            user("hi", isMeta=True),
            user("hi", isSidechain=True),
            user("hi", isCompactSummary=True),
            user("hi", origin={"kind": "task-notification"}, promptSource="system", queueTranscriptOnly=True),
            user("hi", isVisibleInTranscriptOnly=True),
        ],
    )
    def test_not_a_person_and_no_turn(self, row: Row) -> None:
        assert not is_typed(row, "hi") and not starts_turn(row, "hi")

    def test_the_automatic_continuation_begins_a_turn_that_no_person_asked_for(self) -> None:
        row = user("go on", isMeta=True, origin={"kind": "auto-continuation"}, promptSource="system")
        assert not is_typed(row, "go on") and starts_turn(row, "go on")

    @pytest.mark.parametrize(
        "text",
        [
            "<local-command-stdout>x</local-command-stdout>",
            "<command-name>/clear</command-name>",
            "<task-notification>\n</task-notification>",
            "<system-reminder>x</system-reminder>",
            "[Request interrupted by user for tool use]",
            "<bash-input>ls</bash-input>",
            "This session is being continued from a previous conversation that ran out of context.",
        ],
    )
    def test_what_the_program_writes_in_the_users_role_is_nobodys_words(self, text: str) -> None:
        assert not is_typed(user(text), text)


class TestPastes:
    @pytest.mark.parametrize(
        ("text", "words"),
        [
            ('\n\n<pasted_content id="d75f">\na\nb\n</pasted_content id="d75f">\n', "a\nb"),
            ('<pasted_content id="4c83">\na\n</pasted_content id="4c83">', "a"),
            ('see:\n\n<pasted_content id="1">\na\n</pasted_content id="1">\n and more', "see:a and more"),
            ("about <pasted_content in a sentence", "about <pasted_content in a sentence"),
        ],
    )
    def test_the_wrapper_is_taken_off(self, text: str, words: str) -> None:
        assert unwrapped(text) == words


class TestCommands:
    def test_a_command_is_told_as_it_was_typed(self) -> None:
        text = "<command-name>/clear</command-name>\n <command-message>clear</command-message>\n"
        assert command_words(text + "<command-args>all\nof it</command-args>") == "/clear all\nof it"
        assert command_words("<bash-input>ls -la</bash-input>") == "!ls -la"
        assert command_words("hello") is None


def test_a_message_that_was_handed_over_inside_a_turn_is_a_persons() -> None:
    words = [text for row in rows("queued-during-tools") if (text := queued_words(row)) is not None]
    assert words == ["queued during tool", "\n".join(f"long line {n}" for n in range(8))]


def test_other_attachments_are_nobodys_words() -> None:
    assert not any(queued_words(row) for row in rows("plan-mode"))
    notification = b"<task-notification>\\n<task-id>a</task-id></task-notification>"
    data = b'{"type":"attachment","attachment":{"type":"queued_command","prompt":"' + notification + b'"}}'
    assert queued_words(DECODE(data)) is None
