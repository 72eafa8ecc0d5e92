"""Notifications as lines: a list, the reasons, and the settings."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from controlroom.cli import text
from controlroom.cli.look import compose
from controlroom.cli.palette import Role
from controlroom.cli.times import stamp
from controlroom.wire.notification import Notification, NotificationSend, NotificationSettings

INDENT = "  "

_STATES: Mapping[str, tuple[str, Role]] = {
    "pushed": ("told", "good"),
    "over": ("told", "rest"),
    "held": ("held", "work"),
    "gathered": ("gathered", "work"),
    "waiting": ("not yet", "work"),
    "dropped": ("not told", "rest"),
}
_SENDS = {"sent": "taken by", "waiting": "not yet taken by", "failed": "not taken by"}


def render_list(found: Sequence[Notification], now_ms: int, width: int, colour: bool) -> list[str]:
    """One line for each."""
    return [_head(one, now_ms, width, colour) for one in found]


def render_reasons(found: Sequence[Notification], now_ms: int, width: int, colour: bool) -> list[str]:
    """A paragraph for each: what, why, and what became of it on each device."""
    lines: list[str] = []
    for one in found:
        lines += [_head(one, now_ms, width, colour), *_wrapped(_sentences(one, now_ms), width)]
        lines += [INDENT + "| " + text.clip(text.line(row), max(width - 4, 20)) for row in one.lines]
        lines.append("")
    return lines[:-1]


def _head(one: Notification, now_ms: int, width: int, colour: bool) -> str:
    word, role = _STATES[one.state]
    return compose(
        [
            (text.pad(stamp(one.at_ms, now_ms), 6), "meta"),
            (text.pad(word, 9), role),
            (text.line(one.title, 200), "name"),
            (f"  {one.id[:10]}", "meta"),
        ],
        width,
        colour,
    )


def _sentences(one: Notification, now_ms: int) -> list[str]:
    said = [text.line(row, 600) for row in one.text.splitlines()]
    said.append(f"Why: {one.why}")
    if one.state == "waiting" and one.until_ms is not None:
        said.append(f"Not before {stamp(one.until_ms, now_ms)}.")
    if one.told_by is not None:
        said.append(f"It was told by {one.told_by[:10]}, with others.")
    elif one.state in ("pushed", "over") and not one.sends:
        said.append("No device had subscribed to notifications.")
    return said + [_send(send, now_ms) for send in one.sends]


def _send(send: NotificationSend, now_ms: int) -> str:
    whom = f"{text.line(send.name, 60)} ({text.line(send.channel, 40)})"
    more = f": {text.line(send.text, 300)}" if send.text else "."
    return f"{stamp(send.at_ms, now_ms)} {_SENDS[send.state]} {whom}{more}"


def render_settings(
    settings: NotificationSettings, names: Mapping[str, str], now_ms: int, width: int
) -> list[str]:
    """What is set, as it can be typed; ``names`` by the agent's id."""
    rows = [
        ("question", settings.question),
        ("waiting", f"{settings.waiting} (at a prompt for {settings.waiting_after_s:g} s)"),
        ("finished", f"{settings.finished} (after being busy for {settings.finished_after_s:g} s)"),
        ("trouble", settings.trouble),
        ("only_blocking", "yes" if settings.only_blocking else "no"),
        ("quiet", f"{settings.quiet} ({settings.zone})" if settings.quiet else "no quiet hours"),
        ("previews", settings.previews),
        *((names.get(id, id), rule) for id, rule in sorted(settings.agents.items())),
    ]
    lines = [f"{text.pad(text.line(name, 40), 16)} {text.line(value, 200)}" for name, value in rows]
    for snooze in settings.snoozes:
        what = names.get(snooze.what, snooze.what) if snooze.what else "everything"
        lines.append(f"Held until {stamp(snooze.until_ms, now_ms)}: {text.line(what, 60)}.")
    return [text.clip(line, width) for line in lines]


def _wrapped(sentences: Sequence[str], width: int) -> list[str]:
    return [
        INDENT + line for sentence in sentences for line in text.wrap(sentence, max(width - len(INDENT), 20))
    ]
