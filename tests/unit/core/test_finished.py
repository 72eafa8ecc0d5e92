"""When a busy stretch has finished: playbooks of looks."""

from __future__ import annotations

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from controlroom.core.activity import Activity
from controlroom.core.facts import TurnState
from controlroom.core.finished import Finished, Look, Stretch, follow


def play(*looks: Look, start: Stretch | None = None) -> list[Finished | None]:
    stretch, shown = start or Stretch(), []
    for look in looks:
        stretch = follow(stretch, look)
        shown.append(stretch.finished)
    return shown


def idle(
    now: int,
    reply_at: int = 0,
    *,
    turn: TurnState = "ended",
    began: int | None = None,
    reply: str = "Done it.",
    activity: Activity = "idle",
    session: str = "",
    since: int = 0,
) -> Look:
    return Look(
        activity=activity,
        now_ms=now,
        looked_ms=now - 1,
        since_ms=since,
        turn=turn,
        turn_began_ms=began,
        reply_at_ms=reply_at,
        reply=reply,
        session=session,
    )


def busy(
    now: int,
    activity: Activity = "working",
    *,
    began: int | None = None,
    reply_at: int = 0,
    turn: TurnState = "open",
    session: str = "",
) -> Look:
    return Look(
        activity=activity,
        now_ms=now,
        looked_ms=now - 1,
        is_busy=True,
        turn=turn,
        turn_began_ms=began,
        reply_at_ms=reply_at,
        session=session,
    )


def done(at: int, busy_ms: int) -> Finished:
    return Finished(at_ms=at, busy_ms=busy_ms, text="Done it.")


@pytest.mark.parametrize("activity", ["idle", "question"])
def test_a_stretch_that_ends_idle_or_asking_with_a_reply_has_finished(activity: Activity) -> None:
    assert play(idle(1), busy(10, began=9), idle(20, 19, activity=activity))[-1] == done(19, 10)


def test_what_ended_before_the_first_look_is_old_news() -> None:
    assert play(idle(100, 50), idle(200, 50)) == [None, None]


def test_a_first_look_in_the_middle_of_a_stretch_loses_nothing() -> None:
    assert play(busy(100, began=40, reply_at=30), idle(200, 190))[-1] == done(190, 150)


def test_idle_without_a_reply_in_the_file_is_not_finished_yet() -> None:
    """Field lessons 46: transcript evidence, not idle alone."""
    assert play(idle(1), busy(10), idle(20), idle(21, 20))[1:] == [None, None, done(20, 10)]


def test_idle_while_the_turn_is_open_in_the_file_is_not_finished() -> None:
    """Field lessons 13: a registry that blinks, or a composer that is drawn, announces nothing."""
    looks = [idle(1), busy(10, began=10), idle(20, 15, turn="open"), busy(21, began=10, reply_at=15)]
    assert play(*looks, idle(40, 39)) == [None, None, None, None, done(39, 29)]


def test_helpers_keep_the_stretch_open_and_it_finishes_once() -> None:
    """Field lessons 14: not when the main turn ends, and not twice."""
    shown = play(
        idle(1),
        busy(10, began=10),
        busy(20, "helpers", reply_at=19, turn="ended"),
        busy(30, began=29, reply_at=19),
        idle(40, 39),
        idle(50, 39),
    )
    assert shown[:4] == [None] * 4
    assert shown[4] == shown[5] == done(39, 29)


def test_helpers_that_end_without_another_reply_finish_when_they_end() -> None:
    helpers = busy(20, "helpers", reply_at=19, turn="ended")
    assert play(idle(1), busy(10, began=10), helpers, idle(61, 19, since=60))[-1] == done(60, 50)


def test_a_question_while_helpers_run_is_no_end() -> None:
    asks = busy(20, "question", reply_at=19, turn="ended")
    assert play(idle(1), busy(10, began=10), asks, idle(40, 39))[2:] == [None, done(39, 29)]


def test_a_dialog_belongs_to_the_stretch() -> None:
    assert play(idle(1), busy(10, began=10), busy(15, "blocked"), idle(40, 39))[-1] == done(39, 29)


@pytest.mark.parametrize("turn", ["interrupted", "failed"])
def test_an_interrupted_or_failed_turn_has_not_finished(turn: TurnState) -> None:
    assert play(idle(1), busy(10), idle(20, 15, turn=turn), idle(30, 15, turn=turn)) == [None] * 4


