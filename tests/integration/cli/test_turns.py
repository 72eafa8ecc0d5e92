"""``controlroom lock`` and ``slot`` with real processes: queues, exits, signals, and sudden death."""

from __future__ import annotations

import contextlib
import json
import os
import pty
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import msgspec
import pytest

from controlroom.wire.model import PaneAddress
from tests.integration.cli.conftest import Cli
from tests.integration.cli.stub_hub import StubHub
from tests.support.waiting import until_now
from tests.unit.cli.agents import agent

PROGRAM = (sys.executable, "-m", "controlroom.cli.main")
Start = Callable[..., "subprocess.Popen[str]"]


@pytest.fixture
def start(home: Path) -> Iterator[Start]:
    """Start a command line as a process of its own group; all of them end with the test."""
    begun: list[subprocess.Popen[str]] = []

    def started(*arguments: str, **more: Any) -> subprocess.Popen[str]:
        pipes: dict[str, Any] = {
            "stdin": subprocess.DEVNULL,
            "stdout": subprocess.PIPE,
            "stderr": subprocess.PIPE,
        }
        process = subprocess.Popen(
            [*PROGRAM, "--home", str(home), *arguments],
            text=True,
            start_new_session=True,
            **{**pipes, **more},
        )
        begun.append(process)
        return process

    yield started
    for process in begun:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()
        for stream in (process.stdout, process.stderr):
            if stream is not None:
                stream.close()


@pytest.fixture
def queue(cli: Cli) -> Callable[..., list[Any]]:
    """The tickets of a lock or slot, as everybody sees them."""

    def seen(kind: str = "lock", name: str = "browser") -> list[Any]:
        ran = cli(kind, name, "--json")
        assert ran.status == 0
        return list(json.loads(ran.out)[0]["tickets"])

    return seen


def having(tickets: list[Any]) -> list[int]:
    return [ticket["pid"] for ticket in tickets if ticket["has_turn"]]


def holder(
    start: Start, queue: Callable[..., list[Any]], *words: str, kind: str = "lock"
) -> subprocess.Popen[str]:
    """A process that has a turn now and keeps it."""
    name = "browser" if kind == "lock" else "heavy"
    process = start(kind, name, "--", *(words or ("sleep", "600")))
    until_now(lambda: process.pid in having(queue(kind, name)), "it has its turn")
    return process


def ends(process: subprocess.Popen[str]) -> tuple[int, str, str]:
    out, err = process.communicate(timeout=60)
    return process.returncode, out, err


# ---- the command is its own ------------------------------------------------------------------------------


def test_the_command_takes_our_place(start: Start) -> None:
    process = start("lock", "browser", "--", "sh", "-c", "echo $$ out; echo err >&2; exit 7")
    assert ends(process) == (7, f"{process.pid} out\n", "err\n")


def test_options_behind_the_dashes_are_the_commands_own(start: Start) -> None:
    words = ["--json", "--timeout", "0", "--", "-x", "--help"]
    process = start("slot", "heavy", "--", "printf", "%s,", *words)
    assert ends(process) == (0, "".join(f"{word}," for word in words), "")


def test_it_dies_of_the_signals_of_others_and_broken_pipes_are_silent(
    start: Start, queue: Callable[..., list[Any]]
) -> None:
    process = holder(start, queue)
    process.terminate()
    assert ends(process)[0] == -signal.SIGTERM
    process = start("lock", "browser", "--", "sh", "-c", "kill -PIPE $$; exit 9")
    assert ends(process)[0] == -signal.SIGPIPE  # Python ignores it: the command must not


def test_it_has_the_terminal(home: Path) -> None:
    pid, terminal = pty.fork()
    if pid == 0:
        os.execv(
            PROGRAM[0],
            [
                *PROGRAM,
                "--home",
                str(home),
                "lock",
                "browser",
                "--",
                "sh",
                "-c",
                "test -t 0 && read a && echo [$a]",
            ],
        )
    os.write(terminal, b"typed\n")
    said = b""
    with contextlib.suppress(OSError):  # a terminal without a program: the end
        while part := os.read(terminal, 1000):
            said += part
    assert b"[typed]" in said
    assert os.waitpid(pid, 0)[1] == 0
    os.close(terminal)


def test_what_cannot_be_run_waits_for_nothing(
    start: Start, queue: Callable[..., list[Any]], tmp_path: Path
) -> None:
    holder(start, queue)
    missing = ends(start("lock", "browser", "--", "no-such-program-here"))
    assert (missing[0], "is not a command here; nothing was run" in missing[2]) == (127, True)
    plain = tmp_path / "plain"
    plain.write_text("echo hi\n")
    assert ends(start("lock", "browser", "--", str(plain)))[0] == 126
    plain.chmod(0o755)
    assert ends(start("lock", "phone", "--", str(plain))) == (0, "hi\n", "")  # as shells do without #!


# ---- the queue ---------------------------------------------------------------------------------------------


