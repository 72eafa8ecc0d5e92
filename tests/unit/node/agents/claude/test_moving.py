"""What a session of Claude Code owns, which of its rows are talk, and how its profile is chosen."""

from __future__ import annotations

from pathlib import Path

import pytest

from controlroom.kit.clock import SystemClock
from controlroom.kit.process import ProcProcesses
from controlroom.node.agents.claude import moving
from controlroom.node.agents.claude.client import ClaudeDriver
from controlroom.node.agents.moving import Piece
from controlroom.node.agents.moving import moving as moving_of
from controlroom.node.agents.transcripts import rows_from
from controlroom.node.world import PaneWorld
from tests.unit.node.agents.claude.samples import FIXTURES

SESSION = "5109abef-1111-4222-8333-444455556666"


def test_its_driver_can_move() -> None:
    world = PaneWorld((), ProcProcesses(), SystemClock())
    assert moving_of(ClaudeDriver(world)) is not None


def test_links_and_what_belongs_to_the_profile_stay(tmp_path: Path) -> None:
    folder = tmp_path / "projects" / "-home-kim"
    (folder / SESSION / "subagents").mkdir(parents=True)
    (folder / "memory").mkdir()
    (folder / "memory" / "notes.md").write_text("shared")
    (tmp_path / "secret").write_text("a login")
    (folder / SESSION / "link").symlink_to(tmp_path / "secret")
    (folder / SESSION / "custom-title.json").write_text("{}")
    (folder / f"{SESSION}.jsonl").write_text("{}\n")
    (tmp_path / "plans").mkdir()
    (tmp_path / "plans" / "a.md").write_text("not named in it")

    found = moving.belongings(str(tmp_path), SESSION)

    assert found.pieces == (
        Piece(folder="projects/-home-kim", name=f"{SESSION}.jsonl", history=SESSION),
        Piece(folder="projects/-home-kim", name=f"{SESSION}/custom-title.json"),
    )
    assert found.folders == (
        f"projects/-home-kim/{SESSION}",
        f"projects/-home-kim/{SESSION}/subagents",
    )
    assert moving.histories(str(tmp_path), [SESSION]) == {SESSION: found.pieces[0]}


@pytest.mark.parametrize("session_id", ["11111111-2222-4333-8444-555555555555", "../../secret", ""])
def test_a_session_that_is_not_there_owns_nothing(tmp_path: Path, session_id: str) -> None:
    assert moving.belongings(str(tmp_path / "gone"), session_id).pieces == ()
    assert moving.histories(str(tmp_path), [session_id]) == {}


def test_the_plan_of_a_real_session_is_found_and_its_talk_counted(tmp_path: Path) -> None:
    (sample,) = [path for path in _transcripts() if b"planFilePath" in path.read_bytes()][:1]
    folder = tmp_path / "projects" / "-home-kim"
    folder.mkdir(parents=True)
    (folder / f"{SESSION}.jsonl").write_bytes(sample.read_bytes())
    (tmp_path / "plans").mkdir()
    (tmp_path / "plans" / "plan-the-irrigation-timer-shiny-tulip.md").write_text("# A plan")
    names = [piece.name for piece in moving.belongings(str(tmp_path), SESSION).pieces]
    assert names[1:] == ["plans/plan-the-irrigation-timer-shiny-tulip.md"]
    with sample.open("rb") as file:
        talk = sum(moving.is_talk(row.data) for row in rows_from(file, 0))
    assert talk > 3


@pytest.mark.parametrize(
    "row",
    [
        b"",
        b"not a row with a user",
        b'{"type":"user","isMeta":true,"message":{"content":"hello"}}',
        b'{"type":"user","message":{"content":"<command-name>/exit</command-name>"}}',
        b'{"type":"assistant","message":{"model":"<synthetic>","content":[]}}',
        b'{"type":"cost-state","note":"user"}',
    ],
)
def test_what_opening_and_closing_write_is_no_talk(row: bytes) -> None:
    assert not moving.is_talk(row)


def test_the_usual_profile_is_chosen_by_no_variable(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    assert moving.variables(str(tmp_path / ".claude")) == {"CLAUDE_CONFIG_DIR": None}
    assert moving.variables("/home/kim/two") == {"CLAUDE_CONFIG_DIR": "/home/kim/two"}


def test_a_refusal_is_said() -> None:
    assert "did not find" in moving.refusal(f"No conversation found with session ID: {SESSION}")
    assert moving.refusal("Hello") == ""


def _transcripts() -> list[Path]:
    return sorted((FIXTURES / "transcripts").rglob("*.jsonl"))
