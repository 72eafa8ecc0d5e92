"""The life of one typed message, step by step."""

from __future__ import annotations

import pytest

from controlroom.core.delivery import Intent, Trace
from controlroom.core.facts import Composer, ScreenReading
from controlroom.core.submission import (
    CONFIRM_S,
    ClearLine,
    Done,
    Event,
    Finish,
    Locate,
    Located,
    Look,
    Looked,
    NotDone,
    Paste,
    Save,
    Search,
    Step,
    Submit,
    Wait,
    start,
    step,
)
from tests.unit.core.submission_steps import (
    COVERED,
    DIALOG,
    MARKED,
    NONE,
    OURS,
    again,
    pasted,
    patient,
    saw,
    until,
)

# --- the plain way -----------------------------------------------------------------------------------


def test_the_whole_way_of_a_message() -> None:
    run, effect = start("hello")
    assert effect == Look("hello")
    run, effect = step(run, saw())
    assert effect == Locate()
    run, effect = step(run, Located("s", "7"))
    assert effect == Save(MARKED), "the intent stands on disk before the paste"
    run, effect = step(run, Done())
    assert effect == Look("hello")
    run, effect = step(run, saw())
    assert effect == Paste("hello")
    run, effect = until((run, effect), Search, Done(), Done())
    run, effect = step(run, NONE)
    assert effect == Look("hello")
    run, effect = step(run, OURS)
    assert isinstance(effect, Save)
    assert effect.intent.entered == 1
    run, effect = step(run, Done())
    assert effect == Look("hello"), "read again right before Enter"
    run, effect = step(run, OURS)
    assert effect == Submit("idle")
    run, effect = until((run, effect), Search, Done(), Done())
    run, effect = step(run, Trace(state="row", item_id="u1", at_ms=5))
    assert isinstance(effect, Finish)
    assert (effect.outcome.state, effect.outcome.item_id, effect.outcome.at_ms) == ("delivered", "u1", 5)


def test_a_row_of_the_agents_own_queue_is_held_there() -> None:
    end = patient(pasted(when="now"), saw("hello", now="working", holds=True), Trace(state="queued"))
    assert (end.outcome.state, end.outcome.code) == ("held", "in_agents_queue")


def test_what_a_person_takes_out_of_the_agents_queue_is_left_to_them() -> None:
    """Up brings a queued message back into the composer, to be edited."""
    _, effect = until(again(), Save, Trace(state="queued"))
    assert isinstance(effect, Save)
    assert effect.intent.queued
    later = until(start("hello", when="now", intent=effect.intent), Look, NONE)
    assert isinstance(end := step(later[0], saw("hello", now="working", holds=True))[1], Finish)
    assert (end.outcome.state, end.outcome.code) == ("held", "draft")


def test_a_message_for_now_is_submitted_while_the_agent_works() -> None:
    _, effect = until(
        until(pasted(when="now"), Look, Done(), NONE),
        Submit,
        saw("hello", now="working", holds=True),
        Done(),
        saw("hello", now="working", holds=True),
    )
    assert effect == Submit("working")


# --- held before anything is typed -------------------------------------------------------------------


@pytest.mark.parametrize(
    ("seen", "code"),
    [
        (saw(alive=False), "gone"),
        (Looked(alive=True, now="idle", screen=None), "offline"),
        (saw(now="working"), "working"),
        (saw(now="unknown"), "working"),
        (saw(now="waiting"), "dialog"),
        (COVERED, "dialog"),
        (Looked(alive=True, now="idle", screen=DIALOG), "dialog"),
        (saw(now="starting"), "startup"),
        (Looked(alive=True, now="idle", screen=ScreenReading(look="startup")), "startup"),
        (saw(None), "dialog"),
        (saw("HALF DRAFT"), "draft"),
        (saw("", collapsed=True), "draft"),
    ],
)
def test_held_with_its_reason_and_nothing_typed(seen: Looked, code: str) -> None:
    _, effect = step(start("hello")[0], seen)
    assert isinstance(effect, Finish)
    assert (effect.outcome.state, effect.outcome.code) == ("held", code)
    assert effect.outcome.text


