"""Acts that are done at once: answers, interrupts, keys; and the screen that they are based on.

Each is done at most once for its request id, here and on the node. The act's id on the node is made of the
caller and the request id, so that a request that is made again after a crash meets its first result.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence

from controlroom.core.typed import LONGEST_PASTE
from controlroom.hub.choices import keys_of, named
from controlroom.hub.errors import HubError, no_agent
from controlroom.hub.fleet_view import FleetView
from controlroom.hub.nodes import Node, Nodes
from controlroom.hub.receipts import ReceiptBook
from controlroom.hub.requests import Requests
from controlroom.hub.store import request_rows
from controlroom.hub.store.store import Change
from controlroom.kit.clock import Clock
from controlroom.wire.client import AnswerDialog, Done, Interrupt, PressKeys
from controlroom.wire.model import Screen, ScreenCursor, Scrollback
from controlroom.wire.node import Act, AnswerAct, FrameAnswer, InterruptAct, KeysAct

ACT_S = 50.0  # a node lets an act wait 30 s for a message that is being typed, and then looks what came of it
SCREEN_S = 10.0  # one capture; longer means the multiplexer is stuck
MOST_KEYS, LONGEST_KEY = 200, 100
TYPING_S = 60.0
SHOWN_S = 2.0  # a receipt without a screen is better than an act that waits
SHOWN = 200  # characters of an answer in its receipt


class Acts:
    """What a person does to an agent beyond writing to it."""

    def __init__(
        self,
        view: FleetView,
        nodes: Nodes,
        requests: Requests,
        receipts: ReceiptBook,
        clock: Clock,
        *,
        only_devices_answer: bool = False,
        may_answer: Callable[[str], bool] = lambda _by: True,
    ) -> None:
        """``only_devices_answer``: the setting ``policy.blocking_answers`` says so. ``may_answer``: whether
        this device (``device:ID``) has the right ``answers`` now."""
        self._may_answer = may_answer
        self._view = view
        self._only_devices_answer = only_devices_answer
        self._nodes = nodes
        self._requests = requests
        self._receipts = receipts
        self._clock = clock
        self._typed: dict[tuple[str, str], float] = {}

    async def answer(self, agent_id: str, body: AnswerDialog, by: str) -> Done:
        """Answer the dialog that was seen. Raises HubError ``changed`` when another is open by now."""
        if not body.option and body.text is None:
            raise HubError("bad_request", "option or text: say what the answer is.")
        said = " and ".join(
            part
            for part in (
                f"option {named(body.option)}" if body.option else "",
                f"text {body.text!r}" if body.text is not None else "",
            )
            if part
        )

        def act(id: str) -> AnswerAct:
            agent = self._view.agent(agent_id)
            waiting = None if agent is None else agent.waiting_for
            return AnswerAct(
                id=id,
                agent_id=agent_id,
                waiting_id=body.waiting_id,
                option=keys_of(waiting, body.waiting_id, body.option),
                text=body.text,
                by=by,
            )

        deed = f"the open dialog with {said[:SHOWN]}"
        return await self._do(
            agent_id, "answer", body, by, act, f"Answered {deed}.", f"Tried to answer {deed}."
        )

    async def interrupt(self, agent_id: str, body: Interrupt, by: str) -> Done:
        """End the running turn."""
        return await self._do(
            agent_id,
            "interrupt",
            body,
            by,
            lambda id: InterruptAct(id=id, agent_id=agent_id, by=by),
            "Interrupted the running turn.",
            "Tried to interrupt the running turn.",
        )

    async def keys(self, agent_id: str, body: PressKeys, by: str) -> Done:
        """Paste a text, press keys. The node knows which there are, and when the screen must be seen."""
        paste = body.paste or ""
        if not body.keys and not paste:
            raise HubError("bad_request", "keys: name at least one, or paste something.")
        if len(paste) > LONGEST_PASTE:
            raise HubError("too_large", f"paste: at most {LONGEST_PASTE} characters.")
        if len(body.keys) > MOST_KEYS or any(len(key) > LONGEST_KEY for key in body.keys):
            raise HubError("too_large", f"keys: at most {MOST_KEYS}, each at most {LONGEST_KEY} characters.")
        done = await self._do(
            agent_id,
            "keys",
            body,
            by,
            lambda id: KeysAct(
                id=id,
                agent_id=agent_id,
                keys=body.keys,
                paste=paste,
                seen_revision=body.seen_revision,
                by=by,
            ),
            "" if self._is_typing(agent_id, by) else described_keys(body.keys, has_paste=bool(paste)),
            "Tried to press keys.",
            is_lasting=False,
        )
        self._typed[by, agent_id] = self._clock.monotonic()
        return done

    def _is_typing(self, agent_id: str, by: str) -> bool:
        """Somebody goes on typing: one receipt for a session is enough, which ends after a minute without a
        key. While a dialog is open every key is told: it may be an answer."""
        now = self._clock.monotonic()
        is_typing = now - self._typed.get((by, agent_id), -TYPING_S) < TYPING_S
        agent = self._view.agent(agent_id)
        return is_typing and (agent is None or agent.waiting_for is None)

    async def screen(self, agent_id: str) -> Screen:
        """The screen as it is now."""
        node = self.node_of(agent_id)
        frame = await node.ask(lambda link: link.screen(agent_id), SCREEN_S)
        return screen_of(frame, node.offset_ms)

    async def scrollback(self, agent_id: str, lines: int) -> Scrollback:
        """The last rows of the pane's history and screen, read now."""
        node = self.node_of(agent_id)
        history = await node.ask(lambda link: link.scrollback(agent_id, lines), SCREEN_S)
        return Scrollback(
            width=history.width,
            height=history.height,
            kept=history.kept,
            alternate=history.alternate,
            rows=history.rows,
            ansi=history.ansi,
            at_ms=history.at_ms + node.offset_ms,
        )

    def node_of(self, agent_id: str) -> Node:
        """The node on which an agent of the fleet runs. Raises HubError not_found, offline."""
        agent = self._view.agent(agent_id)
        if agent is None:
            raise no_agent(agent_id)
        return self._nodes.of(agent.machine_id)

    async def _do(
        self,
        agent_id: str,
        what: str,
        body: AnswerDialog | Interrupt | PressKeys,
        by: str,
        act: Callable[[str], Act],
        text: str,
        tried: str,
        *,
        is_lasting: bool = True,
    ) -> Done:
        """``text`` is the receipt's, "" for an act that needs none; ``tried`` when it failed. The receipt has
        what the pane showed right before. ``is_lasting``: the request is remembered on disk."""
        screen: list[str] = []

        async def do() -> Done:
            node = self.node_of(agent_id)
            await self._check_answerer(agent_id, what, by)
            id = act_id(by, what, body.request_id)
            if text:
                screen.extend(await self._shown(node, agent_id))
            result = await node.ask(lambda link: link.act(act(id)), ACT_S)
            if result.code == "failed":  # something may have happened to the agent
                await self._receipts.failed(by, what, agent_id, f"{tried} {result.text}".strip(), screen)
            if result.code != "ok":
                raise HubError(result.code, result.text or "The agent's machine refused it.")
            return Done(request_id=body.request_id, state="delivered", detail=result.text or None)

        def said(done: Done) -> str:  # a detail says what was different: "No turn ran."
            return text if done.detail is None else f"{tried} {done.detail}"

        def note(change: Change, done: Done) -> None:
            if text:
                request_rows.add_receipt(
                    change, by=by, what=what, code="ok", text=said(done), agent_id=agent_id, screen=screen
                )

        async def do_and_tell() -> Done:
            done = await do()
            if text:
                await self._receipts.done(by, what, agent_id, said(done), screen)
            return done

        request = (by, body.request_id, [what, agent_id, body], Done)
        if is_lasting:
            return await self._requests.once(*request, do, note)
        return await self._requests.once(*request, do_and_tell, None)

    async def _shown(self, node: Node, agent_id: str) -> Sequence[str]:
        """What the pane shows now, for a receipt; nothing when it cannot be read soon."""
        try:
            return (await node.ask(lambda link: link.screen(agent_id), SHOWN_S)).rows
        except HubError:
            return ()

    async def _check_answerer(self, agent_id: str, what: str, by: str) -> None:
        """Keys are answers too while a dialog is open. Raises HubError ``not_allowed``."""
        agent = self._view.agent(agent_id)
        is_open = agent is not None and agent.waiting_for is not None
        if what != "answer" and not (what == "keys" and is_open):
            return
        if by.startswith("device:"):
            if self._may_answer(by):
                return
            text = "A dialog is open, and this device does not have the right answers now."
        elif self._only_devices_answer:
            text = "Only paired devices may answer what an agent waits for (policy.blocking_answers)."
        else:
            return
        await self._receipts.refused(by, what, agent_id, text)
        raise HubError("not_allowed", text)


def act_id(by: str, what: str, request_id: str) -> str:
    """The same for the same request, different for all others."""
    digest = hashlib.blake2b("\0".join((by, what, request_id)).encode(), digest_size=12)
    return f"act_{digest.hexdigest()}"


def described_keys(keys: tuple[str, ...], *, has_paste: bool = False) -> str:
    """Named keys by name; what was typed or pasted stays between the person and the agent."""
    named = [key for key in keys if len(key) > 1]
    typed = len(keys) - len(named)
    parts = [" ".join(named)] if named else []
    if typed:
        parts.append(f"{typed} typed character{'s' if typed > 1 else ''}")
    pressed = " and ".join(parts)
    if not has_paste:
        return f"Pressed {pressed}."
    return f"Pasted a text and pressed {pressed}." if pressed else "Pasted a text."


def screen_of(frame: FrameAnswer, offset_ms: int) -> Screen:
    return Screen(
        revision=frame.revision,
        width=frame.width,
        height=frame.height,
        cursor=ScreenCursor(row=frame.row, column=frame.column, visible=frame.cursor_visible),
        rows=frame.rows,
        ansi=frame.ansi,
        at_ms=frame.at_ms + offset_ms,
        echo=frame.echo,
    )
