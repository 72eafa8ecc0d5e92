"""What one frame of Claude Code's screen shows. Pure; a table of recorded screens is its test.

Order: the composer, when it is positively seen at the bottom (then no dialog is open: a dialog takes its
place); else a dialog; else something that we do not know.
"""

from __future__ import annotations

import re

import msgspec

from controlroom.core.facts import ScreenLook, ScreenReading
from controlroom.core.screen import Frame
from controlroom.core.text import clean_line
from controlroom.node.agents.claude.composer import find_composer, read_composer
from controlroom.node.agents.claude.panels import Panel, read_panel

_SPINNER = re.compile(r"^[·✢✳✶✻✽∗*] (?:.*…(?: \(.*\))?|.* · retrying in .*)$")
_WAITS = re.compile(r"Continuing automatically at |Usage limit reached · limit resets")
_TRANSCRIPT_VIEW = "Showing detailed transcript"
_SIGNED_OUT = re.compile(r"^ {10,}Not logged in · run /login")
_SIGNED_OUT_REPLY = re.compile(
    r"^  ⎿ +(?:Not logged in · Please run /login|Login expired .*|OAuth token .*)$"
)
_ABOVE = 14  # rows above the composer in which the spinner, its tip and a short task list stand


class View(msgspec.Struct, frozen=True):
    """A reading, with what only this driver needs of it."""

    reading: ScreenReading
    panel: Panel | None = None
    signed_out: str = ""  # the row that says that nobody is logged in


def read_screen(frame: Frame) -> ScreenReading:
    return read_view(frame).reading


def read_view(frame: Frame) -> View:
    place = find_composer(frame)
    if place is None:
        return _without_composer(frame)
    composer = read_composer(frame, place)
    footer = [row for row in frame.rows[place.bottom + 1 :] if row.strip()]
    above = [row for row in frame.rows[max(0, place.top - _ABOVE) : place.top] if row.strip()]
    waits = next((row for row in footer if _WAITS.search(row)), None)
    works = next((row for row in footer if "esc to interrupt" in row), None) or _spinner(above)
    signed_out = next((row.strip() for row in above if _SIGNED_OUT.match(row)), "")
    look: ScreenLook = "ready"
    if waits is not None:
        look = "limit_wait"
    elif works is not None:
        look = "working"
    detail = waits or works or ("a draft stands in the prompt" if composer.text else "an empty prompt")
    reading = ScreenReading(look=look, composer=composer, detail=clean_line(detail.strip()))
    return View(reading, signed_out=signed_out)


def _spinner(above: list[str]) -> str | None:
    """The line of a running turn. A row that begins a new part of the conversation ends the search."""
    for row in reversed(above):
        if _SPINNER.match(row):
            return row
        if row[:1] in ("●", "❯", "✻"):
            return None
    return None


def _without_composer(frame: Frame) -> View:
    last = next((row for row in reversed(frame.rows) if row.strip()), "")
    if _TRANSCRIPT_VIEW in last:
        return View(ScreenReading(look="other", detail=clean_line(last.strip())))
    panel = read_panel(frame)
    if panel is None:
        return View(ScreenReading(look="other", detail=clean_line(last.strip())))
    dialog = panel.dialog
    look: ScreenLook = "startup" if dialog.kind == "startup" else "dialog"
    paragraphs = [" ".join(part.split()) for part in dialog.text.split("\n\n") if part.strip()]
    asks = next((part for part in reversed(paragraphs) if part.endswith("?")), next(iter(paragraphs), ""))
    detail = clean_line(asks)
    signed_out = next((row.strip() for row in frame.rows if _SIGNED_OUT_REPLY.match(row)), "")
    return View(ScreenReading(look=look, dialog=dialog, detail=detail), panel, signed_out)
