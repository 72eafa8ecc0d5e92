"""``controlroom lock`` where agents use it: in panes, with a terminal's keys, and panes that are closed."""

from __future__ import annotations

import json
import shlex
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.integration.cli.conftest import Cli
from tests.support.tmux import TmuxServer
from tests.support.waiting import until_now

Queue = Callable[[], list[Any]]


@pytest.fixture
def line(home: Path) -> Callable[[str], str]:
    """A line for a shell that Ctrl-C does not end: the lock with a command, then how it ended."""
    program = shlex.join([sys.executable, "-m", "controlroom.cli.main", "--home", str(home)])
    return lambda command: f"trap : INT; {program} lock browser -- {command}; echo ended $?; exec sleep 1000"


@pytest.fixture
def queue(cli: Cli) -> Queue:
    return lambda: list(json.loads(cli("lock", "browser", "--json").out)[0]["tickets"])


def holders(queue: Queue) -> list[str]:
    return [one["pane"] for one in queue() if one["has_turn"]]


def test_a_pane_that_is_closed_gives_its_turn_to_the_next(
    tmux: TmuxServer, line: Callable[[str], str], queue: Queue
) -> None:
    first = tmux.session("one", "sh", "-c", line("sleep 1000"))
    until_now(lambda: holders(queue) == [first], "the first pane has it")
    second = tmux.window("one", "sh", "-c", line("sleep 1000"))
    until_now(
        lambda: "1st in the queue. Held by sleep in" in tmux.text(second).replace("\n", ""),
        "the second waits",
    )
    tmux.run("kill-pane", "-t", first)
    until_now(lambda: holders(queue) == [second], "the second pane has it")
    assert queue()[0]["server"] == tmux.path
    tmux.run("kill-server")
    tmux.pid = 0
    until_now(lambda: queue() == [], "with the server everything is given back")


def test_the_keys_of_the_terminal_are_the_commands(
    tmux: TmuxServer, line: Callable[[str], str], queue: Queue
) -> None:
    pane = tmux.session(
        "one", "sh", "-c", line("sh -c 'trap \"echo caught; exit 9\" INT; echo ready; sleep 1000'")
    )
    until_now(lambda: "ready" in tmux.text(pane), "the command runs")
    waiter = tmux.window("one", "sh", "-c", line("echo mine"))
    until_now(lambda: len(queue()) == 2, "another one waits")
    tmux.run("send-keys", "-t", pane, "C-c")
    until_now(lambda: "caught" in tmux.text(pane) and "ended 9" in tmux.text(pane), "the command got it")
    until_now(lambda: "mine" in tmux.text(waiter) and "ended 0" in tmux.text(waiter), "the other one ran")


def test_ctrl_c_while_it_waits_runs_nothing(
    tmux: TmuxServer, line: Callable[[str], str], queue: Queue
) -> None:
    first = tmux.session("one", "sh", "-c", line("sleep 1000"))
    until_now(lambda: holders(queue) == [first], "the first pane has it")
    waiter = tmux.window("one", "sh", "-c", line("echo never"))
    until_now(lambda: len(queue()) == 2, "the second waits")
    tmux.run("send-keys", "-t", waiter, "C-c")
    until_now(lambda: "ended 130" in tmux.text(waiter), "it gave up")
    assert "never" not in tmux.text(waiter)
    assert holders(queue) == [first]
    assert len(queue()) == 1
