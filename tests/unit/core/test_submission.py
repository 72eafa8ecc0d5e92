"""The life of one typed message, step by step."""

from __future__ import annotations

import pytest

from controlroom.core.delivery import AgentNow, Intent, OnDraft, SendWhen, Trace
from controlroom.core.facts import Composer, Dialog, ScreenReading
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
    Sending,
    Step,
    Submit,
    Wait,
    start,
    step,
)

READY = ScreenReading(look="ready", composer=Composer(""))
DIALOG = ScreenReading(look="dialog", dialog=Dialog(kind="permission", text="Run it?"))
NONE = Trace(state="none")
MARKED = Intent(session_id="s", position="7", text="hello", pasted=True)


def saw(
    composer: str | None = "",
    *,
    now: AgentNow = "idle",
    holds: bool = False,
    alive: bool = True,
    collapsed: bool = False,
    is_command: bool = False,
) -> Looked:
    screen = ScreenReading(
        look="ready" if composer is not None else "other",
        composer=None if composer is None else Composer(composer, collapsed),
    )
    return Looked(alive=alive, now=now, screen=screen, holds=holds, draft_is_command=is_command)


OURS = saw("hello", holds=True)
COVERED = Looked(alive=True, now="waiting", screen=DIALOG)


def until(at: Step, kind: type, *events: Event) -> Step:
    """Answer with these events in turn, then say what the last effect is."""
    run, effect = at
    for event in events:
        run, effect = step(run, event)
    assert isinstance(effect, kind), effect
    return run, effect


def pasted(text: str = "hello", when: SendWhen = "idle") -> Step:
    """A run right after its paste."""
    located = until(start(text, when=when), Locate, saw(now="idle" if when == "idle" else "working"))
    marked = until(located, Save, Located("s", "7"))
    return until(marked, Wait, Done(), saw(now="idle" if when == "idle" else "working"), Done())


def patient(at: Step, looked: Looked, trace: Trace = NONE) -> Finish:
    """Answer every search and look the same until the run is over."""
    run, effect = at
    for _ in range(400):
        match effect:
            case Finish():
                return effect
            case Search():
                run, effect = step(run, trace)
            case Look():
                run, effect = step(run, looked)
            case _:
                run, effect = step(run, Done())
    raise AssertionError("never over")


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


def again(intent: Intent = MARKED) -> Step:
    return until(start("hello", intent=intent), Search)


def test_after_a_kill_a_row_is_delivered_and_the_queue_is_held() -> None:
    assert isinstance(end := step(again()[0], Trace(state="row", item_id="u1"))[1], Finish)
    assert end.outcome.state == "delivered"
    assert isinstance(end := step(again()[0], Trace(state="queued"))[1], Finish)
    assert end.outcome.code == "in_agents_queue"


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


# --- drafts ------------------------------------------------------------------------------------------


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


def cleared(draft: OnDraft = "replace") -> Step:
    """A run that is about to press Ctrl-U for the first time; the draft is stored by then."""
    run, effect = until(start("hello", on_draft=draft), Save, saw("one\ntwo"), Located("s", "7"))
    assert isinstance(effect, Save)
    assert (effect.intent.draft, effect.intent.pasted) == ("one\ntwo", False)
    return until((run, effect), ClearLine, Done())


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


def test_an_event_that_nothing_asked_for_is_an_error() -> None:
    with pytest.raises(ValueError, match="nothing asked"):
        step(start("hello")[0], Done())
