"""The live registry: only entries of the very process, read again only when they were written."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from controlroom.node.agents.claude.registry import Registry, parse
from tests.unit.node.agents.claude.samples import FIXTURES

PID, START = 17444, "167592"


@pytest.fixture
def profile(tmp_path: Path) -> Path:
    (tmp_path / "sessions").mkdir()
    return tmp_path


def write(profile: Path, state: str) -> Path:
    path = profile / "sessions" / f"{PID}.json"
    path.write_bytes((FIXTURES / "live" / f"session-registry-{state}.json").read_bytes())
    return path


@pytest.mark.parametrize(
    ("state", "value", "detail"),
    [
        ("idle", "idle", "status idle"),
        ("busy", "busy", "status busy"),
        ("waiting-permission", "waiting", "status waiting: permission prompt"),
        ("waiting-question", "waiting", "status waiting: input needed"),
        ("waiting-dialog", "waiting", "status waiting: dialog open"),
    ],
)
def test_each_recorded_state_is_a_fact(profile: Path, state: str, value: str, detail: str) -> None:
    write(profile, state)
    entry = Registry(profile).entry(PID, START)
    assert entry is not None
    fact = entry.reported()
    assert fact is not None
    assert (fact.value, fact.source, fact.detail) == (value, "registry", detail)
    assert fact.at_ms == entry.status_updated_at
    assert (entry.given_name, entry.session_id) == ("crate-sorter", "915d29bb-4d8b-49ed-bfa4-9df8869ec533")


def test_the_file_of_an_earlier_process_with_that_number_is_nothing(profile: Path) -> None:
    write(profile, "idle")
    assert Registry(profile).entry(PID, "999") is None
    assert not Registry(profile).left_behind(PID, "999")


def test_a_file_that_stays_after_the_end_is_seen(profile: Path) -> None:
    registry = Registry(profile)
    assert not registry.left_behind(PID, START)
    path = write(profile, "busy")
    assert registry.left_behind(PID, START)
    path.unlink()
    assert not registry.left_behind(PID, START)


def test_no_status_is_unknown_and_not_idle() -> None:
    entry = parse(b'{"pid":1,"procStart":"5","sessionId":"s"}')
    assert entry is not None and entry.reported() is None
    entry = parse(b'{"pid":1,"procStart":"5","status":"dreaming"}')
    assert entry is not None and entry.reported() is None


def test_a_made_up_name_is_no_name() -> None:
    entry = parse(b'{"name":"orchard-ab","nameSource":"derived"}')
    assert entry is not None and entry.given_name == ""


@pytest.mark.parametrize(("entrypoint", "expected"), [("cli", False), ("sdk-cli", True), ("sdk-py", True)])
def test_what_runs_for_another_program_is_told(entrypoint: str, expected: bool) -> None:
    entry = parse(b'{"entrypoint":"%s"}' % entrypoint.encode())
    assert entry is not None and entry.is_programmatic is expected


@pytest.mark.parametrize("data", [b"", b'{"pid":174', b"[]", b'{"pid":"x"}', b"\xff\xfe"])
def test_a_damaged_file_is_nothing(data: bytes) -> None:
    assert parse(data) is None


def test_a_half_written_file_is_read_again(profile: Path) -> None:
    registry = Registry(profile)
    path = profile / "sessions" / f"{PID}.json"
    path.write_bytes(b'{"pid":')
    assert registry.entry(PID, START) is None
    write(profile, "idle")
    assert registry.entry(PID, START) is not None


def test_an_entry_is_read_again_only_when_it_was_written(
    profile: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    registry, reads = Registry(profile), list[Path]()
    read = Path.read_bytes

    def count(path: Path) -> bytes:
        reads.append(path)
        return read(path)

    write(profile, "idle")
    monkeypatch.setattr(Path, "read_bytes", count)
    for _ in range(3):
        assert registry.entry(PID, START) is not None
    assert len(reads) == 1


def test_secrets_beside_the_entries_are_never_opened(profile: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    key = profile / "sessions" / f"{PID}.0000.key"
    key.write_text("secret")
    key.chmod(0)
    opened = list[str]()

    def note(path: Path) -> bytes:
        opened.append(path.name)
        return b"{}"

    write(profile, "idle")
    monkeypatch.setattr(Path, "read_bytes", note)
    Registry(profile).entry(PID, START)
    assert opened == [f"{PID}.json"]


def test_an_endless_file_is_not_read(profile: Path) -> None:
    os.truncate(write(profile, "idle"), 10_000_000)
    assert Registry(profile).entry(PID, START) is None


def test_a_folder_that_cannot_be_read_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(path: Path) -> None:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr("controlroom.node.agents.claude.registry.stamp", refuse)
    with pytest.raises(PermissionError):
        Registry(tmp_path).entry(PID, START)
