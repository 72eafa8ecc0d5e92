"""Whatever two profiles hold of a session: nothing that was said is lost, and the source never changes."""

from __future__ import annotations

import asyncio
import tempfile
import threading
from pathlib import Path
from unittest.mock import patch

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from controlroom.kit import copied_file
from controlroom.node.acts import carrying
from controlroom.node.acts.carrying import CannotCarry, carry, forget, take_back
from controlroom.node.agents.claude import moving as claude
from tests.unit.node.acts.profiles_to_move import (
    SESSION,
    full_profile,
    make_old,
    mark,
    said,
    standing,
    transcript,
    write,
)


def rows(first: int) -> st.SearchStrategy[list[str]]:
    """Rows of a history; what is said has an id of its own, so none stands there twice."""
    row = st.one_of(st.integers(first, first + 5).map(said), st.sampled_from(["opened", "closed"]).map(mark))
    return st.lists(row, max_size=5).map(lambda found: list(dict.fromkeys(found)))


rests = st.sampled_from(["", '{"type":"us'])  # what a kill left of a row


def lines(text: str) -> set[str]:
    return {line for line in text.splitlines() if '"user"' in line and line.endswith("}")}


@settings(max_examples=60, deadline=None)
@given(rows(0), rows(6), rows(6), rests, st.booleans(), st.booleans())
def test_nothing_that_was_said_is_lost(
    both: list[str], here: list[str], there: list[str], rest: str, has_there: bool, is_taken_back: bool
) -> None:
    with tempfile.TemporaryDirectory() as folder, patch("os.fsync"):
        source, target, memory = (Path(folder, name) for name in ("one", "two", "memory"))
        write(transcript(source), "".join([*both, *here]))
        write(target / "settings.json", "{}")
        had = "".join([*both, *there]) + rest if has_there else ""
        if has_there:
            write(transcript(target), had)
        make_old(Path(folder))
        was_here, was_there = standing(source), standing(target)
        try:
            asyncio.run(carry(claude, SESSION, str(source), str(target), memory))
        except CannotCarry:
            assert standing(target) == was_there
            assert lines(had) - lines("".join(both)) or not lines("".join([*both, *here]))
            return
        finally:
            assert standing(source) == was_here
        if is_taken_back:
            asyncio.run(take_back(memory))
            assert standing(target) == was_there
            return
        asyncio.run(forget(memory))
        now = transcript(target).read_text()
        left = [path.read_text() for path in transcript(target).parent.glob(f"{SESSION}*")]
        assert lines(transcript(source).read_text()) <= lines(now)
        assert lines(had) <= set().union(*map(lines, left))
        assert not [path for path in target.rglob("*") if path.name.endswith(".moving")]


async def test_who_is_stopped_while_it_copies_takes_it_back(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    source, target = full_profile(tmp_path / "one"), tmp_path / "two"
    target.mkdir()
    make_old(target)
    before = standing(target)
    copying, go_on = threading.Event(), threading.Event()
    real = copied_file.copy_file

    def slow(*args: Path, **given: object) -> object:
        copying.set()
        go_on.wait(60)
        return real(*args, **given)  # type: ignore[arg-type]  # whatever it is called with

    monkeypatch.setattr(carrying, "copy_file", slow)
    async with asyncio.timeout(60), asyncio.TaskGroup() as tasks:
        task = tasks.create_task(carry(claude, SESSION, str(source), str(target), tmp_path / "memory"))
        await asyncio.to_thread(copying.wait, 60)
        task.cancel()
        await asyncio.sleep(0)
        go_on.set()
    assert task.cancelled()
    assert standing(target) == before
    assert not (tmp_path / "memory").exists()
