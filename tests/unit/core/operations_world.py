"""A machine in memory on which operations run: processes, panes, and a node that is killed at any moment."""

from __future__ import annotations

from collections.abc import Callable

import msgspec

from controlroom.core.operations import (
    Abandon,
    Choose,
    Clear,
    Copy,
    Effect,
    End,
    Finish,
    Name,
    Open,
    Release,
    Remove,
    Saga,
    Seen,
    Wait,
    decide,
)


class Killed(Exception):
    """The node was killed."""


class Machine:
    """One agent with its pane, and perhaps a new one. ``ticks_to_…``: how many looks something takes."""

    def __init__(
        self,
        *,
        runs: bool = True,
        busy_for: int = 0,
        losses: tuple[str, ...] = (),
        ends_after: int | None = 1,
        comes_up: bool = True,
        prompt: bool = False,
        prompt_option: str | None = None,
        shared: bool = False,
        nameable: bool = True,
        copies: bool = True,
        goes_back: bool = True,
        gives_way: bool = True,
        window_stays: bool = True,
    ) -> None:
        """Of moves: whether the copy succeeds, the agent comes up where it was, what did not come up there
        ends when it is asked, and the new window lives until its release."""
        self.now_ms = 1_000_000
        self.old_runs = runs
        self.old_pane = True
        self.busy_for = busy_for
        self.losses = losses
        self.ends_after = ends_after
        self.end_asked = 0
        self.new: str = "none"  # none, waiting, starting, prompt, up, dead
        self.opened = 0
        self.comes_up = comes_up
        self.prompt = prompt
        self.prompt_option = prompt_option
        self.shared = shared
        self.nameable = nameable
        self.named = False
        self.ended_by_us = False
        self.copies = copies
        self.copied = "no"
        self.goes_back = goes_back
        self.gives_way = gives_way
        self.window_stays = window_stays
        self.waits_for_release = False
        self.released: list[str] = []
        self.accepts: tuple[str, ...] = ()  # what the launcher of the new window waits for
        self.bound = ""  # where it goes, or went
        self.killed_agents = 0  # agents that a window took with it
        self.runs_at_once = 0  # most processes that wrote one session at the same time

    # ---- time ------------------------------------------------------------------------------------------

    def tick(self) -> None:
        self.now_ms += 1_000
        self.busy_for = max(self.busy_for - 1, 0)
        if self.old_runs and self.end_asked and self.ends_after is not None:
            self.ends_after -= 1
            if self.ends_after <= 0:
                self.old_runs = False
        elif self.new == "starting" and self.bound == "back":
            self.new = "up" if self.goes_back else "dead"
        elif self.new == "starting":
            self.new = "prompt" if self.prompt else "up" if self.comes_up else "dead"
        if self.new == "waiting" and not self.old_runs:
            if not self.waits_for_release:
                self.new = "starting"
            elif not self.window_stays:
                self.new, self.window_stays = "none", True
            elif not self.bound:
                self.bound = next((heading for heading in self.released if heading in self.accepts), "")
            if self.bound:
                self.new = "starting"
        self._count()

    def _count(self) -> None:
        living = int(self.old_runs) + int(self.new in ("starting", "prompt", "up"))
        self.runs_at_once = max(self.runs_at_once, living)

    # ---- looks and effects -----------------------------------------------------------------------------

    def look(self) -> Seen:
        leftover = "none"
        if self.old_pane and not self.old_runs:
            leftover = "shared" if self.shared else "empty"
        return msgspec.convert(
            {
                "now_ms": self.now_ms,
                "is_alive": self.old_runs,
                "is_free": self.busy_for == 0,
                "why_not_free": "It works." if self.busy_for else "",
                "losses": list(self.losses) if self.busy_for else [],
                "place": self.new,
                "words": "Trust this folder?" if self.new == "prompt" else "",
                "option": self.prompt_option,
                "is_named": self.named,
                "leftover": leftover,
                "copied": self.copied,
                "copy_words": "The disk is full." if self.copied == "failed" else "",
                "released": self.released,
            },
            Seen,
        )

    def perform(self, effect: Effect, saga: Saga) -> None:
        match effect:
            case Open():
                assert self.new == "none", "never a second window"
                self.opened += 1
                self.waits_for_release = saga.kind == "move"
                self.bound = ""
                self.accepts = ("there", "back") if saga.heading == "there" else ("back",)
                self.new = "waiting" if self.old_runs or self.waits_for_release else "starting"
                self.named = False
            case End():
                assert self.old_runs
                self.end_asked += 1
                self.ended_by_us = True
            case Copy():
                assert not self.old_runs, "nothing is copied while it may still be written"
                self.copied = "yes" if self.copies else "failed"
            case Release():
                assert self.copied == "yes" or effect.heading == "back"
                self.released.append(effect.heading)
            case Abandon():
                assert self.bound == "there"
                if self.gives_way:
                    self.new = "dead"
            case Choose():
                if self.new == "prompt":
                    self.prompt, self.new = False, "starting"
            case Name():
                self.named = self.nameable
            case Remove():
                assert not self.old_runs and not self.shared
                self.old_pane = False
            case Clear():
                if self.new in ("waiting", "dead"):
                    self.new, self.bound = "none", ""
                else:
                    self.killed_agents += 1
            case Wait() | Finish():
                pass
        self._count()


class Node:
    """Runs one operation; only what was saved survives a kill."""

    def __init__(self, machine: Machine, saga: Saga) -> None:
        self.machine = machine
        self.disk = saga
        self.effects: list[str] = []

    def run(self, *, is_killed: Callable[[int], bool] = lambda _moment: False, looks: int = 400) -> Saga:
        """To the end. ``is_killed`` is asked at each moment: before a save, before and after an effect."""
        moment = 0

        def pass_moment() -> None:
            nonlocal moment
            moment += 1
            if is_killed(moment):
                raise Killed

        for _ in range(looks):
            try:
                saga, effect = decide(self.disk, self.machine.look())
                pass_moment()
                self.disk = saga
                pass_moment()
                self.effects.append(type(effect).__name__)
                self.machine.perform(effect, saga)
                pass_moment()
            except Killed:
                self.machine.tick()
                continue
            if isinstance(effect, Finish):
                return self.disk
            self.machine.tick()
        raise AssertionError(f"it does not end: {self.disk}")
