"""A control room and its scripted agents for one measurement."""

from __future__ import annotations

import os
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import msgspec

from bench.measure import family, usage
from controlroom.testing.scripted.desk import Desk
from controlroom.testing.scripted.steps import Say, Scene, Turn

READY = "Control Room is ready at "
READY_S = 60.0


class Room:
    """One running ``controlroom up``."""

    def __init__(self, desk: Desk) -> None:
        self.home = desk.folder / "room"
        self._desk = desk
        began = time.monotonic()
        self.process = subprocess.Popen(
            [sys.executable, "-m", "controlroom.cli.main", "--home", str(self.home), "up", "--port", "0"],
            env=desk.environ,
            stdout=subprocess.PIPE,
            text=True,
        )
        assert self.process.stdout is not None
        for line in self.process.stdout:
            if line.startswith(READY):
                self.port = int(line.rsplit(":", 1)[1].split("/")[0])
                break
        else:
            raise SystemExit("the control room did not start")
        self.ready_s = time.monotonic() - began
        self.ready_cpu_s = usage([self.process.pid]).cpu_s

    @property
    def socket(self) -> Path:
        return self.home / "control.sock"

    def fleet(self) -> list[dict[str, object]]:
        agents: list[dict[str, object]] = self._told("fleet")["agents"]
        return agents

    def code(self) -> str:
        """A pairing code."""
        return str(self._told("pair")["code"])

    def _told(self, command: str) -> dict[str, Any]:
        done = subprocess.run(
            [sys.executable, "-m", "controlroom.cli.main", "--home", str(self.home), command, "--json"],
            env=self._desk.environ,
            capture_output=True,
            check=True,
        )
        answer: dict[str, Any] = msgspec.json.decode(done.stdout)
        return answer

    def fleet_cpu_s(self) -> float:
        """Processor seconds of one ``controlroom fleet``, from its start to its end."""
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        self.fleet()
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime

    def wait_for_agents(self, count: int) -> None:
        end = time.monotonic() + READY_S + count  # each is a program that starts
        while time.monotonic() < end:
            if sum(agent["activity"] == "idle" for agent in self.fleet()) >= count:
                return
            time.sleep(0.5)
        raise SystemExit(f"only {len(self.fleet())} of {count} agents were seen")

    def close(self) -> None:
        self.process.terminate()
        self.process.wait(timeout=20)


@contextmanager
def desk_of(count: int, *, width: int = 120, height: int = 40) -> Iterator[Desk]:
    """``count`` idle scripted agents, each with one finished turn."""
    with tempfile.TemporaryDirectory(prefix="crb-", dir="/tmp", ignore_cleanup_errors=True) as folder:
        desk = Desk(Path(folder), width=width, height=height)
        try:
            for number in range(count):
                desk.add(
                    Scene(
                        name=f"agent-{number}",
                        folder=f"project-{number}",
                        turns=(Turn(prompt="Count the crates.", steps=(Say(text="There are 12."),)),),
                    )
                )
            yield desk
        finally:
            desk.close()


def server_pid(desk: Desk) -> int:
    """The process of the desk's tmux server."""
    return int(desk.tmux("display-message", "-p", "#{pid}"))


def own(room: Room) -> list[int]:
    """The control room's process and what it started."""
    return [pid for pid in family(room.process.pid) if os.path.exists(f"/proc/{pid}")]
