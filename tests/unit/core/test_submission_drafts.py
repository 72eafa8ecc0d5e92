"""What becomes of an unsent text that stands in the composer."""

from __future__ import annotations

import pytest

from controlroom.core.delivery import OnDraft
from controlroom.core.submission import (
    ClearLine,
    Done,
    Finish,
    Locate,
    Located,
    Look,
    Looked,
    Paste,
    Save,
    Sending,
    Step,
    start,
    step,
)
from tests.unit.core.submission_steps import (
    COVERED,
    NONE,
    saw,
    until,
)


def test_behind_a_draft_both_are_one_message_on_two_lines() -> None:
    """Field lessons 24: never `HALF DRAFTour text`."""
    run, effect = until(start("our text", on_draft="after"), Locate, saw("HALF DRAFT"))
    run, effect = step(run, Located("s", "7"))
    assert isinstance(effect, Save)
    assert (effect.intent.draft, effect.intent.text) == ("HALF DRAFT", "\nour text")
    run, effect = step(run, Done())
    run, effect = step(run, saw("HALF DRAFT"))
    assert effect == Paste("\nour text")
    run, effect = until((run, effect), Look, Done(), Done(), NONE)
    assert effect == Look("HALF DRAFT\nour text")


@pytest.mark.parametrize(
    "draft", [saw("[Pasted text #1 +59 lines]", collapsed=True), saw("/clear", is_command=True)]
)
def test_what_cannot_stand_behind_a_draft_is_held(draft: Looked) -> None:
    assert isinstance(end := step(start("our text", on_draft="after")[0], draft)[1], Finish)
    assert end.outcome.code == "draft"


def test_a_command_never_stands_behind_a_draft() -> None:
    assert isinstance(end := step(start("/clear", on_draft="after", command=True)[0], saw("x"))[1], Finish)
    assert end.outcome.code == "draft"


def kept(draft: OnDraft = "replace") -> Step:
    """A run that has stored the draft, and looks once more before the first key."""
    run, effect = until(start("hello", on_draft=draft), Save, saw("one\ntwo"), Located("s", "7"))
    assert isinstance(effect, Save)
    assert (effect.intent.draft, effect.intent.pasted) == ("one\ntwo", False)
    return until((run, effect), Look, Done())


def cleared(draft: OnDraft = "replace") -> Step:
    """A run that is about to press Ctrl-U for the first time."""
    return until(kept(draft), ClearLine, saw("one\ntwo"))


@pytest.mark.parametrize(
    ("seen", "code"),
    [(COVERED, "dialog"), (saw("one\ntwo", now="working"), "working"), (saw("one\ntwo and"), "draft")],
)
def test_the_first_line_is_not_cleared_when_something_opened_meanwhile(seen: Looked, code: str) -> None:
    assert isinstance(end := step(kept()[0], seen)[1], Finish)
    assert end.outcome.code == code


def test_a_replaced_draft_is_cleared_line_by_line_and_looked_at_after_each() -> None:
    at = until(cleared(), Look, Done(), Done())
    at = until(at, ClearLine, saw("one"))
    at = until(at, Look, Done(), Done())
    run, effect = until(at, Save, saw(""))
    assert isinstance(effect, Save)
    assert (effect.intent.draft, effect.intent.pasted) == ("", True)
    _, effect = until((run, effect), Paste, Done(), saw(""))
    assert effect == Paste("hello")


def test_a_draft_that_cannot_be_cleared_is_held() -> None:
    run: Sending
    run, effect = cleared()
    clears = 0
    while not isinstance(effect, Finish):
        clears += isinstance(effect, ClearLine)
        run, effect = step(run, saw("stays") if isinstance(effect, Look) else Done())
    assert effect.outcome.code == "draft"
    assert clears < 10


@pytest.mark.parametrize(("seen", "code"), [(COVERED, "dialog"), (saw("one", now="working"), "working")])
def test_clearing_stops_when_something_opens(seen: Looked, code: str) -> None:
    at = until(cleared(), Look, Done(), Done())
    assert isinstance(end := step(at[0], seen)[1], Finish)
    assert end.outcome.code == code