def test_one_after_the_other_in_order_with_place_and_holder(
    start: Start, queue: Callable[..., list[Any]], tmp_path: Path
) -> None:
    first = holder(start, queue)
    log = tmp_path / "log"
    waiting = []
    for name in "abc":
        waiting.append(start("lock", "browser", "--", "sh", "-c", f"echo {name} >> {log}"))
        until_now(lambda: len(queue()) == len(waiting) + 1, "it stands in the queue")
    assert not log.exists()
    assert having(queue()) == [first.pid]
    first.kill()
    said = [ends(process) for process in waiting]
    assert [status for status, _, _ in said] == [0, 0, 0]
    assert log.read_text() == "a\nb\nc\n"
    assert "Waiting for the browser lock, 3rd in the queue. Held by sleep in" in said[2][2]
    assert f"(process {first.pid}), for" in said[2][2]
    assert "It is your turn with the browser lock, after" in said[2][2]
    assert queue() == []


def test_lesson_waves_overheat_one_machine(
    start: Start, home: Path, queue: Callable[..., list[Any]], cli: Cli
) -> None:
    """Spec 11, shared hardware: a wave of jobs is never larger than the setting."""
    (home / "config.toml").write_text('[slots]\nlimits = ["heavy=2"]\n')
    jobs = [start("slot", "heavy", "--", "sleep", "600") for _ in range(5)]
    until_now(lambda: len(queue("slot", "heavy")) == 5 and len(having(queue("slot", "heavy"))) == 2, "2 of 5")
    assert "heavy: 2 of 2 in use" in cli("slot").out
    for left in (4, 3, 2, 1, 0):
        victim = having(queue("slot", "heavy"))[0]
        os.kill(victim, signal.SIGKILL)
        next(job for job in jobs if job.pid == victim).wait()
        wanted = (left, min(left, 2))
        seen = partial(queue, "slot", "heavy")
        until_now(partial(is_so_many, seen, wanted), "the next one has its turn, and no third")


def is_so_many(seen: Callable[[], list[Any]], wanted: tuple[int, int]) -> bool:
    tickets = seen()
    return (len(tickets), len(having(tickets))) == wanted


@pytest.mark.parametrize("who", ["holder", "waiter", "waiter stopped"])
def test_sudden_death_leaves_nothing(start: Start, queue: Callable[..., list[Any]], who: str) -> None:
    first = holder(start, queue)
    second = start("lock", "browser", "--", "sleep", "600")
    until_now(lambda: len(queue()) == 2, "the second waits")
    third = start("lock", "browser", "--", "sleep", "600")
    until_now(lambda: len(queue()) == 3, "the third waits")
    if who == "waiter stopped":
        os.kill(second.pid, signal.SIGSTOP)
        first.kill()
        until_now(lambda: having(queue()) == [third.pid], "the sleeper is passed over")
        third.kill()
        os.kill(second.pid, signal.SIGCONT)
        until_now(lambda: having(queue()) == [second.pid], "it wakes, and its turn comes")
        return
    (first if who == "holder" else second).kill()
    until_now(lambda: len(queue()) == 2, "the dead one is gone")
    assert having(queue()) in ([[second.pid], []] if who == "holder" else [[first.pid]])
    if who == "waiter":
        first.kill()
    until_now(lambda: having(queue()) == [(second if who == "holder" else third).pid], "the next has it")


def test_a_crowd_with_sudden_deaths_never_overlaps(start: Start, tmp_path: Path) -> None:
    """``mkdir`` fails where another is inside. Those killed wherever they are change nothing."""
    inside = "mkdir inside || exit 9; sleep 0.02; rmdir inside"
    crowd = [start("lock", "browser", "--", "sh", "-c", inside, cwd=tmp_path) for _ in range(8)]
    doomed = [start("lock", "browser", "--", "sleep", "600", cwd=tmp_path) for _ in range(4)]
    for process in doomed:
        with contextlib.suppress(subprocess.TimeoutExpired):  # wherever it is by then
            process.wait(0.1)
        process.kill()
    assert [ends(process)[0] for process in crowd] == [0] * 8


def test_agents_are_named_when_a_control_room_runs(
    start: Start, queue: Callable[..., list[Any]], hub: StubHub, cli: Cli
) -> None:
    pane = PaneAddress(multiplexer="tmux", server="/tmp/tmux-7/default", id="%3")
    hub.fleet = msgspec.structs.replace(hub.fleet, agents=(agent("orchard", pane=pane),))
    environ = {**os.environ, "TMUX": "/tmp/tmux-7/default,411,0", "TMUX_PANE": "%3"}
    first = start("lock", "browser", "--", "sleep", "600", env=environ)
    until_now(lambda: having(queue()) == [first.pid], "it has its turn")
    assert "has it  sleep of orchard in" in cli("lock").out
    hub.stop()
    assert "has it  sleep in" in cli("lock").out


