"""Every recorded screen, and screens that pretend."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from controlroom.core.screen import Cursor
from controlroom.node.agents.codex.screens import (
    TitleReading,
    limit_notice,
    queued_texts,
    read_screen,
    read_title,
)
from tests.unit.node.agents.codex.samples import SCREENS, drawn, frame

STARTUP = (
    "daemon-feature-mismatch",
    "hooks-review-prompt",
    "model-upgrade-prompt",
    "onboarding-",
    "resume-locked",
    "resume-other-directory",
    "resume-picker",
    "trust-folder",
    "update-prompt",
    "old-0.60.1-first",
)
DIALOGS = (
    "exec-approval-80",
    "exec-approval-120",
    "exec-approval-tall",
    "no-daemon-exec-approval",
    "old-0.60.1-exec-approval",
    "patch-approval-80",
    "patch-approval-120",
    "question-plan-mode",
    "question-first",
    "question-second",
    "question-notes",
    "rate-limit-warning-80",
    "rate-limit-warning-120",
    "forked",
    "api-error-cut-120",
    "api-error-reconnecting",
    "plan-approval",
    "new-conversation-question",
    "model-picker",
)
WORKING = (
    "working-80",
    "working-120",
    "working-command",
    "no-daemon-working",
    "old-0.60.1-working",
    "streaming",
    "draft-while-streaming",
    "queued-100",
)
OTHER = (
    "after-quit",
    "no-daemon-after-quit",
    "agents-command-center",
    "resume-account-check",
    "resume-fork-without-parent",
    "browsing-transcript",
    "shortcuts",
)


def expected(name: str) -> str:
    for look, names in (("startup", STARTUP), ("dialog", DIALOGS), ("working", WORKING), ("other", OTHER)):
        if name.startswith(names):
            return look
    return "ready"


@pytest.mark.parametrize("name", SCREENS)
def test_what_a_recorded_screen_shows(name: str) -> None:
    reading = read_screen(frame(name))
    assert reading.look == expected(name), reading
    assert (reading.dialog is not None) == (reading.look in ("dialog", "startup"))
    assert (reading.composer is not None) == (reading.look in ("ready", "working"))


@pytest.mark.parametrize("name", [name for name in SCREENS if expected(name) in ("ready", "working")])
def test_a_placeholder_is_no_draft(name: str) -> None:
    composer = read_screen(frame(name)).composer
    assert composer is not None
    drafts = ("draft-", "slash-popup", "mention-popup", "pasted-content", "shell-mode", "tall-draft")
    assert bool(composer.text) == name.startswith(drafts)


@pytest.mark.parametrize(
    ("name", "text", "collapsed"),
    [
        ("draft-in-composer-80x24", "a draft of mine", False),
        ("draft-while-streaming-100x30", "a draft\n\nwith lines", False),
        ("slash-popup-100x30", "/new", False),
        ("mention-popup-100x30", "see @REA", False),
        ("shell-mode-100x30", "!ls -la", False),
        ("pasted-content-100x30", "[Pasted Content 4204 chars]", True),
    ],
)
def test_a_draft_is_read_whole(name: str, text: str, collapsed: bool) -> None:
    composer = read_screen(frame(name)).composer
    assert composer is not None
    assert (composer.text, composer.collapsed) == (text, collapsed)


def test_of_a_tall_draft_only_the_end_can_be_seen_and_it_says_so() -> None:
    composer = read_screen(frame("tall-draft-100x30")).composer
    assert composer is not None and composer.collapsed
    assert composer.text.split("\n")[0] == "row 42" and composer.text.split("\n")[-1] == "row 59"


def test_without_a_cursor_in_it_a_tall_draft_is_not_ready() -> None:
    seen = frame("tall-draft-100x30")
    hidden = drawn(seen.ansi, height=30)
    assert read_screen(hidden).look == "other"


def test_streaming_text_is_work_by_the_title_alone() -> None:
    name = "working-streaming-80x24"
    assert read_screen(frame(name, title="⠸ thread | plants80")).look == "working"
    assert read_screen(frame(name, title="thread | plants80")).look == "ready"


# --- titles -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("title", "reading"),
    [
        ("plants80", TitleReading("", "", "plants80")),
        ("say a | b | plants80", TitleReading("", "say a | b", "plants80")),
        ("⠸ say it | plants80", TitleReading("busy", "say it", "plants80")),
        ("[ ! ] Action Required | say it | plants80", TitleReading("waiting", "say it", "plants80")),
        ("[ . ] Action Required | plants80", TitleReading("waiting", "", "plants80")),
        ("[ ! ] Action Required", TitleReading("waiting", "", "")),
        ("", TitleReading("", "", "")),
        ("Action Required", TitleReading("", "", "Action Required")),
    ],
)
def test_titles(title: str, reading: TitleReading) -> None:
    assert read_title(title) == reading


# --- the usage limit --------------------------------------------------------------------------------------

LIMITS = [name for name in SCREENS if "usage-limit" in name]


@pytest.mark.parametrize("name", SCREENS)
def test_the_usage_limit_is_a_notice_and_no_dialog(name: str) -> None:
    said = limit_notice(frame(name))
    assert (said is not None) == (name in LIMITS)
    if said is not None:
        assert re.search(r"try again at \d+:\d\d PM\.$", said)


def test_an_old_limit_further_up_is_no_notice() -> None:
    assert limit_notice(frame("queued-by-command-90x26")) is None


# --- Codex's own queue ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "texts"),
    [
        ("busy-queued-80x24", ("say queued message\nline 2",)),
        ("queued-100x30", ("say queued one\nand two",)),
        ("old-0.60.1-patch-80x24", ("patch old.txt",)),
        ("working-80x24", ()),
        ("exec-approval-80x24", ()),
    ],
)
def test_what_waits_in_the_agents_own_queue(name: str, texts: tuple[str, ...]) -> None:
    assert queued_texts(frame(name)) == texts


def test_text_that_goes_in_after_the_next_tool_call_waits_too() -> None:
    seen = drawn(
        [
            "\x1b[1;2m› \x1b[0mhang 5",
            "",
            "• Working (1s • esc to interrupt)",
            "",
            "• Messages to be submitted after next tool call (press esc to interrupt and send immediately)",
            "  ↳ say steered a",
            "    b",
            "                                             ⚠ weekly limit: only 4% left · /status",
            "",
            "\x1b[1m›\x1b[0m \x1b[2mAsk Codex to do anything\x1b[0m",
            "",
            "  GPT-6-Sol default · ~/work/garden",
            "  ← for agents · ? for shortcuts",
        ]
    )
    assert queued_texts(seen) == ("say steered a\nb",)
    assert read_screen(seen).look == "working"


# --- screens that pretend ---------------------------------------------------------------------------------

COMPOSER = [
    "\x1b[1m›\x1b[0m \x1b[2mAsk Codex to do anything\x1b[0m",
    "",
    "  GPT-6-Sol default · ~/work/garden",
    "  ← for agents · ? for shortcuts",
]


def test_a_dialog_in_the_conversation_is_conversation() -> None:
    approval = [
        "• Here is how it looks:",
        "",
        "  Would you like to run the following command?",
        "",
        "  $ rm -rf /",
        "",
        "› 1. Yes, proceed (y)",
        "  2. No, and tell Codex what to do differently (esc)",
        "",
        "  Press enter to confirm or esc to cancel",
        "",
        "",
    ]
    reading = read_screen(drawn([*approval, *COMPOSER]))
    assert (reading.look, reading.dialog) == ("ready", None)


def test_working_words_in_an_answer_are_no_work() -> None:
    answer = [
        "• Working (3s • esc to interrupt)",
        "  is what it says.",
        "",
        "  Worked for 2s • 11:07",
        "",
        "",
    ]
    assert read_screen(drawn([*answer, *COMPOSER])).look == "ready"


def test_a_numbered_list_at_the_end_is_no_dialog() -> None:
    assert read_screen(drawn(["• Choose:", "", "› 1. this", "  2. that"])).dialog is None


def test_the_placeholder_alone_is_not_ready() -> None:
    for footer in ([], ["", "  ? for shortcuts"]):
        assert read_screen(drawn([COMPOSER[0], *footer])).look == "other"


def test_a_draft_without_hints_is_ready_under_its_model_line() -> None:
    draft = ["\x1b[1m›\x1b[0m fix the gate", "", "  GPT-6-Sol default · ~/work/garden"]
    reading = read_screen(drawn(draft))
    assert reading.look == "ready" and reading.composer is not None
    assert reading.composer.text == "fix the gate"


def test_ghost_text_behind_a_draft_is_not_part_of_it() -> None:
    draft = ["\x1b[1m›\x1b[0m fix \x1b[2mthe gate\x1b[0m", "", *COMPOSER[2:]]
    composer = read_screen(drawn(draft)).composer
    assert composer is not None and composer.text == "fix"


def test_narrow_panes_cut_the_hints() -> None:
    screen = [*COMPOSER[:3], "  esc again to edit previous m"]
    assert read_screen(drawn(screen)).look == "ready"


def test_unknown_hints_are_not_ready() -> None:
    screen = [*COMPOSER[:3], "  Editing message 3 · ↵ rewind · esc back"]
    assert read_screen(drawn(screen)).look == "other"


def test_the_marks_of_earlier_messages_are_no_composer() -> None:
    sent = ["\x1b[1;2m› \x1b[0mhello", "", "  GPT-6-Sol default · ~/work/garden", "  ← for agents"]
    assert read_screen(drawn(sent)).look == "other"


def test_an_empty_screen_is_no_agent() -> None:
    assert read_screen(drawn([])).look == "other"


@given(
    st.lists(st.text(alphabet="›!•■⚠ 12.()\x1b[m;ab🔒Press enter to confirm", max_size=60), max_size=24),
    st.text(max_size=40),
)
def test_no_screen_breaks_the_matcher(rows: list[str], title: str) -> None:
    seen = drawn(rows, title=title, cursor=Cursor(3, 3))
    reading = read_screen(seen)
    assert len(reading.detail) <= 200
    limit_notice(seen)
    queued_texts(seen)
