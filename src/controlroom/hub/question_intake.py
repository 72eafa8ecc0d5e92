"""What replies and chats say about questions: new ones, repeats, ``Resolved`` lines, answers in the terminal.

It runs inside the transaction that keeps the items, so that a crash loses no question and makes none twice:
a question's id is made of its chat, its item and its place in the reply.

At the first reading of a chat (we began to watch) only what stands behind the person's last message is a
question still, and a default whose time was over before we saw it is never used.
"""

from __future__ import annotations

from collections.abc import Container, Sequence

import msgspec

from controlroom.core import questions as machine
from controlroom.core import similar
from controlroom.core.attachments import split_typed
from controlroom.core.pickers import PICKER_TOOLS, answer_in
from controlroom.core.question_answers import named_in_chat
from controlroom.core.question_block import Choice
from controlroom.core.teaching import teaching
from controlroom.core.text import clean_line
from controlroom.hub.errors import HubError
from controlroom.hub.messages import Messages
from controlroom.hub.nodes import Node
from controlroom.hub.question_cards import Times, card_of_block, question_id
from controlroom.hub.question_steps import Steps
from controlroom.hub.store import chat_rows, message_rows, question_rows, request_rows
from controlroom.hub.store.chat_rows import ChatRow
from controlroom.hub.store.question_rows import Card, QuestionRow
from controlroom.hub.store.store import Change
from controlroom.kit.zone import zone_of
from controlroom.wire.client import SendMessage
from controlroom.wire.model import Item, Tool
from controlroom.wire.node import AskedBlock, ReplyAsks, ResolvedLine

MOST, WITHIN_MS = 20, 10 * 60_000  # new questions of one agent that get cards of their own
LONGEST_LIST = 4_000  # characters of the questions that stand together on one card
LINE = 200
SPOKEN = frozenset({"user", *chat_rows.UNREAD_KINDS})
REMEMBERED = 100  # closed questions of an agent among which a Resolved line may find its own

UNREAD = "Some of them were too many to be read."
INHERITED = "It takes the place of a question that waits for you."
TOGETHER = (
    f"The agent asked more than {MOST} questions within ten minutes: these stand together, and none of their "
    "defaults is used by itself."
)


class Intake:
    """Takes what a chat says."""

    def __init__(self, steps: Steps, messages: Messages, pressed: Container[str]) -> None:
        """``pressed``: ids of pickers that are being answered here just now."""
        self._steps = steps
        self._messages = messages
        self._pressed = pressed

    def took(
        self,
        change: Change,
        chat: ChatRow,
        node: Node,
        items: Sequence[Item],
        asks: Sequence[ReplyAsks],
        *,
        is_first: bool,
    ) -> None:
        """New items of a chat, before they are kept, with what they ask. ``is_first``: the chat is read
        anew, and nothing is known of what it said before."""
        wanted = [item for item in items if _concerns(item)]
        if not asks and not wanted:
            return
        known = chat_rows.known_items(change.connection, chat.id, [item.id for item in items])
        asked = {one.item_id: one for one in asks}
        start = 0
        if is_first:
            start = max((at + 1 for at, item in enumerate(items) if item.kind == "user"), default=0)
        reading = _Reading(self._steps, self._messages, change, chat, node, is_first=is_first)
        for item in items[start:]:
            is_new = item.id not in known
            if item.tool is not None:
                reading.ran(item.tool, self._pressed)
            elif item.kind == "user" and is_new:
                reading.said(item)
            elif item.id in asked:
                reading.asked(asked[item.id], is_new=is_new)
            if is_new and item.kind in SPOKEN:
                reading.last_spoken = item.id
                reading.has_said = reading.has_said or item.kind == "user"


def _concerns(item: Item) -> bool:
    return item.kind == "user" or (item.tool is not None and item.tool.name in PICKER_TOOLS)


