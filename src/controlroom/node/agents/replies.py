"""What an agent's reply is to a person: the kind of its bubble, a result's parts, and what it asks."""

from __future__ import annotations

from collections.abc import Iterable

from controlroom.core.blocks import parse_reply
from controlroom.core.question_block import Question
from controlroom.core.text import clean_block, line_ends
from controlroom.wire.model import Item, ItemKind, ResultParts
from controlroom.wire.node import AskedBlock, AskedOption, ReplyAsks, ResolvedLine

LONGEST_QUESTION, LONGEST_LABEL, LONGEST_WHAT = 2_000, 500, 1_000
LONGEST_CONTEXT, LONGEST_RAW, LONGEST_FIELD = 4_000, 8_000, 2_000
MOST_OPTIONS, MOST_BLOCKS = 50, 50


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


def asks_of(item_id: str, at_ms: int, text: str) -> ReplyAsks | None:
    """The questions and ``Resolved`` lines of a reply, from its whole text; None when it has none.

    Texts are limited; a block that lost something by that says so in its ``problem``.
    """
    parsed = parse_reply(text)
    if not parsed.questions and not parsed.resolved:
        return None
    return ReplyAsks(
        item_id=item_id,
        at_ms=at_ms,
        questions=tuple(_asked(question) for question in parsed.questions[:MOST_BLOCKS]),
        resolved=tuple(
            ResolvedLine(
                text=clean_block(line.text, LONGEST_QUESTION), why=clean_block(line.why, LONGEST_FIELD)
            )
            for line in parsed.resolved[:MOST_BLOCKS]
        ),
        more=max(0, len(parsed.questions) - MOST_BLOCKS),
    )


def asks_among(items: Iterable[Item]) -> tuple[ReplyAsks, ...]:
    """The same of items whose texts are whole, for those that never had another text."""
    replies = (item for item in items if item.kind in ("assistant", "question", "result"))
    found = (asks_of(item.id, item.at_ms, item.text or "") for item in replies)
    return tuple(asked for asked in found if asked is not None)


def _asked(question: Question) -> AskedBlock:
    default = question.default
    whole = {
        "question": (question.question, LONGEST_QUESTION),
        "default": (default.text if default else "", LONGEST_FIELD),
        "context": (question.context, LONGEST_CONTEXT),
        "doc": (question.doc, LONGEST_FIELD),
    }
    options = question.options[:MOST_OPTIONS]
    cut = [name for name, (text, longest) in whole.items() if len(text) > longest]
    if len(question.options) > MOST_OPTIONS:
        cut.append(f"options after the first {MOST_OPTIONS}")
    if any(len(one.label) > LONGEST_LABEL or len(one.what) > LONGEST_WHAT for one in options):
        cut.append("text of an option")
    problems = [question.problem or "", f"It is too long; cut: {', '.join(cut)}." if cut else ""]
    texts = {name: clean_block(text, longest) for name, (text, longest) in whole.items()}
    return AskedBlock(
        question=texts["question"],
        raw=clean_block(question.raw, LONGEST_RAW),
        options=tuple(
            AskedOption(
                key=one.key,
                label=clean_block(one.label, LONGEST_LABEL),
                what=clean_block(one.what, LONGEST_WHAT),
                recommended=one.recommended,
            )
            for one in options
        ),
        default=texts["default"] if default else None,
        by=clean_block(default.by, LONGEST_LABEL) if default else "",
        blocking=question.blocking,
        context=texts["context"],
        doc=texts["doc"],
        problem=" ".join(filter(None, problems)) or None,
        is_cut=bool(cut),
    )
