"""A conversation as lines for a terminal: who, when, words; work between words in one quiet line each."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import tzinfo

import msgspec

from controlroom.cli import text, times
from controlroom.cli.look import compose
from controlroom.cli.palette import Role
from controlroom.core.attachments import size_text
from controlroom.wire.model import Delivery, Item, Tool

GUTTER = 7
THINKING_LINES = 3

_TOOL_LAMPS: dict[str, tuple[str, Role, str]] = {
    "running": ("◐", "work", "running"),
    "done": ("✓", "meta", ""),
    "failed": ("✗", "fault", "failed"),
    "refused": ("⊘", "lamp", "refused"),
}
_LAMPS: dict[str, str] = {"helper": "◐…", "notice": "·", "receipt": "·"}


class ChatView(msgspec.Struct, frozen=True):
    """What a picture of a chat needs besides its items."""

    name: str
    now_ms: int
    width: int
    colour: bool = False
    zone: tzinfo | None = None


class ChatPrinter:
    """Turns items into lines in order; remembers who spoke last, so that a name stands once for a run."""

    def __init__(self, view: ChatView) -> None:
        self._view = view
        self._speaker = ""
        self._day = ""

    def lines(self, items: Iterable[Item]) -> list[str]:
        found: list[str] = []
        for item in items:
            found += self._item(item)
        return found

    def _item(self, item: Item) -> list[str]:
        body = self._body(item)
        if not body:
            return []
        return [*self._date(item), *self._head(item), *body]

    def _date(self, item: Item) -> list[str]:
        day = times.day(item.at_ms, self._view.zone)
        if day == self._day:
            return []
        first, self._day = not self._day, day
        if first and day == times.day(self._view.now_ms, self._view.zone):
            return []
        self._speaker = ""
        return ["", self._line([(day, "meta")])]

    def _head(self, item: Item) -> list[str]:
        mine = item.kind in ("user", "message")
        speaker = "You" if mine else text.line(self._view.name, 60)
        if item.kind in ("notice", "receipt"):
            return []
        if speaker == self._speaker and not mine:
            return []
        self._speaker = speaker
        clock = f"{times.clock(item.at_ms, self._view.zone):<{GUTTER}}"
        model = "" if mine or not item.model else f"  {text.line(item.model, 40)}"
        return ["", self._line([(clock, "meta"), (speaker, "mine" if mine else "name"), (model, "meta")])]

    def _body(self, item: Item) -> list[str]:
        if item.tool is not None:
            return self._tool(item.tool)
        words = text.block(item.text or "").strip("\n")
        files = [f"With {text.line(file.name, 80)}, {size_text(file.bytes)}" for file in item.attachments]
        if not words.strip() and not files:
            return []
        match item.kind:
            case "thinking":
                return self._thinking(words)
            case "notice" | "receipt" | "helper":
                self._speaker = "" if item.kind != "helper" else self._speaker
                return self._hanging(f"{_LAMPS[item.kind]} ", text.summary(words), "meta")
        role: Role = "lamp" if item.kind == "question" else "plain"
        lines = self._indented(text.wrap(words, self._view.width - GUTTER), role) if words.strip() else []
        lines += self._indented(files, "meta")
        if item.clipped:
            lines += self._indented(["(cut here: the whole text is in the agent's own window)"], "meta")
        if item.delivery is not None:
            lines += self._indented([delivery_words(item.delivery)], _tone(item.delivery))
        return lines

    def _thinking(self, words: str) -> list[str]:
        lines = text.wrap(" ".join(words.split()), self._view.width - GUTTER)
        if len(lines) > THINKING_LINES:
            lines = [*lines[: THINKING_LINES - 1], lines[THINKING_LINES - 1].rstrip(".") + " …"]
        return self._indented(lines, "meta")

    def _tool(self, tool: Tool) -> list[str]:
        lamp, role, word = _TOOL_LAMPS[tool.state]
        title = text.summary(tool.title) or text.line(tool.name, 80)
        tail = _changes(tool, title) or (f"  {word}" if word else "")
        room = self._view.width - GUTTER - 2
        kept = text.clip(title, max(room - text.cells(tail), 20))
        spans: list[tuple[str, Role]] = [(" " * GUTTER, "plain"), (f"{lamp} ", role), (kept, "meta")]
        return [self._line([*spans, (tail, role if word else "meta")])]

    def _hanging(self, mark: str, words: str, role: Role) -> list[str]:
        lines = text.wrap(words, self._view.width - GUTTER - text.cells(mark))
        blank = " " * text.cells(mark)
        return self._indented([(mark if n == 0 else blank) + entry for n, entry in enumerate(lines)], role)

    def _indented(self, lines: Iterable[str], role: Role) -> list[str]:
        return [self._line([(" " * GUTTER + entry, role)]) for entry in lines]

    def _line(self, spans: list[tuple[str, Role]]) -> str:
        return compose(spans, self._view.width, self._view.colour)


def _changes(tool: Tool, title: str) -> str:
    """``+3 −1`` of each file; a path that the title names is not said twice."""
    said = ""
    for change in tool.changes or ():
        path = text.line(change.path, 200)
        named = "" if path.rpartition("/")[2] in title else f" {path}"
        said += f" {named} +{change.added} −{change.removed}"
    return said


def delivery_words(delivery: Delivery) -> str:
    """Where a message stands, in the words of the design; never "done" for "delivered"."""
    detail = text.line(delivery.detail or "", 300)
    match delivery.state:
        case "accepted":
            if delivery.held is None:
                return "Accepted"
            return f"Accepted. {text.line(delivery.held.text, 300)}"
        case "sending":
            return "Sending"
        case "delivered":
            return "Delivered"
        case "unconfirmed":
            return f"Not confirmed: {detail or 'it is not known whether it arrived.'}"
        case "failed":
            return f"Failed: {detail or 'it was not sent.'}"


def _tone(delivery: Delivery) -> Role:
    return "fault" if delivery.state in ("unconfirmed", "failed") else "meta"
