"""A shell in a pane of a private tmux server, as a person would have it."""

from __future__ import annotations

import asyncio
import os
import shlex
import signal
from pathlib import Path

from controlroom.kit.process import Process, ProcProcesses
from tests.real.leftovers import MARK
from tests.support.tmux import TmuxServer
from tests.support.waiting import until

PROMPT = "ready$ "
WIDTH, HEIGHT = 120, 40
AGENT_S = 90.0  # what a real program may need to react on a busy machine
HEARS_AFTER_S = 1.0  # Claude Code 2.1.332 ignores keys in the first 0.2 s of a dialog (seen)


class Pane:
    """One pane with an interactive shell in ``folder``; programs are started by typing their command."""

    def __init__(self, server: TmuxServer, folder: Path, home: Path) -> None:
        self.server = server
        self.folder = folder
        self.home = home
        self.id = ""

    async def open(self, environment: dict[str, str]) -> None:
        variables = {
            "PATH": os.environ["PATH"],
            "HOME": str(self.home),
            "LANG": "C.UTF-8",
            "TERM": "tmux-256color",
            "PS1": PROMPT,
            MARK: os.environ.get(MARK, ""),
            **environment,
        }
        command = ["env", *(f"{name}={value}" for name, value in variables.items())]
        command += ["bash", "--norc", "--noprofile", "-i"]
        if self.server.is_alive():
            session = self.server.run("list-sessions", "-F", "#{session_name}").splitlines()[0]
            self.id = self.server.window(session, *command, folder=self.folder)
        else:
            self.id = self.server.session("work", *command, width=WIDTH, height=HEIGHT, folder=self.folder)
        await self.until_text(PROMPT.strip())

    def type_line(self, line: str) -> None:
        """Type at the shell's prompt."""
        self.server.run("send-keys", "-t", self.id, "-l", "--", line)
        self.press("Enter")

    def run(self, *command: str) -> None:
        """Start a program from the shell."""
        self.type_line(shlex.join(command))

    def press(self, *keys: str) -> None:
        self.server.run("send-keys", "-t", self.id, *keys)

    def paste(self, text: str) -> None:
        """Put text into the program's input as a person's terminal pastes it (bracketed)."""
        file = self.home / "paste"
        file.write_text(text)
        self.server.run("load-buffer", "-b", "test", str(file))
        self.server.run("paste-buffer", "-p", "-d", "-b", "test", "-t", self.id)

    def text(self) -> str:
        return self.server.text(self.id)

    def title(self) -> str:
        return self.server.get(self.id, "pane_title")

    async def until_text(self, *wanted: str) -> str:
        """The screen as soon as it shows all of ``wanted``."""

        def shown() -> str | None:
            text = self.text()
            return text if all(part in text for part in wanted) else None

        try:
            return await until(shown, within_s=AGENT_S) or ""
        except AssertionError as error:
            raise AssertionError(f"the screen does not show {wanted}:\n{self.text()}") from error

    async def choose(self, key: str, dialog: str) -> None:
        """Press an option's key once the dialog with this text stands, and wait until it has gone."""
        await self.until_text(dialog)
        await asyncio.sleep(HEARS_AFTER_S)
        self.press(key)
        await until(
            lambda: dialog not in self.text(), f"the dialog {dialog!r} closes", within_s=AGENT_S, step_s=0.1
        )

    def process(self, name: str) -> Process | None:
        """The living program below the shell whose executable has this name."""
        processes = ProcProcesses()
        processes.refresh()
        shell = int(self.server.get(self.id, "pane_pid"))
        return next((found for found in processes.below(shell) if Path(found.exe).name == name), None)

    def kill_hard(self, name: str) -> int:
        """``kill -9`` the program; its pid."""
        process = self.process(name)
        assert process is not None, f"{name} does not run in this pane"
        os.kill(process.pid, signal.SIGKILL)
        return process.pid


def whole_lines(file: Path) -> list[str]:
    """The lines that are written to their end: the program may be writing the next one."""
    return [line for line in file.read_text(errors="replace").split("\n")[:-1] if line]
