"""The keys that may be pressed in a pane, by name.

Only names that were seen to work are allowed (spikes.md section 1): tmux types an unknown name such as
``S-Tab`` as literal text, so that a misspelt Escape would become a message.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable

import msgspec

_CURSOR = ("Up", "Down", "Left", "Right", "Home", "End", "PageUp", "PageDown", "DC", "IC")

NAMES: frozenset[str] = frozenset(
    [
        *("Enter", "Escape", "Tab", "BTab", "BSpace", "Space"),
        *_CURSOR,
        *(f"F{number}" for number in range(1, 13)),
        *(f"C-{letter}" for letter in "abcdefghijklmnopqrstuvwxyz"),
        "C-Space",
        *(f"M-{letter}" for letter in "abcdefghijklmnopqrstuvwxyz0123456789"),
        "M-Enter",
        *(f"{modifier}-{name}" for modifier in "CSM" for name in _CURSOR),
    ]
)
"""Every key name of the allowlist, as tmux spells it."""

_ALIASES = {
    "esc": "Escape",
    "return": "Enter",
    "cr": "Enter",
    "shift-tab": "BTab",
    "s-tab": "BTab",
    "backtab": "BTab",
    "backspace": "BSpace",
    "bs": "BSpace",
    "delete": "DC",
    "del": "DC",
    "insert": "IC",
    "ins": "IC",
    "pgup": "PageUp",
    "ppage": "PageUp",
    "pgdn": "PageDown",
    "pgdown": "PageDown",
    "npage": "PageDown",
    "arrowup": "Up",
    "arrowdown": "Down",
    "arrowleft": "Left",
    "arrowright": "Right",
    "spacebar": "Space",
}
_MODIFIERS = {
    "c": "C",
    "ctrl": "C",
    "control": "C",
    "^": "C",
    "s": "S",
    "shift": "S",
    "m": "M",
    "alt": "M",
    "meta": "M",
    "option": "M",
}
_BY_LOWER = {name.lower(): name for name in NAMES}
_WITH_MODIFIER = re.compile(r"(\^|[A-Za-z]+[-+])(.+)", re.DOTALL)
MAX_KEYS = 64  # more than a person presses in one request; a text belongs into a paste


class Key(msgspec.Struct, frozen=True):
    """One key: a name of ``NAMES``, or (``literal``) one printable character as it is."""

    name: str
    literal: bool = False


def parse_key(text: str) -> Key:
    """The key that ``text`` names. Raises ValueError with a sentence for people.

    A single printable character is that character. Names are read without regard to case; ``Esc``,
    ``Shift+Tab``, ``Ctrl-C``, ``^C``, ``PgUp`` and the like are understood.
    """
    if len(text) == 1 and text != " " and text.isprintable() and not unicodedata.combining(text):
        return Key(text, literal=True)
    if text == " ":
        return Key("Space")
    name = _canonical(text)
    if name is None:
        shown = "".join(character if character.isprintable() else "?" for character in text[:40])
        raise ValueError(
            f"There is no key '{shown}'. Use one character, or a name such as Enter, Escape, Tab, BTab"
            " (Shift+Tab), Up, PageDown, F1, C-c or M-b."
        )
    return Key(name)


def parse_keys(texts: Iterable[str]) -> tuple[Key, ...]:
    """All keys in order, or ValueError before any is pressed: unknown, none at all, or too many."""
    keys = tuple(parse_key(text) for text in texts)
    if not keys:
        raise ValueError("Name at least one key.")
    if len(keys) > MAX_KEYS:
        raise ValueError(f"At most {MAX_KEYS} keys at once; send a text as a message instead.")
    return keys


def _canonical(text: str) -> str | None:
    lower = text.lower()
    for candidate in (lower, lower.replace("+", "-"), _ALIASES.get(lower.replace("+", "-"), "").lower()):
        if candidate in _BY_LOWER:
            return _BY_LOWER[candidate]
    match = _WITH_MODIFIER.fullmatch(text)
    if match is None:
        return None
    modifier = _MODIFIERS.get(match[1].rstrip("-+").lower())
    base = _ALIASES.get(match[2].lower(), match[2]).lower()
    return _BY_LOWER.get(f"{modifier}-{base}".lower()) if modifier else None
