"""How adapters look for servers, and how patient they are with one in trouble."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from controlroom.node.mux.watch import Watch, pause_after, socket_identity


def test_pauses_grow_to_a_limit_and_there_is_none_without_a_failure() -> None:
    assert [pause_after(failures) for failures in range(8)] == [0.0, 0.5, 1.0, 2.0, 4.0, 8.0, 10.0, 10.0]


def test_a_socket_made_anew_is_another_one(tmp_path: Path) -> None:
    path = tmp_path / "sock"
    assert socket_identity(str(path)) is None
    path.touch()
    first = socket_identity(str(path))
    assert first is not None and socket_identity(str(path)) == first
    path.rename(tmp_path / "old")  # it keeps its inode, so that the new one has another
    path.touch()
    assert socket_identity(str(path)) not in (None, first)


async def test_what_was_told_wakes_one_wait(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("controlroom.node.mux.watch.LOOK_EVERY_S", 0.0)
    looks = asyncio.Semaphore(0)

    async def look() -> None:
        looks.release()

    watch = Watch("test", look)
    watch.start()
    for _ in range(3):
        await looks.acquire()
    watch.tell()
    await watch.wait(3600.0)
    await watch.wait(0.0)  # it was heard
    await watch.aclose()
