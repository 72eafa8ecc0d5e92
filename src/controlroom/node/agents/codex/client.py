"""The driver of Codex: agents in panes, with or without the background server (facts: codex.md)."""

from __future__ import annotations

import asyncio

import msgspec

from controlroom.core.facts import AgentFacts, Dialog, Fact, Fault
from controlroom.core.screen import Frame
from controlroom.kit.supervise import Tasks
from controlroom.node.agents.base import (
    Answered,
    Found,
    IntentLog,
    ItemsPage,
    Outcome,
    Outgoing,
    SendAs,
    Sighting,
    World,
)
from controlroom.node.agents.codex import launching, moving, pages
from controlroom.node.agents.codex.evidence import Looker
from controlroom.node.agents.codex.finding import Finder
from controlroom.node.agents.codex.harmless import harmless, is_shell_line
from controlroom.node.agents.codex.leaving import Outliving, leave
from controlroom.node.agents.codex.processes import is_wrapper
from controlroom.node.agents.codex.screens import read_screen
from controlroom.node.agents.codex.socket import ServedHelpers
from controlroom.node.agents.codex.typed import TypedCodex
from controlroom.node.agents.launching import CannotLaunch, Going, Launch, Left, last_command
from controlroom.node.agents.moving import Moving
from controlroom.node.agents.transcripts import read_in_thread
from controlroom.node.agents.typing import Want, answer_by_keys, interrupt_by_keys, submit_by_typing
from controlroom.node.mux.base import PaneBusy, PaneGone

MAX_ITEMS = 500
EXIT_ROWS = 15  # at the end of the screen
EXIT_WAIT_S = 0.4  # the wrapper prints its last words after the process is gone
_EXIT_WORDS = (
    "To continue this session, run",
    "Disconnected from this task",
    "To reconnect, run:",
    "Token usage:",
    "Token usage so far:",
    "Session ID:",
)
_OLD_SHELL = "This old version of Codex runs what begins with “!” as a shell command. Begin with a word."
_STEERED = "It went into the running turn: Codex cut its current answer off and goes on with this text."


