"""Agents that their multiplexer brought back on another account.

Herdr saves its panes and types the commands of its agents again after a restart, but without the variables
that were given to a pane. An agent that ran in a profile of its own then runs in the usual one, under another
account, and nothing on its screen says so.
"""

from __future__ import annotations

from typing import Literal

import msgspec

Change = Literal["same_process", "ours", "other"]


class Stay(msgspec.Struct, frozen=True):
    """Where an agent ran at one look: a text that names its pane, the pane's incarnation, and its profile."""

    pane: str
    incarnation: str
    profile: str


def strayed_from(was: Stay, now: Stay, before: str, change: Change) -> str:
    """The profile that the agent should run in, "" when it runs where it belongs.

    ``before`` is the last answer. Only a pane that came back under its old id, as another pane, counts: who
    starts an agent again by hand or through us has chosen its profile.
    """
    if change == "ours" or now.profile == before:
        return ""
    if change == "same_process":
        return before
    is_pane_back = was.pane == now.pane and bool(was.pane) and was.incarnation not in ("", now.incarnation)
    if is_pane_back and was.profile not in ("", now.profile):
        return before or was.profile
    return before if is_pane_back else ""


def words(profile: str, should_be: str) -> str:
    """The fault, and what to do."""
    return (
        f"Its multiplexer was restarted and started it again without its variables: it runs in {profile} now,"
        f" not in {should_be}. Move it back to that profile, or end it and start it there."
    )
