"""Outside text made safe to keep, show and type.

Outside text (titles, names, screens, transcripts) is data that a program or a stranger chose: it is limited,
and what could steer a terminal or turn the reading direction is taken out (field-lessons.md section 10).
"""

from __future__ import annotations

import re
import unicodedata

# C0 (tab and newline are kept where they carry meaning), DEL, C1, and halves of surrogate pairs, which no
# encoder takes.
_CONTROLS = re.compile("[\x00-\x1f\x7f-\x9f\ud800-\udfff]")
_CONTROLS_BUT_LAYOUT = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\ud800-\udfff]")
# Embeddings, overrides, isolates and marks: they can make "exe.txt" read "txt.exe".
_BIDI = re.compile("[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]")
_LINE_END = re.compile("\r\n|\r")
_JOINERS = "\u200d\ufe0e\ufe0f"

LINE_LIMIT = 200


def line_ends(text: str) -> str:
    """CR LF and lone CR as LF, as a text that is typed or split into lines needs them."""
    return _LINE_END.sub("\n", text)


def split_lines(text: str) -> list[str]:
    """The lines of a text, split at line ends only (``str.splitlines`` also splits at form feeds, file
    separators and U+2028, which agents' texts contain)."""
    return line_ends(text).split("\n")


def strip_controls(text: str) -> tuple[str, int]:
    """What may be typed into a terminal, and how many characters were taken out.

    Newlines and tabs stay; other C0, DEL, C1 and lone surrogates go. Line ends become LF and do not count.
    A text that holds ESC[201~ would otherwise end its own paste bracket (spikes.md section 1).
    """
    return _CONTROLS_BUT_LAYOUT.subn("", line_ends(text))


def clean_line(text: str, limit: int = LINE_LIMIT) -> str:
    """One line for people: control characters are blanks, bidi controls are gone, at most ``limit``
    characters with an ellipsis at the cut."""
    if len(text) <= limit and text.isascii() and text.isprintable():
        return text.strip()  # nearly every title, folder and name, many times a second
    # A hostile megabyte is cut before it is searched; what is removed is far less than the rest.
    shorter = text[: limit * 8 + 64]
    return limited(" ".join(_BIDI.sub("", _CONTROLS.sub(" ", shorter)).split(" ")).strip(), limit)


def clean_block(text: str, limit: int) -> str:
    """Several lines for people: tabs and newlines stay, else as ``clean_line``."""
    return limited(_BIDI.sub("", _CONTROLS_BUT_LAYOUT.sub("", line_ends(text[: limit * 8 + 64]))), limit)


def limited(text: str, limit: int) -> str:
    """At most ``limit`` characters; a cut shows as an ellipsis and never leaves half of a joined emoji."""
    if len(text) <= limit:
        return text
    end = max(limit - 1, 0)
    while end > 0 and (
        text[end] in _JOINERS or text[end - 1] == "\u200d" or unicodedata.combining(text[end])
    ):
        end -= 1
    return text[:end] + "…" if limit > 0 else ""