def test_an_unseen_composer_is_not_an_empty_one() -> None:
    _, effect = step(start("hello", on_draft="replace")[0], saw(None))
    assert isinstance(effect, Finish)


def test_the_usage_limit_wait_does_not_hold_a_message() -> None:
    """Field lessons 16: that screen has a dialog's footer and asks nothing."""
    waits = ScreenReading(look="limit_wait", composer=Composer(""))
    until(start("hello"), Locate, Looked(alive=True, now="idle", screen=waits))


def test_an_empty_message_fails() -> None:
    _, effect = start(" \n")
    assert isinstance(effect, Finish)
    assert effect.outcome.state == "failed"


@pytest.mark.parametrize(
    ("seen", "code"),
    [(COVERED, "dialog"), (saw("p"), "draft"), (saw(now="working"), "working"), (saw(alive=False), "gone")],
)
def test_what_changes_before_the_paste_takes_it_out_of_the_intent(seen: Looked, code: str) -> None:
    marked = until(start("hello"), Save, saw(), Located("s", "7"))
    run, effect = until(marked, Save, Done(), seen)
    assert isinstance(effect, Save)
    assert not effect.intent.pasted
    _, effect = step(run, Done())
    assert isinstance(effect, Finish)
    assert (effect.outcome.state, effect.outcome.code) == ("held", code)


def test_a_pane_that_is_anothers_is_not_typed_into() -> None:
    marked = until(start("hello"), Paste, saw(), Located("s", "7"), Done(), saw())
    run, effect = until(marked, Save, NotDone())
    assert isinstance(effect, Save)
    assert not effect.intent.pasted
    _, effect = step(run, Done())
    assert isinstance(effect, Finish)
    assert effect.outcome.code == "gone"


# --- between paste and Enter -------------------------------------------------------------------------


def test_a_dialog_that_opens_after_the_paste_gets_no_enter() -> None:
    """Field lessons 25: Enter would approve it."""
    end = patient(pasted(), COVERED)
    assert (end.outcome.state, end.outcome.code) == ("held", "dialog")


def test_a_dialog_that_opens_between_the_last_two_looks_gets_no_enter() -> None:
    run, effect = until(until(pasted(), Look, Done(), NONE), Save, OURS, Done(), COVERED)
    assert isinstance(effect, Save)
    assert effect.intent.entered == 0, "Enter was not pressed, and the intent says so"
    _, effect = step(run, Done())
    assert isinstance(effect, Finish)
    assert (effect.outcome.state, effect.outcome.code) == ("held", "dialog")


def test_a_turn_that_begins_after_the_paste_is_waited_for() -> None:
    """Enter would cut its answer off (codex.md section 0)."""
    end = patient(pasted(), saw("hello", now="working", holds=True))
    assert (end.outcome.state, end.outcome.code) == ("held", "working")


@pytest.mark.parametrize("shown", ["", "hellop", "hel"])
def test_a_composer_that_does_not_show_the_whole_text_gets_no_enter(shown: str) -> None:
    end = patient(pasted(), saw(shown))
    assert end.outcome.state == "unconfirmed"
    assert "input line" in end.outcome.text


def test_a_slow_paste_is_waited_for() -> None:
    at = until(pasted(), Look, Done(), NONE)
    for _ in range(5):
        at = until(at, Look, saw(""), Done(), NONE)
    until(at, Submit, OURS, Done(), OURS)


# --- after Enter -------------------------------------------------------------------------------------


def entered(run: Step) -> Step:
    return until(until(run, Look, Done(), NONE), Wait, OURS, Done(), OURS, Done())


def presses(at: Step, looked: Looked, trace: Trace = NONE) -> int:
    run, effect = at
    count = 0
    while not isinstance(effect, Finish):
        count += isinstance(effect, Submit)
        event: Event = trace if isinstance(effect, Search) else looked if isinstance(effect, Look) else Done()
        run, effect = step(run, event)
    return count


