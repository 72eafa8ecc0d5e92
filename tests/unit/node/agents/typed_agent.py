"""A world with one pane, and an agent in it, both over the model that the pure machine is tested with."""

from __future__ import annotations

import msgspec

from controlroom.core.delivery import AgentNow, Intent, Trace
from controlroom.core.facts import Composer, ScreenReading
from controlroom.core.screen import Cursor, Frame
from controlroom.kit.process import Processes, ProcProcesses
from controlroom.node.agents.base import SendAs, Sighting
from controlroom.node.mux.base import Listing, Pane, PaneBusy, PaneGone, PaneRef
from tests.unit.core.submission_model import Model

PANE = PaneRef("fake", "/s", "%1")
WHO = Sighting(kind="fake", incarnation="5@77", session_id="s", pane=PANE)


class ModelWorld:
    """``World`` with one pane. ``breaks`` names calls that raise, each once."""

    def __init__(self, model: Model) -> None:
        self.model = model
        self.breaks: dict[str, Exception] = {}
        self.calls: list[str] = []
        self.pasted: list[str] = []
        self.settled = 0.0

    @property
    def listing(self) -> Listing:
        return Listing(servers=(), panes=())

    @property
    def processes(self) -> Processes:
        return ProcProcesses()

    def now_ms(self) -> int:
        return 0

    def pane(self, ref: PaneRef) -> Pane | None:
        return None

    def _call(self, name: str) -> None:
        self.calls.append(name)
        if (error := self.breaks.pop(name, None)) is not None:
            raise error

    async def still(self, who: Sighting) -> bool:
        self._call("still")
        return self.model.alive

    async def frame(self, ref: PaneRef, *, max_age_s: float = 0.0) -> Frame:
        self._call("frame")
        assert max_age_s == 0.0, "what decides about a key is read freshly"
        if not self.model.alive:
            raise PaneGone(ref.id)
        look = "dialog" if self.model.dialog else "other" if self.model.hidden else "ready"
        rows = (look, *self.model.composer.split("\n"))
        return Frame(
            revision=repr(rows),
            width=80,
            height=len(rows),
            cursor=Cursor(0, 0),
            rows=rows,
            ansi=rows,
            alternate=True,
        )

    def known_frame(self, ref: PaneRef, *, max_age_s: float) -> Frame | None:
        raise AssertionError("what decides about a key is read freshly")

    async def paste(self, ref: PaneRef, text: str) -> int:
        self.pasted.append(text)
        self.model.paste(text)
        self._call("paste")  # breaks after it was done: the worse case
        return 0

    async def keys(self, ref: PaneRef, keys: tuple[str, ...]) -> None:
        for key in keys:
            if key == "Enter":
                self.model.enter()
            elif key == "C-u":
                self.model.composer = self.model.composer.rpartition("\n")[0]
            elif key == "Escape":
                self.model.happen("end_turn")
        self._call("+".join(keys))

    async def settle(self, seconds: float) -> None:
        self.settled += seconds
        self.model.tick += 1


class ModelAgent:
    """``TypedAgent`` over the same model."""

    def __init__(self, model: Model) -> None:
        self.model = model

    def read_screen(self, frame: Frame) -> ScreenReading:
        if frame.rows[0] == "dialog":
            return ScreenReading(look="dialog")
        if frame.rows[0] == "other":
            return ScreenReading(look="other")
        return ScreenReading(look="ready", composer=Composer("\n".join(frame.rows[1:])))

    async def now(self, who: Sighting) -> AgentNow:
        return self.model.now

    async def position(self, who: Sighting) -> tuple[str | None, str]:
        return "s", str(len(self.model.rows))

    async def trace(self, who: Sighting, intent: Intent) -> Trace:
        return self.model.search(intent)

    def harmless(self, text: str, send_as: SendAs) -> str:
        return "Text: " + text if send_as == "text" and text.startswith(("/", "!", "@", "#")) else text

    def holds(self, composer: Composer, text: str) -> bool:
        return composer.text == text

    def submit_keys(self, now: AgentNow) -> tuple[str, ...]:
        return ("Enter",)


class Log(msgspec.Struct):
    """``IntentLog`` that remembers all; ``fails_at`` raises instead of saving the n-th."""

    saved: list[Intent] = []
    fails_at: int | None = None

    async def save(self, intent: Intent) -> None:
        if self.fails_at == len(self.saved):
            raise OSError("disk full")
        self.saved.append(intent)


def busy() -> PaneBusy:
    return PaneBusy("no answer in time")
