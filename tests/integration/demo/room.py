"""A whole control room over scripted agents: real tmux, real processes, the command line as its user."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Coroutine
from pathlib import Path
from typing import Any, TypeVar

from controlroom.client import HubClient
from controlroom.testing.scripted.desk import Desk
from controlroom.wire.model import Agent, Fleet
from tests.support.waiting import until_now

T = TypeVar("T")

PROGRAM = [sys.executable, "-m", "controlroom.cli.main"]
PATIENCE_S = 60.0  # two shared cores may run eight test suites at once; a passing test does not wait for it


class Room:
    """``controlroom up`` on a desk, in its own process."""

    def __init__(self, desk: Desk) -> None:
        self.desk = desk
        self.home = desk.folder / "room"
        self._process: subprocess.Popen[str] | None = None
        self.url = ""

    def start(self) -> None:
        self._process = subprocess.Popen(
            [*PROGRAM, "--home", str(self.home), "up", "--port", "0", "--json"],
            env=self.desk.environ,
            stdout=subprocess.PIPE,
            text=True,
            start_new_session=True,
        )
        assert self._process.stdout is not None
        line = self._process.stdout.readline()
        assert line, f"it ended with status {self._process.wait()}"
        self.url = json.loads(line)["url"]

    def end(self, number: signal.Signals = signal.SIGTERM) -> int:
        """End it; its status."""
        if self._process is None:
            return 0
        if self._process.poll() is None:
            self._process.send_signal(number)
        status = self._process.wait(PATIENCE_S)
        if self._process.stdout is not None:
            self._process.stdout.close()
        self._process = None
        return status

    def run(self, *arguments: str, status: int | None = 0, given: str | None = None) -> str:
        """One command; what it printed. ``status``: what it must end with (None: anything)."""
        done = subprocess.run(
            [*PROGRAM, "--home", str(self.home), *arguments],
            env=self.desk.environ | {"COLUMNS": "80"},
            input=given,
            capture_output=True,
            text=True,
            timeout=PATIENCE_S,
            check=False,
        )
        if status is not None:
            assert done.returncode == status, f"{arguments}: {done.returncode}\n{done.stdout}\n{done.stderr}"
        return done.stdout + done.stderr

    def json(self, *arguments: str) -> Any:
        return json.loads(self.run(*arguments, "--json"))

    def ask(self, work: Callable[[HubClient], Coroutine[Any, Any, T]]) -> T:
        """Ask the hub without a process of its own, for what is asked again and again."""

        async def asked() -> T:
            async with HubClient(self.home / "control.sock") as hub:
                return await work(hub)

        return asyncio.run(asked())

    def fleet(self) -> Fleet:
        return self.ask(lambda hub: hub.fleet())

    def agent(self, name: str) -> Agent | None:
        return next((agent for agent in self.fleet().agents if agent.name == name), None)

    def until(self, name: str, activity: str) -> Agent:
        """The agent, as soon as it has this activity."""

        def found() -> Agent | None:
            agent = self.agent(name)
            return agent if agent is not None and agent.activity == activity else None

        try:
            agent = until_now(found, within_s=PATIENCE_S)
        except AssertionError:
            screen = "\n".join(self.desk.screen(name))
            raise AssertionError(f"{name} is not {activity}: {self.agent(name)}\n{screen}") from None
        assert agent is not None
        return agent

    def until_held(self, name: str, text: str, message_id: str, code: str) -> None:
        """Send a message (once, for its id) and wait until it is held for this reason."""

        def held() -> bool:
            message = self.ask(lambda hub: hub.message(message_id))
            return message.held is not None and message.held.code == code

        self.run("send", name, text, "--id", message_id)
        until_now(held, f"{message_id} is held: {code}", PATIENCE_S)

    def transcript(self, name: str) -> Path:
        """The file of the agent's present session."""
        agent = self.agent(name)
        assert agent is not None
        (path,) = self.desk.config.glob(f"projects/*/{agent.session_id}.jsonl")
        return path

    def prompts(self, name: str) -> list[str]:
        """What stands in the agent's own file as typed by a person."""
        rows = [json.loads(line) for line in self.transcript(name).read_text().splitlines()]
        return [
            row["message"]["content"]
            for row in rows
            if row["type"] == "user" and row.get("origin", {}).get("kind") == "human"
        ]

    def pid(self, name: str) -> int:
        return int(self.desk.tmux("display-message", "-p", "-t", f"desk:{name}", "#{pane_pid}"))


def is_alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True
