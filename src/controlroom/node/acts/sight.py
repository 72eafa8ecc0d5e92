"""One look at everything that an operation is about, and the answer to a known start-up prompt."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress

import msgspec

from controlroom.core.activity import derive
from controlroom.core.dialogs import dialog_id
from controlroom.core.facts import AgentFacts, Dialog
from controlroom.core.operations import Leftover, Place, Seen
from controlroom.core.text import clean_line
from controlroom.kit.clock import Clock
from controlroom.node.acts.gates import MOVE, Gates
from controlroom.node.acts.moves import is_same_folder
from controlroom.node.agents.base import Sighting
from controlroom.node.agents.launching import launching
from controlroom.node.agents.moving import moving
from controlroom.node.journal.records import Errand
from controlroom.node.mux.base import Pane, PaneBusy, PaneGone, PaneRef
from controlroom.node.tracker import Tracker
from controlroom.node.world import PaneWorld

OPERATION = "CONTROLROOM_OPERATION"
"""The variable by which a window that we opened is known again, whatever runs in it by now."""

SHARED_S = 4.0
"""Programs that an agent had started end a moment after it; only those that stay share its pane."""

LONGEST_WORDS = 300
HISTORY = 100  # rows, the screen included
DRAFT = "A draft stands in its composer; this waits until it is sent or cleared."
WORDS_AFTER_S = (0.2, 0.8)  # tmux reads the rest of a terminal within this time


class Look(msgspec.Struct, frozen=True):
    """What was seen, and what it taught about the new window."""

    seen: Seen
    place_ref: PaneRef | None
    place_server: str
    agent_id: str | None


class Sight:
    """Looks for operations."""

    def __init__(self, tracker: Tracker, world: PaneWorld, clock: Clock, gates: Gates) -> None:
        self._tracker = tracker
        self._world = world
        self._clock = clock
        self._gates = gates
        self._shared_since: dict[str, float] = {}  # by operation

    def somewhere(self) -> PaneRef | None:
        """A pane behind whose window a new one may open: the one of an agent that moved last, else any."""
        panes = [pane for pane in self._world.listing.panes if not pane.dead]
        best = max(
            panes,
            key=lambda p: (self._tracker.agent_in(p.ref) is not None, p.tells_output, p.active_at_s),
            default=None,
        )
        return None if best is None else best.ref

    async def look(self, id: str, errand: Errand) -> Look:
        """The machine as it is now, as far as this operation needs it."""
        is_alive = self._is_alive(errand.old_process)
        is_free, why, losses = await self._standing(errand) if is_alive else (True, "", ())
        pane = self.place(id, errand)
        place, words, option, agent_id = await self._reading(errand, pane, is_alive=is_alive)
        leftover: Leftover = "none" if is_alive else self._leftover(errand)
        is_clear = self._is_clear(errand)
        if leftover == "shared":
            now_s = self._clock.monotonic()
            is_clear = is_clear and now_s - self._shared_since.setdefault(id, now_s) >= SHARED_S
        else:
            self._shared_since.pop(id, None)
        seen = Seen(
            now_ms=self._clock.now_ms(),
            is_clear=is_clear,
            is_alive=is_alive,
            is_free=is_free,
            why_not_free=why,
            losses=losses,
            place=place,
            words=words,
            option=option,
            note=errand.note,
            is_named=self._is_named(errand, pane, agent_id),
            leftover=leftover,
            is_ready=not errand.old_process or self._is_alive(self._gates.keeper(id)),
        )
        if errand.target:
            seen = self._of_move(id, errand, seen, pane)
        if pane is None:
            return Look(seen, None, "", agent_id)
        return Look(seen, pane.ref, pane.incarnation, agent_id)

    async def choose(self, errand: Errand, option: str) -> None:
        """Answer the prompt in the new window; the driver reads it again right before each key."""
        found = None if errand.place is None else self._lives_in(errand.place)
        if found is None:
            return
        agent_id, who, facts = found
        dialog = _dialog(facts)
        if dialog is not None:
            id = dialog_id(who.incarnation, facts.position, dialog)
            await self._tracker.driver_of(agent_id).answer(who, id, option, None)

    def _of_move(self, id: str, errand: Errand, seen: Seen, place: Pane | None) -> Seen:
        return msgspec.structs.replace(
            seen,
            elsewhere=self._elsewhere(errand, place),
            copied=errand.copied,
            copy_words=errand.copy_words,
            released=self._gates.released(id),
        )

    def _elsewhere(self, errand: Errand, place: Pane | None) -> str:
        """Where another process has the session open, for people: two would write one history."""
        for who in self._tracker.living():
            is_ours = who.incarnation == errand.old_process
            if who.session_id != errand.session_id or is_ours:
                continue
            if who.pane is None:
                return "where no pane shows it"
            if place is None or who.pane != place.ref:
                pane = self._world.pane(who.pane)
                return f"in the window {pane.window!r}" if pane is not None else "in another window"
        return ""

    # ---- the old process -------------------------------------------------------------------------------

    def _is_alive(self, process: str) -> bool:
        pid, _, start = process.partition("@")
        return pid.isdigit() and self._world.processes.start_of(int(pid)) == start

    async def _standing(self, errand: Errand) -> tuple[bool, str, tuple[str, ...]]:
        """Whether it is free to be ended, why not, and what would be dropped. Its facts are read anew."""
        who = self._tracker.sighting(errand.agent_id)
        if who is None or who.incarnation != errand.old_process:
            return False, "It cannot be seen now.", ("what it does now, which cannot be seen",)
        with suppress(PaneGone, PaneBusy):  # what was typed a moment ago counts too
            if who.pane is not None:
                await self._world.frame(who.pane)
        facts = await self._tracker.driver_of(errand.agent_id).facts(who)
        verdict = derive(facts, self._clock.now_ms())
        helpers = 0 if facts.helpers is None else facts.helpers.value
        losses = []
        if verdict.activity == "working" or (facts.turn is not None and facts.turn.value == "open"):
            losses.append("the running turn")
        if helpers:
            losses.append("a helper that runs" if helpers == 1 else f"{helpers} helpers that run")
        dialog = _dialog(facts)
        # What to do at a limit is no question any more once the agent has left that account.
        is_void = errand.saga.kind == "move" and dialog is not None and dialog.kind == "limit"
        if dialog is not None and not is_void:
            losses.append(f"an open dialog ({clean_line(' '.join(dialog.text.split()), 120)})")
        if _draft(facts):
            losses.append("a draft in its composer")
        if verdict.activity == "unknown":
            losses.append("what it does now, which is not known")
        why = {
            "working": "It works; this waits until its turn has ended.",
            "helpers": "Its helpers run; this waits until they have ended.",
            "blocked": "A dialog is open; this waits until it is answered.",
            "starting": "It is just starting.",
            "unknown": "What it does now is not known.",
        }.get(verdict.activity, "")
        return (
            (verdict.activity in ("idle", "question") or (is_void and verdict.activity == "blocked"))
            and not losses,
            why or (DRAFT if _draft(facts) else "It is not free."),
            tuple(losses),
        )

    def _leftover(self, errand: Errand) -> Leftover:
        pane = self._pane(errand.old_pane, errand.old_server)
        if pane is None:
            return "none"
        if pane.dead:
            return "empty"
        below = [process.pid for process in self._world.processes.below(pane.pid)]
        return "empty" if below in ([], [pane.pid]) else "shared"

    # ---- the new window --------------------------------------------------------------------------------

    def place(self, id: str, errand: Errand) -> Pane | None:
        """The window that we opened: as it is remembered, else by the variable in it."""
        if errand.place is not None:
            return self._pane(errand.place, errand.place_server)
        return next((pane for pane in self._opened(id, errand) if not self._is_unused(pane)), None)

    def unused(self, id: str, errand: Errand) -> tuple[PaneRef, ...]:
        """Windows that we opened and began nothing in: a kill came between, or an answer was lost."""
        if errand.place is not None:
            return ()
        return tuple(pane.ref for pane in self._opened(id, errand) if self._is_unused(pane))

    def _opened(self, id: str, errand: Errand) -> Iterator[Pane]:
        """By the variable in their first process."""
        if not errand.saga.tries.get("open"):
            return
        for pane in self._world.listing.panes:
            if errand.near is None or pane.ref.server != errand.near.server or pane.dead:
                continue
            if self._world.processes.environ(pane.pid, (OPERATION,)).get(OPERATION) == id:
                yield pane

    def _is_unused(self, pane: Pane) -> bool:
        return pane.runs_in_shell and self._world.processes.has_keyboard(pane.pid)

    async def _reading(
        self, errand: Errand, pane: Pane | None, *, is_alive: bool
    ) -> tuple[Place, str, str | None, str | None]:
        """What the new window shows: its state, words for people, a safe option, and its agent."""
        if pane is None:
            return "none", "", None, None
        if pane.dead:
            return "dead", self._put_plainly(errand, await self._last_words(pane.ref)), None, None
        found = self._lives_in(pane.ref)
        if found is None:
            return ("waiting" if is_alive or self._is_launcher(errand, pane) else "starting"), "", None, None
        agent_id, who, facts = found
        if errand.agent_id and agent_id != self._tracker.present_id(errand.agent_id):
            return "starting", "", None, None  # whom it belongs to is not seen yet
        if errand.target and not is_same_folder(who.profile, heads_for(errand)):
            return "starting", "", None, agent_id
        dialog = _dialog(facts)
        if dialog is not None and dialog.kind == "startup":
            driver = launching(self._tracker.driver_for(who.kind))
            option = None if driver is None else driver.safe_option(dialog, is_again=errand.is_again)
            return "prompt", clean_line(" ".join(dialog.text.split()), LONGEST_WORDS), option, agent_id
        look = None if facts.screen is None else facts.screen.value.look
        # A background server speaks of the conversation, not of the program in this window.
        is_reported = any(fact.source != "socket" for fact in facts.reported)
        is_up = is_reported or look in ("ready", "working", "dialog", "limit_wait")
        return ("up" if is_up else "starting"), "", None, agent_id

    def _is_launcher(self, errand: Errand, pane: Pane) -> bool:
        """Whether a move's launcher waits in its window still. One that was just opened may not be listed."""
        process = self._world.processes.get(pane.pid)
        argv = () if process is None else process.argv
        return bool(errand.target) and (not argv or MOVE in argv[:4])

    def _put_plainly(self, errand: Errand, words: str) -> str:
        """A known refusal of a moved session in plain words, all others as they are."""
        agent = self._tracker.record(errand.agent_id)
        kind = None if agent is None or not errand.target else moving(self._tracker.driver_for(agent.kind))
        return words if kind is None else kind.refusal(words) or words

    def _lives_in(self, place: PaneRef) -> tuple[str, Sighting, AgentFacts] | None:
        agent_id = self._tracker.agent_in(place)
        who = None if agent_id is None else self._tracker.sighting(agent_id)
        facts = None if agent_id is None else self._tracker.facts(agent_id)
        if agent_id is None or who is None or facts is None or not facts.alive.value:
            return None
        return agent_id, who, facts

    async def _last_words(self, ref: PaneRef) -> str:
        """What it printed last. A program's end may be seen before its last output, and the words of tmux
        about a dead pane may push that out of the screen."""
        for wait_s in (0.0, *WORDS_AFTER_S):
            await self._world.settle(wait_s)
            try:
                rows = (await self._world.scrollback(ref, HISTORY)).rows
            except (PaneGone, PaneBusy):
                continue
            end = next((at for at, row in enumerate(rows) if row.startswith("Stack backtrace:")), len(rows))
            said = [row.strip() for row in rows[:end] if row.strip() and not row.startswith("Pane is dead")]
            if said:
                return clean_line(" ".join(said[-4:]), LONGEST_WORDS)
        return ""

    # ---- both ------------------------------------------------------------------------------------------

    def _is_named(self, errand: Errand, place: Pane | None, agent_id: str | None) -> bool:
        kind = errand.saga.kind
        agent = self._tracker.record(errand.agent_id or agent_id or "")
        if kind in ("start", "rename") and (agent is None or agent.named != errand.name):
            return False
        pane = place or self._pane(errand.old_pane, errand.old_server)
        return pane is None or pane.window == clean_line(errand.name)

    def _is_clear(self, errand: Errand) -> bool:
        """A server that is in trouble shows no panes: nothing follows from that."""
        ours = {ref.server for ref in (errand.near, errand.old_pane, errand.place) if ref is not None}
        return all(server.state == "ok" for server in self._world.listing.servers if server.path in ours)

    def _pane(self, ref: PaneRef | None, server: str) -> Pane | None:
        pane = None if ref is None else self._world.pane(ref)
        return pane if pane is not None and pane.incarnation == server else None


def heads_for(errand: Errand) -> str:
    """The profile in which a move starts its agent, as things are."""
    return errand.target if errand.saga.heading == "there" else errand.source


def _dialog(facts: AgentFacts) -> Dialog | None:
    return None if facts.screen is None else facts.screen.value.dialog


def _draft(facts: AgentFacts) -> bool:
    composer = None if facts.screen is None else facts.screen.value.composer
    return composer is not None and bool(composer.text.strip())
