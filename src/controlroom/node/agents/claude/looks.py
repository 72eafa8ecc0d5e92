"""A dialog as it is reported and answered: with its whole text and the session position it belongs to. Pure.

A dialog that is taller than the screen shows only the end of its text. What it asks about stands whole in the
transcript: the tool call without a result. That call is also the position: it stays the same while the dialog
is open, and the next dialog has another one, even with the same text.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import msgspec

from controlroom.core.facts import Dialog
from controlroom.node.agents.claude.panels import Panel
from controlroom.node.agents.claude.protocol import HELPER_TOOLS
from controlroom.node.agents.claude.turns import Call

_FOR_KIND = {"picker": "AskUserQuestion", "plan": "ExitPlanMode"}
ASKS_ABOUT_A_CALL = frozenset({"permission", *_FOR_KIND})
_OF_HELPER = "· from the "
_FIT = 60  # characters of a call's end that must be seen in the dialog


def about(panel: Panel, calls: Sequence[Call], of_helpers: Callable[[], Sequence[Call]]) -> Call | None:
    """The tool call that the dialog asks about; None when it asks about none.

    ``of_helpers`` reads files, so it is asked only when no call of the main conversation fits.
    """
    dialog = panel.dialog
    if dialog.kind in _FOR_KIND:
        return next((call for call in calls if call.name == _FOR_KIND[dialog.kind]), None)
    if dialog.kind != "permission":
        return next((call for call in calls if call.name not in HELPER_TOOLS), None)
    text = _squeezed(dialog.text)
    if _OF_HELPER not in dialog.text.partition("\n")[0]:
        for call in calls:
            if call.name not in HELPER_TOOLS and _fits(call, text):
                return call
    helpers = of_helpers()
    fitting = next((call for call in helpers if _fits(call, text)), None)
    return fitting or next(iter(helpers), None) or next(iter(calls), None)


def whole(panel: Panel, call: Call | None) -> Dialog:
    """The dialog with the text that the screen has no room for."""
    if not panel.partial or call is None or not call.given or panel.dialog.kind not in ("permission", "plan"):
        return panel.dialog
    question = panel.dialog.text.rsplit("\n\n", 1)[-1]
    return msgspec.structs.replace(panel.dialog, text=f"{call.title}\n\n{call.given}\n\n{question}")


def _fits(call: Call, text: str) -> bool:
    """Does the dialog show the end of what this call would do? A call without a text may be the one."""
    end = _squeezed(call.given)[-_FIT:]
    if call.name == "Bash":
        return end in text
    words = call.title.replace("/", " ").split()  # a path may be shown as seen from elsewhere
    return not words or words[-1][-_FIT:] in text


def _squeezed(text: str) -> str:
    return "".join(text.split())
