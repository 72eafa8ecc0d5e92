"""A small machine for the driver: processes, panes with recorded or drawn screens, a profile in a folder."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path

from controlroom.core.activity import derive
from controlroom.core.facts import AgentFacts
from controlroom.core.screen import Cursor, Frame
from controlroom.kit.process import Process
from controlroom.node.agents.base import Sighting
from controlroom.node.agents.codex.client import CodexDriver
from controlroom.node.mux.base import Listing, Pane, PaneBusy, PaneGone, PaneRef
from tests.support import fake_processes
from tests.support.fake_processes import FakeProcesses
from tests.unit.node.agents.codex.samples import drawn, frame, rollout, session_id

EXE = "/opt/codex/vendor/x86_64-unknown-linux-musl/bin/codex"
NOW_MS = 1_796_050_000_000  # after all recordings
STARTED_MS = 1_796_036_820_000  # before all that the tests use
FOLDER = "/home/dev2/work/plants80"


def process(pid: int, ppid: int, *argv: str, exe: str, at_ms: int = STARTED_MS) -> Process:
    return fake_processes.process(pid, ppid, exe, *argv, at_ms=at_ms)


class Desk:
    """``World`` whose panes show what a test puts there; ``react`` is called after each paste and key."""

    def __init__(self, home: Path) -> None:
        self.home = home
        self.machine = FakeProcesses(folder=FOLDER, has_keyboard=True)
        self.panes: dict[PaneRef, Pane] = {}
        self.screens: dict[PaneRef, Frame] = {}
        self.is_busy = False
        self.ages: list[float] = []
        self.pressed: list[str] = []
        self.react: Callable[[str], None] = lambda _: None
        self.at_ms = NOW_MS
        self.driver = CodexDriver(self)

    # --- setting up -----------------------------------------------------------------------------------

    def codex(self, pid: int = 20, *arguments: str, exe: str = EXE, at_ms: int = STARTED_MS) -> PaneRef:
        """A pane with shell, wrapper and Codex in it."""
        ref = PaneRef("tmux", "/tmp/tmux-1000/default", f"%{pid}")
        self.panes[ref] = Pane(
            ref=ref,
            incarnation="1",
            pid=pid - 2,
            tty="",
            command="node",
            folder=FOLDER,
            title="",
            session="main",
            window="0",
            width=100,
            height=24,
            alternate=True,
            in_mode=False,
            dead=False,
            active_at_s=0,
        )
        self.machine.add(
            process(pid - 2, 1, "-bash", exe="/bin/bash"),
            process(pid - 1, pid - 2, "node", "/usr/bin/codex", *arguments, exe="/usr/bin/node"),
            process(pid, pid - 1, EXE, *arguments, exe=exe, at_ms=at_ms),
        )
        self.machine.environs[pid] = {"HOME": "/home/dev2", "CODEX_HOME": str(self.home)}
        self.show("no-daemon-idle-80x24", ref)
        return ref

    def show(self, screen: str | Frame, ref: PaneRef | None = None, *, title: str | None = None) -> None:
        """Set a screen; its title is the pane's too."""
        at = ref or next(iter(self.panes))
        shown = frame(screen, title=title) if isinstance(screen, str) else screen
        self.screens[at] = shown
        self.move(at, title=shown.title)

    def move(self, ref: PaneRef | None = None, **changes: object) -> None:
        at = ref or next(iter(self.panes))
        old = self.panes[at]
        fields = {name: getattr(old, name) for name in old.__struct_fields__}
        self.panes[at] = Pane(**{**fields, **changes})

    def put(self, name: str, *, rows: int | None = None, open_in: int | None = 20) -> Path:
        """Put a recording (its first ``rows``) into the profile, held open by a process or by none."""
        source = rollout(name)
        path = self.home / "sessions/2026/11/30" / source.name
        path.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(source, path)
        if rows is not None:
            path.write_bytes(b"".join(path.read_bytes().splitlines(keepends=True)[:rows]))
        if open_in is not None:
            self.machine.files.setdefault(open_in, []).extend([str(path), self.lock(session_id(path))])
        return path

    def lock(self, id: str) -> str:
        return str(self.home / "thread-writer-locks" / f"{id}.lock")

    def end(self, pid: int = 20) -> None:
        for gone in (pid, pid - 1):
            self.machine.known.pop(gone, None)

    # --- World ----------------------------------------------------------------------------------------

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
        pid, _, start = who.incarnation.partition("@")
        return self.machine.start_of(int(pid)) == start

    async def frame(self, ref: PaneRef, *, max_age_s: float = 0.0) -> Frame:
        self.ages.append(max_age_s)
        if self.is_busy:
            raise PaneBusy(ref.id)
        if ref not in self.screens:
            raise PaneGone(ref.id)
        return self.screens[ref]

    def known_frame(self, ref: PaneRef, *, max_age_s: float) -> Frame | None:
        return self.screens.get(ref)

    async def paste(self, ref: PaneRef, text: str) -> int:
        self.pressed.append(f"paste:{text}")
        self.react(f"paste:{text}")
        return 0

    async def keys(self, ref: PaneRef, keys: tuple[str, ...]) -> None:
        for key in keys:
            self.pressed.append(key)
            self.react(key)

    async def settle(self, seconds: float) -> None:
        return


