"""``controlroom demo``: everything in a minute, and nothing left of it."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from controlroom.client import HubClient
from controlroom.kit.process import ProcProcesses
from controlroom.testing.scripted.demo import NOTE, PREFIX, Owner, tidy_up
from controlroom.wire.model import Fleet
from tests.integration.demo.room import PATIENCE_S, PROGRAM
from tests.support.waiting import until_now

EXPECTED = {
    "orchard-api": "idle",
    "crate-sorter": "working",
    "inventory": "blocked",
    "label-printer": "question",
    "harvest-plan": "blocked",
    "fruit-count": "helpers",
    "night-batch": "idle",
}


class Demo:
    """A running demo in its own folder of temporary files."""

    def __init__(self, place: Path) -> None:
        self.place = place
        self.process = subprocess.Popen(
            [*PROGRAM, "demo"],
            env=os.environ | {"TMPDIR": str(place)},
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            start_new_session=True,
        )
        assert self.process.stdout is not None
        self.said = ""
        while "Ctrl-C here ends it all." not in self.said:
            line = self.process.stdout.readline()
            assert line, f"it ended: {self.said}"
            self.said += line
        (self.folder,) = place.glob(f"{PREFIX}*")

    def processes(self) -> list[int]:
        """All processes that belong to the demo's folder: agents, tmux, control room."""
        found = []
        for entry in Path("/proc").iterdir():
            try:
                if entry.name.isdigit() and str(self.folder).encode() in (entry / "cmdline").read_bytes():
                    found.append(int(entry.name))
            except OSError:
                continue
        return found

    def end(self, number: signal.Signals) -> int:
        self.process.send_signal(number)
        rest, _ = self.process.communicate(timeout=PATIENCE_S)
        self.said += rest
        return self.process.returncode


def fleet_of(home: Path) -> Fleet:
    async def asked() -> Fleet:
        async with HubClient(home / "control.sock") as hub:
            return await hub.fleet()

    return asyncio.run(asked())


@pytest.fixture
def place() -> Iterator[Path]:
    with tempfile.TemporaryDirectory(prefix="cr", dir="/tmp") as folder:
        yield Path(folder)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_every_state_can_be_seen_and_nothing_is_left(place: Path, number: signal.Signals) -> None:
    demo = Demo(place)
    try:
        assert f"--home {demo.folder}/room fleet --watch" in demo.said

        def states() -> dict[str, str]:
            return {agent.name: agent.activity for agent in fleet_of(demo.folder / "room").agents}

        try:
            until_now(lambda: EXPECTED.items() <= states().items(), within_s=PATIENCE_S)
        except AssertionError:
            raise AssertionError(f"{fleet_of(demo.folder / 'room')}") from None
        assert len(demo.processes()) >= 10  # eight agents, tmux, the control room
    finally:
        status = demo.end(number)
    assert status == 0
    assert demo.said.endswith("Closing the demo.\n")
    assert list(place.iterdir()) == []
    until_now(lambda: not demo.processes(), "all its processes end", PATIENCE_S)


def test_the_next_demo_tidies_up_after_a_killed_one(place: Path) -> None:
    killed = Demo(place)
    killed.end(signal.SIGKILL)
    assert killed.folder.exists()
    assert killed.processes()
    tidy_up(place, ProcProcesses())
    assert not killed.folder.exists()
    until_now(lambda: not killed.processes(), "all its processes end", PATIENCE_S)


def test_a_running_demo_and_foreign_folders_are_left_alone(place: Path) -> None:
    processes = ProcProcesses()
    mine = place / f"{PREFIX}running"
    mine.mkdir()
    owner = Owner(f"{os.getpid()}@{processes.start_of(os.getpid())}")
    (mine / NOTE).write_text(json.dumps({"demo": owner.demo, "room": ""}))
    foreign = place / f"{PREFIX}foreign"
    foreign.mkdir()
    elsewhere = place / "elsewhere"
    elsewhere.mkdir()
    (elsewhere / NOTE).write_text(json.dumps({"demo": "1@0", "room": ""}))
    (place / f"{PREFIX}link").symlink_to(elsewhere)
    tidy_up(place, processes)
    assert sorted(path.name for path in place.iterdir()) == [
        f"{PREFIX}foreign",
        f"{PREFIX}link",
        f"{PREFIX}running",
        "elsewhere",
    ]