class _Reading:
    """One batch of items of one chat, read from old to new."""

    def __init__(
        self, steps: Steps, messages: Messages, change: Change, chat: ChatRow, node: Node, *, is_first: bool
    ) -> None:
        self._steps = steps
        self._messages = messages
        self._change = change
        self._chat = chat
        self._node = node
        self._is_first = is_first
        self._agent = f"agent:{chat.agent_id}"
        self.has_said = False  # the person, in this batch
        self.last_spoken = chat_rows.last_spoken(change.connection, chat.id)

    def _open(self) -> list[QuestionRow]:
        return question_rows.open_questions(self._change.connection, self._chat.agent_id)

    # ---- the person ------------------------------------------------------------------------------------

    def said(self, item: Item) -> None:
        """Something was typed: an answer, when it stands right behind a question and names an option of no
        other one. "1" or "yes" later on may mean anything."""
        text = split_typed(item.text or "")[0]
        at_ms = item.at_ms + self._node.offset_ms
        named = [
            (row, key)
            for row in question_rows.unsettled_questions(self._change.connection, self._chat.agent_id)
            if row.chat_id == self._chat.id and self._stands_last(row)
            if (key := named_in_chat(row.card.options, text)) is not None
        ]
        if len(named) != 1:
            return
        message = message_rows.arrived(self._change.connection, self._chat.id, [item.id]).get(item.id)
        by = "host" if message is None else message.by
        row, key = named[0]
        self._close(row, machine.Answer(at_ms=at_ms, by=by, option=key, in_terminal=True))

    def _stands_last(self, row: QuestionRow) -> bool:
        """Whether nothing was said since the question, which is not one of a dialog."""
        if row.card.source == "command":
            since_ms = row.card.asked_at_ms - self._node.offset_ms
            is_first = not chat_rows.said_after(self._change.connection, self._chat.id, since_ms)
            return is_first and not self.has_said
        return row.card.source == "block" and row.card.item_id == self.last_spoken

    def ran(self, tool: Tool, pressed: Container[str]) -> None:
        """A dialog of the agent's own ended: its row says how."""
        if tool.name not in PICKER_TOOLS or tool.state == "running":
            return
        for row in self._open():
            card = row.card
            if card.waiting_id is None or row.chat_id != self._chat.id or row.id in pressed:
                continue
            choices = [Choice(one.key, one.label, one.what or "", one.recommended) for one in card.options]
            told = answer_in(tool, card.question, choices, multi=card.multi)
            now = self._change.now_ms
            if told is None:
                continue
            if told.declined:
                self._close(row, machine.Dismiss(at_ms=now, by="host", why="Closed in the terminal."))
            else:
                option, text = ", ".join(told.keys) or None, told.text or None
                answer = machine.Answer(at_ms=now, by="host", option=option, text=text, in_terminal=True)
                self._close(row, answer)

    # ---- the agent -------------------------------------------------------------------------------------

    def asked(self, reply: ReplyAsks, *, is_new: bool) -> None:
        """A reply with blocks. ``is_new``: it was not read before; what it called settled counts once."""
        if is_new:
            for line in reply.resolved:
                self._resolve(line)
        made: list[QuestionRow] = []
        for number, block in enumerate(reply.questions, start=1):
            id = question_id(self._chat.id, reply.item_id, str(number))
            if question_rows.question_row(self._change.connection, id) is None:
                made += self._ask(id, reply, block, made)
        if reply.more:
            card = Card(
                source="block",
                question=f"{reply.more} questions at the end of one reply",
                asked_at_ms=reply.at_ms + self._node.offset_ms,
                item_id=reply.item_id,
                blocking_why=UNREAD,
            )
            id = question_id(self._chat.id, reply.item_id, "more")
            self._group(id, card, is_blocking=True, count=reply.more)

    def _ask(
        self, id: str, reply: ReplyAsks, block: AskedBlock, made: Sequence[QuestionRow]
    ) -> list[QuestionRow]:
        times = Times(
            asked_at_ms=reply.at_ms + self._node.offset_ms,
            zone=self._node.time_zone,
            zone_of=zone_of,
            not_before_ms=self._change.now_ms if self._is_first else 0,
        )
        card, is_blocking = card_of_block(block, times, reply.item_id)
        if is_too_fast(self._change, self._chat.agent_id):
            self._group(id, card, is_blocking=is_blocking)
            return []
        row = new_question(
            self._change, id, self._chat.agent_id, self._chat.id, card, is_blocking=is_blocking
        )
        row = replacing(self._steps, self._change, row, siblings=[one.id for one in made])
        row = self._steps.put(self._change, row)
        if block.problem is not None:
            self._teach(block.question, block.problem)
        return [row]

    def _group(self, id: str, card: Card, *, is_blocking: bool, count: int = 1) -> None:
        """More of an agent that asks too fast: it stands on a card with others. What nobody has read may be
        blocking."""
        change = self._change
        if question_rows.is_grouped(change.connection, id):
            return
        group = question_rows.open_group(change.connection, self._chat.agent_id)
        if group is None:
            empty = Card(
                source="block",
                question="",
                asked_at_ms=card.asked_at_ms,
                problem=TOGETHER,
                item_id=card.item_id,
            )
            group_id = question_id(self._chat.id, id, "group")
            group = new_question(
                change, group_id, self._chat.agent_id, self._chat.id, empty, is_blocking=False
            )
        more = group.card.more + count
        listed = "\n".join(filter(None, [group.card.context, f"- {clean_line(card.question, LINE)}"]))
        grown = msgspec.structs.replace(
            group.card,
            question=f"And {more} more question{'s' if more > 1 else ''}",
            context=listed if len(listed) <= LONGEST_LIST else group.card.context,
            blocking_why=group.card.blocking_why or card.blocking_why,
            more=more,
        )
        log = msgspec.structs.replace(group.log, blocking=group.log.blocking or is_blocking)
        group = msgspec.structs.replace(group, card=grown, log=log)
        question_rows.add_grouped(change, id, group.id)
        self._steps.put(change, group)

    def _resolve(self, line: ResolvedLine) -> None:
        """The agent says that something is settled: its question is closed, or nobody knows which it is."""
        rows = [row for row in self._open() if not row.card.more and not row.log.own]
        at = similar.find(line.text, [ask_of(row.card) for row in rows])
        if at is not None:
            why = line.why or "It says so."
            proof = f"Resolved for Founder: {line.text}" + (f": {line.why}" if line.why else "")
            event = machine.Resolve(at_ms=self._change.now_ms, by=self._agent, why=why, proof=proof)
            self._close(rows[at], event)
            return
        closed = question_rows.newest_questions(
            self._change.connection, before=None, agent_id=self._chat.agent_id, limit=REMEMBERED
        )
        is_closed = (
            similar.find(line.text, [ask_of(row.card) for row in closed if not row.is_open]) is not None
        )
        if not is_closed and not self._is_first:
            text = (
                f"The agent says that “{clean_line(line.text, LINE)}” is resolved; no open question reads so."
            )
            request_rows.add_receipt(
                self._change,
                by=self._agent,
                what="resolve",
                code="not_found",
                text=text,
                agent_id=self._chat.agent_id,
            )

    def _teach(self, question: str, problem: str) -> None:
        """Tell the agent how to ask; once, whatever it asks later."""
        agent_id = self._chat.agent_id
        body = SendMessage(id=f"teach_{agent_id}"[:100], text=teaching(question, problem))
        try:
            self._messages.add(self._change, agent_id, body, "policy")
        except HubError:  # it has left the fleet: there is nobody to teach
            return

    def _close(self, row: QuestionRow, event: machine.AnyEvent) -> None:
        """Whoever comes too late changes nothing."""
        try:
            self._steps.take(self._change, row, event)
        except HubError as error:
            if error.code != "conflict":
                raise


