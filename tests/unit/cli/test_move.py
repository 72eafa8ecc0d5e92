"""What is sent to the hub for the profile that somebody typed."""

from __future__ import annotations

from pathlib import Path

import pytest

from controlroom.cli.move import name_or_real_folder


def test_a_name_stays_and_a_folder_is_its_real_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    home = tmp_path.resolve()
    monkeypatch.setenv("HOME", str(home))
    (home / "real").mkdir()
    (home / "link").symlink_to("real")
    assert name_or_real_folder("home") == "home"
    assert name_or_real_folder("~/link") == name_or_real_folder(f"{home}/link/") == str(home / "real")


def test_what_is_no_folder_is_left_to_the_hub_to_refuse(tmp_path: Path) -> None:
    loop = tmp_path / "loop"
    loop.symlink_to("loop")
    assert name_or_real_folder("~nobody-here/x").endswith("/~nobody-here/x")
    assert Path(name_or_real_folder(str(loop))).name == "loop"
