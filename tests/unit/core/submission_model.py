"""A small model of an agent in a pane, and of everything that can happen to it while we type."""

from __future__ import annotations

import msgspec

from controlroom.core.delivery import AgentNow, Intent, OnDraft, Outcome, SendWhen, Trace, same_message
from controlroom.core.facts import Composer, ScreenReading
from controlroom.core.submission import (
    ClearLine,
    Done,
    Effect,
    Event,
    Finish,
    Locate,
    Located,
    Look,
    Looked,
    NotDone,
    Paste,
    Save,
    Search,
    Submit,
    Wait,
    start,
    step,
)

ACTS = (Paste, Submit, ClearLine)


class Row(msgspec.Struct):
    text: str
    visible_at: int  # the tick at which our reader can see it


class Model(msgspec.Struct):
    """The agent: its composer, queue and file, a dialog that covers the composer, its process."""

    now: AgentNow = "idle"
    composer: str = ""
    dialog: bool = False
    hidden: bool = False  # the screen is not recognised
    alive: bool = True
    readable: bool = True
    rows: list[Row] = []
    queue: list[str] = []
    tick: int = 0
    lag: int = 0  # ticks until a row can be read
    swallow_enter: int = 0
    lose_paste: int = 0
    pastes: int = 0
    enters: int = 0
    acts_on_dialog: int = 0

    # --- what can happen by itself -------------------------------------------------------------------

    def happen(self, move: str) -> None:
        match move:
            case "open_dialog":
                self.dialog = True
            case "close_dialog":
                self.dialog = False
            case "begin_turn" if self.now == "idle":
                self.now = "working"
            case "end_turn" if self.now == "working":
                self.now = "idle"
                if self.queue:
                    self.submit_row(self.queue.pop(0))
            case "take_back" if self.queue and not self.composer and not self.dialog:
                self.composer = self.queue.pop()
            case "type" if self.alive and not self.dialog:
                self.composer += "p"
            case "untype" if self.composer.endswith("p"):
                self.composer = self.composer[:-1]
            case "hide":
                self.hidden = True
            case "show":
                self.hidden = False
            case "die":
                self.alive, self.composer, self.queue, self.dialog, self.now = False, "", [], False, "idle"
            case "revive":
                self.alive = True
            case "unreadable":
                self.readable = False
            case "readable":
                self.readable = True
            case "slow_file":
                self.lag = 20
            case "fast_file":
                self.lag = 0
            case "swallow":
                self.swallow_enter = 1
            case "lose":
                self.lose_paste = 1

    def calm_down(self) -> None:
        """Whatever was wrong is over; nobody writes."""
        for move in ("close_dialog", "show", "revive", "readable", "fast_file", "end_turn", "end_turn"):
            self.happen(move)
        self.swallow_enter = self.lose_paste = 0
        self.tick += 100

    def submit_row(self, text: str) -> None:
        self.rows.append(Row(text, self.tick + self.lag))
        self.now = "working"

    # --- what we do ----------------------------------------------------------------------------------

    def look(self, expected: str) -> Looked:
        covered = self.dialog or self.hidden
        screen = ScreenReading(
            look="dialog" if self.dialog else "other" if self.hidden else "ready",
            composer=None if covered else Composer(self.composer),
        )
        return Looked(
            alive=self.alive, now=self.now, screen=screen, holds=not covered and self.composer == expected
        )

    def paste(self, text: str) -> Event:
        if not self.alive:
            return NotDone()
        self.pastes += 1
        self.acts_on_dialog += self.dialog
        if self.lose_paste:
            self.lose_paste -= 1
        elif not self.dialog:
            self.composer += text
        return Done()

    def enter(self) -> Event:
        if not self.alive:
            return NotDone()
        self.enters += 1
        self.acts_on_dialog += self.dialog
        if self.dialog:
            pass
        elif self.swallow_enter:
            self.swallow_enter -= 1
        elif self.composer:
            text, self.composer = self.composer, ""
            if self.now == "working":
                self.queue.append(text)
            else:
                self.submit_row(text)
        return Done()

    def search(self, intent: Intent) -> Trace:
        if not self.readable:
            return Trace(state="unreadable")
        for at, row in enumerate(self.rows):
            if at >= int(intent.position) and row.visible_at <= self.tick and same_message(row.text, intent):
                return Trace(state="row", item_id=str(at), at_ms=row.visible_at)
        return Trace(state="queued" if any(same_message(t, intent) for t in self.queue) else "none")


class Node(msgspec.Struct):
    """One message of a node that can be killed: only ``log`` survives."""

    model: Model
    text: str
    when: SendWhen = "idle"
    on_draft: OnDraft = "wait"
    log: Intent | None = None
    outcome: Outcome | None = None
    runs: list[list[Effect]] = []

    def run(self, script: list[str]) -> bool:
        """One run. The script's moves happen before effects, but not between a look and the act that follows
        it; ``kill`` ends the run right after an effect, before its answer is known. False: killed."""
        state, effect = start(self.text, when=self.when, on_draft=self.on_draft, intent=self.log)
        effects: list[Effect] = []
        self.runs.append(effects)
        while not isinstance(effect, Finish):
            is_killed = bool(script) and script[-1] == "kill"
            if script and (is_killed or not isinstance(effect, ACTS)):
                self.model.happen(script.pop())
            effects.append(effect)
            event = self.perform(effect)
            if is_killed:
                return False
            state, effect = step(state, event)
        self.outcome = effect.outcome
        return True

    def perform(self, effect: Effect) -> Event:
        model = self.model
        match effect:
            case Look():
                return model.look(effect.expected)
            case Locate():
                return Located("s", str(len(model.rows)))
            case Save():
                self.log = effect.intent
            case Paste():
                return model.paste(effect.text)
            case Submit():
                return model.enter()
            case ClearLine():
                if not model.alive:
                    return NotDone()
                model.acts_on_dialog += model.dialog
                model.composer = model.composer.rpartition("\n")[0]
            case Search():
                return model.search(effect.intent)
            case Wait():
                model.tick += 1
        return Done()
