"""The machine's zone by a name that others understand."""

from __future__ import annotations

from datetime import UTC, timedelta, timezone
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest

from controlroom.kit import zone


def test_the_environment_names_the_zone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TZ", ":Europe/Berlin")
    assert zone.zone_here() == "Europe/Berlin"


def test_else_the_system_does(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.delenv("TZ", raising=False)
    (tmp_path / "zoneinfo" / "Asia").mkdir(parents=True)
    (tmp_path / "zoneinfo" / "Asia" / "Tokyo").touch()
    (tmp_path / "localtime").symlink_to(tmp_path / "zoneinfo" / "Asia" / "Tokyo")
    (tmp_path / "timezone").write_text("America/Lima\n")
    monkeypatch.setattr(zone, "_TIMEZONE", tmp_path / "timezone")
    monkeypatch.setattr(zone, "_LOCALTIME", tmp_path / "localtime")
    assert zone.zone_here() == "Asia/Tokyo"
    monkeypatch.setattr(zone, "_LOCALTIME", tmp_path / "none")
    assert zone.zone_here() == "America/Lima"


def test_without_a_name_it_is_an_offset_that_can_be_read(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("TZ", "Nowhere/Atall")
    monkeypatch.setattr(zone, "_TIMEZONE", tmp_path / "none")
    monkeypatch.setattr(zone, "_LOCALTIME", tmp_path / "none")
    assert zone.zone_of(zone.zone_here()) is not None


def test_zones_by_name() -> None:
    assert zone.zone_of("UTC") is UTC
    assert zone.zone_of("Europe/Berlin") == ZoneInfo("Europe/Berlin")
    assert zone.zone_of("UTC-03:30") == timezone(-timedelta(hours=3, minutes=30))
    for unknown in (
        "",
        "Europe/Nowhere",
        "../../etc/passwd",
        "UTC+99:00",
        "x" * 5000,
        "/etc/localtime",
        "a\0b",
    ):
        assert zone.zone_of(unknown) is None
