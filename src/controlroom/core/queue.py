"""The messages that wait for one agent: strictly in order, one at a time."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from controlroom.core.activity import Activity
from controlroom.core.delivery import WAITS, HeldCode, Intent, SendWhen


class WaitingMessage(msgspec.Struct, frozen=True, kw_only=True):
    """``has_begun``: it may stand typed somewhere (``has_begun`` of its intent)."""

    id: str
    when: SendWhen = "idle"
    has_begun: bool = False


def has_begun(intent: Intent | None) -> bool:
    """May anything of the message have been typed? Only then it is looked for; until then it can be changed
    and taken back. An intent without a paste keeps a draft, or was taken back before anything was typed."""
    return intent is not None and intent.pasted


class Verdict(msgspec.Struct, frozen=True):
    """``code`` None: this message may go now."""

    id: str
    code: HeldCode | None
    text: str = ""


_HELD: dict[Activity, tuple[HeldCode, str]] = {
    "working": ("working", WAITS["working"]),
    "helpers": ("working", "Goes out when its helpers have ended."),
    "blocked": ("dialog", WAITS["dialog"]),
    "starting": ("startup", WAITS["startup"]),
    "unknown": ("offline", WAITS["offline"]),
    "gone": ("gone", WAITS["gone"]),
}


def sort_out(activity: Activity, waiting: Sequence[WaitingMessage]) -> tuple[Verdict, ...]:
    """What each message of one agent may do now, in order: the first may go or says why not, the rest wait.

    A message that has begun always goes on: it has to be looked for. ``now`` goes while the agent works.
    """
    verdicts: list[Verdict] = []
    for index, message in enumerate(waiting):
        if index:
            verdicts.append(Verdict(message.id, "working", "Waits for an earlier message."))
        elif message.has_begun or (message.when == "now" and activity in ("working", "helpers")):
            verdicts.append(Verdict(message.id, None))
        else:
            held = _HELD.get(activity)
            verdicts.append(Verdict(message.id, *held) if held else Verdict(message.id, None))
    return tuple(verdicts)
