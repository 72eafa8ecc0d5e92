"""Texts as Codex must get them, so that they are read as text (tried on 0.171.0). Pure.

A leading ``!`` runs the rest as a shell command, a leading ``/word`` is a command (also in front of more
lines), and a last word that begins with ``@`` or ``$`` opens a list of files or skills whose first entry
Enter then takes. A blank in front or behind prevents all of it; Codex trims it from the message.
"""

from __future__ import annotations

from controlroom.core.text import line_ends
from controlroom.node.agents.base import SendAs


def harmless(text: str, send_as: SendAs) -> str:
    """See ``Driver.harmless``. CR LF would become two newlines, so line ends are LF first."""
    typed = line_ends(text).rstrip("\n")
    if send_as == "command":
        return typed
    if typed[:1] in ("/", "!", "@", "#", "$"):
        typed = " " + typed
    last = typed.split()[-1:] if not typed[-1:].isspace() else []
    return typed + " " if last and last[0][0] in "@$" else typed
