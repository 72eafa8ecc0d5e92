"""A desk of scripted agents: their own tmux server, home and config folder, in one folder of ours.

Nothing outside that folder is touched: not the person's tmux server, not their agents' config folders. The
server is reached by its socket only, and ended by it.
"""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Mapping
from pathlib import Path

import msgspec

from controlroom.kit.process import ProcProcesses
from controlroom.testing.scripted.steps import Command, Scene

TMUX_S = 10.0  # tmux answers in milliseconds; a loaded machine gets time
END_S = 5.0  # an agent that hears SIGHUP writes its last row and goes
KEPT_VARIABLES = ("PATH", "LANG", "LC_ALL", "LC_CTYPE", "TZ", "USER", "LOGNAME")


class DeskError(Exception):
    """The desk cannot be set up; the text is for people."""


class Desk:
    """The scripted agents of one demo or test."""

    def __init__(self, folder: Path, *, width: int = 100, height: int = 30) -> None:
        self.folder = folder
        self.socket = folder / "tmux.sock"
        self.config = folder / "claude"
        self._size = (width, height)
        self._is_up = False

    @property
    def environ(self) -> dict[str, str]:
        """The environment in which a control room sees this desk and nothing else."""
        kept = {name: os.environ[name] for name in KEPT_VARIABLES if name in os.environ}
        return kept | {
            "HOME": str(self.folder / "home"),
            "TERM": "xterm-256color",
            "TMUX_TMPDIR": str(self.folder),
            "CLAUDE_CONFIG_DIR": str(self.config),
            "CONTROLROOM_TMUX_SOCKETS": str(self.socket),
            "CONTROLROOM_AGENTS_KINDS": "claude",
            "CONTROLROOM_USAGE_ENDPOINT": "false",  # invented logins are shown to nobody
            "PYTHONPATH": os.pathsep.join(entry for entry in sys.path if entry),
            "PYTHONSAFEPATH": "1",
        }

    def add(self, scene: Scene, *, in_shell: bool = False) -> None:
        """Start one agent in a window of its own; ``in_shell``: below a shell, as a person does."""
        self._prepare()
        work = self.folder / "home" / "work" / scene.folder
        work.mkdir(parents=True, exist_ok=True)
        script = self.folder / f"{scene.name}.json"
        script.write_bytes(msgspec.json.encode(scene))
        os.mkfifo(self._control(scene.name), 0o600)
        program = [
            str(self.folder / "bin" / "claude"),
            *("-m", "controlroom.testing.scripted.claude"),
            *("--scene", str(script), "--control", str(self._control(scene.name))),
        ]
        if in_shell:
            program = ["sh", "-c", '"$@"; :', "sh", *program]
        where = ["-n", scene.name, "-c", str(work), *program]
        if self._is_up:
            self.tmux("new-window", "-d", *where)
        else:
            width, height = self._size
            self.tmux(
                "-f",
                os.devnull,
                "new-session",
                "-d",
                "-s",
                "desk",
                "-x",
                str(width),
                "-y",
                str(height),
                *where,
            )
            self._is_up = True

    def tell(self, name: str, command: Command) -> None:
        """Give an agent a command (``controlroom.testing.scripted.steps``)."""
        with self._control(name).open("wb", buffering=0) as fifo:
            fifo.write(msgspec.json.encode(command) + b"\n")

    def tmux(self, *arguments: str) -> str:
        """Ask the desk's own server. Raises DeskError."""
        try:
            done = subprocess.run(
                ["tmux", "-S", str(self.socket), *arguments],
                env=self.environ,
                capture_output=True,
                text=True,
                timeout=TMUX_S,
                check=False,
            )
        except FileNotFoundError:
            raise DeskError(
                "tmux is not installed. Install it, for example: sudo apt-get install tmux"
            ) from None
        except subprocess.TimeoutExpired:
            raise DeskError("tmux does not answer.") from None
        if done.returncode:
            raise DeskError(f"tmux refused: {done.stderr.strip()[:200]}")
        return done.stdout

    def screen(self, name: str) -> list[str]:
        """An agent's screen as plain rows."""
        return self.tmux("capture-pane", "-p", "-t", f"desk:{name}").split("\n")

    def close(self) -> None:
        """End the agents and their server; the folder stays."""
        end_server(self.socket, self.environ)
        self._is_up = False

    def _prepare(self) -> None:
        for part in ("home", "bin", "claude"):
            (self.folder / part).mkdir(parents=True, exist_ok=True)
        link = self.folder / "bin" / "claude"
        if not link.is_symlink():
            link.symlink_to(sys.executable)

    def _control(self, name: str) -> Path:
        return self.folder / f"{name}.fifo"


def end_server(socket: Path, environ: Mapping[str, str]) -> None:
    """End the tmux server of this socket, if there is one, and wait until its programs have ended too."""
    if not socket.is_socket():
        return
    tmux = ["tmux", "-S", str(socket)]
    asked = _quietly([*tmux, "list-panes", "-a", "-F", "#{pid} #{pane_pid}"], environ)
    processes = ProcProcesses()
    living = {pid: processes.start_of(pid) for pid in map(int, set(asked.split()))}
    _quietly([*tmux, "kill-server"], environ)
    ends_at = time.monotonic() + END_S
    while time.monotonic() < ends_at and any(
        start is not None and processes.start_of(pid) == start for pid, start in living.items()
    ):
        time.sleep(0.02)
    socket.unlink(missing_ok=True)


def _quietly(command: list[str], environ: Mapping[str, str]) -> str:
    done = subprocess.run(
        command, env=dict(environ), capture_output=True, text=True, timeout=TMUX_S, check=False
    )
    return done.stdout
