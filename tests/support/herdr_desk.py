"""A fake Herdr server over real programs: a hidden tmux server lends it its terminals."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from controlroom.testing.fake_herdr import FakeHerdr, FakeHerdrPane, socket_of
from controlroom.testing.fake_herdr_socket import FakeError
from controlroom.testing.scripted.desk import Desk, DeskError
from controlroom.testing.scripted.steps import Scene

FIELDS = "#{pane_pid}\t#{pane_tty}\t#{pane_width}\t#{pane_height}\t#{pane_title}\t#{pane_current_path}"


class DeskPane(FakeHerdrPane):
    """One window of a desk."""

    desk: Desk
    window = ""

    def look(self) -> None:
        """Take over what the terminal is now."""
        read = self.desk.tmux("list-panes", "-t", self._target, "-F", FIELDS).rstrip("\n").split("\t")
        self.shell_pid = int(read[0])
        stat = Path(f"/proc/{self.shell_pid}/stat").read_bytes().rpartition(b")")[2].split()
        self.foreground = int(stat[5])  # the terminal's foreground process group, see proc(5)
        self.tty, self.width, self.height = read[1], int(read[2]), int(read[3])
        self.title, self.cwd = read[4], read[5]

    async def shown(self, source: str, format: str, lines: int) -> str:
        styled = ("-e", "-N") if format == "ansi" and source != "detection" else ()
        try:
            return self.desk.tmux("capture-pane", "-p", *styled, "-t", self._target)
        except DeskError:
            raise FakeError("pane_not_found") from None

    async def write(self, data: bytes) -> None:
        await super().write(data)
        self.desk.tmux("send-keys", "-t", self._target, "-H", *(f"{byte:02x}" for byte in data))

    async def close(self) -> None:
        self.desk.tmux("kill-window", "-t", self._target)

    @property
    def _target(self) -> str:
        return f"desk:={self.window}"


class HerdrDesk(FakeHerdr):
    """Scripted agents in Herdr. For ``tests.support.server_thread``."""

    def __init__(self, desk: Desk) -> None:
        super().__init__(socket_of(desk.folder))
        self.desk = desk
        self.lost_tabs = 0  # so many tabs are opened without an answer, as when the node dies right then

    def make_pane(self, pane_id: str, terminal: str, workspace: str, tab: str, pid: int) -> DeskPane:
        pane = DeskPane(pane_id, terminal, workspace, tab, pid)
        pane.desk = self.desk
        return pane

    def add_agent(self, scene: Scene) -> DeskPane:
        """Before the server starts."""
        self.desk.add(scene)
        pane = self.add_pane(label=scene.name)
        assert isinstance(pane, DeskPane)
        pane.window, pane.bracketed = scene.name, True
        return pane

    async def opened(self, pane: FakeHerdrPane) -> None:
        """A shell in a window of its own, with the variables that Herdr sets."""
        assert isinstance(pane, DeskPane)
        pane.window, pane.rows = pane.pane_id.replace(":", "-"), []
        own = {"HERDR_ENV": "1", "HERDR_SOCKET_PATH": str(self.path), "HERDR_PANE_ID": pane.pane_id}
        variables = [word for name, value in (pane.env | own).items() for word in ("-e", f"{name}={value}")]
        self.desk.tmux("new-window", "-d", "-n", pane.window, "-c", pane.cwd, *variables, "sh", "-i")
        if self.lost_tabs:
            self.lost_tabs -= 1
            raise ConnectionAbortedError

    async def start(self) -> None:
        await super().start()
        for pane in self.panes.values():
            self.set_agent(pane, "claude", "idle")  # it recognises nothing, ever

    async def aclose(self) -> None:
        await self.stop()

    async def _snapshot(self, asked: dict[str, Any]) -> dict[str, Any]:
        self._look()
        return await super()._snapshot(asked)

    async def _pane_get(self, asked: dict[str, Any]) -> dict[str, Any]:
        self._look()
        return await super()._pane_get(asked)

    async def _process_info(self, asked: dict[str, Any]) -> dict[str, Any]:
        self._look()
        return await super()._process_info(asked)

    def _look(self) -> None:
        for pane in list(self.panes.values()):
            assert isinstance(pane, DeskPane)
            try:
                pane.look()
            except (DeskError, OSError, ValueError, IndexError):
                self.drop_pane(pane)
