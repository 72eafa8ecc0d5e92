"""Which keys answer which dialog, as the real program takes them."""

from __future__ import annotations

import pytest

from controlroom.node.agents.codex.dialogs import FoundDialog
from controlroom.node.agents.codex.prompts import next_step
from controlroom.node.agents.codex.screens import find_dialog
from controlroom.node.agents.typing import CannotAnswer, Press, TypeText, Want
from tests.unit.node.agents.codex.samples import frame


def found(name: str) -> FoundDialog:
    dialog = find_dialog(frame(name))
    assert dialog is not None
    return dialog


@pytest.mark.parametrize(
    ("name", "option", "keys"),
    [
        ("exec-approval-80x24", "1", ("1",)),
        ("exec-approval-80x24", "3", ("3",)),
        ("exec-approval-80x24", "Yes, proceed (y)", ("1",)),
        ("patch-approval-80x24", "2", ("2",)),
        ("question-plan-mode-80x24", "2", ("2",)),
        ("rate-limit-warning-80x24", "2", ("2",)),
        ("plan-approval-100x30", "3", ("3",)),
        ("plan-approval-100x30", "1", ("1",)),
        ("trust-folder-80x24", "1", ("Enter",)),
        ("model-picker-100x30", "6", ("Enter",)),
        ("resume-locked-90x26", "r", ("r",)),
        ("resume-picker-80x24", "Escape", ("Escape",)),
    ],
)
def test_one_press_answers(name: str, option: str, keys: tuple[str, ...]) -> None:
    assert next_step(found(name), Want(option), 0) == Press(keys, answers=True)


@pytest.mark.parametrize(
    ("name", "option", "keys"),
    [
        ("trust-folder-80x24", "2", ("Down",)),
        ("update-prompt-80x24", "2", ("Down",)),
        ("hooks-review-prompt-80x24", "3", ("Down", "Down")),
        ("model-picker-100x30", "8", ("Down", "Down")),
        ("model-picker-100x30", "5", ("Up",)),
        ("daemon-feature-mismatch-100x34", "1", ("Up", "Up")),
    ],
)
def test_where_digits_do_nothing_the_cursor_moves_first(
    name: str, option: str, keys: tuple[str, ...]
) -> None:
    assert next_step(found(name), Want(option), 0) == Press(keys)
    assert isinstance(next_step(found(name), Want(option), 3), CannotAnswer)


def test_a_note_is_typed_into_its_own_field_and_submitted_by_enter() -> None:
    closed, opened = found("question-second-of-two-100x30"), found("question-notes-empty-100x30")
    want = Want("2", "a note")
    assert next_step(closed, want, 0) == Press(("Down", "Tab"))
    assert next_step(opened, want, 1) == TypeText("a note")
    assert next_step(found("question-notes-100x30"), want, 2) == Press(("Enter",), answers=True)


def test_text_alone_goes_with_none_of_the_above() -> None:
    want = Want(None, "neither")
    assert next_step(found("question-second-of-two-100x30"), want, 0) == Press(("Down", "Down", "Tab"))
    assert isinstance(next_step(found("question-notes-empty-100x30"), want, 1), CannotAnswer)


@pytest.mark.parametrize(
    ("name", "want"),
    [
        ("exec-approval-80x24", Want("9")),
        ("exec-approval-80x24", Want(None)),
        ("exec-approval-80x24", Want("3", "because")),
        ("onboarding-login-80x24", Want("1")),
        ("onboarding-api-key-80x24", Want("1")),
        ("question-notes-100x30", Want("1")),
        ("question-notes-100x30", Want("1", "mine")),
        ("old-0.60.1-first-80x24", Want("1")),
    ],
)
def test_what_cannot_be_answered_that_way_is_said_in_words(name: str, want: Want) -> None:
    step = next_step(found(name), want, 0)
    assert isinstance(step, CannotAnswer) and step.text.endswith(".")
