"""Config folders of agents: found by name and by life, each once, called as the person says."""

from __future__ import annotations

from pathlib import Path

from controlroom.node.profiles import find_profiles, named_folders


def folder(path: Path, sign: str) -> Path:
    (path / sign).mkdir(parents=True)
    return path


def test_folders_are_named_by_the_person_found_at_home_and_where_agents_live(tmp_path: Path) -> None:
    work = folder(tmp_path / "else" / "claude-work", "projects")
    folder(tmp_path / ".claude", "projects")
    folder(tmp_path / ".claude-side", "projects")
    folder(tmp_path / ".claude-empty", "nothing")
    folder(tmp_path / ".codex", "sessions")
    lived = folder(tmp_path / "lived", "sessions")
    found = find_profiles(
        "mac_1",
        named=named_folders([f"claude:Work={work}", f"codex:Gone={tmp_path}/gone"]),
        living=[("codex", str(lived)), ("claude", str(work)), ("hermes", str(work)), ("claude", "")],
        home=tmp_path,
        environ={"CODEX_HOME": str(lived)},
    )
    assert [(one.kind, one.name) for one in found] == [
        ("claude", "Work"),
        ("codex", "lived"),
        ("claude", "claude"),
        ("codex", "codex"),
        ("claude", "claude-side"),
    ]
    assert len({one.id for one in found}) == 5


def test_one_folder_by_two_paths_is_one_profile_and_its_id_is_the_folders(tmp_path: Path) -> None:
    real = folder(tmp_path / "real", "projects")
    (tmp_path / "link").symlink_to(real)
    found = find_profiles("mac_1", living=[("claude", str(tmp_path / "link")), ("claude", str(real))])
    assert [one.folder for one in found] == [str(tmp_path / "link")]
    assert found[0].id == find_profiles("mac_1", living=[("claude", str(real))])[0].id
    assert found[0].id != find_profiles("mac_2", living=[("claude", str(real))])[0].id


def test_without_a_home_only_what_is_named_or_lived_in_is_looked_at(tmp_path: Path) -> None:
    folder(tmp_path / ".claude", "projects")
    assert find_profiles("mac_1", environ={"CLAUDE_CONFIG_DIR": str(tmp_path / ".claude")}) == []
    assert find_profiles("mac_1", home=tmp_path / "none") == []


def test_a_name_is_made_safe(tmp_path: Path) -> None:
    work = folder(tmp_path / "w", "projects")
    (named,) = find_profiles("mac_1", named=named_folders([f"claude:a\x1b[31m b={work}"]))
    assert "\x1b" not in named.name
