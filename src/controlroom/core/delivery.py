"""Messages on their way to an agent: what is stored, how a try ends, and which texts are the same."""

from __future__ import annotations

import unicodedata
from typing import Literal

import msgspec

from controlroom.core.text import line_ends

HeldCode = Literal["working", "dialog", "draft", "startup", "in_agents_queue", "offline", "gone", "credit"]
SendWhen = Literal["idle", "now"]
SendAs = Literal["text", "command"]
OnDraft = Literal["wait", "after", "replace"]

WAITS: dict[HeldCode, str] = {
    "working": "Goes out when this turn ends.",
    "dialog": "Goes out when its open dialog is answered.",
    "draft": "Goes out when the unsent text in its input line is gone.",
    "startup": "Goes out when it has started; a start-up prompt may be open.",
    "in_agents_queue": "It waits in the agent's own queue.",
    "offline": "Goes out when its state can be read again.",
    "gone": "It does not run now; goes out when it is back.",
    "credit": "Goes out when you allow paid extra usage in the Inbox, or when its account has enough again.",
}
"""For what a held message waits, in the usual case of each reason."""


class Intent(msgspec.Struct, frozen=True, kw_only=True):
    """What is stored before the first key of a message is pressed, so that it can be looked for later."""

    session_id: str | None
    position: str  # the driver's opaque position: the message can only stand behind it
    text: str  # exactly what is typed
    draft: str = ""  # what stood in the composer before: the row is draft + text, or the draft was replaced
    entered: int = 0  # how many times Enter was (or may have been) pressed
    pasted: bool = False  # the paste was (or may have been) done
    queued: bool = False  # it stood in the agent's own queue: Enter is not ours any more


OutcomeState = Literal["held", "delivered", "unconfirmed", "failed"]


class Outcome(msgspec.Struct, frozen=True, kw_only=True):
    """How a try ended. ``code`` is one of the held codes of api.md; ``text`` says it for people.

    ``held`` loses nothing: either nothing of it stands typed, or an intent with ``pasted`` was stored and
    the message is looked for again with it (it stands in the agent's own queue, code ``in_agents_queue``, or
    in the composer behind a dialog or a turn that began meanwhile).
    """

    state: OutcomeState
    code: str = ""
    text: str = ""
    item_id: str | None = None  # the user row that proves delivery
    at_ms: int = 0


TraceState = Literal["row", "queued", "none", "unreadable"]


class Trace(msgspec.Struct, frozen=True, kw_only=True):
    """What the agent's own evidence says of a message behind its intent's position.

    ``row``: a user row holds it. ``queued``: it waits in the queue of the process that lives now (a queue
    that died with its process is ``none``). ``unreadable``: the file cannot be read, so nothing is known.
    """

    state: TraceState
    item_id: str | None = None
    at_ms: int = 0


AgentNow = Literal["idle", "working", "waiting", "starting", "unknown"]
"""What an agent's own evidence says right now (registry, socket, transcript; never the screen alone).
``idle``: a text handed over now starts a turn (a background shell or helpers may run); ``working``: a turn
runs; ``waiting``: it needs a person; ``unknown``: missing or contradictory."""


# --- comparing texts ---------------------------------------------------------------------------------


def _as_row(text: str) -> str:
    """Composers turn tabs into four spaces and trim the ends."""
    lines = line_ends(text).replace("\t", "    ").split("\n")
    return "\n".join(line.rstrip() for line in lines).strip()


def same_message(row: str, intent: Intent) -> bool:
    """Is this user row the intent's message? Behind a draft the row only ends with it."""
    said, typed = _as_row(row), _as_row(intent.text)
    return bool(typed) and (said == typed or (bool(intent.draft.strip()) and said.endswith(typed)))


def shows_whole(shown: str, text: str) -> bool:
    """Do these rows of a screen show exactly this text?

    White space does not count (rows wrap and are indented), nor do accents and joiners, which a terminal may
    drop; symbols such as emoji are left out only where letters remain to compare.
    """
    if _visible(shown, keep_symbols=True) == _visible(text, keep_symbols=True):
        return bool(shown.strip())
    letters = _visible(text, keep_symbols=False)
    return bool(letters) and _visible(shown, keep_symbols=False) == letters


def _visible(text: str, *, keep_symbols: bool) -> str:
    dropped = ("Z", "C", "M") if keep_symbols else ("Z", "C", "M", "S")
    decomposed = unicodedata.normalize("NFKD", text)
    return "".join(char for char in decomposed if not unicodedata.category(char).startswith(dropped))
