"""What agents write: the forms, read tolerantly and reported strictly."""

from __future__ import annotations

import pytest

from controlroom.core import blocks
from controlroom.core.blocks import ParsedReply, parse_reply
from controlroom.core.question_block import Question

FORM = """\
The label printer can go out today.

Question for Founder: Ship the label printer today?
- Ship today: tag v1.0 and print the first batch (recommended)
- Wait: hold until the review on Thursday
- Drop it: archive the branch
Default: I will ship today by 18:00
Context: Tests pass. The review is only about the colours.
Doc: https://docs.example.internal/label-printer"""


def only_question(text: str) -> Question:
    (question,) = parse_reply(text).questions
    return question


# --- Status ------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("reply", "status"),
    [
        ("Status: printing the first batch", "printing the first batch"),
        ("\n  Status: with blank lines around\n\n", "with blank lines around"),
        ("**Status:** bold key", "bold key"),
        ("**Status: all bold**", "all bold"),
        ("status：低い", "低い"),
        ("Status: 3/4: half way: done", "3/4: half way: done"),
        ("Status:", None),
        ("Status: one\nand more", None),
        ("Status: one\n\nA report follows.", None),
        ("Done.\n\nStatus: not the entire reply", None),
        ("> Status: quoted", None),
        ("    Status: indented code", None),
        ("```\nStatus: fenced\n```", None),
        ("Status quo: kept", None),
        ("", None),
    ],
)
def test_status_is_the_entire_reply(reply: str, status: str | None) -> None:
    assert parse_reply(reply).status == status


# --- Question ----------------------------------------------------------------------------------------


def test_the_form_of_the_spec_is_read_whole() -> None:
    reply = parse_reply(FORM)
    assert reply.ends_in_question
    (question,) = reply.questions
    assert question.question == "Ship the label printer today?"
    assert [(o.key, o.label, o.what, o.recommended) for o in question.options] == [
        ("1", "Ship today", "tag v1.0 and print the first batch", True),
        ("2", "Wait", "hold until the review on Thursday", False),
        ("3", "Drop it", "archive the branch", False),
    ]
    assert question.default is not None
    assert (question.default.text, question.default.by) == ("I will ship today", "18:00")
    assert not question.blocking
    assert question.context == "Tests pass. The review is only about the colours."
    assert question.doc == "https://docs.example.internal/label-printer"
    assert question.problem is None
    assert question.raw == FORM.partition("\n\n")[2]


@pytest.mark.parametrize(
    ("option", "label", "what"),
    [
        ("Yes, once: run it", "Yes, once", "run it"),
        ("Yes, for this folder - always: run it", "Yes, for this folder - always", "run it"),
        ("Ship at 18:00: tag v1", "Ship at 18:00", "tag v1"),
        ("Move to http://a.example:8080/x: restart", "Move to http://a.example:8080/x", "restart"),
        ('"Plan B: the slow one": takes a week', '"Plan B: the slow one"', "takes a week"),
        ("“Plan B: the slow one”: takes a week", "“Plan B: the slow one”", "takes a week"),
        ("`make x: y`: builds", "`make x: y`", "builds"),
        ("**Ship: today**: tag v1", "Ship: today", "tag v1"),
        ("**Ship today:** tag v1: now", "Ship today", "tag v1: now"),
        ("Use **fast** mode: quick", "Use **fast** mode", "quick"),
        ("Don't ask: don't", "Don't ask", "don't"),
        ("今日発送：v1.0 にタグを付ける", "今日発送", "v1.0 にタグを付ける"),
        ("Livrer aujourd’hui : étiqueter", "Livrer aujourd’hui", "étiqueter"),
        ("Да, сейчас: выпустить", "Да, сейчас", "выпустить"),
        ("A [link: here](http://b): opens", "A [link: here](http://b)", "opens"),
        ("No colon at all", "No colon at all", ""),
        ("__init__: at import", "__init__", "at import"),
        ("Only a label:", "Only a label", ""),
    ],
)
def test_labels_survive_whole(option: str, label: str, what: str) -> None:
    """Field lessons 27: not cut at the first comma, colon, dash or quote."""
    choice = only_question(f"Question for Founder: Go?\n- {option}\n- Stop: all ends\nBlocking: yes").options[
        0
    ]
    assert (choice.label, choice.what) == (label, what)


def test_options_that_would_get_the_same_name_are_split_at_a_later_colon() -> None:
    question = only_question(
        "Question for Founder: Which?\n- Plan: fast: now\n- Plan: slow: later\n- None: stop\nBlocking: yes"
    )
    assert [o.label for o in question.options] == ["Plan: fast", "Plan: slow", "None"]
    assert question.problem is None


@pytest.mark.parametrize(
    "written",
    [
        "- Ship: x (recommended)",
        "- Ship (recommended): x",
        "- **Ship** (Recommended): x",
        "- Ship: x **(recommended)**",
    ],
)
def test_recommended_is_no_part_of_a_label(written: str) -> None:
    choice = only_question(f"Question for Founder: Go?\n{written}\n- Stop: y\nBlocking: yes").options[0]
    assert (choice.label, choice.what, choice.recommended) == ("Ship", "x", True)


