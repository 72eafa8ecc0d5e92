"""When a busy stretch has finished: once, at its real end, with evidence in the transcript.

Theory. A stretch begins when the agent gets busy, goes on over working, helpers, dialogs and questions asked
while helpers run, and ends when the agent is idle or asks. It has finished when its file then shows an ended
turn with a reply that is newer than the stretch: idle alone is no evidence (a registry blinks, a file lags),
so until then the stretch only rests. An interrupted or failed turn ends a stretch without ``finished``, and
so does a reply that is only a status line: that is a header, no news.

Nobody has to have seen the agent busy: a whole turn may lie between two looks, or before the first one. News
is each reply that is newer than a mark, and the mark is where the last look ended: the newest reply that it
saw, for an agent or a session that it did not see at all the time of that look (``begin``), for an agent that
was gone the time when it was found gone.

What must never happen: two announcements of one stretch; news about what ended before we watched, before a
restart that had seen it, in a process that is gone, or in another session that was opened. All of ``Stretch``
is stored with the agent, so a restart knows what was told, and tells what ended while nobody watched.
"""

from __future__ import annotations

import msgspec

from controlroom.core.activity import Activity
from controlroom.core.blocks import parse_reply
from controlroom.core.facts import TurnState
from controlroom.core.text import limited

TEXT_LIMIT = 300
LINES = 3

NEWBORN_MS = 10_000
"""An agent may be found this long after its process began: the process table is up to 3 s old, and a program
is not recognised before it is up (4 s seen)."""


class Finished(msgspec.Struct, frozen=True, kw_only=True):
    """The end of a busy stretch; ``text`` is the first lines of its reply."""

    at_ms: int
    busy_ms: int
    text: str


class Stretch(msgspec.Struct, frozen=True, kw_only=True):
    """What is remembered between two looks, and over restarts. ``reply_at_ms``: replies up to this time are
    no news; None: nothing is known, so whatever stands there is none."""

    busy_since_ms: int | None = None
    is_resting: bool = False  # idle, but no reply of this stretch can be seen (yet)
    reply_at_ms: int | None = None
    session: str = ""
    finished: Finished | None = None


class Look(msgspec.Struct, frozen=True, kw_only=True):
    """One look: the derived activity and what the transcript says of the last turn. ``looked_ms``: when the
    look before it began."""

    activity: Activity
    now_ms: int
    looked_ms: int
    since_ms: int = 0  # since when the activity holds; 0: not known
    is_busy: bool = False  # a turn or helpers run behind the dialog or the question
    turn: TurnState = "none"
    turn_began_ms: int | None = None
    reply_at_ms: int = 0  # 0: no reply at all
    reply: str = ""
    session: str = ""  # "": not known


def begin(*, watching_ms: int, looked_ms: int, started_ms: int) -> Stretch:
    """The stretch of an agent that no look before this one has seen.

    ``watching_ms``: since when this control room watches; ``looked_ms``: when the look before this one began
    (at the first look: ``watching_ms``); ``started_ms``: when the agent's process began, 0 when not known.
    All that a process did that began since then was done before our eyes; of an older one, or of one that was
    out of our sight, only what it did since that look.
    """
    is_newborn = started_ms >= looked_ms - NEWBORN_MS
    return Stretch(reply_at_ms=max(watching_ms, started_ms) if is_newborn else looked_ms)


def taken_up(stretch: Stretch, started_ms: int) -> Stretch:
    """The stretch of an agent that a new process has taken up: what an earlier one left behind is no news."""
    if stretch.reply_at_ms is None:
        return stretch
    return msgspec.structs.replace(stretch, reply_at_ms=max(stretch.reply_at_ms, started_ms))


def follow(stretch: Stretch, look: Look) -> Stretch:
    """The stretch after one more look."""
    if look.activity == "gone":
        known = max(stretch.reply_at_ms or 0, look.reply_at_ms, look.now_ms)
        return Stretch(reply_at_ms=known, session=stretch.session, finished=stretch.finished)
    if look.session and stretch.session and look.session != stretch.session:
        known = max(stretch.reply_at_ms or 0, look.looked_ms)
        stretch = Stretch(reply_at_ms=known, finished=stretch.finished)
    if look.session:
        stretch = msgspec.structs.replace(stretch, session=look.session)
    if look.activity in ("unknown", "starting"):
        return stretch
    if look.is_busy or look.activity in ("working", "helpers"):
        return _busy(stretch, look)
    if look.activity == "blocked":
        return stretch  # a dialog that a person opened between turns
    return _at_rest(stretch, look)


def _busy(stretch: Stretch, look: Look) -> Stretch:
    since = stretch.busy_since_ms
    if since is None or stretch.is_resting:
        since = look.turn_began_ms if look.turn == "open" and look.turn_began_ms else look.since_ms
    return Stretch(
        busy_since_ms=min(since or look.now_ms, look.now_ms),
        reply_at_ms=look.reply_at_ms if stretch.reply_at_ms is None else stretch.reply_at_ms,
        session=stretch.session,
    )


def _at_rest(stretch: Stretch, look: Look) -> Stretch:
    known = stretch.reply_at_ms
    rest = Stretch(
        reply_at_ms=max(look.reply_at_ms, known or 0), session=stretch.session, finished=stretch.finished
    )
    if known is None or look.turn in ("interrupted", "failed"):
        return rest
    if look.reply_at_ms <= known or look.turn != "ended":
        return msgspec.structs.replace(stretch, is_resting=stretch.busy_since_ms is not None)
    if parse_reply(look.reply).status is not None:
        return rest
    ended = max(look.reply_at_ms, min(look.since_ms, look.now_ms))
    began = look.turn_began_ms if stretch.busy_since_ms is None else stretch.busy_since_ms
    busy_ms = max(0, ended - began) if began else 0
    return msgspec.structs.replace(
        rest, finished=Finished(at_ms=ended, busy_ms=busy_ms, text=_first_lines(look.reply))
    )


def _first_lines(reply: str) -> str:
    lines = [line.strip() for line in reply.splitlines() if line.strip()]
    return limited("\n".join(lines[:LINES]), TEXT_LIMIT)
