"""Runs in a new window before the agent does: waits until the old process has ended, then becomes the agent.

It stands alone (nothing but the standard library) and is run as a file. The environment of the old process
never touches a disk or a command line: this program reads it while that process still lives, and hands it on.

    launcher.py LIKE PROGRAM ARGUMENT…      LIKE is pid@start, or "-" for none
"""

from __future__ import annotations

import contextlib
import os
import shutil
import subprocess
import sys
import time
from pathlib import Path

LOOK_EVERY_S = 0.05
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


def environment_like(pid: str) -> dict[str, str]:
    """What that process was started with, in this window. Empty when it cannot be read."""
    try:
        raw = Path(f"/proc/{pid}/environ").read_bytes()
    except OSError:
        return {}
    pairs = (entry.partition(b"=") for entry in raw.split(b"\0") if b"=" in entry)
    found = {os.fsdecode(name): os.fsdecode(value) for name, _, value in pairs}
    own = {name: os.environ[name] for name in OWN if name in os.environ}
    return {name: value for name, value in found.items() if name not in OWN} | own


def keep_pane() -> None:
    """Let the pane stay should the agent end at once: its last words say why. Undone once it is up."""
    pane = os.environ.get("TMUX_PANE", "")
    if pane:
        with contextlib.suppress(OSError, subprocess.TimeoutExpired):
            subprocess.run(
                ["tmux", "set-option", "-p", "-t", pane, "remain-on-exit", "on"],
                timeout=TMUX_S,
                capture_output=True,
                check=False,
            )


def main() -> None:
    keep_pane()
    like, program, *arguments = sys.argv[1:]
    environment = dict(os.environ)
    pid, _, start = like.partition("@")
    if start and start_of(pid) == start:
        old = environment_like(pid)
        if start_of(pid) == start:  # else the pid is another process by now
            environment = old or environment
        while start_of(pid) == start:
            time.sleep(LOOK_EVERY_S)
    path = program if "/" in program else shutil.which(program, path=environment.get("PATH"))
    if path is None:
        sys.exit(f"{program} is not in the PATH of this window")
    try:
        os.execve(path, [*arguments], environment)  # noqa: S606 - no shell on purpose
    except OSError as error:
        sys.exit(f"{program} cannot be started: {error.strerror}.")


if __name__ == "__main__":
    main()
