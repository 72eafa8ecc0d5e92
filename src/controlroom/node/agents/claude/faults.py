"""What is broken about an agent, in one line that says what to do. Pure; the first that applies."""

from __future__ import annotations

from controlroom.core.facts import Fault
from controlroom.core.text import clean_line
from controlroom.node.agents.claude.screens import View
from controlroom.node.agents.claude.turns import Failure

TEXT_LIMIT = 300


def startup_prompt(view: View | None, since_ms: int) -> Fault | None:
    """The program is not up: it asks something first."""
    if view is None or view.reading.look != "startup" or view.reading.dialog is None:
        return None
    first = next((line for line in view.reading.dialog.text.splitlines() if line.strip()), "")
    return _fault(
        "startup_prompt",
        f"It asks before it starts ({first.strip()}): answer it here or in its pane.",
        since_ms,
    )


def signed_out(view: View | None, failure: Failure | None, since_ms: int) -> Fault | None:
    """Nobody is logged in, or the login is not taken."""
    if failure is not None and failure.code == "signed_out":
        text = f"It is signed out ({failure.text}): run /login in its pane, or mend its key."
        return _fault("signed_out", text, failure.at_ms)
    if view is not None and view.signed_out:
        return _fault("signed_out", "Nobody is logged in there: run /login in its pane.", since_ms)
    return None


def failed(failure: Failure | None, now_ms: int) -> Fault | None:
    """The last turn ended in an error. A usage limit is over when its reset time has passed."""
    if failure is None:
        return None
    if failure.code == "usage_limit":
        if failure.resets_ms is not None and failure.resets_ms <= now_ms:
            return None
        return _fault("usage_limit", f"{failure.text}. Wait, or go on with another account.", failure.at_ms)
    if failure.code == "api_error":
        return _fault(
            "api_error", f"Its last turn failed: {failure.text} Send the message again.", failure.at_ms
        )
    return None


def history_missing(session_id: str, since_ms: int) -> Fault:
    text = f"The file of its session {session_id} is gone: restore it from a backup before you go on."
    return _fault("history_missing", text, since_ms)


def unreadable(path: str, error: OSError, since_ms: int) -> Fault:
    text = f"{path} cannot be read ({error.strerror}): give this user the right to read it."
    return _fault("unreadable", text, since_ms)


def crashed(folder: str, session_id: str | None, at_ms: int) -> Fault:
    """It was killed or broke down. What it said stays; a new process can go on with it."""
    how = f"claude --resume {session_id}" if session_id else "claude"
    return _fault(
        "crashed", f"It was killed or crashed. Start it again in {folder or 'its folder'}: {how}", at_ms
    )


def _fault(code: str, text: str, since_ms: int) -> Fault:
    return Fault(code, clean_line(text, TEXT_LIMIT), since_ms)
