"""The messages that wait for one agent: strictly in order, one at a time."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

import msgspec

from controlroom.core.activity import Activity

HeldCode = Literal["working", "dialog", "draft", "startup", "in_agents_queue", "offline", "gone"]
"""Why a message waits (api.md, States)."""


class WaitingMessage(msgspec.Struct, frozen=True, kw_only=True):
    """``has_begun``: its intent is stored, so that it may stand typed somewhere."""

    id: str
    when: Literal["idle", "now"] = "idle"
    has_begun: bool = False


class Verdict(msgspec.Struct, frozen=True):
    """``code`` None: this message may go now."""

    id: str
    code: HeldCode | None
    text: str = ""


_HELD: dict[Activity, tuple[HeldCode, str]] = {
    "working": ("working", "Goes out when this turn ends."),
    "helpers": ("working", "Goes out when its helpers have ended."),
    "blocked": ("dialog", "Goes out when its open dialog is answered."),
    "starting": ("startup", "Goes out when it has started."),
    "unknown": ("offline", "Goes out when its state can be read again."),
    "gone": ("gone", "It does not run now; goes out when it is back."),
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
