"""How Codex is started again, and which start-up prompts are answered without a person."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest

from controlroom.core.facts import Dialog
from controlroom.node.agents.codex.launching import environment_of, kept_words, new_command, safe_option
from controlroom.node.agents.codex.screens import find_dialog
from controlroom.node.agents.launching import CannotLaunch, Launch
from tests.unit.node.agents.codex.desk import EXE, FOLDER, Room
from tests.unit.node.agents.codex.samples import frame, session_id

ID = "01a22c3a-785b-7371-a39a-b447e3353599"
LAST = Launch(program="/opt/codex", argv=("codex", "--search"), own_words=("codex", "--search"))


@pytest.mark.parametrize(
    ("words", "kept"),
    [
        ((), ()),
        (("resume", ID), ()),
        (("fork", "--last", "--no-daemon"), ("--no-daemon",)),
        (("resume", "--all", "--include-non-interactive", "-m", "gpt-6-sol"), ("-m", "gpt-6-sol")),
        (("--no-daemon", "resume", ID, "Please begin"), ("--no-daemon",)),
        (("Please begin", "-s", "read-only"), ("-s", "read-only")),
        (("-C", "/srv/pears", "--search"), ("--search",)),
        (("--cd=/srv/pears", "-C/srv/pears", "--search"), ("--search",)),
        (("-i", "a.png", "b.png", "--search"), ("--search",)),
        (("--image=a.png", "Look at it"), ()),
        (("-c", "model=gpt-6-sol", "--add-dir", "/srv"), ("-c", "model=gpt-6-sol", "--add-dir", "/srv")),
        (("-mgpt-6-sol", "--enable=hooks", "Begin"), ("-mgpt-6-sol", "--enable=hooks")),
        (("--worktree", "--unheard", "value"), ("--unheard",)),
        (("--search", "--", "--search is a word of the prompt"), ("--search",)),
    ],
)
def test_flags_are_kept_and_conversation_folder_and_prompt_are_not(
    words: tuple[str, ...], kept: tuple[str, ...]
) -> None:
    assert kept_words(words) == kept
    assert kept_words(kept) == kept


def test_a_new_agent_runs_without_the_background_server() -> None:
    assert new_command("").words == ("codex", "--no-daemon")
    assert new_command("gpt-6-sol").words == ("codex", "--no-daemon", "--model", "gpt-6-sol")


def test_only_another_profile_is_named() -> None:
    assert environment_of("") == environment_of(str(Path.home() / ".codex")) == {}
    assert environment_of("/srv/two") == {"CODEX_HOME": "/srv/two"}


# --- whole agents -----------------------------------------------------------------------------------------


@pytest.fixture
def room(tmp_path: Path) -> Room:
    return Room(tmp_path)


async def test_a_restart_resumes_the_conversation_in_its_folder(room: Room) -> None:
    room.desk.codex(20, "--no-daemon", "-m", "gpt-6-sol", "Please begin")
    id = session_id(room.desk.put("11-07-12"))
    launch = room.driver.launch(await room.who(), "on", None)
    assert launch.program == EXE and launch.session_id == id and launch.environment == {}
    assert launch.argv == (EXE, "resume", id, "--no-daemon", "-m", "gpt-6-sol", "--cd", FOLDER)
    assert launch.own_words == (EXE, "--no-daemon", "-m", "gpt-6-sol")


async def test_a_fresh_one_and_one_in_which_nothing_was_said_begin_anew(room: Room) -> None:
    room.desk.codex(20, "--no-daemon", "resume", ID)
    room.desk.machine.files[20] = [room.desk.lock(ID)]
    who = await room.who()
    assert who.session_id == ID
    for going in ("anew", "on"):
        launch = room.driver.launch(who, "anew" if going == "anew" else "on", None)
        assert (launch.argv, launch.session_id) == ((EXE, "--no-daemon"), None)


async def test_one_that_has_ended_is_started_as_it_ran_in_its_profile(room: Room) -> None:
    room.desk.codex(20, "--no-daemon")
    id = session_id(room.desk.put("11-07-12"))
    gone = msgspec.structs.replace(await room.who(), incarnation="")
    launch = room.driver.launch(gone, "on", LAST)
    assert launch.program == "/opt/codex"
    assert launch.argv == ("codex", "resume", id, "--search", "--cd", FOLDER)
    assert launch.environment == {"CODEX_HOME": str(room.desk.home)}
    assert room.driver.launch(gone, "on", None).argv == ("codex", "resume", id, "--cd", FOLDER)


async def test_what_is_not_certain_is_not_resumed(room: Room) -> None:
    room.desk.codex(20, "--no-daemon")
    room.desk.put("11-07-12")
    who = await room.who()
    doubtful = msgspec.structs.replace(who, uncertain="Two have this name.")
    with pytest.raises(CannotLaunch, match="Two have this name"):
        room.driver.launch(doubtful, "on", None)
    assert room.driver.launch(doubtful, "anew", None).session_id is None
    harmless = msgspec.structs.replace(doubtful, is_harmless=True)
    assert room.driver.launch(harmless, "on", None).session_id == who.session_id
    gone = msgspec.structs.replace(who, incarnation="")
    with pytest.raises(CannotLaunch, match="not known"):
        room.driver.launch(msgspec.structs.replace(gone, session_id=None), "on", LAST)
    with pytest.raises(CannotLaunch, match="not in its profile"):
        room.driver.launch(msgspec.structs.replace(gone, session_id=ID), "on", LAST)


async def test_one_that_hides_its_environment_is_not_started_again(room: Room) -> None:
    room.desk.codex(exe="")
    who = msgspec.structs.replace(await room.who(), session_id=ID, uncertain="")
    with pytest.raises(CannotLaunch, match=f"codex resume {ID}"):
        room.driver.launch(who, "on", None)


# --- start-up prompts -------------------------------------------------------------------------------------


def prompt(name: str) -> Dialog:
    found = find_dialog(frame(name))
    assert found is not None
    return found.dialog


@pytest.mark.parametrize(
    ("name", "again", "first"),
    [
        ("trust-folder-80x24", "1", None),
        ("trust-folder-120x40", "1", None),
        ("update-prompt-80x24", "2", "2"),
        ("model-upgrade-prompt-80x24", "2", "2"),
        ("resume-other-directory-90x26", "1", "1"),
        ("hooks-review-prompt-80x24", None, None),
        ("resume-locked-90x26", None, None),
        ("onboarding-login-80x24", None, None),
        ("daemon-feature-mismatch-100x34", None, None),
        ("resume-picker-80x24", None, None),
        ("exec-approval-80x24", None, None),
        ("rate-limit-warning-80x24", None, None),
    ],
)
def test_only_known_prompts_are_answered(name: str, again: str | None, first: str | None) -> None:
    assert safe_option(prompt(name), is_again=True) == again
    assert safe_option(prompt(name), is_again=False) == first
