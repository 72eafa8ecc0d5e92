"""The corpus: whole days of events, and exactly the notifications that come of them."""

from __future__ import annotations

import pytest

from tests.support.notify_days import Day, Room, days

CORPUS = list(days())


@pytest.mark.parametrize("day", [day for _, day in CORPUS], ids=[name for name, _ in CORPUS])
def test_a_day_brings_these_notifications_and_no_others(day: Day) -> None:
    """What goes out, in its order and words, and what became of the episodes that the day names."""
    room = Room()
    room.play(day)
    assert room.out == list(day.pushes), day.title
    assert [room.fate(line.split()[1]) for line in day.fates] == list(day.fates), day.title


@pytest.mark.parametrize("day", [day for _, day in CORPUS], ids=[name for name, _ in CORPUS])
def test_looking_more_often_changes_nothing(day: Day) -> None:
    """The same facts again bring nothing: each look may come twice."""
    room = Room()
    once = room.look

    def twice() -> None:
        once()
        before = list(room.out)
        once()
        assert room.out == before

    room.look = twice  # type: ignore[assignment, method-assign] # the outcome is not used
    room.play(day)
    assert room.out == list(day.pushes), day.title


def test_there_are_enough_days() -> None:
    assert len(CORPUS) >= 40
