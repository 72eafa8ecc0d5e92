"""Turns: first come, first served, never more than the limit, and nobody who sleeps holds up the others."""

from __future__ import annotations

import re

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from controlroom.core.turns import NAME_PATTERN, Ticket, next_number, standing


def ticket(number: int, *, has_turn: bool = False) -> Ticket:
    return Ticket(
        number=number,
        pid=1000 + number,
        started="7",
        program="npx",
        folder="/srv/shop",
        space="",
        since_ms=0,
        has_turn=has_turn,
    )


@pytest.mark.parametrize(
    ("tickets", "number", "limit", "stopped", "may_go", "position"),
    [
        ([ticket(1)], 1, 1, (), True, 1),
        ([ticket(1, has_turn=True), ticket(2)], 2, 1, (), False, 1),
        ([ticket(1, has_turn=True), ticket(2), ticket(3)], 3, 1, (), False, 2),
        ([ticket(1, has_turn=True), ticket(2)], 2, 2, (), True, 1),
        ([ticket(1, has_turn=True), ticket(2), ticket(3)], 3, 2, (), False, 2),
        ([ticket(2), ticket(3)], 3, 1, (), False, 2),
        ([ticket(2), ticket(3)], 3, 1, (2,), True, 2),  # the first sleeps: passed over
        ([ticket(4, has_turn=True), ticket(5, has_turn=True), ticket(6)], 6, 1, (), False, 1),  # lowered
        ([ticket(5, has_turn=True), ticket(2)], 2, 1, (), False, 1),  # a turn is never taken away
    ],
)
def test_who_may_go(
    tickets: list[Ticket], number: int, limit: int, stopped: tuple[int, ...], may_go: bool, position: int
) -> None:
    found = standing(reversed(tickets), number, limit, stopped)
    assert (found.may_go, found.position) == (may_go, position)
    assert all(holder.has_turn for holder in found.holders)


def test_a_ticket_is_behind_all_others() -> None:
    assert next_number([]) == 1
    assert next_number([ticket(7), ticket(3, has_turn=True)]) == 8


@given(st.data())
def test_any_life_of_a_queue(data: st.DataObject) -> None:
    """Whatever comes, sleeps, wakes or dies: no more than the limit have a turn, and they come in order."""
    limit = data.draw(st.integers(1, 3))
    alive: dict[int, Ticket] = {}
    stopped: set[int] = set()
    for _ in range(data.draw(st.integers(1, 25))):
        step = data.draw(st.sampled_from(["draw", "ask", "die", "stop", "wake"]))
        if step == "draw":
            number = next_number(alive.values())
            alive[number] = ticket(number)
            continue
        if not alive:
            continue
        number = data.draw(st.sampled_from(sorted(alive)))
        if step == "die":
            del alive[number]
            stopped.discard(number)
        elif step == "stop":
            stopped.add(number)
        elif step == "wake":
            stopped.discard(number)
        elif not alive[number].has_turn and number not in stopped:
            may_go = standing(alive.values(), number, limit, stopped).may_go
            alive[number] = msgspec.structs.replace(alive[number], has_turn=may_go)
        having = [one.number for one in alive.values() if one.has_turn]
        assert len(having) <= limit
    awake = sorted(n for n, one in alive.items() if not one.has_turn and n not in stopped)
    free = limit - sum(one.has_turn for one in alive.values())
    going = [n for n in awake if standing(alive.values(), n, limit, stopped).may_go]
    assert going == awake[: max(free, 0)]


@pytest.mark.parametrize("name", ["browser", "heavy", "gpu-2", "a_b", "7"])
def test_names(name: str) -> None:
    assert re.fullmatch(NAME_PATTERN, name)


@pytest.mark.parametrize("name", ["", "..", "a/b", "-a", "Browser", "a b", "a" * 41, "é"])
def test_names_that_are_none(name: str) -> None:
    assert not re.fullmatch(NAME_PATTERN, name)