class ScriptedCodex:
    """Behaves as the program does: a composer that shows what was pasted, rows for what was sent."""

    def __init__(self, desk: Desk, path: Path) -> None:
        self.desk = desk
        self.path = path
        self.draft = ""
        self.answers = True  # a turn ends at once
        self.takes_enter = True
        self.shows_queue = False
        self.ordinal = 1000
        self.title = "sow | plants80"
        desk.react = self.react
        self.draw()

    def react(self, typed: str) -> None:
        if typed.startswith("paste:"):
            self.draft += typed.removeprefix("paste:")
        elif typed == "Enter" and self.takes_enter:
            self.send()
        elif typed == "C-u":
            self.draft = self.draft.rpartition("\n")[0]
        elif typed == "Escape":
            self.row("turn_aborted", turn_id="t", reason="interrupted")
        self.draw()

    def send(self) -> None:
        text, self.draft = self.draft.strip(), ""
        if self.shows_queue:
            self.waiting = text
            return
        self.row("task_started", turn_id="t")
        self.row("item_completed", item={"type": "UserMessage", "content": [{"type": "text", "text": text}]})
        if self.answers:
            reply = {"type": "AgentMessage", "content": [{"type": "Text", "text": f"Done: {text}"}]}
            self.row("item_completed", item=reply)
            self.row("task_complete", turn_id="t")

    def row(self, kind: str, /, **fields: object) -> None:
        self._write("event_msg", kind, fields)

    def call(self, call_id: str) -> None:
        source = 'await tools.exec_command({"cmd": "curl -s http://127.0.0.1:8790/v1/models"})'
        self._write(
            "response_item", "custom_tool_call", {"name": "exec", "input": source, "call_id": call_id}
        )

    def result(self, call_id: str) -> None:
        self._write("response_item", "custom_tool_call_output", {"call_id": call_id, "output": "ok"})

    def _write(self, row: str, kind: str, fields: dict[str, object]) -> None:
        self.ordinal += 1
        line = {
            "timestamp": "2026-11-30T15:00:00.000Z",
            "ordinal": self.ordinal,
            "type": row,
            "payload": {"type": kind, **fields},
        }
        with self.path.open("a") as file:
            file.write(json.dumps(line) + "\n")

    waiting = ""

    def draw(self) -> None:
        queue = ["• Queued follow-up inputs", f"  ↳ {self.waiting}", ""] if self.waiting else []
        lines = self.draft.split("\n")
        shown = [f"\x1b[1m›\x1b[0m {lines[0]}", *(f"  {line}" for line in lines[1:])]
        if not self.draft:
            shown = ["\x1b[1m›\x1b[0m \x1b[2mAsk Codex to do anything\x1b[0m"]
        footer = ["", "  GPT-6-Sol default · ~/work/plants80"] + ([] if self.draft else ["  ← for agents"])
        self.desk.show(drawn([*queue, *shown, *footer], title=self.title, cursor=Cursor(20, 2)))


class Room:
    """A driver and its desk."""

    def __init__(self, home: Path) -> None:
        self.desk = Desk(home)
        self.driver = self.desk.driver

    async def all(self) -> tuple[Sighting, ...]:
        return (await self.driver.find()).sightings

    async def who(self) -> Sighting:
        (found,) = await self.all()
        return found

    async def facts(self) -> AgentFacts:
        return await self.driver.facts(await self.who())

    async def activity(self) -> str:
        facts = await self.facts()
        return derive(facts, self.desk.at_ms).activity
