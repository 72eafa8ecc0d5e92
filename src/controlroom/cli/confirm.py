"""Questions to the person at the terminal; without a terminal nothing is assumed."""

from __future__ import annotations

import sys


def can_ask() -> bool:
    """Whether a person sits there: both ends are a terminal."""
    return sys.stdin.isatty() and sys.stdout.isatty()


def confirm(question: str) -> bool:
    """Yes only for a typed y or yes."""
    return _read(f"{question} [y/N] ").casefold() in ("y", "yes")


def confirm_by_typing(question: str, wanted: str) -> bool:
    """Yes only for the text itself: the risky thing is slow."""
    return _read(f"{question}\nType it to go on: {wanted}\n> ").casefold() == wanted.casefold()


def _read(prompt: str) -> str:
    sys.stdout.write(prompt)
    sys.stdout.flush()
    return sys.stdin.readline().strip()
