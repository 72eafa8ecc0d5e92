"""Runs in a new window before the agent does: waits until the old process has ended, then becomes the agent.

It stands alone (nothing but the standard library) and is run as a file. The environment of the old process
never touches a disk or a command line: this program reads it while that process still lives, and hands it on.

    launcher.py LIKE KEEPER PROGRAM ARGUMENT…      LIKE is pid@start, or "-" for none
    launcher.py --move LIKE UNTIL KEEPER RELEASE…
    launcher.py --keep KEEPER

Who holds that environment by now (pid@start) stands in the file KEEPER: before it does, the old process must
not be asked to end. What cannot be read is not held, and nobody says that it is.

For a move it waits until UNTIL has ended, and then for the first of the RELEASE files, which says what it
becomes. A move may have to start the agent a second time: so LIKE's environment is kept by a small process of
its own (``--keep``), which ends when its file KEEPER is gone.
"""

from __future__ import annotations

import contextlib
import json
import os
import select
import shutil
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NoReturn

LOOK_EVERY_S = 0.05
KEEPER_LOOKS_EVERY_S = 0.5
KEPT_S = 24 * 3600.0  # should nobody ever say that the move is over
TMUX_S = 5.0  # it answers within milliseconds
OWN = (
    *("TMUX", "TMUX_PANE", "CONTROLROOM_OPERATION", "PWD", "OLDPWD", "SHLVL", "_"),
    *("HERDR_ENV", "HERDR_SOCKET_PATH", "HERDR_BIN_PATH"),
    *("HERDR_WORKSPACE_ID", "HERDR_TAB_ID", "HERDR_PANE_ID"),
)
"""Variables that belong to this window, not to the old one."""


def start_of(pid: str) -> str | None:
    """See ``kit.process``: the start time of a process, None when it is gone or a zombie."""
    try:
        fields = Path(f"/proc/{pid}/stat").read_bytes().rpartition(b")")[2].split()
    except OSError:
        return None
    return None if fields[0] in (b"Z", b"X") else fields[19].decode()


def is_alive(process: str) -> bool:
    pid, _, start = process.partition("@")
    return bool(start) and start_of(pid) == start


def environment_like(process: str) -> dict[str, str]:
    """What that process was started with, in this window. Empty when it is gone or cannot be read."""
    pid = process.partition("@")[0]
    try:
        raw = Path(f"/proc/{pid}/environ").read_bytes() if is_alive(process) else b""
    except OSError:
        return {}
    if not is_alive(process):  # the pid is another process by now
        return {}
    pairs = (entry.partition(b"=") for entry in raw.split(b"\0") if b"=" in entry)
    found = {os.fsdecode(name): os.fsdecode(value) for name, _, value in pairs}
    if not found:
        return {}
    own = {name: os.environ[name] for name in OWN if name in os.environ}
    return {name: value for name, value in found.items() if name not in OWN} | own


def wait_for_end(process: str) -> None:
    with contextlib.suppress(ProcessLookupError, ValueError):  # it has ended, or there was none
        descriptor = os.pidfd_open(int(process.partition("@")[0]))
        if is_alive(process):  # else the pid is another process by now
            select.select([descriptor], [], [])


def keep_pane() -> None:
    """Let the pane stay should the agent end at once: its last words say why. Undone once it is up."""
    pane = os.environ.get("TMUX_PANE", "")
    if pane and "HERDR_PANE_ID" not in os.environ:  # a Herdr that was started in tmux hands TMUX_PANE on
        with contextlib.suppress(OSError, subprocess.TimeoutExpired):
            subprocess.run(
                ["tmux", "set-option", "-p", "-t", pane, "remain-on-exit", "on"],
                timeout=TMUX_S,
                capture_output=True,
                check=False,
            )


def become(program: str, arguments: Sequence[str], environment: dict[str, str]) -> NoReturn:
    path = program if "/" in program else shutil.which(program, path=environment.get("PATH"))
    if path is None:
        sys.exit(f"{program} is not in the PATH of this window")
    try:
        os.execve(path, [*arguments], environment)  # noqa: S606 - no shell on purpose
    except OSError as error:
        sys.exit(f"{program} cannot be started: {error.strerror}.")


def restart(like: str, keeper: str, program: str, arguments: Sequence[str]) -> NoReturn:
    old = environment_like(like)
    if old:
        say_who_keeps(Path(keeper))
    wait_for_end(like)
    become(program, arguments, old or dict(os.environ))


def move(like: str, until: str, keeper: str, releases: Sequence[str]) -> NoReturn:
    old = environment_like(like)
    if old and not Path(keeper).exists():
        start_keeper(old, keeper)
    wait_for_end(until)
    release = wait_for_release([Path(path) for path in releases], Path(keeper))
    environment = old or dict(os.environ)
    if not old or not release["only_in_a_new_environment"]:
        for name, value in release["variables"].items():
            environment.pop(name, None)
            if value is not None:
                environment[name] = value
    become(release["program"], release["arguments"], environment)


def wait_for_release(paths: Sequence[Path], keeper: Path) -> dict[str, Any]:
    """What the first of these files says; they appear whole. They go away before the keeper's file does."""
    was_kept = False
    while True:
        is_over = was_kept and not keeper.exists()
        was_kept = was_kept or keeper.exists()
        for path in paths:
            with contextlib.suppress(FileNotFoundError):
                found: dict[str, Any] = json.loads(path.read_bytes())
                return found
        if is_over or not paths[0].parent.is_dir():
            sys.exit("The move that opened this window is over.")
        time.sleep(LOOK_EVERY_S)


def start_keeper(environment: dict[str, str], keeper: str) -> None:
    """As a process of nobody's: it must neither be the agent's child nor end with this window."""
    child = os.fork()
    if child:
        os.waitpid(child, 0)
        return
    try:
        os.setsid()
        if os.fork() == 0:
            nothing = os.open(os.devnull, os.O_RDWR)
            for number in (0, 1, 2):
                os.dup2(nothing, number)
            os.chdir("/")
            arguments = [sys.executable, "-I", str(Path(__file__).resolve()), "--keep", keeper]
            os.execve(sys.executable, arguments, environment)  # noqa: S606 - no shell on purpose
    finally:
        os._exit(0)


def say_who_keeps(path: Path) -> str:
    """Write who this process is. It appears whole."""
    me = f"{os.getpid()}@{start_of('self')}"
    beside = path.with_name(f"{path.name}.{os.getpid()}")
    with os.fdopen(os.open(beside, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w") as file:
        file.write(me)
    beside.replace(path)
    return me


def keep(keeper: str) -> None:
    """Do nothing, with the environment that this process was started with."""
    path = Path(keeper)
    try:
        me = say_who_keeps(path)
        ends_at = time.monotonic() + KEPT_S
        while path.read_text() == me and time.monotonic() < ends_at:
            time.sleep(KEEPER_LOOKS_EVERY_S)
    except OSError:
        return


def main() -> None:
    if sys.argv[1] == "--keep":
        keep(sys.argv[2])
        return
    keep_pane()
    if sys.argv[1] == "--move":
        like, until, keeper, *releases = sys.argv[2:]
        move(like, until, keeper, releases)
    like, keeper, program, *arguments = sys.argv[1:]
    restart(like, keeper, program, arguments)


if __name__ == "__main__":
    main()
