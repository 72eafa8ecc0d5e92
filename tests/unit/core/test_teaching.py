"""The message that teaches the form says what was wrong, is short, and shows a form that is read well."""

from __future__ import annotations

from controlroom.core.blocks import parse_reply
from controlroom.core.teaching import FORM, teaching


def test_it_names_the_question_and_what_was_wrong() -> None:
    text = teaching("Move the old invoices too?", "It has no options. Its default has no time (“by …”).")
    assert text.startswith(
        'Your question "Move the old invoices too?" is with the person, so do not ask it again. But its form'
        " was not right: It has no options. Its default has no time (“by …”). From now on, "
    )
    assert FORM in text and "Blocking: yes" in text and "18:00" in text


def test_a_question_without_words() -> None:
    assert teaching("", "It asks nothing.").startswith("Your question is with the person")


def test_outside_text_is_cut_and_on_one_line() -> None:
    text = teaching("x\n\x1b[31m" * 900, "y " * 900)
    assert len(text) < 1_700 and "\x1b" not in text
    assert text.split("\n\n")[0].count("\n") == 0


def test_who_follows_the_form_has_no_problem() -> None:
    filled = FORM.replace("<time>", "18:00")
    (question,) = parse_reply(filled).questions
    assert question.problem is None
    assert [one.recommended for one in question.options] == [False, True]
    assert question.default is not None and question.default.by == "18:00"
