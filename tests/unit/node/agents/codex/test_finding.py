"""Which agents the driver finds, with their profile, folder and conversation, on a small machine."""

from __future__ import annotations

from pathlib import Path

import pytest

from controlroom.node.agents.codex.mapping import Thread
from tests.unit.node.agents.codex.desk import EXE, FOLDER, Room, process
from tests.unit.node.agents.codex.samples import rollout, session_id


@pytest.fixture
def room(tmp_path: Path) -> Room:
    return Room(tmp_path)


async def test_an_agent_with_its_profile_folder_and_session(room: Room) -> None:
    pane = room.desk.codex()
    path = room.desk.put("11-07-12")
    who = await room.who()
    assert (who.kind, who.incarnation, who.pane, who.folder) == ("codex", "20@2000", pane, FOLDER)
    assert (who.session_id, who.uncertain) == (session_id(path), "")
    assert who.profile == str(room.desk.home)
    assert await room.who() == who


async def test_other_programs_and_headless_runs_are_no_agents(room: Room) -> None:
    room.desk.codex(20, "exec", "say hi")
    room.desk.codex(30, "agents")
    assert await room.all() == ()


async def test_two_panes_are_two_agents(room: Room) -> None:
    room.desk.codex(20)
    room.desk.codex(30)
    room.desk.put("11-07-12", open_in=20)
    room.desk.put("11-07-30", open_in=30)
    assert [who.session_id for who in await room.all()] == [
        session_id(rollout("11-07-12")),
        session_id(rollout("11-07-30")),
    ]


async def test_helpers_files_are_not_the_conversation(room: Room) -> None:
    room.desk.codex()
    main = room.desk.put("sessions-helpers/13-42-32")
    room.desk.put("sessions-helpers/13-43-20")
    room.desk.put("sessions-helpers/13-43-58")
    who = await room.who()
    assert (who.session_id, who.uncertain) == (session_id(main), "")


async def test_after_new_the_lock_without_a_file_is_the_conversation(room: Room) -> None:
    room.desk.codex()
    room.desk.put("11-07-12")
    (room.desk.home / "session_index.jsonl").write_text(
        f'{{"id":"{session_id(rollout("11-07-12"))}","thread_name":"sow"}}\n'
    )
    fresh = "01a24000-2da6-7350-9a9f-ed920651468b"
    room.desk.machine.files[20].append(room.desk.lock(fresh))
    room.desk.move(title="plants80")
    who = await room.who()
    assert (who.session_id, who.uncertain) == (fresh, "")
    assert (await room.driver.items(fresh, who.profile)).items == ()
    assert await room.activity() == "idle"
    room.desk.move(title="sow | plants80")
    assert (await room.who()).session_id == session_id(rollout("11-07-12"))


async def test_a_fork_names_its_ancestor(room: Room) -> None:
    room.desk.codex()
    room.desk.put("11-12-24")
    assert (await room.who()).ancestors == (session_id(rollout("11-11-59")),)


async def test_a_process_that_hides_itself_is_found_through_its_wrapper(room: Room) -> None:
    room.desk.codex(20, exe="")
    room.desk.machine.environs = {19: {"CODEX_HOME": str(room.desk.home)}}
    path = room.desk.put("11-07-12", open_in=None)
    who = await room.who()
    assert (who.profile, who.session_id) == (str(room.desk.home), session_id(path))
    assert "hides" in who.uncertain


async def test_without_a_conversation_there_is_none(room: Room) -> None:
    room.desk.codex(20, "--no-daemon")
    who = await room.who()
    assert (who.session_id, who.uncertain) == (None, "")
    assert await room.activity() == "idle"


async def test_files_are_read_again_only_when_something_moved(room: Room) -> None:
    room.desk.codex()
    room.desk.put("11-07-12")
    for _ in range(5):
        await room.who()
    assert room.desk.machine.asked == [20]
    room.desk.move(active_at_s=7)
    await room.who()
    assert room.desk.machine.asked == [20, 20]


# --- a background server ----------------------------------------------------------------------------------


def serve(room: Room, *threads: Thread) -> None:
    """The background server of this profile has these threads loaded."""
    words = (EXE, "app-server", "--listen", "unix://", "--managed-daemon")
    room.desk.machine.add(process(50, 1, *words, exe=EXE))
    room.desk.machine.environs[50] = {"CODEX_HOME": str(room.desk.home)}
    daemon = room.driver._finder.home(str(room.desk.home)).daemon
    daemon.threads = lambda: threads  # type: ignore[method-assign]  # what the socket would have told
    daemon.age_s = lambda: 0.0  # type: ignore[method-assign]


def loaded(name: str, status: str = "idle", **more: object) -> Thread:
    id = session_id(rollout(name))
    return Thread(id=id, name=f"thread {name}", folder=FOLDER, status=status, **more)  # type: ignore[arg-type]


async def test_the_title_names_the_thread_of_the_server(room: Room) -> None:
    room.desk.codex()
    room.desk.put("11-07-12", open_in=None)
    serve(room, loaded("11-07-12"), loaded("11-07-30"))
    room.desk.move(title="thread 11-07-12 | plants80")
    who = await room.who()
    assert (who.session_id, who.uncertain) == (session_id(rollout("11-07-12")), "")
    facts = await room.driver.facts(who)
    assert (facts.reported[0].value, facts.reported[0].source) == ("idle", "socket")


@pytest.mark.parametrize(
    ("status", "is_waiting", "value"),
    [("active", False, "busy"), ("active", True, "waiting"), ("systemError", False, "idle")],
)
async def test_the_servers_word(room: Room, status: str, is_waiting: bool, value: str) -> None:
    room.desk.codex()
    room.desk.put("11-07-12", open_in=None)
    serve(room, loaded("11-07-12", status, is_waiting=is_waiting))
    room.desk.move(title="thread 11-07-12 | plants80")
    assert (await room.facts()).reported[0].value == value


async def test_the_file_beats_a_server_that_was_asked_before(room: Room) -> None:
    room.desk.codex()
    room.desk.put("11-10-02", open_in=None)
    serve(room, loaded("11-10-02"))
    room.desk.move(title="thread 11-10-02 | plants80")
    daemon = room.driver._finder.home(str(room.desk.home)).daemon
    daemon.age_s = lambda: 1e9  # type: ignore[method-assign]
    assert (await room.facts()).reported == ()
    assert await room.activity() == "working"


async def test_a_server_that_does_not_answer_is_a_problem_for_health(room: Room) -> None:
    room.desk.codex()
    serve(room)
    assert (await room.driver.find()).problems == ()
    room.driver._finder.home(str(room.desk.home)).daemon.problem = "TimeoutError: "
    (problem,) = (await room.driver.find()).problems
    assert problem[0] == f"codex_server:{room.desk.home}" and "does not answer" in problem[1]


async def test_a_turn_that_no_pane_shows_is_an_agent_without_a_pane(room: Room) -> None:
    room.desk.put("11-10-02", open_in=None)
    serve(room, loaded("11-10-02", "active"), loaded("11-07-12"))
    who = await room.who()
    assert (who.headless, who.pane, who.session_id) == (True, None, session_id(rollout("11-10-02")))
    assert await room.activity() == "working"
    facts = await room.driver.farewell(who)
    assert facts.ended_cleanly and facts.fault is None
