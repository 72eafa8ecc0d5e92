"""The demo: a desk of scripted agents and a control room that sees only them, in one temporary folder.

Whatever ends the demo, everything ends: Ctrl-C and SIGTERM here; after a kill -9 the next demo tidies up,
by the note that each demo leaves in its folder. Only processes and folders named there are touched.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import shutil
import signal
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

import msgspec

from controlroom.core.text import clean_line
from controlroom.kit.home import LONGEST_SOCKET, Home
from controlroom.kit.process import ProcProcesses
from controlroom.testing.scripted.desk import Desk, DeskError, end_server
from controlroom.testing.scripted.scenes import demo_scenes

PREFIX = "controlroom-demo-"
NOTE, ERRORS = "owner.json", "room.err"
READY = b"Control Room is ready at "
READY_S = 30.0  # the control room is up in about a second; a loaded machine gets time
END_S = 10.0  # it closes its databases and goes

Say = Callable[[str], None]


class DemoError(Exception):
    """The demo cannot run; the text is for people."""


class Owner(msgspec.Struct, frozen=True):
    """Who runs in a demo's folder: processes by pid and start, so that no other process is ever meant."""

    demo: str
    room: str = ""


async def run_demo(*, port: int, say: Say) -> int:
    """Play until Ctrl-C, SIGTERM or the end of the control room. Raises DemoError."""
    processes = ProcProcesses()
    place = _place()
    tidy_up(place, processes)
    folder = Path(tempfile.mkdtemp(prefix=PREFIX, dir=place))
    desk = Desk(folder)
    room: asyncio.subprocess.Process | None = None
    ended = _told_to_end()
    try:
        _note(folder, Owner(_key(processes, os.getpid())))
        for scene in demo_scenes():
            desk.add(scene)
        home = Home(folder / "room")
        room = await _start_room(home, desk, port)
        _note(folder, Owner(_key(processes, os.getpid()), _key(processes, room.pid)))
        url = await _ready(room, desk)
        _tell(say, url, home, desk)
        await _wait(room, ended)
        if not ended.is_set():
            raise DemoError(f"The control room of the demo ended by itself (status {room.returncode}).")
        say("Closing the demo.")
    except DeskError as error:
        raise DemoError(str(error)) from None
    finally:
        if room is not None:
            await _end(room)
        desk.close()
        remove(folder)
    return 0


def _place() -> Path:
    """Where temporary folders go, if the sockets in them still fit; else /tmp."""
    usual = Path(tempfile.gettempdir())
    longest = usual / f"{PREFIX}12345678" / "room" / "control.sock"
    return usual if len(os.fsencode(longest)) <= LONGEST_SOCKET else Path("/tmp")  # noqa: S108 - short


def _told_to_end() -> asyncio.Event:
    ended = asyncio.Event()
    loop = asyncio.get_running_loop()
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        loop.add_signal_handler(number, ended.set)
    return ended


async def _start_room(home: Home, desk: Desk, port: int) -> asyncio.subprocess.Process:
    log = (desk.folder / ERRORS).open("wb")
    with log:
        return await asyncio.create_subprocess_exec(
            sys.executable,
            *("-m", "controlroom.cli.main", "--home", str(home.path), "up", "--port", str(port)),
            env=desk.environ,
            stdin=asyncio.subprocess.DEVNULL,
            stdout=asyncio.subprocess.PIPE,
            stderr=log,
            start_new_session=True,  # Ctrl-C is for us; we end it in order
        )


async def _ready(room: asyncio.subprocess.Process, desk: Desk) -> str:
    """The address, as soon as it accepts requests."""
    assert room.stdout is not None
    try:
        async with asyncio.timeout(READY_S):
            while line := await room.stdout.readline():
                if line.startswith(READY):
                    return line.removeprefix(READY).decode().strip()
    except TimeoutError:
        raise DemoError(f"The control room was not ready after {READY_S:.0f} s.") from None
    said = (desk.folder / ERRORS).read_text(errors="replace").strip().splitlines()
    why = clean_line(said[-1].removeprefix("controlroom: "), 400) if said else "It gave no reason."
    raise DemoError(f"The control room of the demo could not start. {why}")


async def _wait(room: asyncio.subprocess.Process, ended: asyncio.Event) -> None:
    """Until somebody ends the demo, or its control room goes. What it prints meanwhile is not for here."""
    assert room.stdout is not None

    async def drain(stream: asyncio.StreamReader) -> None:
        while await stream.read(4096):
            pass
        ended_by_itself.set()

    ended_by_itself = asyncio.Event()
    async with asyncio.TaskGroup() as group:
        tasks = [group.create_task(drain(room.stdout)), group.create_task(ended.wait())]
        tasks.append(group.create_task(ended_by_itself.wait()))
        await asyncio.wait(tasks[1:], return_when=asyncio.FIRST_COMPLETED)
        for task in tasks:
            task.cancel()


async def _end(room: asyncio.subprocess.Process) -> None:
    if room.returncode is None:
        room.terminate()
        try:
            async with asyncio.timeout(END_S):
                await room.wait()
        except TimeoutError:
            room.kill()
            await room.wait()


def _tell(say: Say, url: str, home: Home, desk: Desk) -> None:
    command = home.command_prefix
    count = len(demo_scenes())
    say(f"Control Room is ready at {url}")
    say(f"{count} scripted agents play in a tmux server of their own; nothing of yours is touched.")
    say("In a second terminal:")
    say(f"    {command} fleet --watch")
    say(f"    {command} answer inventory")
    say(f"    {command} inbox")
    say(f"    {command} chat label-printer")
    say(f'    {command} send orchard-api "Good morning" --wait')
    say(f"    {command} watch crate-sorter")
    say(f"The agents' own windows:  tmux -S {desk.socket} attach")
    say("Ctrl-C here ends it all.")


# ---- leftovers ---------------------------------------------------------------------------------------------


def tidy_up(place: Path, processes: ProcProcesses) -> None:
    """End and remove what demos left behind that were killed; those that run are left alone."""
    for folder in place.glob(f"{PREFIX}*"):
        owner = _owner_of(folder)
        if owner is None or _lives(owner.demo, processes):
            continue
        if _lives(owner.room, processes):
            with contextlib.suppress(ProcessLookupError):
                os.kill(int(owner.room.partition("@")[0]), signal.SIGTERM)
        with contextlib.suppress(OSError):
            end_server(folder / "tmux.sock", os.environ)
        remove(folder)


def _owner_of(folder: Path) -> Owner | None:
    """The note in a demo's folder; None when the folder is not a demo of this user."""
    try:
        if folder.is_symlink() or folder.lstat().st_uid != os.getuid():
            return None
        return msgspec.json.decode((folder / NOTE).read_bytes(), type=Owner)
    except (OSError, msgspec.DecodeError):
        return None


def remove(folder: Path) -> None:
    """Remove the folder; programs that still end may write once more into it."""
    for _ in range(3):
        shutil.rmtree(folder, ignore_errors=True)
        if not folder.exists():
            return


def _note(folder: Path, owner: Owner) -> None:
    (folder / NOTE).write_bytes(msgspec.json.encode(owner))


def _key(processes: ProcProcesses, pid: int) -> str:
    return f"{pid}@{processes.start_of(pid) or ''}"


def _lives(key: str, processes: ProcProcesses) -> bool:
    pid, _, start = key.partition("@")
    return bool(start) and pid.isdigit() and processes.start_of(int(pid)) == start
