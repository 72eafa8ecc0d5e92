"""Every recorded screen, and screens that only look like something else."""

from __future__ import annotations

import pytest

from controlroom.core.facts import DialogKind, ScreenLook
from controlroom.node.agents.claude.screens import read_screen, read_view
from tests.unit.node.agents.claude.samples import SCREENS, drawn, frame

READY = (
    *("after-compact", "after-esc-interrupt", "api-429-apikey-final", "api-529-overloaded", "api-error-400"),
    *("api-error-401-final", "background-shell-running", "bypass-idle", "inline-mode-idle", "no-key-idle"),
    *("not-logged-in", "question-and-result-blocks", "resume-already-running", "resume-other-cwd"),
    *("resumed-session", "slash-menu", "subagents-running", "usage-limit-auto-continued", "usage-warning"),
    *("usage-limit-cancelled", "usage-limit-stopped", "welcome-idle", "draft-collapsed", "draft-tall"),
    *("draft-wrapped", "draft-cursor-inside", "draft-slash-suggestion", "shell-mode", "shell-mode-draft"),
)
WORKING = (
    *("api-429-apikey-retrying", "api-error-401", "api-error-retrying", "compacting"),
    *("working-queued-message", "working-spinner"),
)
OTHER = ("first-run-offline", "resume-unknown-id", "suspended", "transcript-view")
DIALOGS: dict[str, tuple[DialogKind, int]] = {
    "api-key-confirm": ("startup", 2),
    "ask-user-question": ("picker", 5),
    "ask-user-question-2-multiselect": ("picker", 4),
    "ask-user-question-3-submit": ("picker", 2),
    "ask-user-question-free-text": ("picker", 4),
    "ask-user-question-single": ("picker", 4),
    "auto-mode-no-server-check": ("other", 3),
    "bypass-permissions-warning": ("startup", 2),
    "exit-with-background-work": ("other", 3),
    "external-import-approval": ("startup", 2),
    "login-menu": ("other", 3),
    "mcp-server-approval": ("startup", 3),
    "permission-amend-no": ("permission", 4),
    "permission-bash": ("permission", 4),
    "permission-bash-amend-long": ("permission", 4),
    "permission-bash-long": ("permission", 4),
    "permission-edit": ("permission", 3),
    "permission-helper": ("permission", 4),
    "permission-write": ("permission", 3),
    "picker-multi-free-text": ("picker", 5),
    "picker-multi-single-question": ("picker", 5),
    "picker-multi-submit": ("picker", 2),
    "picker-multi-two-ticked": ("picker", 5),
    "picker-single-free-two-lines": ("picker", 4),
    "picker-single-long-label": ("picker", 4),
    "plan-approval": ("plan", 3),
    "plan-long": ("plan", 3),
    "resume-picker": ("other", 3),
    "rewind-menu-esc-esc": ("other", 2),
    "slash-status": ("other", 1),
    "slash-usage": ("other", 1),
    "trust-prompt": ("startup", 2),
    "trust-prompt-yes-selected": ("startup", 2),
    "usage-limit-weekly": ("limit", 3),
}
LOOKS: dict[str, ScreenLook] = {
    **dict.fromkeys(READY, "ready"),
    **dict.fromkeys(WORKING, "working"),
    **dict.fromkeys(OTHER, "other"),
    **{name: "startup" if kind == "startup" else "dialog" for name, (kind, _) in DIALOGS.items()},
    "usage-limit-auto-continue": "limit_wait",
}


@pytest.mark.parametrize("name", SCREENS)
def test_every_recorded_screen_is_what_it_is(name: str) -> None:
    kind = name.split("-", 1)[1]
    reading = read_screen(frame(name))
    if name == "120x40-api-error-retrying":  # recorded when the retry had succeeded
        assert reading.look == "ready"
        return
    assert reading.look == LOOKS[kind]
    assert reading.detail
    if kind not in DIALOGS:
        assert reading.dialog is None
        assert (reading.composer is None) == (reading.look == "other")
        return
    assert reading.composer is None
    dialog = reading.dialog
    assert dialog is not None
    assert (dialog.kind, len(dialog.options)) == DIALOGS[kind]


