"""The stage of Codex: the driver over a small machine whose pane behaves as the program does."""

from __future__ import annotations

import shutil
import tempfile
from pathlib import Path

from controlroom.node.agents.base import Driver
from tests.unit.node.agents.codex.desk import Desk, ScriptedCodex


class CodexStage:
    """One conversation in one pane; rows and screens change together."""

    def __init__(self) -> None:
        self._folder = Path(tempfile.mkdtemp(prefix="cr-"))
        self._desk = Desk(self._folder)
        self.driver: Driver = self._desk.driver

    async def begin(self) -> None:
        self._desk.codex()
        self._codex = ScriptedCodex(self._desk, self._desk.put("11-07-12", rows=18))

    async def talk(self, turns: int) -> None:
        for number in range(turns):
            self._codex.draft = f"water bed {number}"
            self._codex.react("Enter")

    async def open_dialog(self) -> None:
        self._codex.answers = False
        self._codex.draft = "fetch the list"
        self._codex.react("Enter")
        self._codex.call("call_1")
        self._desk.react = self._answer
        self._desk.show("no-daemon-exec-approval-80x24")

    async def work(self) -> None:
        self._codex.row("task_started", turn_id="t9")

    async def end(self) -> None:
        self._desk.end()
        self._desk.show("no-daemon-after-quit-80x24")

    async def close(self) -> None:
        shutil.rmtree(self._folder, ignore_errors=True)

    def _answer(self, key: str) -> None:
        if key == "1":
            self._codex.result("call_1")
            self._codex.row("task_complete", turn_id="t")
            self._desk.react = self._codex.react
            self._codex.draw()