@pytest.mark.parametrize("bullet", ["-", "*", "+", "•", "–", "1.", "2)", "a)", "(b)", "- [ ]"])
def test_all_kinds_of_lists_are_options(bullet: str) -> None:
    question = only_question(f"Question for Founder: Go?\n{bullet} Ship: x\n{bullet} Stop: y\nBlocking: yes")
    assert [(o.key, o.label) for o in question.options] == [("1", "Ship"), ("2", "Stop")]


def test_marks_and_blank_lines_between_the_parts_are_tolerated() -> None:
    reply = parse_reply(
        "## **Question for Founder:** Ship\n  it now?\n\n* **Ship**: tag\n  and print\n  - two\n* Stop: end\n"
        "\n**Default:** ship by tomorrow 09:00\n\n_Context_: One.\nTwo.\n\n  Doc: [all](https://d.x/1)\n\n\n"
    )
    (question,) = reply.questions
    assert reply.ends_in_question
    assert question.question == "Ship it now?"
    assert [(o.label, o.what) for o in question.options] == [
        ("Ship", "tag and print\n- two"),
        ("Stop", "end"),
    ]
    assert question.default is not None
    assert question.default.by == "tomorrow 09:00"
    assert (question.context, question.doc) == ("One. Two.", "https://d.x/1")
    assert question.problem is None


@pytest.mark.parametrize(
    ("default", "text", "by"),
    [
        ("I will ship by hand by 18:00", "I will ship by hand", "18:00"),
        ("I will ship, by Friday.", "I will ship", "Friday"),
        ("I will ship by\tend of day", "I will ship", "end of day"),
        ("I will do it by hand", "I will do it by hand", ""),
        ("I sort by size at 18:00", "I sort by size at 18:00", ""),
        ("I will ship (by 18:00)", "I will ship", "18:00"),
        ("I will ship by **18:00**.", "I will ship", "18:00"),
        ("I pay by money order", "I pay by money order", ""),
        ("by 18:00", "by 18:00", ""),
    ],
)
def test_the_time_of_a_default(default: str, text: str, by: str) -> None:
    question = only_question(f"Question for Founder: Go?\n- A: x\n- B: y\nDefault: {default}")
    assert question.default is not None
    assert (question.default.text, question.default.by) == (text, by)
    assert (question.problem is None) == bool(by)


@pytest.mark.parametrize(
    ("value", "blocking"), [("yes", True), ("Yes, it is public", True), ("no", False), ("perhaps", True)]
)
def test_only_a_clear_no_makes_a_question_not_blocking(value: str, blocking: bool) -> None:
    """Blocking questions are never answered for the person, so doubt is blocking."""
    assert only_question(f"Question for Founder: Go?\n- A: x\n- B: y\nBlocking: {value}").blocking is blocking


@pytest.mark.parametrize(
    ("block", "problem"),
    [
        ("Question for Founder:\n- A: x\n- B: y\nBlocking: yes", "It asks nothing."),
        ("Question for Founder: Go?\nBlocking: yes", "It has no options."),
        ("Question for Founder: Go?\n- A: x\nBlocking: yes", "It has one option only."),
        ("Question for Founder: Go?\n- A: x\n- B\nBlocking: yes", "Option 2 does not say what happens."),
        ("Question for Founder: Go?\n- A: x\n- a: y\nBlocking: yes", "Two options have the same name."),
        ("Question for Founder: Go?\n- A: x\n- B: y", "It has neither a default nor “Blocking: yes”."),
        ("Question for Founder: Go?\n- A: x\n- B: y\nDefault: A", "Its default has no time (“by …”)."),
        (
            "Question for Founder: Go?\n- A: x\n- B: y\nDefault: A by 9:00\nBlocking: yes",
            "It has both a default and “Blocking: yes”.",
        ),
        (
            "Question for Founder: Go?\n- A: x (recommended)\n- B: y (recommended)\nBlocking: yes",
            "More than one option is recommended.",
        ),
        (
            "Question for Founder: Go?\n- A: x\n- B: y\nBlocking: yes\nBlocking: yes",
            "Blocking is given twice.",
        ),
    ],
)
def test_a_malformed_block_says_its_problem_and_keeps_its_raw_text(block: str, problem: str) -> None:
    question = only_question(block)
    assert question.problem == problem
    assert question.raw == block


@pytest.mark.parametrize(
    "tail",
    [
        "\nTell me soon.",
        "\n\nTell me soon.",
        "\n\n- an unrelated list",
        "\n\n```\ncode\n```",
        "\n> quote",
        "\n\n---",
    ],
)
def test_a_reply_that_goes_on_does_not_end_in_its_question(tail: str) -> None:
    reply = parse_reply(FORM + tail)
    assert not reply.ends_in_question
    assert reply.questions[0].raw == FORM.partition("\n\n")[2]