@pytest.mark.parametrize("size", ["80x24", "120x40"])
def test_nobody_logged_in_is_seen(size: str) -> None:
    assert read_view(frame(f"{size}-not-logged-in")).signed_out == "Not logged in · run /login"
    assert read_view(frame(f"{size}-welcome-idle")).signed_out == ""


RULE = "─" * 80
PERMISSION = (
    " Bash command",
    " rm -rf build",
    " Do you want to proceed?",
    " ❯ 1. Yes",
    "   2. No",
    "",
    " Esc to cancel · Tab to amend",
)
COMPOSER = (RULE, "❯\xa0", RULE, "  ⏸ manual mode on · ? for shortcuts")


class TestWhatOnlyLooksLikeADialog:
    def test_a_dialog_in_the_conversation_above_a_composer_is_text(self) -> None:
        reading = read_screen(drawn("● The dialog looked like this:", RULE, *PERMISSION, "", *COMPOSER))
        assert (reading.look, reading.dialog) == ("ready", None)

    def test_a_dialog_at_the_bottom_is_one(self) -> None:
        reading = read_screen(drawn("● Running.", RULE, *PERMISSION))
        assert reading.dialog is not None
        assert reading.dialog.text == "Bash command\nrm -rf build\nDo you want to proceed?"

    def test_options_inside_the_text_of_a_dialog_are_text(self) -> None:
        fake = (" ❯ 1. Yes", "   2. Yes, and always", "   3. No")
        reading = read_screen(drawn(RULE, " Bash command", *fake, *PERMISSION[2:]))
        assert reading.dialog is not None
        assert [option.label for option in reading.dialog.options] == ["Yes", "No"]

    def test_a_composer_inside_the_conversation_is_text(self) -> None:
        reading = read_screen(drawn(*COMPOSER, "● That was a composer.", RULE, *PERMISSION))
        assert reading.look == "dialog" and reading.composer is None

    def test_the_rule_with_the_name_of_the_session_may_stand_below(self) -> None:
        named = f"{'─' * 65} crate-sorter ─"
        reading = read_screen(drawn(RULE, *PERMISSION, named))
        assert reading.dialog is not None and len(reading.dialog.options) == 2

    def test_the_last_option_under_its_own_rule_is_no_composer(self) -> None:
        rows = (" ☐ Ship", "", "Ship it?", "", "  1. Yes", "  2. Type something.", RULE)
        reading = read_screen(drawn(RULE, *rows, "❯ 3. Chat about this", "", "Enter to select", RULE))
        assert reading.composer is None
        assert reading.dialog is not None and reading.dialog.kind == "picker"

    def test_a_shell_with_a_numbered_list_is_nothing(self) -> None:
        reading = read_screen(drawn("1. one", "2. two", "❯ claude", alternate=False))
        assert (reading.look, reading.dialog) == ("other", None)

    def test_an_empty_screen_is_nothing(self) -> None:
        assert read_screen(drawn()).look == "other"


class TestWorking:
    def test_a_spinner_row_is_enough_when_the_footer_has_no_room(self) -> None:
        rows = ("❯ go", "", "✽ Beboppin'… (1s · ↓ 20 tokens)", "  ⎿  Tip: be kind", *COMPOSER)
        assert read_screen(drawn(*rows)).look == "working"

    def test_a_finished_turn_is_not(self) -> None:
        rows = ("✽ Baking… (3s)", "● Done.", "", "✻ Baked for 3s · done 11:13 AM", *COMPOSER)
        assert read_screen(drawn(*rows)).look == "ready"

    def test_waiting_for_helpers_is_not_working(self) -> None:
        rows = ("✻ Waiting for 2 background agents to finish", *COMPOSER)
        assert read_screen(drawn(*rows)).look == "ready"

    def test_words_that_end_in_dots_are_no_spinner(self) -> None:
        rows = ("● I will think about it… (soon)", *COMPOSER)
        assert read_screen(drawn(*rows)).look == "ready"
