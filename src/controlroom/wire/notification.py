"""Notifications: what was sent, what was not, and why; and what the person wants (docs/reference/api.md)."""

from __future__ import annotations

from typing import Literal

import msgspec

from controlroom.core.notify.model import AgentRule, Previews, PushKind, State, Switch
from controlroom.wire.model import Struct

SendState = Literal["waiting", "sent", "failed"]


class NotificationSend(Struct, frozen=True, kw_only=True):
    """What became of one notification on one way to one device. ``id``: of the subscription; ``sent``: the
    other side took it; whether anybody saw it is not known. ``text``: why it waits or failed."""

    id: str
    channel: str
    name: str
    state: SendState
    at_ms: int
    text: str = ""


class Notification(Struct, frozen=True, kw_only=True):
    """One thing that was worth a thought, and what was decided. ``state``: ``waiting`` and ``held`` until
    ``until_ms``; ``gathered`` for the next one of many; ``pushed``; ``dropped``: never sent; ``over``: sent,
    and needs nobody any more. ``told_by``: the notification of many that told of it; ``members``: how many
    this one tells of. ``lines``: the last of the screen, outside text, not in events."""

    id: str
    kind: PushKind
    state: State
    began_ms: int
    at_ms: int
    title: str
    text: str
    why: str
    open: str
    blocking: bool = False
    until_ms: int | None = None
    agent_id: str | None = None
    chat_id: str | None = None
    question_id: str | None = None
    told_by: str | None = None
    members: int = 0
    badge: int = 0
    lines: tuple[str, ...] = ()
    sends: tuple[NotificationSend, ...] = ()


class Notifications(Struct, frozen=True, kw_only=True):
    """The newest first. ``before``: cursor of an older page."""

    notifications: tuple[Notification, ...]
    before: str | None = None


class NotificationSnooze(Struct, frozen=True, kw_only=True):
    """``what``: an agent's or a question's id; "": everything."""

    what: str
    until_ms: int


class NotificationSettings(Struct, frozen=True, kw_only=True, omit_defaults=False):
    """What the person wants, for all devices. ``quiet``: hours such as ``22:00-07:30``, "" for none, in
    ``zone``; ``agents``: by id, those that differ. Times of the settings file are shown, not set, here."""

    question: Switch
    waiting: Switch
    finished: Switch
    trouble: Switch
    only_blocking: bool
    quiet: str
    previews: Previews
    agents: dict[str, AgentRule]
    snoozes: tuple[NotificationSnooze, ...]
    finished_after_s: float
    waiting_after_s: float
    zone: str


class PatchNotificationSettings(msgspec.Struct, frozen=True, kw_only=True):
    """What is named is set, the rest stays. An agent's rule ``all`` makes it as the others."""

    question: Switch | None = None
    waiting: Switch | None = None
    finished: Switch | None = None
    trouble: Switch | None = None
    only_blocking: bool | None = None
    quiet: str | None = None
    previews: Previews | None = None
    agents: dict[str, AgentRule] | None = None


class SnoozeNotifications(msgspec.Struct, frozen=True, kw_only=True):
    """Nothing of ``what`` ("": of everything) until then; a time that is past ends a snooze."""

    what: str = ""
    until_ms: int = 0
