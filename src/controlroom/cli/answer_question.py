"""The half of ``controlroom answer`` that answers a question of the inbox."""

from __future__ import annotations

from typing import TYPE_CHECKING

from controlroom.cli.errors import wrong_use

if TYPE_CHECKING:
    from controlroom.cli.command import Call
    from controlroom.client import HubClient
    from controlroom.wire.question import Question


async def answer_question(
    call: Call, hub: HubClient, said: str, option: str | None, words: str | None
) -> None:
    """Answer it, or show it whole when nothing is chosen. Raises Refused when somebody was first."""
    from controlroom.cli.find_question import find_question
    from controlroom.cli.inbox import show_card
    from controlroom.cli.question_view import choose
    from controlroom.kit.clock import new_id
    from controlroom.wire.question import AnswerQuestion

    found = await find_question(hub, said)
    if option is None and words is None:
        if call.json:
            call.out.json(found)
        else:
            await show_card(call, hub, found)
        return
    if words is not None and not words.strip():
        raise wrong_use("The text is empty.")
    chosen = [] if option is None else [entry.key for entry in choose(found, option)]
    answer = AnswerQuestion(
        request_id=new_id("req"),
        option=None if not chosen else tuple(chosen) if found.multi else chosen[0],
        text=words,
    )
    done = await hub.answer_question(found.id, answer)
    if call.json:
        call.out.json(done)
    else:
        call.out.say(_outcome(call, done))


def _outcome(call: Call, done: Question) -> str:
    """What was answered, where its message stands, and how it is taken back."""
    from controlroom.cli.chat_view import delivery_words
    from controlroom.cli.question_view import answer_words

    parts = [f"Answered {answer_words(done)}."]
    if done.answer is not None and done.answer.delivery is not None:
        parts.append(delivery_words(done.answer.delivery).rstrip(".") + ".")
    if done.undo_until_ms is not None:
        parts.append(f"Take it back: {call.hint('undo', done.id)}")
    return " ".join(parts)
