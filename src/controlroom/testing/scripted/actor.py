"""What a scripted agent does: it plays turns, writes their rows, keeps the registry, asks and waits.

States: idle (no turn), busy (a turn, or helpers in the background), waiting (a dialog is open). A turn ends
with its last words, with a refusal, with an interrupt, or at a usage limit. Text that is submitted while a
turn runs waits in the agent's own queue and becomes the next turn.
"""

from __future__ import annotations

import asyncio
import os
import re
import uuid
from collections.abc import Callable
from pathlib import Path

import msgspec

from controlroom.kit.clock import SystemClock
from controlroom.kit.supervise import Tasks
from controlroom.testing.scripted import steps as do
from controlroom.testing.scripted.dialogs import ESCAPED, ask_permission, ask_person, press
from controlroom.testing.scripted.keys import Key, Paste
from controlroom.testing.scripted.look import Dialog, Look
from controlroom.testing.scripted.registry import Registry
from controlroom.testing.scripted.rows import Transcript, tool_use_result

GLYPHS = "·✢✳✶✻✽"
INTERRUPTED = "Interrupted · What should Claude do instead?"
_COMMAND = re.compile(r" */([a-z][a-z-]*)(\s|$)")


def _for_people(folder: str) -> str:
    home = str(Path.home())
    return f"~{folder.removeprefix(home)}" if folder.startswith(home + "/") else folder


class _Refused(Exception):
    """The person said no: the turn is over."""


