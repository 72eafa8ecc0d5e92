"""A notice as bytes that fit: texts are shortened at a character, the body first. Pure."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

import msgspec
from msgspec.structs import replace

from controlroom.hub.channels.base import Notice

LONGEST_TITLE: Final = 120  # characters; phones show about 50
LONGEST_LABEL: Final = 60
MOST_GONE: Final = 20  # tags; the newest are last
ELLIPSIS: Final = "…"

# Half of a pair of code points is worse than none: a letter with its accent, a flag, a family.
_JOINERS: Final = frozenset("\u200d\ufe0f\ufe0e")


def cut(text: str, longest: int) -> str:
    """The text with at most so many characters; an ellipsis stands for what is missing."""
    if len(text) <= longest:
        return text
    end = max(0, longest - 1)
    while end and (_joins(text[end]) or text[end - 1] == "\u200d"):
        end -= 1
    return text[:end].rstrip() + ELLIPSIS


def _joins(char: str) -> bool:
    """Whether it belongs to the character before it: an accent, a skin tone, a joiner, half of a flag."""
    code = ord(char)
    return (
        char in _JOINERS
        or 0x0300 <= code <= 0x036F
        or 0x1F3FB <= code <= 0x1F3FF
        or 0x1F1E6 <= code <= 0x1F1FF
        or 0xE0020 <= code <= 0xE007F
    )


def trimmed(notice: Notice) -> Notice:
    """With every field but the body at a length that nobody misses."""
    return replace(
        notice,
        title=cut(notice.title, LONGEST_TITLE),
        actions=tuple(replace(one, label=cut(one.label, LONGEST_LABEL)) for one in notice.actions[:2]),
        gone=notice.gone[-MOST_GONE:],
    )


def fitted(notice: Notice, encode: Callable[[Notice], bytes], longest: int) -> tuple[bytes, bool]:
    """The notice as ``encode`` writes it, in at most ``longest`` bytes, and whether its body lost its end.

    Raises ValueError when it does not fit even without its body.
    """
    notice = trimmed(notice)
    whole = encode(notice)
    if len(whole) <= longest:
        return whole, False
    low, high, best = 0, min(len(notice.body), longest), None
    while low <= high:
        middle = (low + high) // 2
        tried = encode(replace(notice, body=cut(notice.body, middle) if middle else ""))
        if len(tried) <= longest:
            best, low = tried, middle + 1
        else:
            high = middle - 1
    if best is None:
        raise ValueError("it does not fit without its text")
    return best, True


class WebAction(msgspec.Struct, frozen=True):
    action: str
    title: str


class WebNotice(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What our service worker reads (``web/src/sw/notice.ts``)."""

    id: str
    kind: str
    tag: str
    title: str
    body: str
    open: str
    at_ms: int
    badge: int = 0
    actions: tuple[WebAction, ...] = ()
    question_id: str | None = None
    agent_id: str | None = None
    is_urgent: bool = False
    gone: tuple[str, ...] = ()


def web(notice: Notice) -> bytes:
    """As our own app reads it, over Web Push and in the data of APNs and FCM."""
    return msgspec.json.encode(
        WebNotice(
            id=notice.id,
            kind=notice.kind,
            tag=notice.tag,
            title=notice.title,
            body=notice.body,
            open=notice.open,
            at_ms=notice.at_ms,
            badge=notice.badge,
            actions=tuple(WebAction(one.id, one.label) for one in notice.actions),
            question_id=notice.question_id,
            agent_id=notice.agent_id,
            is_urgent=notice.urgency == "high",
            gone=notice.gone,
        )
    )
