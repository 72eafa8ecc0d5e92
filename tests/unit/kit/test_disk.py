"""How much room is too little."""

from __future__ import annotations

from pathlib import Path

import pytest

from controlroom.kit import disk


def test_a_disk_with_room_is_no_trouble(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(disk, "FREE_BYTES", 0)
    assert disk.too_little(tmp_path) == ""
    monkeypatch.setattr(disk, "FREE_BYTES", 2**80)
    assert str(tmp_path) in disk.too_little(tmp_path)
