"""Properties of the block parsers that hold for any text."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from controlroom.core.blocks import ParsedReply, parse_reply

PIECES = st.sampled_from(
    [
        *("Question for Founder: Go?", "Resolved for Founder: a?: b", "Result: done", "Status: x", "- A: x"),
        *(
            "* B",
            "  - nested",
            "Default: A by 18:00",
            "Blocking: yes",
            "Context: c",
            "Doc: <u>",
            "Changed: y",
        ),
        *(
            "> quote",
            "```",
            "~~~",
            "    code",
            "",
            "words",
            "**Default:** b",
            "1. One: two (recommended)",
            "：",
            "\x00",
        ),
    ]
)
REPLIES = st.one_of(
    st.text(max_size=300), st.lists(PIECES | st.text(max_size=20), max_size=14).map("\n".join)
)
LABELS = st.text(
    st.characters(exclude_categories=["C", "Z"], exclude_characters=":：")
    | st.sampled_from(list(" ,-–—'’!?.")),
    min_size=1,
    max_size=40,
).map(str.strip)


def as_unix(text: str) -> str:
    return text.replace("\r\n", "\n").replace("\r", "\n")


@given(REPLIES)
def test_no_text_makes_the_parser_fail(text: str) -> None:
    reply = parse_reply(text)
    assert all(question.raw in as_unix(text) for question in reply.questions)
    assert not reply.ends_in_question or reply.questions


@given(REPLIES)
def test_a_quoted_reply_says_nothing(text: str) -> None:
    lines = as_unix(text).split("\n")
    assert parse_reply("\n".join("> " + line for line in lines)) == ParsedReply()


@given(REPLIES)
def test_an_indented_reply_says_nothing(text: str) -> None:
    lines = as_unix(text).split("\n")
    assert parse_reply("\n".join("    " + line for line in lines)) == ParsedReply()


@given(REPLIES)
def test_a_fenced_reply_says_nothing(text: str) -> None:
    fence = "`" * (max(3, text.count("`") + 1))
    assert parse_reply(f"{fence}\n{text}\n{fence}") == ParsedReply()


@given(st.lists(LABELS.filter(bool), min_size=2, max_size=5, unique_by=str.casefold))
def test_labels_in_quotes_survive_whatever_they_hold(labels: list[str]) -> None:
    quoted = [f'"{label.replace(chr(34), chr(39))}: so"' for label in labels]
    block = "\n".join(
        ["Question for Founder: Which?", *(f"- {label}: it happens" for label in quoted), "Blocking: yes"]
    )
    (question,) = parse_reply(block).questions
    assert [option.label for option in question.options] == quoted


@given(st.text("abc déf,;–—-'’.!?()漢字🙂", min_size=1, max_size=40).map(lambda s: "L" + s.strip() + "x"))
def test_labels_without_a_colon_survive(label: str) -> None:
    (question,) = parse_reply(
        f"Question for Founder: Which?\n- {label}: it happens\n- B: c\nBlocking: yes"
    ).questions
    assert (question.options[0].label, question.options[0].what) == (label, "it happens")