class Actor:
    """One agent without its terminal. ``changed`` is called whenever the picture is another one."""

    def __init__(
        self,
        scene: do.Scene,
        config: Path,
        folder: str,
        changed: Callable[[], None],
        *,
        session_id: str = "",
        is_resumed: bool = False,
    ) -> None:
        """``session_id``: it begins with this one; ``is_resumed``: the scene's turns were played before."""
        self._scene = scene
        self._config = config
        self._folder = folder
        self._changed = changed
        self._clock = SystemClock()
        self._tasks = Tasks("scripted")
        self._registry = Registry(config, scene.name, folder, self._clock)
        self._sessions = 0
        self._is_resumed = is_resumed
        self._rows = self._new_session(session_id)
        self._queue: list[str] = []
        self._turn: asyncio.Task[None] | None = None
        self._go = asyncio.Event()
        self._answer: asyncio.Future[str] | None = None
        self._helpers: dict[str, tuple[str, tuple[str, str], str]] = {}
        self.look = Look(_for_people(folder))
        self.over = asyncio.Event()  # the program shall end

    def start(self) -> None:
        self._say_status()
        if not self._is_resumed:
            self._begin_next(list(self._scene.turns))

    async def aclose(self) -> str:
        """End cleanly; the id that this session can be resumed with."""
        self.over.set()
        await self._tasks.aclose()
        self._rows.quit()
        self._registry.remove()
        return self._session_id

    # ---- what a person does --------------------------------------------------------------------------------

    def take(self, event: Key | Paste) -> None:
        """One key or paste: into the dialog that is open, else into the input line."""
        dialog = self.look.dialog
        if dialog is not None:
            answer = press(dialog, event)
            if answer is not None and self._answer is not None and not self._answer.done():
                self._answer.set_result(answer)
        elif isinstance(event, Paste):
            self.look.composer.paste(event.text)
        else:
            self._press(event)

    def _press(self, key: Key) -> None:
        composer = self.look.composer
        match key.name:
            case "":
                composer.type(key.text)
            case "Enter":
                self._submit(composer.take())
            case "C-j":
                composer.type("\n")
            case "BSpace":
                composer.erase()
            case "C-u" | "C-c":
                composer.clear()
            case "Escape":
                self._escape()

    def _escape(self) -> None:
        if self._turn is not None:
            self._turn.cancel()
        elif self.look.limit:
            self.look.limit = ""
            self._rows.notice("Automatic continue cancelled · /rate-limit-options to wait again")

    def _submit(self, text: str) -> None:
        if not text.strip():
            return
        command = _COMMAND.match(text)
        if command is not None:
            self._command(command[1])
        elif self._turn is not None:
            self._queue.append(text)
            self.look.queue = list(self._queue)
            self._rows.queued(text)
        else:
            self._begin_next([do.Turn(prompt=text, steps=self._scene.reply)])

    def _command(self, name: str) -> None:
        if name in ("exit", "quit"):
            self.over.set()
        elif name == "clear" and self._turn is None:
            self._rows = self._new_session()
            self._rows.command(name)
            self.look.blocks.clear()
            self._say_status()
        else:
            self.look.add("note", f"Unknown command: /{name}")

    def obey(self, command: do.Command) -> None:
        """A command of the test that plays the world."""
        match command:
            case do.Go():
                self._go.set()
            case do.Begin():
                self._begin_next([command.turn])
            case do.HelperDone():
                self._helper_done(command.description, command.result)
            case do.Quit():
                self.over.set()

    # ---- turns ---------------------------------------------------------------------------------------------

    def _begin_next(self, turns: list[do.Turn], source: str = "typed", kind: str = "human") -> None:
        if turns:
            self._turn = self._tasks.start("turn", self._play(turns, source, kind))

    async def _play(self, turns: list[do.Turn], source: str, kind: str) -> None:
        for turn in turns:
            await self._play_one(turn, source, kind)
        self._turn = None
        if self._queue:
            text = self._queue.pop(0)
            self.look.queue = list(self._queue)
            self._rows.queued(None)
            self._begin_next([do.Turn(prompt=text, steps=self._scene.reply)], "queued")

    async def _play_one(self, turn: do.Turn, source: str, kind: str) -> None:
        began = self._clock.now_ms()
        self.look.limit = ""
        self._rows.prompt(turn.prompt, source, kind)
        if kind == "human":
            self.look.add("prompt", turn.prompt)
        self.look.spinner, self.look.tokens = "Sorting", 0
        self._say_status()
        self._changed()
        ticking = self._tasks.start("spinner", self._tick(began)) if self._scene.animated else None
        try:
            await self._steps(turn, turn.steps)
            if not self.look.limit:
                self._rows.turn_ended(self._clock.now_ms() - began, len(self._helpers))
                seconds = (self._clock.now_ms() - began) // 1000
                if not self._helpers:
                    self.look.add("done", f"✻ Sorted for {seconds}s · done")
        except _Refused:
            self.look.add("note", "Interrupted · What should Claude do instead?")
        except asyncio.CancelledError:
            if self.over.is_set():
                raise
            self._rows.interrupted()
            self.look.add("note", "Interrupted · What should Claude do instead?")
        finally:
            self.look.spinner = ""
            self.look.dialog = self._answer = None
            if ticking is not None:
                ticking.cancel()
        self._say_status()
        self._changed()

    async def _steps(self, turn: do.Turn, given: tuple[do.AnyStep, ...]) -> None:
        message_id = self._rows.new_id("msg_")
        for number, step in enumerate(given):
            ends = given is turn.steps and number == len(given) - 1
            await self._step(turn, step, message_id, ends)
            self._changed()
            if isinstance(step, do.Use | do.Ask | do.Helpers):
                message_id = self._rows.new_id("msg_")

    async def _step(self, turn: do.Turn, step: do.AnyStep, message_id: str, ends: bool) -> None:
        match step:
            case do.Say():
                text = step.text.replace("{prompt}", turn.prompt.strip())
                self._rows.words(message_id, text, ends=ends)
                self.look.add("words", text)
                self.look.tokens += len(text) // 3
            case do.Think():
                self._rows.thinking(message_id, step.text)
            case do.Use():
                await self._use(step, message_id)
            case do.Ask():
                await self._ask(step, message_id)
            case do.Pause():
                await asyncio.sleep(step.seconds)
            case do.Hold():
                self._go.clear()
                await self._go.wait()
            case do.Helpers():
                self._start_helpers(step, message_id)
            case do.Limit():
                self._rows.limit(
                    f"You've hit your 5-hour limit · resets {step.resets} (UTC)", step.resets_at_s
                )
                self._rows.notice(f"Usage limit reached · set to continue automatically at {step.resets}")
                self.look.add("note", f"You've hit your 5-hour limit · resets {step.resets} (UTC)")
                self.look.limit = step.resets
            case do.Loop():
                while True:
                    await self._steps(turn, step.steps)

    async def _use(self, step: do.Use, message_id: str) -> None:
        call = self._rows.tool(message_id, step.name, dict(step.input))
        what = step.input.get("command") or step.input.get("file_path") or step.name
        if step.ask and await self._open(ask_permission(step, self._folder), "permission prompt") in (
            "3",
            ESCAPED,
        ):
            self._rows.refused(call)
            raise _Refused
        block = self.look.add("tool", f"  Running {step.name}…\n  ⎿  $ {what}")
        self._changed()
        await asyncio.sleep(step.pause_s)
        self._rows.result(
            call,
            step.output,
            tool_use_result(step.name, step.input, step.output, failed=step.failed),
            by_person=step.ask,
            failed=step.failed,
        )
        block.text = f"  Ran {step.name}\n  ⎿  $ {what}"
        self.look.tokens += 20

    async def _ask(self, step: do.Ask, message_id: str) -> None:
        choices = [msgspec.to_builtins(choice) for choice in step.options]
        question = {
            "question": step.question,
            "header": step.header,
            "multiSelect": False,
            "options": choices,
        }
        call = self._rows.tool(message_id, "AskUserQuestion", {"questions": [question]})
        answer = await self._open(ask_person(step), "input needed")
        if answer == ESCAPED:
            self._rows.refused(call)
            raise _Refused
        labels = {str(number): choice.label for number, choice in enumerate(step.options, 1)}
        said = labels.get(answer, answer)
        content = f'The user answered: "{step.question}"="{said}".'
        self._rows.result(
            call, content, {"questions": [question], "answers": {step.question: said}}, by_person=True
        )
        self.look.add("words", f"Answered Claude's questions:\n⎿  · {step.question} → {said}")

    async def _open(self, dialog: Dialog, waiting_for: str) -> str:
        self.look.dialog = dialog
        self._answer = asyncio.get_running_loop().create_future()
        self._say_status(waiting_for)
        self._changed()
        try:
            return await self._answer
        finally:
            self.look.dialog = self._answer = None
            self._say_status()

    def _start_helpers(self, step: do.Helpers, message_id: str) -> None:
        for helper in step.helpers:
            given = {
                "description": helper.description,
                "prompt": helper.description,
                "subagent_type": helper.kind,
            }
            call = self._rows.tool(message_id, "Agent", given)
            agent_id = self._rows.new_id("a")[:17]
            self._rows.helper(agent_id, call, helper.kind, helper.description, finished=False)
            launched = {"isAsync": True, "status": "async_launched", "agentId": agent_id}
            self._rows.result(
                call, [{"type": "text", "text": "Async agent launched successfully."}], launched
            )
            self._helpers[helper.description] = (agent_id, call, helper.kind)
        self.look.helpers = [(kind, what) for what, (_, _, kind) in self._helpers.items()]

    def _helper_done(self, description: str, result: str) -> None:
        agent_id, call, kind = self._helpers.pop(description)
        self._rows.helper(agent_id, call, kind, description, finished=True)
        self.look.helpers = [(kind, what) for what, (_, _, kind) in self._helpers.items()]
        note = (
            f"<task-notification>\n<task-id>{agent_id}</task-id>\n<tool-use-id>{call[0]}</tool-use-id>\n"
            f'<status>completed</status>\n<summary>Agent "{description}" finished</summary>\n'
            f"<result>{result}</result>\n</task-notification>"
        )
        said = do.Say(text=f'The helper "{description}" says: {result}')
        self._begin_next([do.Turn(prompt=note, steps=(said,))], "system", "task-notification")

    def _new_session(self, session_id: str = "") -> Transcript:
        self._sessions += 1
        seed = f"{self._config}:{self._scene.name}:{self._sessions}"
        self._session_id = session_id or str(uuid.uuid5(uuid.NAMESPACE_OID, seed))
        if session_id:
            seed += f":{os.getpid()}"  # ids of rows never repeat
        return Transcript(self._config, self._session_id, self._folder, self._clock, seed)

    def _say_status(self, waiting_for: str = "") -> None:
        busy = bool(self.look.spinner) or bool(self._helpers)
        status = "waiting" if waiting_for else "busy" if busy else "idle"
        self._registry.write(self._session_id, status, waiting_for)

    async def _tick(self, began_ms: int) -> None:
        count = 0
        while True:
            self.look.busy_s = (self._clock.now_ms() - began_ms) // 1000
            self.look.glyph = GLYPHS[count % len(GLYPHS)]
            self._changed()
            count += 1
            await asyncio.sleep(0.25)
