"""What an agent's reply is to a person: the kind of its bubble, and a result's parts."""

from __future__ import annotations

from controlroom.core.blocks import parse_reply
from controlroom.core.text import line_ends
from controlroom.wire.model import ItemKind, ResultParts


def reply_kind(text: str) -> ItemKind | None:
    """The kind of bubble that an agent's text becomes; None for a ``Status:`` line, which is the header."""
    parsed = parse_reply(text)
    if parsed.status is not None:
        return None
    if parsed.ends_in_question:
        return "question"
    if parsed.result is not None:
        return "result"
    return "assistant"


def result_of(kind: ItemKind, text: str) -> ResultParts | None:
    """The parts of a reply of the kind ``result``, as shown (cut to its limit already).

    ``body`` is everything else in the reply: what stands before the block, and lines outside of the parts.
    """
    result = parse_reply(text).result if kind == "result" else None
    if result is None:
        return None
    before = line_ends(text).split(result.raw, 1)
    around = [part.strip() for part in before] if len(before) == 2 else []
    body = "\n\n".join(part for part in (*around[:1], result.body.strip(), *around[1:]) if part)
    return ResultParts(
        sentence=result.text,
        changed=result.changed,
        checked=result.checked,
        not_done=result.not_done,
        look_at=result.look_at,
        body=body,
    )
