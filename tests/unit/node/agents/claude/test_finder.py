"""Finding: which pane holds which agent, in which profile and session, and what is not certain."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import pytest

from controlroom.node.agents.base import Sighting
from controlroom.node.agents.claude.finder import Finder
from tests.unit.node.agents.claude.desk import NATIVE, NOW_MS, SESSION, Desk, process


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    return Desk(tmp_path)


def only(desk: Desk, finder: Finder | None = None) -> Sighting:
    (who,) = (finder or Finder(desk)).find().sightings
    return who


def test_the_registry_names_session_folder_and_given_name(desk: Desk) -> None:
    ref = desk.claude()
    desk.register(name="crate-sorter", nameSource="user", cwd="/home/dev/work/lantern")
    who = only(desk)
    assert (who.pane, who.incarnation, who.kind) == (ref, "20@2000", "claude")
    assert (who.session_id, who.name, who.folder) == (SESSION, "crate-sorter", "/home/dev/work/lantern")
    assert (who.profile, who.uncertain) == (str(desk.profile), "")


def test_a_derived_name_is_no_name(desk: Desk) -> None:
    desk.claude()
    desk.register(name="orchard-ab", nameSource="derived")
    assert only(desk).name == ""


def test_the_registry_is_followed_when_the_session_changes(desk: Desk) -> None:
    desk.claude(20, "--resume", SESSION)
    desk.register()
    finder = Finder(desk)
    assert only(desk, finder).session_id == SESSION
    desk.register(sessionId="11111111-2222-4333-8444-555555555555", updatedAt=1)
    assert only(desk, finder).session_id == "11111111-2222-4333-8444-555555555555"


def test_the_config_folder_of_that_very_process_counts(desk: Desk, tmp_path: Path) -> None:
    desk.claude()
    desk.machine.environs[20]["CLAUDE_CONFIG_DIR"] = str(tmp_path / "profiles" / "b")
    assert only(desk).profile == str(tmp_path / "profiles" / "b")


def test_without_a_readable_environment_the_profile_is_uncertain(desk: Desk) -> None:
    desk.claude()
    desk.machine.environs[20] = {}
    assert "environment" in only(desk).uncertain


class TestWithoutARegistryFile:
    def test_a_young_process_is_starting(self, desk: Desk) -> None:
        desk.claude()
        desk.machine.add(process(20, 19, NATIVE, NATIVE, at_ms=NOW_MS - 5_000))
        who = only(desk)
        assert (who.session_id, who.uncertain) == (None, "")

    def test_the_arguments_are_a_guess_that_says_so(self, desk: Desk) -> None:
        desk.claude(20, "--resume", SESSION)
        who = only(desk)
        assert who.session_id == SESSION
        assert "arguments" in who.uncertain

    def test_nothing_is_guessed_from_files(self, desk: Desk) -> None:
        desk.claude()
        desk.record("plain-chat")
        who = only(desk)
        assert who.session_id is None
        assert "not known" in who.uncertain

    def test_the_file_of_an_earlier_process_is_none(self, desk: Desk) -> None:
        desk.claude()
        desk.register(procStart="1")
        assert only(desk).session_id is None


def test_a_folder_that_cannot_be_read_is_a_problem_and_hides_no_agent(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(path: Path) -> None:
        raise PermissionError(13, "Permission denied")

    desk.claude()
    monkeypatch.setattr("controlroom.node.agents.claude.registry.stamp", refuse)
    found = Finder(desk).find()
    assert len(found.sightings) == 1 and "cannot be read" in found.sightings[0].uncertain
    ((code, text),) = found.problems
    assert code == f"unreadable:{desk.profile}" and "right to read" in text


def test_of_two_in_one_shell_the_one_with_the_keyboard_is_the_panes(desk: Desk) -> None:
    desk.claude()
    desk.machine.add(process(21, 19, NATIVE, NATIVE))
    desk.machine.at_keyboard = {21}
    assert only(desk).incarnation == "21@2100"


def test_panes_without_an_agent_are_not_named(desk: Desk) -> None:
    desk.claude()
    desk.add_pane(50)
    desk.machine.add(process(50, 1, "/bin/bash", "-bash"), process(51, 50, "/usr/bin/vim", "vim"))
    assert len(Finder(desk).find().sightings) == 1


def test_what_runs_for_another_program_is_no_agent(desk: Desk) -> None:
    desk.claude()
    desk.register(entrypoint="sdk-cli")
    assert Finder(desk).find().sightings == ()


def test_what_never_changes_is_read_once(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    desk.claude()
    desk.register()
    finder, reads = Finder(desk), list[int]()
    environ = desk.machine.environ

    def count(pid: int, keys: Iterable[str]) -> dict[str, str]:
        reads.append(pid)
        return environ(pid, keys)

    monkeypatch.setattr(desk.machine, "environ", count)
    for _ in range(3):
        finder.find()
    assert reads == [20]


def test_ended_processes_are_forgotten(desk: Desk) -> None:
    ref = desk.claude()
    finder = Finder(desk)
    assert finder.place(only(desk, finder).incarnation) is not None
    del desk.panes[ref]
    assert finder.find().sightings == ()
    assert finder.place("20@2000") is None
