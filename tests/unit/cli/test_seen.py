"""Which prompt was shown last: a small private note, worth nothing when it is damaged."""

from __future__ import annotations

from pathlib import Path

from controlroom.cli.seen import KEPT, last_seen, note_seen


def test_the_last_prompt_of_each_agent(tmp_path: Path) -> None:
    assert last_seen(tmp_path, "agt_1") is None
    note_seen(tmp_path, "agt_1", "dlg_1")
    note_seen(tmp_path, "agt_2", "dlg_2")
    note_seen(tmp_path, "agt_1", "dlg_3")
    assert last_seen(tmp_path, "agt_1") == "dlg_3"
    assert last_seen(tmp_path, "agt_2") == "dlg_2"


def test_it_is_private_and_does_not_grow(tmp_path: Path) -> None:
    for number in range(KEPT + 20):
        note_seen(tmp_path, f"agt_{number}", "dlg")
    (note,) = tmp_path.iterdir()
    assert note.stat().st_mode & 0o777 == 0o600
    assert last_seen(tmp_path, "agt_0") is None
    assert last_seen(tmp_path, f"agt_{KEPT + 19}") == "dlg"


def test_a_damaged_or_missing_place_is_no_trouble(tmp_path: Path) -> None:
    (tmp_path / "cli-seen.json").write_text("{")
    assert last_seen(tmp_path, "agt_1") is None
    note_seen(tmp_path / "missing", "agt_1", "dlg")
    assert last_seen(tmp_path / "missing", "agt_1") is None
