"""Dialogs of recorded screens: their kind, whole text and whole labels."""

from __future__ import annotations

import pytest

from controlroom.core.facts import Dialog, Option
from controlroom.node.agents.codex.dialogs import FoundDialog, read_dialog
from controlroom.node.agents.codex.screens import find_dialog
from tests.unit.node.agents.codex.samples import SCREENS, frame


def found(name: str) -> FoundDialog:
    dialog = find_dialog(frame(name))
    assert dialog is not None
    return dialog


def dialog(name: str) -> Dialog:
    return found(name).dialog


APPROVAL = """\
Would you like to run the following command?

Environment: local

Reason: Do you want to let me run this outside the sandbox?

$ curl -s http://127.0.0.1:8790/v1/models"""


def test_an_approval_whole() -> None:
    assert dialog("exec-approval-80x24") == Dialog(
        kind="permission",
        text=APPROVAL,
        options=(
            Option("1", "Yes, proceed (y)", selected=True),
            Option(
                "2",
                "Yes, and don't ask again for commands that start with `curl -s"
                " http://127.0.0.1:8790/v1/models` (p)",
                risky=True,
            ),
            Option("3", "No, and tell Codex what to do differently (esc)"),
        ),
    )


def test_the_width_of_the_screen_changes_neither_labels_nor_text() -> None:
    assert dialog("exec-approval-80x24") == dialog("exec-approval-120x40")
    assert dialog("rate-limit-warning-80x24") == dialog("rate-limit-warning-120x40")
    assert dialog("question-plan-mode-80x24") == dialog("question-plan-mode-120x40")


def test_a_request_that_is_cut_says_so() -> None:
    assert found("exec-approval-tall-100x30").is_cut
    assert dialog("exec-approval-tall-100x30").text.endswith("[… 53 lines] ^a view all")
    assert not found("exec-approval-80x24").is_cut


def test_a_question_has_its_options_and_takes_text() -> None:
    shown = dialog("question-first-of-two-100x30")
    assert (shown.kind, shown.free_text) == ("picker", True)
    assert [option.label for option in shown.options] == [
        "North bed (Recommended)",
        "South bed, dry: yes - really",
        "None of the above",
    ]
    assert shown.text.startswith("Question 1/2 (2 unanswered)\nWhich bed should the beans go in?\n\n")
    assert (
        "South bed, dry: yes - really: Dries out sooner. And this description is quite long so that it has to"
        " wrap over to the next line on the screen." in shown.text
    )


def test_notes_do_not_change_the_question() -> None:
    empty, full = found("question-notes-empty-100x30"), found("question-notes-100x30")
    assert empty.dialog == full.dialog and empty.has_notes and full.has_notes
    before = found("question-second-of-two-100x30")
    assert not before.has_notes and before.dialog.text == full.dialog.text


@pytest.mark.parametrize(
    ("name", "kind", "first_line", "risky"),
    [
        ("patch-approval-80x24", "permission", "Would you like to make the following edits?", "2"),
        ("old-0.60.1-exec-approval-80x24", "permission", "Would you like to run the following command?", "2"),
        ("rate-limit-warning-80x24", "limit", "Approaching rate limits", "13"),
        ("plan-approval-100x30", "plan", "Implement this plan?", "2"),
        ("new-conversation-question-100x30", "other", "Where should the new conversation run?", "12"),
        ("model-picker-100x30", "other", "Select Model and Effort", "12345678"),
        ("update-prompt-80x24", "startup", "Update available · 0.171.0 → 9.9.9", "1"),
        ("hooks-review-prompt-80x24", "startup", "Hooks need review", "2"),
        ("model-upgrade-prompt-80x24", "startup", "Meet GPT-6 Sol", "1"),
        ("trust-folder-80x24", "startup", "Folder access", "1"),
        ("resume-other-directory-90x26", "startup", "Working directory · resume", "34"),
        (
            "daemon-feature-mismatch-100x34",
            "startup",
            "Background server has incompatible feature settings",
            "12",
        ),
        ("onboarding-login-80x24", "startup", "Welcome to Codex, OpenAI's command-line coding agent", "123"),
    ],
)
def test_kinds_and_risks(name: str, kind: str, first_line: str, risky: str) -> None:
    shown = dialog(name)
    assert (shown.kind, shown.text.split("\n")[0]) == (kind, first_line)
    assert "".join(option.key for option in shown.options if option.risky) == risky


def test_descriptions_stand_in_the_text_and_labels_stay_short() -> None:
    shown = dialog("rate-limit-warning-80x24")
    assert [option.label for option in shown.options] == [
        "Switch to gpt-6-luna",
        "Keep current model",
        "Keep current model (never show again)",
    ]
    assert "Switch to gpt-6-luna: Fast and affordable model for easier tasks." in shown.text


def test_the_chosen_option_is_known_everywhere_options_are_numbered() -> None:
    for name in SCREENS:
        shown = find_dialog(frame(name))
        if shown is not None and shown.dialog.options and shown.dialog.options[0].key == "1":
            assert sum(option.selected for option in shown.dialog.options) == 1, name


def test_a_locked_conversation_takes_letters() -> None:
    shown = dialog("resume-locked-90x26")
    assert [(option.key, option.risky) for option in shown.options] == [
        ("r", False),
        ("f", True),
        ("C-c", True),
    ]


def test_a_list_longer_than_the_screen_keeps_its_numbers() -> None:
    rows = [
        "  Select Model and Effort",
        "",
        "  3. Three   the third",
        "› 4. Four    the fourth",
        "↓",
        "  enter select · esc back",
    ]
    shown = read_dialog(rows)
    assert shown is not None
    assert [(option.key, option.label) for option in shown.dialog.options] == [("3", "Three"), ("4", "Four")]


def test_labels_with_double_blanks_or_other_languages_stay_whole() -> None:
    rows = [
        "  Would you like to run the following command?",
        "",
        "› 1. Ja, „einmal“: heute, nicht immer (y)",
        "  2. はい、常に許可します — always",
        "",
        "  Press enter to confirm or esc to cancel",
    ]
    shown = read_dialog(rows)
    assert shown is not None
    assert [(option.label, option.risky) for option in shown.dialog.options] == [
        ("Ja, „einmal“: heute, nicht immer (y)", False),
        ("はい、常に許可します — always", True),
    ]
