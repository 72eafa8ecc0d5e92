"""When a busy stretch has finished: once, at its real end, with evidence in the transcript.

A stretch begins when the agent gets busy (working, waiting on helpers, blocked in a turn) and ends when it is
idle or asks a question while a reply of this stretch stands in its file. An interrupted or failed turn ends a
stretch without "finished". What must never happen: two announcements of one stretch (helpers that end later
wake the agent, so the stretch goes on through them), and news at a restart about what ended before.
"""

from __future__ import annotations

import msgspec

from controlroom.core.facts import TurnState
from controlroom.wire.model import Activity, Finished

TEXT_LIMIT = 300


class Stretch(msgspec.Struct, frozen=True, kw_only=True):
    """What is remembered between two looks, and over restarts. ``reply_at_ms`` None: never looked yet."""

    busy_since_ms: int | None = None
    is_resting: bool = False  # it looked idle, but no reply of the stretch stands in the file (yet)
    reply_at_ms: int | None = None
    finished: Finished | None = None


class Look(msgspec.Struct, frozen=True, kw_only=True):
    """One look: the derived activity and what the transcript says of the last turn."""

    activity: Activity
    now_ms: int
    turn: TurnState = "none"
    turn_began_ms: int | None = None
    reply_at_ms: int = 0  # 0: no reply at all
    reply: str = ""


def follow(stretch: Stretch, look: Look) -> Stretch:
    """The stretch after one more look."""
    match look.activity:
        case "unknown" | "starting":
            return stretch
        case "gone":
            return msgspec.structs.replace(stretch, busy_since_ms=None, is_resting=False)
        case "blocked" if look.turn != "open":
            return stretch  # a dialog that a person opened between turns, or before the first
        case "working" | "helpers" | "blocked":
            return _busy(stretch, look)
    return _resting(stretch, look)


def _busy(stretch: Stretch, look: Look) -> Stretch:
    since = stretch.busy_since_ms
    if since is None or stretch.is_resting:
        since = look.turn_began_ms or look.now_ms
    reply_at = look.reply_at_ms if stretch.reply_at_ms is None else stretch.reply_at_ms
    return Stretch(busy_since_ms=since, reply_at_ms=reply_at)


def _resting(stretch: Stretch, look: Look) -> Stretch:
    if stretch.reply_at_ms is None:
        return Stretch(reply_at_ms=look.reply_at_ms)  # the first look: whatever ended is old news
    if look.turn in ("interrupted", "failed"):
        return Stretch(reply_at_ms=look.reply_at_ms, finished=stretch.finished)
    if look.reply_at_ms <= stretch.reply_at_ms:
        return msgspec.structs.replace(stretch, is_resting=stretch.busy_since_ms is not None)
    began = look.turn_began_ms if stretch.busy_since_ms is None else stretch.busy_since_ms
    return Stretch(
        reply_at_ms=look.reply_at_ms,
        finished=Finished(
            at_ms=look.reply_at_ms,
            busy_ms=max(0, look.reply_at_ms - (began or look.reply_at_ms)),
            text=look.reply.strip()[:TEXT_LIMIT],
        ),
    )
