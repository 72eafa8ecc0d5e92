"""Which conversation a pane shows; what is not certain says why."""

from __future__ import annotations

import pytest

from controlroom.node.agents.codex.mapping import (
    Shown,
    Thread,
    created_ms,
    shown_by_folder,
    shown_by_own_files,
    shown_by_server,
)

A = "01a22c23-2da6-7350-9a9f-ed920651468b"
B = "01a22c27-8f97-73c3-b191-2923ddbb9fd0"  # five minutes younger
BEANS = Thread(id=A, name="sow beans", folder="/w/garden", status="idle")
GATE = Thread(id=B, name="fix the gate", folder="/w/garden", status="active")


def test_ids_carry_their_time() -> None:
    assert created_ms(A) == 1_796_036_832_678 and created_ms(B) > created_ms(A)
    assert created_ms("no-uuid") == 0


# --- a process that holds its own files ---------------------------------------------------------------------


def test_one_open_conversation_is_certain() -> None:
    assert shown_by_own_files([BEANS], "", "garden") == Shown(A)


def test_after_new_the_old_file_is_still_open_and_the_title_decides() -> None:
    fresh = Thread(id=B, has_file=False)
    assert shown_by_own_files([BEANS, fresh], "", "garden") == Shown(B)
    assert shown_by_own_files([BEANS, GATE], "sow beans", "garden") == Shown(A)


def test_when_the_title_does_not_decide_the_newest_is_taken_and_it_says_so() -> None:
    twin = Thread(id=B, name="sow beans", folder="/w/garden")
    for title in ("sow beans", "something else"):
        shown = shown_by_own_files([BEANS, twin], title, "garden")
        assert shown.session_id == B and shown.uncertain


# --- a background server ------------------------------------------------------------------------------------


def ask(
    threads: list[Thread] | None,
    title: str = "",
    *,
    known: list[Thread] | None = None,
    asked_for: str | None = None,
    before: str | None = None,
    is_silent: bool = True,
) -> Shown:
    return shown_by_server(
        threads,
        known or [],
        title_thread=title,
        project="garden",
        folder="/w/garden",
        asked_for=asked_for,
        before=before,
        started_ms=created_ms(A),
        is_silent=is_silent,
    )


def test_a_title_that_names_one_loaded_thread_is_certain() -> None:
    assert ask([BEANS, GATE], "fix the gate") == Shown(B)
    assert ask([BEANS, GATE], "fix  the\tgate") == Shown(B)


def test_the_title_beats_the_command_line() -> None:
    assert ask([BEANS, GATE], "fix the gate", asked_for=A) == Shown(B)


def test_threads_that_are_not_loaded_or_elsewhere_do_not_count() -> None:
    resting = Thread(id=B, name="sow beans", folder="/w/garden", status="notLoaded")
    elsewhere = Thread(id=B, name="sow beans", folder="/w/orchard", status="idle")
    assert ask([BEANS, resting], "sow beans") == ask([BEANS, elsewhere], "sow beans") == Shown(A)


def test_among_namesakes_what_was_shown_before_stays() -> None:
    twin = Thread(id=B, name="sow beans", folder="/w/garden", status="idle")
    assert ask([BEANS, twin], "sow beans", before=A) == Shown(A)
    assert ask([BEANS, twin], "sow beans", asked_for=A) == Shown(A)
    newest = ask([BEANS, twin], "sow beans")
    assert newest.session_id == B and newest.uncertain


def test_a_title_without_a_name_is_a_conversation_without_words() -> None:
    assert ask([BEANS, GATE]) == Shown(None)
    assert ask([BEANS, GATE], before=A) == Shown(None)


def test_the_command_line_alone_is_not_certain() -> None:
    shown = ask([BEANS], asked_for=A)
    assert shown.session_id == A and shown.uncertain and not shown.is_harmless


def test_a_conversation_without_a_name_yet_can_be_gone_on_with() -> None:
    """As after a move: its name lies in the home that it came from."""
    unnamed = Thread(id=A, name="", folder="/w/garden", status="idle")
    shown = ask([unnamed], asked_for=A)
    assert shown.session_id == A and shown.uncertain and shown.is_harmless
    assert not ask([unnamed, GATE], asked_for=A).is_harmless, "another has begun here since"
    assert not ask([unnamed], "fix the gate", asked_for=A).is_harmless, "the title names another"
    assert not ask([], asked_for=A).is_harmless
    assert not ask(None, asked_for=A).is_harmless


def test_a_long_name_is_cut_in_the_title() -> None:
    long = Thread(id=A, name="the watering table is wrong because", folder="/w/garden", status="idle")
    assert ask([long], "the watering table is…") == Shown(A)
    assert ask([long], "the…").session_id is None or ask([long], "the…").uncertain


def test_a_title_that_names_nothing_falls_back_to_folder_and_time_with_its_reason() -> None:
    named_by_nobody = ask([BEANS], "my own title")
    assert named_by_nobody.session_id == A and named_by_nobody.uncertain
    assert ask([BEANS, GATE], "my own title").session_id is None
    assert ask([BEANS, GATE], "my own title").uncertain


def test_without_the_servers_word_the_names_on_disk_have_to_do() -> None:
    shown = ask(None, "sow beans", known=[BEANS])
    assert shown.session_id == A and "does not answer" in shown.uncertain
    assert ask(None, "sow beans", known=[BEANS], is_silent=False) == Shown(A)


# --- a process that hides its files -------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("begun", "asked_for", "session", "certain"),
    [
        ([], None, None, True),
        ([BEANS], None, A, False),
        ([BEANS], B, A, False),
        ([BEANS, GATE], None, None, False),
        ([], A, A, False),
    ],
)
def test_a_process_that_hides_its_files(
    begun: list[Thread], asked_for: str | None, session: str | None, certain: bool
) -> None:
    shown = shown_by_folder(begun, asked_for)
    assert (shown.session_id, not shown.uncertain) == (session, certain)
