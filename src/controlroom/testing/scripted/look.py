"""What stands on a scripted agent's screen, and its input line."""

from __future__ import annotations

from typing import Literal

import msgspec

BlockKind = Literal["prompt", "words", "tool", "note", "done"]
LONG_PASTE_LINES, LONG_PASTE_CHARACTERS = 4, 800


class Block(msgspec.Struct):
    """One part of the conversation on the screen."""

    kind: BlockKind
    text: str


class Option(msgspec.Struct, frozen=True):
    key: str
    label: str
    description: str = ""
    apart: bool = False  # stands below a rule, as "Chat about this"


class Dialog(msgspec.Struct):
    """A dialog that stands over the input line. ``typing`` is the free text when its option is chosen."""

    kind: Literal["permission", "picker"]
    title: str
    body: str
    question: str
    options: tuple[Option, ...]
    footer: str
    selected: int = 0
    typing: str | None = None


class PastedPart(msgspec.Struct):
    """A long paste: shown as a mark, sent whole."""

    number: int
    text: str


class Composer:
    """The input line: typed text and pastes in order."""

    def __init__(self) -> None:
        self._parts: list[str | PastedPart] = []
        self._pastes = 0

    def type(self, text: str) -> None:
        if self._parts and isinstance(self._parts[-1], str):
            self._parts[-1] += text
        else:
            self._parts.append(text)

    def paste(self, text: str) -> None:
        """Short pastes are plain text; tabs become blanks, as in the real program."""
        text = text.replace("\t", "    ")
        if text.count("\n") + 1 < LONG_PASTE_LINES and len(text) <= LONG_PASTE_CHARACTERS:
            self.type(text)
            return
        self._pastes += 1
        self._parts.append(PastedPart(self._pastes, text))

    def erase(self) -> None:
        """BSpace: one character, or a whole paste."""
        if self._parts and isinstance(last := self._parts[-1], str) and len(last) > 1:
            self._parts[-1] = last[:-1]
        elif self._parts:
            self._parts.pop()

    def clear(self) -> None:
        self._parts = []

    @property
    def shown(self) -> str:
        return "".join(part if isinstance(part, str) else _mark(part) for part in self._parts)

    def take(self) -> str:
        """The whole text as it is submitted; long pastes are wrapped."""
        parts = self._parts
        self._parts = []
        self._pastes = 0
        return "".join(part if isinstance(part, str) else _wrapped(part) for part in parts)


def _mark(part: PastedPart) -> str:
    more = part.text.count("\n")
    lines = f" +{more} lines" if more else ""
    return f"[Pasted text #{part.number}{lines}]"


def _wrapped(part: PastedPart) -> str:
    mark = f"{0x1BD0 + part.number:x}"
    return f'\n\n<pasted_content id="{mark}">\n{part.text}\n</pasted_content id="{mark}">\n'


class Look:
    """Everything that is drawn."""

    def __init__(self, folder: str) -> None:
        self.folder = folder
        self.blocks: list[Block] = []
        self.composer = Composer()
        self.dialog: Dialog | None = None
        self.spinner = ""  # the verb while a turn runs
        self.glyph = "✻"
        self.busy_s = 0
        self.tokens = 0
        self.limit = ""  # when a usage limit resets, while the agent waits for it
        self.helpers: list[tuple[str, str]] = []  # kind and description of those that run
        self.queue: list[str] = []

    def add(self, kind: BlockKind, text: str) -> Block:
        block = Block(kind, text)
        self.blocks.append(block)
        del self.blocks[:-200]
        return block