class CodexDriver:
    """``Driver`` for Codex. Nothing has to be started; ``aclose`` hangs up on background servers."""

    kind = "codex"

    def __init__(self, world: World) -> None:
        self._world = world
        self._tasks = Tasks("codex")
        self._finder = Finder(world, self._tasks)
        self._looker = Looker(world, self._finder)

    async def aclose(self) -> None:
        await self._tasks.aclose()

    async def find(self) -> Found:
        found = await self._finder.find()
        self._looker.forget({sighting.incarnation for sighting in found.sightings})
        self._finder.forget({sighting.session_id for sighting in found.sightings if sighting.session_id})
        return found

    async def facts(self, who: Sighting) -> AgentFacts:
        return await self._looker.facts(who)

    def glance(self, who: Sighting) -> AgentFacts | None:
        """Its background server tells of changes that no file shows."""
        return None

    def asks(self, frame: Frame) -> bool:
        return read_screen(frame).dialog is not None

    async def farewell(self, who: Sighting) -> AgentFacts:
        """The exit text on its screen is the sign of a clean end; a turn without an end is one of a crash.

        A thread of a background server that nobody works on any more has simply ended its turn.
        """
        facts = await self._looker.facts(who)
        alive = Fact(False, "process", "its process has ended", self._world.now_ms())
        said_goodbye = who.headless or await self._said_goodbye(who)
        in_turn = facts.turn is not None and facts.turn.value == "open" and not self._finder.is_served(who)
        crashed = in_turn if said_goodbye is None else not said_goodbye
        fault = None
        if crashed:
            text = "It ended without being asked to. Resume it: codex resume " + (who.session_id or "")
            fault = Fault("crashed", text.rstrip(), self._world.now_ms())
        return msgspec.structs.replace(
            facts, alive=alive, ended_cleanly=not crashed, fault=fault, reported=(), screen=None, helpers=None
        )

    async def _said_goodbye(self, who: Sighting) -> bool | None:
        """None when its pane is gone: then the screen says nothing."""
        if who.pane is None:
            return None
        for wait_s in (0.0, EXIT_WAIT_S):
            await self._world.settle(wait_s)
            try:
                frame = await self._world.frame(who.pane)
            except PaneGone:
                return None
            except PaneBusy:
                continue
            last = [row for row in frame.rows if row.strip()][-EXIT_ROWS:]
            if not frame.alternate and any(row.startswith(_EXIT_WORDS) for row in last):
                return True
        return False

    async def items(
        self,
        session_id: str,
        profile: str,
        *,
        before: str | None = None,
        after: str | None = None,
        limit: int = 50,
    ) -> ItemsPage:
        path = await self._looker.path_of(session_id, profile)
        limit = min(max(limit, 1), MAX_ITEMS)
        if path is None:
            if self._finder.is_fileless(session_id, profile):
                return ItemsPage(items=(), before=None, after="0")
            raise LookupError(f"no rollout of session {session_id[:60]} in {profile}")
        try:
            if before is not None:
                return await read_in_thread(path, lambda file: pages.before(file, session_id, before, limit))
            if after is not None:
                return await read_in_thread(path, lambda file: pages.after(file, session_id, after, limit))
            return await read_in_thread(path, lambda file: pages.newest(file, session_id, limit))
        except FileNotFoundError as error:
            self._finder.home(profile).rollouts.lost(session_id)
            raise LookupError(f"the rollout of session {session_id[:60]} is gone") from error

    def harmless(self, text: str, send_as: SendAs) -> str:
        return harmless(text, send_as)

    async def submit(self, who: Sighting, message: Outgoing, log: IntentLog) -> Outcome:
        if (refused := await self._refuses(who, message)) is not None:
            return refused
        agent = TypedCodex(self._world, self._looker)
        outcome = await submit_by_typing(self._world, who, message, log, agent)
        if outcome.state == "delivered" and agent.steered and not outcome.text:
            return msgspec.structs.replace(outcome, text=_STEERED)
        return outcome

    async def _refuses(self, who: Sighting, message: Outgoing) -> Outcome | None:
        """0.60 trims a message before it looks for the ``!`` of a shell command: no blank makes it harmless
        there (tried; it ran)."""
        is_shell = message.send_as == "text" and is_shell_line(message.text)
        if not is_shell or (message.intent is not None and message.intent.pasted):
            return None
        match await self._looker.generation(who):
            case "new":
                return None
            case "old":
                return Outcome(state="failed", text=_OLD_SHELL)
        return Outcome(state="held", code="dialog", text="Whether it takes “!” as text cannot be seen now.")

    async def answer(self, who: Sighting, dialog_id: str, option: str | None, text: str | None) -> Answered:
        agent = TypedCodex(self._world, self._looker)
        return await answer_by_keys(self._world, who, agent, dialog_id, Want(option, text))

    async def interrupt(self, who: Sighting) -> Answered:
        """Escape once; what waits in Codex's own queue comes back into the composer as a draft."""
        agent = TypedCodex(self._world, self._looker)
        return await interrupt_by_keys(self._world, who, agent, turn=self._looker.turn_name)

    # --- starts and ends ---

    def launch(self, who: Sighting, going: Going, last: Launch | None) -> Launch:
        """See ``Launching``. A conversation in which nothing was said has no file, and begins anew."""
        pid, _, start = who.incarnation.partition("@")
        process = self._world.processes.get(int(pid)) if pid.isdigit() else None
        is_alive = process is not None and process.start == start
        environment: dict[str, str] = {}  # the launcher takes the old process's own
        if process is None or not is_alive:
            command = last_command(last, launching.PROGRAM)
            environment = launching.environment_of(who.profile)
        elif process.exe:
            command = launching.same_command(process)
        else:
            text = "This old version of Codex hides how it was started. Start it by hand: codex resume "
            raise CannotLaunch(text + (who.session_id or ""))
        session_id = None if going == "anew" else self._resumable(who, is_alive=is_alive)
        if session_id is None:
            return launching.begun(command, environment)
        return launching.resumed(command, environment, session_id, who.folder)

    def _resumable(self, who: Sighting, *, is_alive: bool) -> str | None:
        """The conversation to go on with; None where nothing was said. Raises CannotLaunch."""
        if who.uncertain and not who.is_harmless:
            raise CannotLaunch(f"Which conversation it shows is not certain. {who.uncertain}")
        if who.session_id is None:
            if is_alive:
                return None
            raise CannotLaunch("Which conversation it was in is not known.")
        now_s = asyncio.get_running_loop().time()
        if self._finder.home(who.profile).rollouts.find(who.session_id, now_s) is not None:
            return who.session_id
        if self._finder.is_fileless(who.session_id, who.profile):
            return None
        raise CannotLaunch("The file of its conversation is not in its profile, so it cannot be resumed.")

    def launch_new(self, profile: str, model: str, flags: tuple[str, ...] = ()) -> Launch:
        return launching.begun(launching.new_command(model, flags), launching.environment_of(profile))

    def safe_option(self, dialog: Dialog, *, is_again: bool) -> str | None:
        return launching.safe_option(dialog, is_again=is_again)

    @property
    def sessions_move(self) -> Moving:
        return moving

    async def leave(self, who: Sighting, *, drop: bool) -> Left:
        return await leave(
            self._world,
            who,
            TypedCodex(self._world, self._looker),
            drop=drop,
            interrupt=lambda: self.interrupt(who),
            outliving=self._outliving(who),
        )

    def _outliving(self, who: Sighting) -> Outliving | None:
        if who.session_id is None or not self._finder.is_served(who):
            return None
        return ServedHelpers(self._finder.home(who.profile).daemon, who.session_id)

    def ends_with(self, who: Sighting) -> frozenset[int]:
        """See ``Leaving``."""
        pid = int(who.incarnation.partition("@")[0])
        processes = self._world.processes
        parent = processes.get(processes.parent_of(pid) or 0)
        return frozenset({pid} if parent is None or not is_wrapper(parent) else {pid, parent.pid})
