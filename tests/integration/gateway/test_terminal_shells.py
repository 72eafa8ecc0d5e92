"""Shells over the terminal channel, through a real tmux on a server of their own."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest

from tests.integration.gateway.terminal_stage import Stage, say, shows, terminals_of_this_process
from tests.support.tmux import TmuxFolder
from tests.support.waiting import until


@pytest.fixture
async def stage(tmux_folder: TmuxFolder) -> AsyncIterator[Stage]:
    stage = Stage(tmux_folder)
    await stage.start()
    try:
        yield stage
    finally:
        await stage.aclose()


async def test_a_shell_is_attached_typed_into_resized_and_left(stage: Stage) -> None:
    link, handler = await stage.socket()
    await say(handler, "attach", "a1", session_name="work", cols=80, rows=24)
    kind, attached, id_ = link.sent[0]
    assert (kind, id_) == ("terminal.attached", "a1")
    pid = attached.pop("pid")
    assert attached == {
        "session_name": "work",
        "shell": "/bin/sh",
        "cols": 80,
        "rows": 24,
        "tmux_available": True,
        "reattach": False,
    }
    assert stage.clients() == [str(pid)]

    await say(handler, "input", session_name="work", data="echo he''llo-$((40+2)) $HERMES_RELAY_TERMINAL\r")
    await shows(link, "work", "hello-42 work")
    await say(handler, "resize", session_name="work", cols=100, rows=30)

    async def has_the_size() -> bool:  # tmux tells the program some milliseconds later
        await say(handler, "input", data="stty size\r")
        return "30 100" in link.output("work")

    await until(has_the_size, "the program has the new size", step_s=0.1)
    await say(handler, "detach", session_name="work")
    assert link.of("terminal.detached") == [{"session_name": "work", "reason": "client detach"}]
    assert stage.clients() == []
    assert terminals_of_this_process() == []


async def test_a_reattach_replays_what_the_pane_shows(stage: Stage) -> None:
    link, handler = await stage.socket()
    await say(handler, "attach", session_name="keep")
    await say(handler, "input", data="MARK=kept; echo o''ne\r")
    await shows(link, "keep", "one")
    await stage.close_sockets()
    again, handler = await stage.socket()
    await say(handler, "attach", session_name="keep")
    attached = again.of("terminal.attached")[0]
    assert attached["reattach"] is True
    assert "one\n" in attached["replay"] and "\x1b" not in attached["replay"]
    assert attached["replay"].count("\n") == 24
    await say(handler, "input", data="echo mark=$MARK\r")
    await shows(again, "keep", "mark=kept")


async def test_an_attach_of_an_attached_name_changes_the_size_only(stage: Stage) -> None:
    link, handler = await stage.socket()
    await say(handler, "attach", session_name="one")
    await say(handler, "attach", session_name="one", cols=90, rows=20)
    first, second = link.of("terminal.attached")
    assert second["pid"] == first["pid"] and second["reattach"] is True and "replay" not in second
    assert (second["cols"], second["rows"]) == (90, 20)


async def test_the_fifth_session_of_a_socket_is_refused(stage: Stage) -> None:
    link, handler = await stage.socket()
    for name in "abcd":
        await say(handler, "attach", session_name=name)
    for name in "ea":
        await say(handler, "attach", name, session_name=name)
        text = "Session cap reached (4). Detach an existing session first."
        assert link.sent[-1] == ("terminal.error", {"message": text, "session_name": name}, name)


async def test_a_kill_ends_the_session_and_says_so(stage: Stage) -> None:
    link, handler = await stage.socket()
    await say(handler, "attach", session_name="gone")
    await say(handler, "kill", session_name="gone")
    assert link.sent[-1][:2] == ("terminal.detached", {"session_name": "gone", "reason": "client kill"})
    await say(handler, "list", "l")
    assert link.sent[-1] == ("terminal.sessions", {"sessions": [], "tmux_available": True}, "l")
    await say(handler, "kill", session_name="gone")
    answer = {"session_name": "gone", "reason": "client kill", "message": "no tmux session named gone"}
    assert link.sent[-1] == ("terminal.error", answer, None)


async def test_a_kill_from_another_socket_is_a_kill_for_all(stage: Stage) -> None:
    first, handler = await stage.socket()
    other, other_handler = await stage.socket()
    await say(handler, "attach", session_name="shared")
    await say(other_handler, "kill", session_name="shared")
    assert other.sent == [("terminal.detached", {"session_name": "shared", "reason": "client kill"}, None)]
    await until(lambda: first.of("terminal.detached"), "the first socket hears it")
    assert first.of("terminal.detached") == [{"session_name": "shared", "reason": "client kill"}]


async def test_an_exit_is_an_end_of_file(stage: Stage) -> None:
    link, handler = await stage.socket()
    await say(handler, "attach", session_name="brief")
    await say(handler, "input", data="exit\r")
    await until(lambda: link.of("terminal.detached"), "the session ends")
    assert link.of("terminal.detached") == [{"session_name": "brief", "reason": "eof"}]
    assert terminals_of_this_process() == []


async def test_tmux_own_detach_key_leaves_the_session(stage: Stage) -> None:
    link, handler = await stage.socket()
    await say(handler, "attach", session_name="left")
    await say(handler, "input", data="\x02d")
    await until(lambda: link.of("terminal.detached"), "the client leaves")
    assert link.of("terminal.detached") == [{"session_name": "left", "reason": "client detach"}]
    assert stage.tmux.run("list-sessions", "-F", "#{session_name}") == "hermes-left"


async def test_unknown_sessions_are_met_with_silence(stage: Stage) -> None:
    link, handler = await stage.socket()
    await say(handler, "input", session_name="zzz", data="x")
    await say(handler, "resize", session_name="zzz", cols=1, rows=1)
    await say(handler, "detach", session_name="zzz")
    assert link.sent == []


async def test_names_that_mean_something_to_tmux_are_only_names(
    stage: Stage, tmux_folder: TmuxFolder
) -> None:
    link, handler = await stage.socket()
    for name in ("x;", "#(touch bad)", "a\\b", " a.b:c d "):
        await say(handler, "attach", session_name=name)
        assert link.of("terminal.attached")[-1]["session_name"] == name
        await say(handler, "list")
        rows = link.of("terminal.sessions")[-1]["sessions"]
        assert [row["owned_by_client"] for row in rows] == [True]
        await say(handler, "kill", session_name=name)
        assert link.of("terminal.detached")[-1] == {"session_name": name, "reason": "client kill"}
    assert not list(tmux_folder.path.rglob("bad"))


async def test_the_list_names_sessions_that_nobody_shows(stage: Stage) -> None:
    link, handler = await stage.socket()
    await say(handler, "attach", session_name="mine")
    await say(handler, "attach", session_name="left")
    await say(handler, "detach", session_name="left")
    await say(handler, "list", "l1")
    kind, answer, id_ = link.sent[-1]
    assert (kind, id_, answer["tmux_available"]) == ("terminal.sessions", "l1", True)
    left, mine = sorted(answer["sessions"], key=lambda row: row["name"])
    assert set(left) == {
        *("name", "tmux_name", "attached", "windows", "created_at", "shell", "live", "owned_by_client")
    }
    assert (left["name"], left["attached"], left["live"], left["owned_by_client"]) == (
        "left",
        0,
        False,
        False,
    )
    assert (mine["tmux_name"], mine["attached"], mine["windows"]) == ("hermes-mine", 1, 1)
    assert (mine["pid"], mine["live"], mine["owned_by_client"]) == (int(stage.clients()[0]), True, True)


async def test_bad_sizes_and_names_are_said_with_the_session(stage: Stage) -> None:
    link, handler = await stage.socket()
    await say(handler, "attach", "b", session_name="s", cols="wide")
    text = "invalid literal for int() with base 10: 'wide'"
    assert link.sent[-1] == ("terminal.error", {"message": text, "session_name": "s"}, "b")
    await say(handler, "attach", "c", session_name=7)
    assert link.sent[-1] == ("terminal.error", {"message": "session_name must be a text"}, "c")
    await say(handler, "frobnicate", "d")
    answer = {"message": "Unknown terminal message type: terminal.frobnicate"}
    assert link.sent[-1] == ("terminal.error", answer, "d")


async def test_each_shell_knows_its_own_name_and_the_server_has_our_configuration(stage: Stage) -> None:
    link, handler = await stage.socket()
    for name in ("one", "two"):
        await say(handler, "attach", session_name=name)
        await say(handler, "input", data="echo [$HERMES_RELAY_TERMINAL] $TERM $COLORTERM\r")
        await shows(link, name, f"[{name}] tmux-256color truecolor")
    shown = stage.tmux.run("show-options", "-g") + "\n" + stage.tmux.run("show-options", "-s")
    for option in ("status off", "mouse on", "history-limit 10000", "escape-time 0", "focus-events on"):
        assert option in shown.splitlines()
    assert "aggressive-resize on" in stage.tmux.run("show-options", "-gw").splitlines()
    assert (stage.home.path / "terminal").stat().st_mode & 0o777 == 0o700


async def test_a_shell_that_is_asked_for_runs(stage: Stage) -> None:
    link, handler = await stage.socket()
    await say(handler, "attach", session_name="s", shell="/bin/bash")
    assert link.of("terminal.attached")[0]["shell"] == "/bin/bash"
    await say(handler, "input", data="echo bash-${BASH_VERSION:+yes}\r")
    await shows(link, "s", "bash-yes")
    await say(handler, "attach", session_name="t", shell="zsh")
    assert link.of("terminal.attached")[1]["shell"] == "/bin/sh"


@pytest.mark.parametrize(
    "odd", [None, 0, 7, True, [], ["a"], {}, {"a": 1}, "", "x" * 5000, "\x1b[2J", "é\x00"]
)
async def test_odd_payloads_are_answered_and_break_nothing(stage: Stage, odd: object) -> None:
    link, handler = await stage.socket()
    for kind in ("input", "resize", "detach", "list", "kill"):
        await say(handler, kind, session_name=odd, cols=odd, rows=odd, data=odd, shell=odd)
    await say(handler, "attach", session_name="s", shell=odd)
    assert link.sent[-1][0] == "terminal.attached"
    for kind in ("input", "resize", "list"):
        await say(handler, kind, cols=odd, rows=odd, data=odd)
    await say(handler, "attach", session_name=odd, cols=odd, rows=odd)
    assert link.sent[-1][0] in {"terminal.attached", "terminal.error"}


async def test_a_shell_may_be_made_while_the_server_ends_behind_its_last_one(stage: Stage) -> None:
    link, handler = await stage.socket()
    for number in range(30):
        await say(handler, "attach", session_name=f"race{number}")
        await say(handler, "kill", session_name=f"race{number}")
    assert link.of("terminal.error") == []
