"""When a busy stretch has finished: playbooks of looks."""

from __future__ import annotations

from controlroom.core.finished import Look, Stretch, follow
from controlroom.wire.model import Finished


def play(*looks: Look, start: Stretch | None = None) -> list[Finished | None]:
    stretch, shown = start or Stretch(), []
    for look in looks:
        stretch = follow(stretch, look)
        shown.append(stretch.finished)
    return shown


def idle(now: int, reply_at: int = 0, **more: object) -> Look:
    return Look(activity="idle", now_ms=now, turn="ended", reply_at_ms=reply_at, reply="Done it.", **more)  # type: ignore[arg-type] # by name


def busy(now: int, activity: str = "working", began: int | None = None, reply_at: int = 0) -> Look:
    return Look(activity=activity, now_ms=now, turn="open", turn_began_ms=began, reply_at_ms=reply_at)  # type: ignore[arg-type] # by name


def test_a_stretch_that_ends_idle_with_a_reply_has_finished() -> None:
    assert play(idle(1), busy(10, began=9), idle(20, 19))[-1] == Finished(
        at_ms=19, busy_ms=10, text="Done it."
    )


def test_what_ended_before_the_first_look_is_old_news() -> None:
    assert play(idle(100, 50), idle(200, 50)) == [None, None]


def test_idle_without_a_reply_in_the_file_is_not_finished_yet() -> None:
    shown = play(idle(1), busy(10), idle(20), idle(21, 20))
    assert shown[2] is None and shown[3] is not None


def test_helpers_keep_the_stretch_open_and_it_finishes_once() -> None:
    shown = play(
        idle(1), busy(10, began=10), busy(20, "helpers", reply_at=19), busy(30, reply_at=19), idle(40, 39)
    )
    assert [finished for finished in shown if finished] == [Finished(at_ms=39, busy_ms=29, text="Done it.")]


def test_an_interrupted_turn_has_not_finished() -> None:
    stopped = Look(activity="idle", now_ms=20, turn="interrupted", reply_at_ms=15)
    assert play(idle(1), busy(10), stopped, idle(30, 15)) == [None] * 4


def test_a_failed_turn_has_not_finished() -> None:
    assert (
        play(idle(1), busy(10), Look(activity="idle", now_ms=20, turn="failed", reply_at_ms=15))[-1] is None
    )


def test_working_again_clears_it() -> None:
    assert play(idle(1), busy(10), idle(20, 19), busy(30, reply_at=19))[-1] is None


def test_a_turn_between_two_looks_counts() -> None:
    assert play(idle(1, 1), idle(1000, 900, turn_began_ms=400))[-1] == Finished(
        at_ms=900, busy_ms=500, text="Done it."
    )


def test_a_restart_brings_no_old_news_and_loses_no_fresh_one() -> None:
    before = follow(follow(Stretch(), idle(1, 1)), busy(10, began=10, reply_at=1))
    assert play(idle(50, 40), start=before)[-1] == Finished(at_ms=40, busy_ms=30, text="Done it.")
    after = follow(before, idle(50, 40))
    assert play(idle(60, 40), start=after) == [after.finished]


def test_a_dialog_opened_between_turns_begins_no_stretch() -> None:
    dialog = Look(activity="blocked", now_ms=10, turn="ended", reply_at_ms=1)
    shown = play(idle(1, 1), dialog, idle(20, 1), busy(1000, began=1000, reply_at=1), idle(1100, 1090))
    assert shown[-1] == Finished(at_ms=1090, busy_ms=90, text="Done it.")


def test_unknown_changes_nothing() -> None:
    shown = play(idle(1), busy(10, began=10), Look(activity="unknown", now_ms=15), idle(20, 19))
    assert shown[-1] == Finished(at_ms=19, busy_ms=9, text="Done it.")


def test_a_stretch_without_a_reply_does_not_lengthen_the_next() -> None:
    shown = play(
        idle(1, 1), busy(10, began=10, reply_at=1), idle(20, 1), busy(500, began=500), idle(600, 590)
    )
    assert shown[-1] == Finished(at_ms=590, busy_ms=90, text="Done it.")
