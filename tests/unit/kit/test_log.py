"""The log file: JSON lines, private, bounded, without secrets."""

from __future__ import annotations

import json
import logging
import stat
from collections.abc import Iterator
from pathlib import Path

import pytest
import structlog

from controlroom.kit.log import log_to_file


@pytest.fixture(autouse=True)
def as_it_was() -> Iterator[None]:
    root = logging.getLogger()
    handlers, level = root.handlers[:], root.level
    for handler in handlers:  # pytest's own: log_to_file would close them
        root.removeHandler(handler)
    yield
    structlog.reset_defaults()
    for handler in root.handlers[:]:
        root.removeHandler(handler)
        handler.close()
    for handler in handlers:
        root.addHandler(handler)
    root.setLevel(level)


def entries(path: Path) -> list[dict[str, object]]:
    return [json.loads(line) for line in path.read_text().splitlines()]


def test_entries_are_json_lines_in_a_private_file(tmp_path: Path) -> None:
    path = tmp_path / "a.log"
    log_to_file(path)
    structlog.get_logger("fleet").info("agent found", agent="agt_1", n=3)
    (entry,) = entries(path)
    assert entry.pop("at")
    assert entry == {"event": "agent found", "level": "info", "logger": "fleet", "agent": "agt_1", "n": 3}
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


def test_values_are_bounded_and_lose_control_characters(tmp_path: Path) -> None:
    path = tmp_path / "a.log"
    log_to_file(path)
    structlog.get_logger("x").info("t", title="a\x1b[31m\nb" + "x" * 1000, rows=list(range(100)))
    (entry,) = entries(path)
    title = str(entry["title"])
    assert len(title) < 600
    assert not any(ord(c) < 32 for c in title)
    assert len(entry["rows"]) == 20  # type: ignore[arg-type] # a JSON list


def test_secrets_are_not_written(tmp_path: Path) -> None:
    path = tmp_path / "a.log"
    log_to_file(path)
    structlog.get_logger("x").info("t", access_token="abc123", headers={"Authorization": "abc123"})
    assert "abc123" not in path.read_text()


def test_failures_carry_a_bounded_trace(tmp_path: Path) -> None:
    path = tmp_path / "a.log"
    log_to_file(path)
    try:
        raise ValueError("y" * 50_000)
    except ValueError:
        structlog.get_logger("x").exception("it broke")
    (entry,) = entries(path)
    assert "Traceback" in str(entry["exception"])
    assert len(str(entry["exception"])) < 9_000


def test_warnings_of_libraries_stand_in_it_and_their_chatter_does_not(tmp_path: Path) -> None:
    path = tmp_path / "a.log"
    log_to_file(path)
    logging.getLogger("aiohttp.server").info("chatter")
    logging.getLogger("aiohttp.server").warning("odd %s", "thing")
    (entry,) = entries(path)
    assert entry["event"] == "odd thing"
    assert entry["logger"] == "aiohttp.server"


def test_the_level_is_kept(tmp_path: Path) -> None:
    path = tmp_path / "a.log"
    log_to_file(path, "warning")
    structlog.get_logger("x").info("no")
    structlog.get_logger("x").warning("yes")
    assert [entry["event"] for entry in entries(path)] == ["yes"]