def test_a_sentence_behind_the_options_is_no_part_of_the_last_label() -> None:
    reply = parse_reply("Question for Founder: Go?\n- Yes\n- No\nLet me know!")
    assert [o.label for o in reply.questions[0].options] == ["Yes", "No"]
    assert not reply.ends_in_question


def test_several_questions_are_all_read_and_the_last_one_decides_the_end() -> None:
    reply = parse_reply(
        f"{FORM}\n\nQuestion for Founder: And the pears?\n- Eat: now\n- Keep: later\nBlocking: yes\n"
    )
    assert [q.question for q in reply.questions] == ["Ship the label printer today?", "And the pears?"]
    assert reply.ends_in_question


@pytest.mark.parametrize(
    "hidden",
    [
        "\n".join("> " + line for line in FORM.splitlines()),
        "\n".join("    " + line for line in FORM.splitlines()),
        "\n".join("\t" + line for line in FORM.splitlines()),
        f"```\n{FORM}\n```",
        f"Like this:\n~~~text\n{FORM}\n~~~",
        f"````\n```\n{FORM}\n```\n````",
        f"```\nnever closed\n{FORM}",
        "`Question for Founder: Go?`",
        "I will write Question for Founder: Go? later",
        "Questions for Founder: Go?",
    ],
)
def test_quoted_fenced_and_indented_blocks_do_not_count(hidden: str) -> None:
    assert parse_reply(hidden) == ParsedReply()


def test_a_question_behind_an_example_counts() -> None:
    assert len(parse_reply(f"```\n{FORM}\n```\n\n{FORM}").questions) == 1


# --- Resolved ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("line", "text", "why"),
    [
        (
            "Ship the label printer today?: shipped at 17:40, the default applied.",
            "Ship the label printer today?",
            "shipped at 17:40, the default applied.",
        ),
        ("Deploy: staging or prod?: prod: it is late", "Deploy: staging or prod?", "prod: it is late"),
        ("the invoice: paid", "the invoice", "paid"),
        ("*Which colour?*: green", "*Which colour?*", "green"),
        ("色は？：緑", "色は？", "緑"),
    ],
)
def test_resolved_names_the_question_and_why(line: str, text: str, why: str) -> None:
    (resolved,) = parse_reply(f"Done.\n\n**Resolved for Founder:** {line}\nThen I went on.").resolved
    assert (resolved.text, resolved.why, resolved.problem) == (text, why, None)


def test_resolved_without_a_reason_says_so() -> None:
    (resolved,) = parse_reply("Resolved for Founder: Ship it?").resolved
    assert resolved.problem == "It does not say why."


# --- Result ------------------------------------------------------------------------------------------


def test_a_result_has_its_parts_and_leaves_other_lines_markdown() -> None:
    reply = parse_reply(
        "Result: label printer shipped\n- 120 labels printed\n\nChanged: `labels.py`\n- and its test\n\n"
        "Checked:\n\nran the tests\n\nNot done: colours\nLook at: labels.py --preview\n\nThanks!"
    )
    result = reply.result
    assert result is not None
    assert (result.text, result.changed) == ("label printer shipped", "`labels.py`\n- and its test")
    assert (result.checked, result.not_done, result.look_at) == (
        "ran the tests",
        "colours",
        "labels.py --preview",
    )
    assert result.body == "- 120 labels printed\n\nThanks!"
    assert result.problem is None


def test_a_casual_result_line_inside_a_reply_is_no_card() -> None:
    assert parse_reply("I ran it.\n\nResult: 5 tests failed.\n\nI look further.").result is None


def test_a_result_may_follow_an_introduction_when_its_parts_show_what_it_is() -> None:
    result = parse_reply("All is done.\n\nResult: shipped\nChanged: a.py").result
    assert result is not None
    assert (result.text, result.changed) == ("shipped", "a.py")


def test_parts_inside_a_fence_stay_text() -> None:
    result = parse_reply("Result: shipped\n```\nChanged: no\n```\nChanged: yes").result
    assert result is not None
    assert (result.changed, result.body) == ("yes", "```\nChanged: no\n```")


def test_a_question_behind_a_result_is_a_block_of_its_own() -> None:
    reply = parse_reply(f"Result: shipped\nChecked: all\n\n{FORM}")
    assert reply.result is not None
    assert reply.result.checked == "all"
    assert reply.result.body == "The label printer can go out today."
    assert reply.ends_in_question


def test_a_result_without_a_sentence_says_so() -> None:
    result = parse_reply("Result:\nChanged: a").result
    assert result is not None
    assert result.problem == "It does not say the result in one sentence."


@pytest.mark.parametrize(
    "text",
    [
        "A plain reply.\n\n- with a list: of things\n" * 50,
        "The result of it is good, and the status did not change. The founder is asked.\n" * 50,
        "```\nStatus = 1\nresult = 2\n```\n" * 50,
    ],
)
def test_a_reply_without_a_form_is_not_taken_apart(text: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Looking for questions costs nothing where there are none."""
    monkeypatch.setattr(blocks, "split_lines", lambda _text: pytest.fail("its lines are looked at"))
    assert parse_reply(text + "?") == ParsedReply()