# ---- for questions by command too --------------------------------------------------------------------------


def is_too_fast(change: Change, agent_id: str) -> bool:
    """Whether an agent has asked so much lately that no more gets a card of its own."""
    return question_rows.created_since(change.connection, agent_id, change.now_ms - WITHIN_MS) >= MOST


def new_question(
    change: Change,
    id: str,
    agent_id: str,
    chat_id: str,
    card: Card,
    *,
    is_blocking: bool,
    by: str = "",
    own: bool = False,
) -> QuestionRow:
    """A question that is not stored yet. ``by``: who asks for the agent; "" = it does itself. ``own``: the
    Control Room asks about the agent."""
    log = machine.ask(
        at_ms=card.asked_at_ms,
        by=by or f"agent:{agent_id}",
        blocking=is_blocking,
        has_default=card.default is not None,
        own=own,
    )
    return QuestionRow(
        id=id, agent_id=agent_id, chat_id=chat_id, card=card, log=log, created_ms=change.now_ms
    )


def replacing(steps: Steps, change: Change, row: QuestionRow, *, siblings: Sequence[str] = ()) -> QuestionRow:
    """Close the older questions of the same agent that the new one repeats; the new one says which it
    replaces, and waits for the person if one of them did.

    ``siblings`` stand in the same reply: they are repeats only when they read exactly the same.
    """
    new = ask_of(row.card)
    for old in question_rows.open_questions(change.connection, row.agent_id):
        if old.card.more or old.card.source == "picker" or old.log.own:
            continue
        why = similar.is_same(ask_of(old.card), new)
        if why is None or (
            old.id in siblings and similar.normalised(old.card.question) != similar.normalised(new.text)
        ):
            continue
        event = machine.Supersede(
            at_ms=change.now_ms,
            question_id=row.id,
            why=why,
            proof=clean_line(row.card.question, LINE),
            by=f"agent:{row.agent_id}",
        )
        steps.take(change, old, event)
        card = msgspec.structs.replace(row.card, replaces=old.id)
        if old.log.blocking and not row.log.blocking:
            card = msgspec.structs.replace(card, blocking_why=INHERITED)
            row = msgspec.structs.replace(row, log=msgspec.structs.replace(row.log, blocking=True))
        row = msgspec.structs.replace(row, card=card)
    return row


def ask_of(card: Card) -> similar.Ask:
    return similar.Ask(card.question, tuple(option.label for option in card.options))
