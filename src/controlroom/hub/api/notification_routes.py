"""Rows of the table of routes: notifications, why they were sent or not, and what the person wants."""

from __future__ import annotations

from controlroom.hub.api.parts import Parts
from controlroom.hub.api.route import Call, Parameter, Route
from controlroom.wire.notification import (
    Notification,
    Notifications,
    NotificationSettings,
    PatchNotificationSettings,
    SnoozeNotifications,
)

PAGE, LARGEST_PAGE = 50, 200


async def get_notifications(parts: Parts, call: Call) -> Notifications:
    return await parts.notifications.page(
        before=call.cursor("before"),
        limit=max(1, call.number("limit", PAGE, LARGEST_PAGE)),
        agent_id=call.query.get("agent") or None,
        question_id=call.query.get("question") or None,
    )


async def get_notification(parts: Parts, call: Call) -> Notification:
    return await parts.notifications.get(call.path["notification_id"])


async def get_settings(parts: Parts, call: Call) -> NotificationSettings:
    return parts.notifications.settings()


async def patch_settings(parts: Parts, call: Call) -> NotificationSettings:
    assert isinstance(call.body, PatchNotificationSettings)
    return await parts.notifications.patch(call.body)


async def post_snooze(parts: Parts, call: Call) -> NotificationSettings:
    assert isinstance(call.body, SnoozeNotifications)
    return await parts.notifications.snooze(call.body)


NOTIFICATION_ROUTES: tuple[Route, ...] = (
    Route(
        "GET",
        "/notifications",
        "What was sent or not, and why, the newest first.",
        get_notifications,
        Notifications,
        query=(
            Parameter("before", str, "the page before this cursor"),
            Parameter("limit", int, f"1 to {LARGEST_PAGE}, {PAGE} without it"),
            Parameter("agent", str, "only those about this agent"),
            Parameter("question", str, "only those about this question"),
        ),
    ),
    Route(
        "GET",
        "/notifications/settings",
        "What is told, when, and how much of it a locked screen shows.",
        get_settings,
        NotificationSettings,
    ),
    Route(
        "PATCH",
        "/notifications/settings",
        "Change what is told. What is not named stays.",
        patch_settings,
        NotificationSettings,
        body=PatchNotificationSettings,
    ),
    Route(
        "POST",
        "/notifications/snooze",
        "Hold everything, or what is about one agent or question, until a time.",
        post_snooze,
        NotificationSettings,
        body=SnoozeNotifications,
    ),
    Route(
        "GET",
        "/notifications/{notification_id}",
        "One notification: why, and what became of it on each device.",
        get_notification,
        Notification,
    ),
)