def test_a_status_line_is_a_header_and_no_news() -> None:
    """Field lessons 45: never for a header update."""
    assert play(idle(1), busy(10), idle(20, 19, reply="Status: half way"), idle(30, 19)) == [None] * 4


def test_working_again_clears_it() -> None:
    assert play(idle(1), busy(10), idle(20, 19), busy(30, reply_at=19))[-1] is None


def test_a_turn_between_two_looks_counts() -> None:
    assert play(idle(1, 1), idle(1000, 900, began=400))[-1] == done(900, 500)


def test_a_restart_brings_no_old_news_and_loses_no_fresh_one() -> None:
    before = follow(follow(Stretch(), idle(1, 1)), busy(10, began=10, reply_at=1))
    stored = msgspec.json.decode(msgspec.json.encode(before), type=Stretch)
    assert play(idle(50, 40), start=stored)[-1] == done(40, 30)
    after = follow(before, idle(50, 40))
    assert play(idle(60, 40), start=after) == [after.finished]


def test_a_dialog_opened_between_turns_begins_no_stretch() -> None:
    dialog = Look(activity="blocked", now_ms=10, looked_ms=9, turn="ended", reply_at_ms=1)
    shown = play(idle(1, 1), dialog, idle(20, 1), busy(1000, began=1000, reply_at=1), idle(1100, 1090))
    assert shown[-1] == done(1090, 90)


def test_unknown_changes_nothing() -> None:
    assert play(idle(1), busy(10, began=10), idle(15, activity="unknown"), idle(20, 19))[-1] == done(19, 9)


def test_a_stretch_without_a_reply_does_not_lengthen_the_next() -> None:
    looks = [idle(1, 1), busy(10, began=10, reply_at=1), idle(20, 1), busy(500, began=500, reply_at=1)]
    assert play(*looks, idle(600, 590))[-1] == done(590, 90)


def test_what_a_process_left_behind_is_no_news_when_it_is_resumed() -> None:
    """It ended its turn and was quit between two looks, or was killed in the middle."""
    looks = [idle(1, 1), busy(10, began=10, reply_at=1), idle(20, activity="gone"), idle(5000, 19)]
    assert play(*looks) == [None] * 4


def test_another_session_that_is_opened_brings_no_old_news() -> None:
    looks = [
        idle(1, 1, session="s1"),
        idle(50, 40, session="s2"),
        busy(60, began=60, reply_at=40, session="s2"),
    ]
    assert play(*looks, idle(80, 70, session="s2")) == [None, None, None, done(70, 10)]


def test_a_session_that_becomes_known_is_not_another_one() -> None:
    assert play(idle(1), busy(10, began=10, session="s1"), idle(20, 19, session="s1"))[-1] == done(19, 9)


def test_the_text_is_the_first_lines_of_the_reply() -> None:
    reply = "\n# All done\n\nTwo files.\nThree tests.\nFour more.\n" + "x" * 1000
    finished = play(idle(1), busy(10), idle(20, 19, reply=reply))[-1]
    assert finished is not None
    assert finished.text == "# All done\nTwo files.\nThree tests."


ACTIVITIES = st.sampled_from(
    ["working", "helpers", "blocked", "idle", "question", "unknown", "gone", "starting"]
)


@given(
    st.lists(
        st.tuples(ACTIVITIES, st.booleans(), st.sampled_from(["ended", "open", "interrupted"])), max_size=20
    )
)
def test_each_reply_is_news_at_most_once(script: list[tuple[Activity, bool, TurnState]]) -> None:
    stretch, told, reply_at = Stretch(), [], 0
    for tick, (activity, replies, turn) in enumerate(script, start=1):
        reply_at = tick * 10 if replies else reply_at
        look = Look(
            activity=activity,
            now_ms=tick * 10 + 5,
            looked_ms=tick * 10 - 5,
            turn=turn,
            reply_at_ms=reply_at,
            reply="Done it.",
        )
        before, stretch = stretch.finished, follow(stretch, look)
        if stretch.finished is not None and stretch.finished != before:
            told.append(reply_at)
            assert activity in ("idle", "question")
        assert stretch.busy_since_ms is None or stretch.busy_since_ms <= look.now_ms
    assert len(told) == len(set(told))
