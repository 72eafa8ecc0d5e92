"""Texts for Claude Code's composer: what it does to them, and how they stay what they are. Pure.

Seen with 2.1.332 (each tried by pasting and Enter):

* A text whose first visible character is ``/``, ``!`` or ``@`` is a command, a shell command or a mention of
  a file, also behind blanks, no-break spaces and newlines. ``exit``, ``quit``, ``:q`` and the like as the
  whole text quit the program. Invisible characters before it do not help: the program removes them, says
  "Removed 1 invisible character · review and press Enter to send", and the next Enter runs the command. A
  backslash in front makes each of them plain text; it is short, and everybody sees what was done.
* Invisible characters anywhere (soft hyphen, word joiner, direction marks, fillers …) are removed, and then
  Enter does not submit. So they are removed before typing. The joiners of emoji and of scripts stay.
* Text is composed (NFC), a tab becomes four spaces, blanks at the end are cut.
"""

from __future__ import annotations

import re
import unicodedata

from controlroom.core.delivery import SendAs
from controlroom.core.text import line_ends

ESCAPE = "\\"
_COMMAND = re.compile(r"\s*[/!@#]")
_QUIT = frozenset({"exit", "quit", ":q", ":q!", ":wq", ":wq!"})
# Default-ignorable characters other than joiners (200C, 200D), emoji styles (FE00-FE0F) and flag tags.
_INVISIBLE = re.compile(
    "[\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b\u200e\u200f\u202a-\u202e\u2060-\u206f"
    "\u3164\ufeff\uffa0\ufff0-\ufffb\U000e0000-\U000e001f\U000e0080-\U000e0fff\U0001d173-\U0001d17a]"
)
_LINES = re.compile("[\x85\u2028\u2029]")


def visible(text: str) -> str:
    """The text as the program keeps it: composed, without invisible characters."""
    return unicodedata.normalize("NFC", _INVISIBLE.sub("", _LINES.sub("\n", line_ends(text))))


def harmless(text: str, send_as: SendAs) -> str:
    """What is typed for a message. See ``Driver.harmless``."""
    clean = visible(text).rstrip()
    if send_as == "command":
        return clean
    if _COMMAND.match(clean) or clean.strip().lower() in _QUIT:
        return ESCAPE + clean.lstrip()
    return clean
