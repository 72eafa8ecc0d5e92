"""What a terminal sends when a person types, as keys of the allowlist and pastes.

A terminal sends bytes; a pane of an agent takes keys by name (``core.keys``) and pastes. What is neither is
refused as a whole message and never typed as text: ``ESC [ 9 9 ~`` would otherwise become ``[99~`` in a
composer, and the Escape before it would interrupt a turn.

Source of the sequences: xterm's ctlseqs, normal and application cursor keys.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from typing import Final

import msgspec

from controlroom.core.keys import MAX_KEYS, NAMES
from controlroom.core.text import clean_line, strip_controls

LONGEST_PASTE: Final = 262_144  # characters; a person pastes less, and a program types slower than we read

PASTE_BEGINS, PASTE_ENDS = "\x1b[200~", "\x1b[201~"


class Keys(msgspec.Struct, frozen=True):
    """Keys to press in order, at most ``MAX_KEYS``; a single character stands for itself."""

    names: tuple[str, ...]


class Paste(msgspec.Struct, frozen=True):
    """A text to paste at once, without control characters other than newlines and tabs."""

    text: str


Typed = Keys | Paste


class NotKeys(Exception):
    """The input is no key that may be pressed; nothing of it must be typed. The text is for people."""


_BY_FINAL = {"A": "Up", "B": "Down", "C": "Right", "D": "Left", "H": "Home", "F": "End"}
_BY_NUMBER = {"1": "Home", "2": "IC", "3": "DC", "4": "End", "5": "PageUp", "6": "PageDown"} | {
    "7": "Home",
    "8": "End",
}
_FUNCTION_NUMBERS = ("11", "12", "13", "14", "15", "17", "18", "19", "20", "21", "23", "24")
_BY_NUMBER |= {number: f"F{key}" for key, number in enumerate(_FUNCTION_NUMBERS, start=1)}
_MODIFIERS = {"2": "S", "3": "M", "5": "C"}
_SEQUENCES: dict[str, str] = {
    "\r": "Enter",
    "\t": "Tab",
    "\x7f": "BSpace",
    "\x00": "C-Space",
    "\x1b[Z": "BTab",
    "\x1b\r": "M-Enter",
    **{chr(number): f"C-{chr(number + 96)}" for number in range(1, 27) if chr(number) not in "\t\r"},
    **{f"\x1bO{final}": name for final, name in _BY_FINAL.items()},
    **{f"\x1bO{final}": f"F{key}" for key, final in enumerate("PQRS", start=1)},
    **{f"\x1b{name[2]}": name for name in NAMES if re.fullmatch("M-[a-z0-9]", name)},
    " ": "Space",
}
_ONE = re.compile(
    "\x1b\\[(?P<number>[0-9]*)(?:;(?P<modifier>[0-9]+))?(?P<final>[A-DFH~])"
    "|\x1b\\[[0-?]*[ -/]*[@-~]?"  # any other CSI, a broken one too
    "|\x1bO.?"
    "|\x1b\x1b[\\[O]"  # Escape and a key, or Alt and a key: nobody can tell
    "|\x1b[^\x1b\\[O]"
    "|.",
    re.DOTALL,
)
_JOINS = "\u200d"  # inside emoji; not printable by itself


class TypedInput:
    """The input of one terminal, message by message. Only a paste may reach over several messages."""

    def __init__(self) -> None:
        self._paste: str | None = None

    def feed(self, data: str) -> tuple[Typed, ...]:
        """What to do for one message, in order. Raises NotKeys, then nothing of the message counts."""
        done: list[Typed] = []
        paste = self._paste
        self._paste = None  # a refused message ends an open paste too
        while data:
            if paste is None:
                before, begins, data = data.partition(PASTE_BEGINS)
                done += _typed(before)
                paste = "" if begins else None
                continue
            inside, ends, data = _until_end(paste + data)
            if len(inside) > LONGEST_PASTE:
                raise NotKeys(f"A paste may have at most {LONGEST_PASTE:,} characters. Nothing was typed.")
            if not ends:
                paste = inside
                break
            paste = None
            text, _ = strip_controls(inside)
            if text:
                done.append(Paste(text))
        self._paste = paste
        return tuple(done)


def _until_end(text: str) -> tuple[str, str, str]:
    return text.partition(PASTE_ENDS)


def _typed(text: str) -> Iterator[Typed]:
    """Keys and pastes of a text without paste brackets."""
    keys: list[str] = []
    run: list[str] = []
    for match in _ONE.finditer(text):
        found = match[0]
        if len(found) == 1 and found not in _SEQUENCES and _is_text(found):
            run.append(found)
            continue
        if found == " " and run:  # inside a text a blank is text
            run.append(found)
            continue
        yield from _flush(keys, run)
        keys.append(_name(match))
    yield from _flush(keys, run)
    if keys:
        yield from _groups(keys)


def _flush(keys: list[str], run: list[str]) -> Iterator[Typed]:
    """A text is typed key by key when it is short, else it is one paste, which no dialog cuts in half."""
    text = "".join(run)
    run.clear()
    if not text:
        return
    if len(text) <= MAX_KEYS and not any(_joins(character) for character in text):
        keys += ("Space" if character == " " else character for character in text)
        return
    yield from _groups(keys)
    keys.clear()
    yield Paste(text)


def _groups(keys: list[str]) -> Iterator[Typed]:
    for start in range(0, len(keys), MAX_KEYS):
        yield Keys(tuple(keys[start : start + MAX_KEYS]))


def _is_text(character: str) -> bool:
    return character.isprintable() or character == _JOINS


def _joins(character: str) -> bool:
    """A character that cannot be a key because it belongs to the one before it."""
    return character == _JOINS or unicodedata.category(character).startswith("M")


def _name(match: re.Match[str]) -> str:
    found = match[0]
    if (name := _SEQUENCES.get(found)) is not None:
        return name
    if found == "\x1b":
        return "Escape"
    final = match["final"]
    if final is not None:
        number, modifier = match["number"], match["modifier"]
        base = _BY_NUMBER.get(number) if final == "~" else _BY_FINAL[final] if number in ("", "1") else None
        prefix = "" if modifier in (None, "1") else _MODIFIERS.get(modifier, "?") + "-"
        if base is not None and prefix + base in NAMES:
            return prefix + base
    shown = clean_line(found.replace("\x1b", "ESC "), 20)
    raise NotKeys(f"An unknown key sequence ({shown or repr(found)}) was not typed.")
