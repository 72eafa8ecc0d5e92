"""What adapters remember of panes."""

from __future__ import annotations

import gc

from controlroom.node.mux.base import PaneRef
from controlroom.node.mux.memory import KEPT, Newest, Turns


def pane(number: int) -> PaneRef:
    return PaneRef("fake", "/run/fake/default", f"%{number}")


async def test_a_pane_has_one_turn_at_a_time_and_none_is_kept() -> None:
    turns = Turns()
    async with turns.of(pane(1)):
        assert turns.of(pane(1)).locked() and not turns.of(pane(2)).locked()
    gc.collect()
    assert not turns.of(pane(1)).locked()


def test_only_what_was_put_last_is_kept() -> None:
    newest: Newest[int] = Newest()
    for number in range(KEPT):
        newest.put(pane(number), number)
    newest.put(pane(0), 7)  # seen again: now 1 is the oldest
    newest.put(pane(KEPT), KEPT)
    assert (newest.get(pane(0)), newest.get(pane(1)), newest.get(pane(2))) == (7, None, 2)
    assert newest.get(pane(KEPT)) == KEPT
