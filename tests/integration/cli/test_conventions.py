"""``controlroom conventions``: the difference first, then the file; and back again."""

from __future__ import annotations

import io
import json
import sys
from pathlib import Path

import pytest

from controlroom.core.conventions import VERSION
from tests.integration.cli.conftest import Cli

BEGIN = "<!-- controlroom conventions: begin"


@pytest.fixture(autouse=True)
def config(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A config folder for both kinds of agents, and a home of nobody's."""
    folder = tmp_path / "config"
    folder.mkdir()
    monkeypatch.setenv("CLAUDE_CONFIG_DIR", str(folder))
    monkeypatch.setenv("CODEX_HOME", str(folder))
    monkeypatch.setenv("HOME", str(tmp_path))
    return folder


def typed(monkeypatch: pytest.MonkeyPatch, words: str) -> None:
    """As if a person sat there and typed that."""
    monkeypatch.setattr("controlroom.cli.confirm.can_ask", lambda: True)
    monkeypatch.setattr(sys, "stdin", io.StringIO(words))


@pytest.mark.parametrize(("kind", "name"), [("claude", "CLAUDE.md"), ("codex", "AGENTS.md")])
def test_there_and_back(cli: Cli, config: Path, home: Path, kind: str, name: str) -> None:
    (config / name).write_bytes(b"# Mine\r\nno end")
    ran = cli("conventions", "install", "--agent", kind, "--yes")
    assert ran.status == 0
    assert f"+{BEGIN}" in ran.out
    assert "-# Mine" not in ran.out
    assert f"--home {home} ask".encode() in (config / name).read_bytes()
    again = cli("conventions", "install", "--agent", kind, "--yes")
    assert again.out == f"They are there already: {config / name}. Nothing was changed.\n"
    assert cli("conventions", "remove", "--agent", kind, "--yes").status == 0
    assert (config / name).read_bytes() == b"# Mine\r\nno end"
    gone = cli("conventions", "remove", "--agent", kind, "--yes")
    assert gone.out == f"They are not there: {config / name}. Nothing was changed.\n"


def test_a_missing_file_is_made_and_goes_again(cli: Cli, config: Path) -> None:
    assert cli("conventions", "remove", "--agent", "claude", "--yes").out.startswith("They are not there")
    assert "--- (no file)" in cli("conventions", "install", "--agent", "claude", "--yes").out
    assert (config / "CLAUDE.md").read_text().startswith(BEGIN)
    cli("conventions", "remove", "--agent", "claude", "--yes")
    assert list(config.iterdir()) == []


def test_the_person_sees_the_difference_and_may_say_no(
    cli: Cli, config: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    typed(monkeypatch, "n\n")
    ran = cli("conventions", "install", "--agent", "claude")
    assert ran.out.index(f"+{BEGIN}") < ran.out.index("[y/N]")
    assert ran.out.endswith("Nothing was changed.\n")
    assert list(config.iterdir()) == []
    typed(monkeypatch, "y\n")
    assert cli("conventions", "install", "--agent", "claude").status == 0
    assert (config / "CLAUDE.md").exists()


@pytest.mark.parametrize("more", [[], ["--json"]])
def test_without_a_terminal_nothing_is_assumed(cli: Cli, config: Path, more: list[str]) -> None:
    ran = cli("conventions", "install", "--agent", "claude", *more)
    assert (ran.status, "--yes" in ran.err) == (2, True)
    assert list(config.iterdir()) == []


def test_for_scripts(cli: Cli, config: Path) -> None:
    path = str(config / "CLAUDE.md")
    shown = json.loads(cli("conventions", "show", "--agent", "claude", "--json").out)
    assert (shown["state"], shown["path"], shown["version"]) == ("missing", path, None)
    done = json.loads(cli("conventions", "install", "--agent", "claude", "--yes", "--json").out)
    assert (done["changed"], done["path"]) == (True, path)
    assert BEGIN in done["diff"]
    shown = json.loads(cli("conventions", "show", "--agent", "claude", "--json").out)
    assert (shown["state"], shown["version"]) == ("current", VERSION)


def test_what_a_hand_changed_is_said_before_it_goes(cli: Cli, config: Path) -> None:
    cli("conventions", "install", "--agent", "claude", "--yes")
    path = config / "CLAUDE.md"
    path.write_text(path.read_text().replace("18:00", "19:00"))
    assert "changed by hand" in cli("conventions", "show", "--agent", "claude").out
    assert "that change goes" in cli("conventions", "install", "--agent", "claude", "--yes").out
    assert "19:00" not in path.read_text()


def test_a_project(cli: Cli, config: Path, tmp_path: Path) -> None:
    project = tmp_path / "orchard"
    project.mkdir()
    (project / "AGENTS.md").write_text("# Orchard\n")
    (project / "CLAUDE.md").symlink_to("AGENTS.md")
    ran = cli("conventions", "install", "--agent", "claude", "--project", str(project), "--yes")
    assert "It is a link; the file behind it is changed." in ran.out
    assert (project / "CLAUDE.md").is_symlink()
    assert BEGIN in (project / "AGENTS.md").read_text()
    assert cli("conventions", "show", "--agent", "codex", "--project", str(project)).status == 0
    assert list(config.iterdir()) == []


def test_codex_reads_something_else(cli: Cli, config: Path) -> None:
    (config / "AGENTS.override.md").write_text("x")
    (config / "AGENTS.md").write_text("x\n" * 20_000)
    ran = cli("conventions", "install", "--agent", "codex", "--yes")
    assert "AGENTS.override.md lies beside it, and is read in its place." in ran.out
    assert "more than 32 KiB" in ran.out


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (f"{BEGIN} version=1", "without the end"),
        ("<!-- controlroom conventions: end -->\n", "without the begin"),
        ("\0", "is not a UTF-8 text"),
    ],
)
@pytest.mark.parametrize("what", ["install", "remove", "show"])
def test_a_file_that_cannot_be_trusted_is_left_alone(
    cli: Cli, config: Path, data: str, said: str, what: str
) -> None:
    path = config / "CLAUDE.md"
    path.write_text(data)
    ran = cli("conventions", what, "--agent", "claude", "--yes")
    assert (ran.status, ran.out, ran.err.count("\n")) == (1, "", 1)
    assert said in ran.err
    assert str(path) in ran.err
    assert path.read_text() == data


def test_a_read_only_file(cli: Cli, config: Path) -> None:
    path = config / "CLAUDE.md"
    path.write_text("mine\n")
    path.chmod(0o400)
    ran = cli("conventions", "install", "--agent", "claude", "--yes")
    assert (ran.status, "is read-only. Nothing was changed." in ran.err) == (1, True)
    assert path.read_text() == "mine\n"


def test_a_folder_that_is_not_there(cli: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    ran = cli("conventions", "install", "--agent", "claude", "--project", str(tmp_path / "no"), "--yes")
    assert (ran.status, ran.err) == (1, f"controlroom: There is no folder {tmp_path / 'no'}.\n")
    monkeypatch.setenv("CODEX_HOME", str(tmp_path / "no"))
    assert "CODEX_HOME names it" in cli("conventions", "show", "--agent", "codex").err
    monkeypatch.delenv("CODEX_HOME")
    assert f"{tmp_path}/.codex. Name another one" in cli("conventions", "show", "--agent", "codex").err
