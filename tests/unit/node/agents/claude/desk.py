"""A small machine for the driver: processes, one pane for each, config folders in a temporary folder."""

from __future__ import annotations

from pathlib import Path

import msgspec

from controlroom.core.screen import Frame
from controlroom.kit.process import Process
from controlroom.node.agents.base import Sighting
from controlroom.node.mux.base import Listing, Pane, PaneBusy, PaneGone, PaneRef
from tests.support import fake_processes
from tests.support.fake_processes import FakeProcesses
from tests.unit.node.agents.claude.samples import frame, transcript

NATIVE = "/usr/lib/node_modules/@anthropic-ai/claude-code/bin/claude.exe"
NOW_MS = 1796038000000  # after all recordings
SESSION = "5109abef-152e-44c3-b030-dc0e1234942b"


def process(
    pid: int, ppid: int, exe: str, *argv: str, start: str = "", at_ms: int = NOW_MS - 60_000
) -> Process:
    return fake_processes.process(pid, ppid, exe, *argv, start=start, at_ms=at_ms)


class Desk:
    """``World`` with panes whose screens are recordings; keys and pastes are noted."""

    def __init__(self, home: Path) -> None:
        self.home = home
        self.profile = home / ".claude"
        self.machine = FakeProcesses(folder="/home/dev/work/orchard")
        self.screens: dict[PaneRef, Frame | None] = {}
        self.panes: dict[PaneRef, Pane] = {}
        self.is_busy = False
        self.asked_ages: list[float] = []
        self.pressed: list[str] = []
        self.settled: list[float] = []
        self.at_ms = NOW_MS

    def claude(self, pid: int = 20, *arguments: str, screen: str = "80x24-welcome-idle") -> PaneRef:
        """A pane with a shell and Claude Code in it."""
        ref = self.add_pane(pid - 1)
        self.machine.add(
            process(pid - 1, 1, "/bin/bash", "-bash"), process(pid, pid - 1, NATIVE, NATIVE, *arguments)
        )
        self.machine.environs[pid] = {"HOME": str(self.home)}
        self.show(screen, ref)
        return ref

    def add_pane(self, pid: int) -> PaneRef:
        ref = PaneRef("tmux", "/tmp/tmux-1000/default", f"%{pid}")
        self.panes[ref] = Pane(
            ref=ref,
            incarnation="1",
            pid=pid,
            tty="",
            command="claude",
            folder="",
            title="",
            session="main",
            window="0",
            width=80,
            height=24,
            alternate=True,
            in_mode=False,
            dead=False,
            active_at_s=0,
        )
        return ref

    def show(self, screen: str, ref: PaneRef | None = None) -> None:
        self.screens[ref or next(iter(self.panes))] = frame(screen)

    def register(self, pid: int = 20, status: str | None = "idle", **fields: object) -> None:
        """Write the process's registry entry."""
        folder = self.profile / "sessions"
        folder.mkdir(parents=True, exist_ok=True)
        entry: dict[str, object] = {"pid": pid, "procStart": f"{pid}00", "sessionId": SESSION}
        entry |= {"cwd": "/home/dev/work/orchard", "entrypoint": "cli", "kind": "interactive"}
        entry |= {"startedAt": NOW_MS - 60_000, "statusUpdatedAt": NOW_MS - 1_000, "status": status}
        (folder / f"{pid}.json").write_bytes(msgspec.json.encode({**entry, **fields}))

    def record(self, name: str, session_id: str = SESSION, *, until: int | None = None) -> Path:
        """Put a recorded transcript (its first ``until`` bytes) into the profile."""
        folder = self.profile / "projects" / "-home-dev-work-orchard"
        folder.mkdir(parents=True, exist_ok=True)
        path = folder / f"{session_id}.jsonl"
        path.write_bytes(transcript(name).read_bytes()[:until])
        return path

    # --- World ---

    @property
    def listing(self) -> Listing:
        return Listing(servers=(), panes=tuple(self.panes.values()))

    @property
    def processes(self) -> FakeProcesses:
        return self.machine

    def now_ms(self) -> int:
        return self.at_ms

    def pane(self, ref: PaneRef) -> Pane | None:
        return self.panes.get(ref)

    async def still(self, who: Sighting) -> bool:
        return self.machine.start_of(int(who.incarnation.partition("@")[0])) is not None

    async def frame(self, ref: PaneRef, *, max_age_s: float = 0.0) -> Frame:
        self.asked_ages.append(max_age_s)
        if self.is_busy:
            raise PaneBusy(ref.id)
        shown = self.screens.get(ref)
        if shown is None:
            raise PaneGone(ref.id)
        return shown

    def known_frame(self, ref: PaneRef, *, max_age_s: float) -> Frame | None:
        return self.screens.get(ref)

    async def paste(self, ref: PaneRef, text: str) -> int:
        self.pressed.append(f"paste:{text}")
        return 0

    async def keys(self, ref: PaneRef, keys: tuple[str, ...]) -> None:
        self.pressed += keys

    async def settle(self, seconds: float) -> None:
        self.settled.append(seconds)
