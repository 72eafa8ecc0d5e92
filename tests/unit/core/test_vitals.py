"""When a machine is nearly full."""

from __future__ import annotations

import pytest

from controlroom.core.vitals import GB, Item, Killed, Room, is_low, items_of


@pytest.mark.parametrize(
    ("free", "size", "was_low", "low"),
    [
        (1.2, 32, False, True),  # 3.75 %
        (1.4, 32, False, False),
        (2.1, 32, True, True),  # it has to be 7 % again
        (2.3, 32, True, False),
        (0, 32, False, True),
        (25, 1_000, False, False),  # 2.5 %, and plenty
        (15, 1_000, False, True),
        (30, 1_000, True, True),
        (41, 1_000, True, False),
        (0.09, 1, False, True),  # 9 % of a small disk
        (0.15, 1, True, True),
        (0.15, 1, False, False),
        (0, 0, False, False),
    ],
)
def test_low_begins_below_one_mark_and_ends_above_another(
    free: float, size: float, was_low: bool, low: bool
) -> None:
    assert is_low(Room("disk", int(free * GB), int(size * GB), "/srv"), was_low=was_low) is low


def test_the_figure_is_told() -> None:
    rooms = [Room("memory", GB // 2, 32 * GB), Room("disk", 50_000_000, 100 * GB, "/srv")]
    assert [item.title for item in items_of(rooms, (), None, 0)] == [
        "Memory is nearly full: 0.5 GB of 32.0 GB left",
        "The disk of /srv is nearly full: 50 MB of 100.0 GB left",
    ]


def test_what_was_killed_is_shown_for_an_hour_with_who_ended() -> None:
    killed = Killed(1, 1_000, ("oak",))
    assert items_of((), (), killed, 2_000) == [
        Item(
            "vitals:killed",
            "A program was killed for memory, and oak ended at that moment",
            "Start what ended again, and run less at once on this machine.",
        )
    ]
    assert items_of((), (), killed, 3_601_000) == []
    (item,) = items_of((), (), Killed(3, 0), 0)
    assert item.title == "3 programs were killed for memory"
