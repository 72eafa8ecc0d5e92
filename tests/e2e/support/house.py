"""A real ``controlroom up`` with scripted agents in a tmux server of their own: a process to be killed."""

from __future__ import annotations

import http.client
import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from controlroom.testing.scripted.desk import Desk, end_server
from controlroom.testing.scripted.steps import Command, Scene
from tests.e2e.support.app_overlay import serving
from tests.support.waiting import DEADLINE_S, until_now

READY = "Control Room is ready at "
OTHER_APP = "CONTROLROOM_E2E_APP"  # the folder of a build to test in place of the package's
STEP_S = 0.04  # asked more often, it takes from a small machine what it waits for
PROGRAM = (sys.executable, "-m", "controlroom.cli.main")


@contextmanager
def house_without_browser() -> Iterator[House]:
    """A control room that is not started yet, without agents, for what needs no build of the app."""
    folder = Path(tempfile.mkdtemp(prefix="cr", dir="/tmp"))
    house = House(folder)
    house.app = None
    try:
        yield house
    finally:
        house.close()
        shutil.rmtree(folder)


class House:
    """One control room and its agents, in one folder with a short path."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.desk = Desk(folder / "desk")
        self.home = folder / "room"
        self.port = 0
        self.app: Path | None = Path(os.environ[OTHER_APP]) if OTHER_APP in os.environ else None
        self._room: subprocess.Popen[bytes] | None = None
        folder.joinpath("desk").mkdir(parents=True)

    @property
    def url(self) -> str:
        """The address of the app."""
        return f"http://localhost:{self.port}/app/"

    def add(self, *scenes: Scene) -> None:
        for scene in scenes:
            self.desk.add(scene)

    def tell(self, name: str, command: Command) -> None:
        self.desk.tell(name, command)

    def start(self) -> None:
        """Start it, on the port it had before, and wait until it accepts requests."""
        said = self.folder / "room.out"
        with said.open("wb") as out, (self.folder / "room.err").open("ab") as errors:
            self._room = subprocess.Popen(
                [*PROGRAM, "--home", str(self.home), "up", "--port", str(self.port)],
                env=self._environ(),
                stdin=subprocess.DEVNULL,
                stdout=out,
                stderr=errors,
            )

        def ready() -> int:
            lines = [line for line in said.read_text().splitlines() if line.startswith(READY)]
            if not lines and self._room is not None and self._room.poll() is not None:
                raise AssertionError((self.folder / "room.err").read_text()[-2000:])
            return int(lines[0].rsplit(":", 1)[1].split("/")[0]) if lines else 0

        self.port = until_now(ready, "the control room is ready", step_s=STEP_S)

    def _environ(self) -> dict[str, str]:
        environ = self.desk.environ
        if self.app is None:
            return environ
        overlay = serving(self.app, self.folder / f"overlay-{self.app.parent.name}-{self.app.name}")
        return environ | {"PYTHONPATH": os.pathsep.join((str(overlay), environ["PYTHONPATH"]))}

    def kill(self) -> None:
        """As a power cut would: nothing is closed."""
        self._end(signal.SIGKILL)

    def stop(self) -> None:
        self._end(signal.SIGINT)

    def _end(self, how: signal.Signals) -> None:
        if self._room is not None:
            self._room.send_signal(how)
            self._room.wait(timeout=DEADLINE_S)
            self._room = None

    def close(self) -> None:
        self.kill()
        self.desk.close()
        for shells in self.folder.glob("desk/tmux-*/*"):  # those that were started through the app
            end_server(shells, self.desk.environ)

    def run(self, *arguments: str, given: str = "") -> str:
        """What one command prints; it must succeed."""
        done = subprocess.run(
            [*PROGRAM, "--home", str(self.home), *arguments],
            env=self.desk.environ,
            input=given,
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )
        assert done.returncode == 0, (arguments, done.stdout, done.stderr)
        return done.stdout

    def json(self, *arguments: str) -> Any:
        return json.loads(self.run(*arguments, "--json"))

    def receipts(self) -> list[str]:
        """What was done, the oldest first."""
        return [receipt["what"] for receipt in self.ask("/receipts")["receipts"]]

    def until_done(self, what: str) -> int:
        """How often it was done, as soon as it was: the receipt is written a moment after the act."""
        until_now(lambda: what in self.receipts(), f"a receipt {what}", step_s=STEP_S)
        return self.receipts().count(what)

    def ask(self, path: str, given: Any = None) -> Any:
        """What the control room's own door answers, below ``/api/v1``; ``given`` is posted.

        Commands ask the same door, but each starts Python for it: many times the work of the answer.
        """
        connection = _OwnDoor(self.home / "control.sock")
        try:
            if given is None:
                connection.request("GET", f"/api/v1{path}")
            else:
                said = {"Content-Type": "application/json"}
                connection.request("POST", f"/api/v1{path}", json.dumps(given), said)
            answer = connection.getresponse()
            body = answer.read()
            assert answer.status == 200, (path, answer.status, body[:500])
            return json.loads(body)
        finally:
            connection.close()

    def code(self, name: str = "") -> str:
        """A pairing code; ``name``: of the device."""
        return str(self.ask("/host/pair", {"name": name} if name else {})["code"])

    def agents(self) -> dict[str, Any]:
        """The fleet by name."""
        return {agent["name"]: agent for agent in self.ask("/fleet")["agents"]}

    def items(self, name: str) -> list[Any]:
        """The newest items of the chat of the agent with this name, the oldest first."""
        return list(self.ask(f"/agents/{self.agents()[name]['id']}/chat")["items"])

    def devices(self) -> list[Any]:
        """Those that are paired."""
        return list(self.ask("/devices")["devices"])

    def until_agent(self, name: str, activity: str) -> Any:
        """The agent as soon as it is so."""
        return until_now(
            lambda: (found := self.agents().get(name)) and found["activity"] == activity and found,
            f"{name} is {activity}",
            step_s=STEP_S,
        )

    def blocked(self, name: str, showing: str) -> Any:
        """The agent as soon as it waits at a prompt with this in its text."""
        return until_now(
            lambda: (
                (found := self.agents().get(name))
                and showing in (found.get("waiting_for") or {}).get("text", "")
                and found
            ),
            f"{name} asks {showing}",
            step_s=STEP_S,
        )

    def questions(self, state: str = "open") -> list[Any]:
        """Its questions to the person."""
        return list(self.ask(f"/questions?state={state}")["questions"])

    def until_asked(self, text: str) -> Any:
        """The open question with these words, as soon as there is one."""
        return until_now(
            lambda: next((one for one in self.questions() if text in one["question"]), None),
            f"somebody asks {text}",
            step_s=STEP_S,
        )

    def until_pane(self, name: str, text: str) -> None:
        """Wait until the agent's screen shows this."""
        until_now(lambda: text in self.pane(name), f"{name} shows {text}", step_s=STEP_S)

    def tty(self, name: str) -> str:
        """The terminal of an agent's pane."""
        return self._told(name, "#{pane_tty}")

    def size(self, name: str) -> str:
        """Its columns and rows: `100x30`."""
        return self._told(name, "#{pane_width}x#{pane_height}")

    def _told(self, name: str, form: str) -> str:
        return self.desk.tmux("display-message", "-p", "-t", f"desk:{name}", form).strip()

    def pane(self, name: str) -> str:
        """An agent's screen as text."""
        return "\n".join(self.desk.screen(name))


class _OwnDoor(http.client.HTTPConnection):
    """HTTP over the socket in the data folder."""

    def __init__(self, path: Path) -> None:
        super().__init__("localhost", timeout=DEADLINE_S)
        self._path = path

    def connect(self) -> None:
        self.sock = socket.socket(socket.AF_UNIX)
        self.sock.settimeout(DEADLINE_S)
        self.sock.connect(str(self._path))
