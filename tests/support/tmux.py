"""tmux servers of our own for tests: in a folder with a short path, ended exactly and by id.

Never the person's server: every call names the socket, and TMUX is not in the environment.
"""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

from tests.support.waiting import until_now


def clean_environment(folder: Path, **more: str) -> dict[str, str]:
    """An environment that knows nothing of the machine: for tmux, the programs in it, and our adapter."""
    return {
        "PATH": os.environ["PATH"],
        "HOME": str(folder),
        "LANG": "C.UTF-8",
        "LC_ALL": "C.UTF-8",
        "TERM": "xterm-256color",
        "SHELL": "/bin/sh",
        "TMUX_TMPDIR": str(folder),
        **more,
    }


class TmuxServer:
    """One tmux server (``-L name``) under ``folder`` as TMUX_TMPDIR. Starts with its first session."""

    def __init__(self, folder: Path, name: str = "default") -> None:
        self.folder = folder
        self.name = name
        self.path = str(folder / f"tmux-{os.getuid()}" / name)
        self.environment = clean_environment(folder)
        self.pid = 0

    def run(self, *arguments: str, check: bool = True) -> str:
        """One tmux command against this server; its output without the last newline."""
        done = subprocess.run(
            ["tmux", "-u", "-f", "/dev/null", "-L", self.name, *arguments],
            env=self.environment,
            capture_output=True,
            timeout=30,
            check=False,
        )
        if check and done.returncode:
            raise AssertionError(f"tmux {' '.join(arguments)}: {done.stderr.decode(errors='replace')}")
        return done.stdout.decode(errors="replace").removesuffix("\n")

    def session(
        self, name: str, *command: str, width: int = 80, height: int = 24, folder: str | Path = ""
    ) -> str:
        """A new detached session that runs ``command`` (default: a quiet sleep); the id of its pane."""
        where = ["-c", str(folder)] if folder else []
        arguments = ["new-session", "-d", "-s", name, "-x", str(width), "-y", str(height), *where]
        pane = self.run(*arguments, "-P", "-F", "#{pane_id}", *(command or ("sleep", "100000")))
        self.pid = int(self.run("display-message", "-p", "#{pid}"))
        return pane

    def window(self, session: str, *command: str, folder: str | Path = "") -> str:
        """A new window in a session; the id of its pane."""
        where = ["-c", str(folder)] if folder else []
        arguments = ["new-window", "-d", "-t", f"={session}:", *where, "-P", "-F", "#{pane_id}"]
        return self.run(*arguments, *(command or ("sleep", "100000")))

    def get(self, pane: str, field: str) -> str:
        """One format of a pane, such as ``pane_width``."""
        return self.run("display-message", "-p", "-t", pane, f"#{{{field}}}")

    def show(self, pane: str, output: bytes) -> None:
        """Print ``output`` in the pane, as if its program had written it."""
        terminal = os.open(self.get(pane, "pane_tty"), os.O_WRONLY | os.O_NOCTTY)
        try:
            left = output
            while left:
                left = left[os.write(terminal, left) :]
        finally:
            os.close(terminal)

    def text(self, pane: str) -> str:
        return self.run("capture-pane", "-p", "-t", pane)

    def clients(self) -> list[str]:
        return self.run("list-clients", "-F", "#{client_pid}", check=False).split()

    def is_alive(self) -> bool:
        return bool(self.pid) and _is_process(self.pid)

    def kill(self, *, hard: bool = False) -> None:
        """End this server and wait until its process is gone; ``hard``: SIGKILL (its socket stays)."""
        if not self.pid:
            return
        if hard:
            _signal(self.pid, signal.SIGKILL)
        else:
            _signal(self.pid, signal.SIGCONT)  # a test may have stopped it
            self.run("kill-server", check=False)
        until_now(lambda: not _is_process(self.pid), f"tmux server {self.pid} ends")
        self.pid = 0


def _signal(pid: int, number: signal.Signals) -> None:
    try:
        os.kill(pid, number)
    except ProcessLookupError:
        pass


def _is_process(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_bytes().rpartition(b")")[2].split()[0] not in (b"Z", b"X")
    except OSError:
        return False


class TmuxFolder:
    """A TMUX_TMPDIR with all servers that a test starts in it."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.environment = clean_environment(path)
        self.sockets = path / f"tmux-{os.getuid()}"
        self.servers: list[TmuxServer] = []

    def server(self, name: str = "default") -> TmuxServer:
        server = TmuxServer(self.path, name)
        self.servers.append(server)
        return server

    def aclose(self) -> None:
        for server in self.servers:
            server.kill()


@pytest.fixture
def tmux_folder() -> Iterator[TmuxFolder]:
    """A short folder (socket paths end at 107 bytes) whose servers end with the test."""
    path = Path(tempfile.mkdtemp(prefix="cr", dir="/tmp"))
    folder = TmuxFolder(path)
    try:
        yield folder
    finally:
        folder.aclose()
        shutil.rmtree(path, ignore_errors=True)


@pytest.fixture
def tmux(tmux_folder: TmuxFolder) -> TmuxServer:
    """The default server of ``tmux_folder``, not started yet: call ``session``."""
    return tmux_folder.server()


def pane_program(*arguments: str) -> Sequence[str]:
    """A Python program as a pane's command, started quickly and without the machine's set-up."""
    return [shutil.which("python3") or "python3", "-S", "-E", *arguments]
