"""Scripts pick the first step that fits; gates hold a reply until a test opens them."""

from __future__ import annotations

import asyncio

import pytest

from controlroom.testing.model_script import Gate, Script, chunks


def script(*steps: tuple[str, str, int | None, bool]) -> Script[str]:
    made: Script[str] = Script()
    for action, match, times, side in steps:
        made.add(action, match=match, times=times, side=side)
    return made


def test_the_first_step_that_fits_is_used_up() -> None:
    steps = script(("a", "apples", 1, False), ("b", "", 2, False))
    assert [steps.take("buy apples", side=False) for _ in range(4)] == ["a", "b", "b", None]


def test_a_step_without_times_answers_for_ever() -> None:
    steps = script(("a", "", None, False))
    assert [steps.take("x", side=False) for _ in range(3)] == ["a", "a", "a"]


def test_side_steps_answer_only_side_requests() -> None:
    steps = script(("title", "", None, True), ("reply", "", None, False))
    assert steps.take("x", side=True) == "title"
    assert steps.take("x", side=False) == "reply"


def test_a_pattern_matches_over_several_lines() -> None:
    assert script(("a", "one.*three", 1, False)).take("one\ntwo\nthree", side=False) == "a"


def test_cleared_steps_are_gone() -> None:
    steps = script(("a", "", None, False))
    steps.clear()
    assert steps.take("x", side=False) is None


async def test_a_gate_tells_who_arrived_and_lets_pass_when_open() -> None:
    gate = Gate()
    waiting = asyncio.ensure_future(gate.wait())
    await gate.arrived()
    assert not waiting.done()
    gate.open()
    await waiting


async def test_waiting_for_an_arrival_that_never_comes_ends() -> None:
    with pytest.raises(TimeoutError):
        await Gate().arrived(timeout_s=0)


@pytest.mark.parametrize(
    ("text", "pieces"), [("", [""]), ("abc", ["abc"]), ("abcdef", ["abc", "def"]), ("abcd", ["abc", "d"])]
)
def test_text_is_cut_into_pieces(text: str, pieces: list[str]) -> None:
    assert chunks(text, 3) == pieces