def test_a_swallowed_enter_is_pressed_once_more_and_no_more() -> None:
    """Field lessons 22."""
    assert presses(pasted(), OURS) == 2
    end = patient(entered(pasted()), OURS)
    assert end.outcome.state == "unconfirmed"
    assert "stands in the input line" in end.outcome.text


def test_without_a_row_it_is_unconfirmed_never_delivered() -> None:
    end = patient(entered(pasted()), saw(""))
    assert end.outcome.state == "unconfirmed"
    assert end.outcome.text == "The agent's own file does not show it."


def test_an_unreadable_file_is_said_so() -> None:
    end = patient(entered(pasted()), saw(""), Trace(state="unreadable"))
    assert end.outcome.text == "The agent's own file cannot be read."


def test_a_dialog_that_may_have_taken_the_enter_is_waited_for() -> None:
    end = patient(entered(pasted()), COVERED)
    assert (end.outcome.state, end.outcome.code) == ("held", "dialog")


def test_an_agent_that_ends_is_searched_once_more() -> None:
    at = until(entered(pasted()), Search, Done())
    run, effect = at
    for _ in range(200):
        if isinstance(effect, Look):
            break
        run, effect = step(run, NONE if isinstance(effect, Search) else Done())
    run, effect = step(run, saw(alive=False))
    assert isinstance(effect, Search)
    assert isinstance(last := step(run, Trace(state="row", item_id="u1"))[1], Finish)
    assert last.outcome.state == "delivered"
    assert isinstance(last := step(run, NONE)[1], Finish)
    assert last.outcome.state == "unconfirmed"


def test_waiting_for_the_row_is_bounded() -> None:
    run, effect = entered(pasted())
    waited = 0.0
    while not isinstance(effect, Finish):
        waited += effect.seconds if isinstance(effect, Wait) else 0.0
        event: Event = NONE if isinstance(effect, Search) else saw("") if isinstance(effect, Look) else Done()
        run, effect = step(run, event)
    assert CONFIRM_S <= waited <= CONFIRM_S + 1


# --- after a kill ------------------------------------------------------------------------------------


def test_after_a_kill_a_row_is_delivered_and_the_queue_is_held() -> None:
    assert isinstance(end := step(again()[0], Trace(state="row", item_id="u1"))[1], Finish)
    assert end.outcome.state == "delivered"
    assert patient(again(), saw(""), Trace(state="queued")).outcome.code == "in_agents_queue"


def test_after_a_kill_a_text_in_the_composer_gets_one_enter() -> None:
    assert presses(again(), OURS) == 1


def test_after_a_kill_a_text_that_is_nowhere_is_unconfirmed_and_never_typed_again() -> None:
    run, effect = again()
    while not isinstance(effect, Finish):
        assert not isinstance(effect, Paste | Submit | ClearLine)
        event: Event = NONE if isinstance(effect, Search) else saw("") if isinstance(effect, Look) else Done()
        run, effect = step(run, event)
    assert effect.outcome.state == "unconfirmed"


@pytest.mark.parametrize(
    ("seen", "code"),
    [
        (COVERED, "dialog"),
        (saw(None), "dialog"),
        (saw("hello", now="working", holds=True), "working"),
        (Looked(alive=True, now="starting", screen=ScreenReading(look="startup")), "startup"),
        (Looked(alive=True, now="idle", screen=None), "offline"),
    ],
)
def test_after_a_kill_what_cannot_be_told_yet_is_held_with_its_intent(seen: Looked, code: str) -> None:
    end = patient(again(), seen)
    assert (end.outcome.state, end.outcome.code) == ("held", code)


def test_an_intent_without_a_paste_begins_anew() -> None:
    _, effect = start("hello", intent=Intent(session_id="s", position="7", text="hello"))
    assert effect == Look("hello")


def test_an_event_that_nothing_asked_for_is_an_error() -> None:
    with pytest.raises(ValueError, match="nothing asked"):
        step(start("hello")[0], Done())
