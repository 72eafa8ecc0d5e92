"""Texts as Codex must get them, so that they are read as text (tried on 0.171.0). Pure.

A leading ``!`` runs the rest as a shell command, a leading ``/word`` is a command (also in front of more
lines), and a last word that begins with ``@`` or ``$`` opens a list of files or skills whose first entry
Enter then takes. A blank in front or behind prevents all of it; Codex trims it from the message. (0.60 trims
before it looks for the ``!``: the driver does not type such a message there at all.)
"""

from __future__ import annotations

from controlroom.core.text import line_ends, strip_controls
from controlroom.node.agents.base import SendAs


def harmless(text: str, send_as: SendAs) -> str:
    """See ``Driver.harmless``. CR LF would become two newlines, so line ends are LF first.

    Control characters are taken out only later, by who types: what they hide counts here.
    """
    typed = line_ends(text).rstrip("\n")
    if send_as == "command":
        return typed
    seen = strip_controls(typed)[0]
    if seen[:1] in ("/", "!", "@", "#", "$"):
        typed = " " + typed
    last = seen.split()[-1:] if not seen[-1:].isspace() else []
    return typed + " " if last and last[0][0] in "@$" else typed


def is_shell_line(text: str) -> bool:
    """Would it run as a shell command if blanks in front did not count?"""
    return strip_controls(text)[0].lstrip().startswith("!")
