"""Too little room is a health item as long as it lasts."""

from __future__ import annotations

from pathlib import Path

import pytest

from controlroom.kit import disk
from controlroom.kit.clock import FakeClock
from controlroom.kit.health import HealthBoard
from controlroom.kit.supervise import Tasks
from tests.support.waiting import until


def test_a_disk_with_room_is_no_trouble(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(disk, "FREE_BYTES", 0)
    assert disk.too_little(tmp_path) == ""


async def test_the_item_comes_with_the_trouble_and_goes_with_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(disk, "EVERY_S", 0)
    monkeypatch.setattr(disk, "FREE_BYTES", 2**80)
    health = HealthBoard(FakeClock())
    tasks = Tasks("test")
    tasks.start("disk", disk.watch_disk(tmp_path, health))
    await until(lambda: [item.code for item in health.items] == ["disk"])
    assert str(tmp_path) in health.items[0].title
    monkeypatch.setattr(disk, "FREE_BYTES", 0)
    await until(lambda: not health.items)
    await tasks.aclose()


async def test_a_folder_that_vanished_is_said(tmp_path: Path) -> None:
    health = HealthBoard(FakeClock())
    tasks = Tasks("test")
    tasks.start("disk", disk.watch_disk(tmp_path / "gone", health))
    await until(lambda: health.items)
    assert "cannot be read" in health.items[0].title
    await tasks.aclose()