def test_what_the_command_left_running_keeps_the_turn_and_is_named(
    start: Start, queue: Callable[..., list[Any]], cli: Cli, tmp_path: Path
) -> None:
    file = tmp_path / "pid"
    command = f"sleep 600 & echo $! > {file}"
    assert (
        ends(
            start(
                "lock",
                "browser",
                "--",
                "sh",
                "-c",
                command,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
            )
        )[0]
        == 0
    )
    child = int(file.read_text())
    shown = cli("lock", "browser").out
    assert f"that has ended, and sleep (process {child}), which it started, keeps it" in shown
    assert cli("lock", "browser", "--no-wait", "--", "true").status == 75
    os.kill(child, signal.SIGKILL)
    until_now(lambda: queue() == [], "the kernel gave it back")


def test_inside_a_turn_the_same_one_is_no_wait(start: Start, home: Path) -> None:
    inner = " ".join([*PROGRAM, "--home", str(home), "lock", "browser", "--no-wait", "--", "echo", "inside"])
    assert ends(start("lock", "browser", "--", "sh", "-c", f"{inner}; exit 3")) == (3, "inside\n", "")


# ---- giving up ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("option", [["--no-wait"], ["--timeout", "0.3"]])
def test_no_turn_in_time(start: Start, queue: Callable[..., list[Any]], option: list[str]) -> None:
    first = holder(start, queue)
    status, out, err = ends(start("lock", "browser", *option, "--", "echo", "never"))
    assert (status, out) == (75, "")
    assert "nothing was run. Held by sleep" in err
    assert having(queue()) == [first.pid]
    assert len(queue()) == 1


def test_ctrl_c_leaves_the_queue(start: Start, queue: Callable[..., list[Any]]) -> None:
    holder(start, queue)
    process = start("lock", "browser", "--", "echo", "never")
    until_now(lambda: len(queue()) == 2, "it waits")
    process.send_signal(signal.SIGINT)
    assert ends(process)[:2] == (130, "")
    assert len(queue()) == 1


def test_for_scripts(start: Start, queue: Callable[..., list[Any]]) -> None:
    first = holder(start, queue, kind="slot")
    process = start("slot", "heavy", "--json", "--", "true")
    until_now(lambda: len(queue("slot", "heavy")) == 2, "it waits")
    assert process.stderr is not None
    waiting = json.loads(process.stderr.readline())
    assert (waiting["state"], waiting["position"], waiting["limit"]) == ("waiting", 1, 1)
    assert [one["pid"] for one in waiting["holders"]] == [first.pid]
    first.kill()
    status, _, err = ends(process)
    assert (status, json.loads(err)["state"]) == (0, "taken")
    refused = ends(start("slot", "heavy", "--json", "--no-wait", "--", "nothing-like-this"))
    assert json.loads(refused[2])["code"] == "not_found"


# ---- wrong use, and folders that cannot be used ------------------------------------------------------------


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("lock", "browser", "make", "test"), "Write -- before the command: -- make test."),
        (("lock", "browser", "--"), "No command stands behind --."),
        (("lock", "--", "true"), "Name the lock before --."),
        (("slot", "--", "true"), "Name the slot before --."),
        (("lock", "../up", "--", "true"), "is no name"),
        (("slot", "haevy", "--", "true"), "There is no slot 'haevy'; there are heavy."),
        (("lock", "browser", "--timeout", "-1", "--", "true"), "--timeout"),
    ],
)
def test_wrong_use(cli: Cli, arguments: tuple[str, ...], said: str) -> None:
    ran = cli(*arguments)
    assert (ran.status, said in ran.err) == (2, True), ran.err


def test_a_wrong_limit_is_said(cli: Cli, home: Path) -> None:
    (home / "config.toml").write_text('[slots]\nlimits = ["heavy=0"]\n')
    ran = cli("slot", "heavy", "--", "true")
    assert (ran.status, "slots.limits cannot be" in ran.err) == (2, True)


def test_a_folder_that_cannot_be_used_is_a_sentence(cli: Cli, home: Path) -> None:
    (home / "locks").write_text("a file")
    ran = cli("lock", "browser", "--", "true")
    assert ran.status == 1
    assert ran.err.startswith(f"controlroom: {home / 'locks' / 'browser'} cannot be used: ")


def test_free_ones_are_shown_and_nothing_is_made(cli: Cli, home: Path) -> None:
    assert cli("lock").out == "browser: free\n"
    assert cli("slot").out == "heavy: 0 of 1 in use\n"
    assert not (home / "locks").exists()


def test_files_are_private_and_a_torn_one_still_counts(
    start: Start, queue: Callable[..., list[Any]], home: Path, cli: Cli
) -> None:
    holder(start, queue)
    (file,) = [path for path in (home / "locks" / "browser").iterdir() if path.name != "door"]
    assert file.stat().st_mode & 0o777 == 0o600
    assert file.parent.stat().st_mode & 0o777 == 0o700
    file.write_text("{")
    assert "a process that cannot be named" in cli("lock", "browser").out
    assert cli("lock", "browser", "--no-wait", "--", "true").status == 75
