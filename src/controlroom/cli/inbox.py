"""``controlroom inbox``: the questions that wait for you, and how the others were closed."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from controlroom.cli.command import Call, question_argument
from controlroom.cli.command import command as declare
from controlroom.cli.errors import wrong_use

if TYPE_CHECKING:
    from controlroom.cli.question_view import QuestionView
    from controlroom.client import HubClient
    from controlroom.wire.question import Question, Questions


@declare(
    "inbox",
    examples="""
    controlroom inbox
    controlroom inbox q_3fa9
    controlroom inbox --agent orchard
    controlroom inbox --all --limit 200 | less -R
    controlroom inbox --json | jq -r '.questions[] | select(.blocking) | .question'
    """,
)
@question_argument(required=False)
@click.option("--all", "with_all", is_flag=True, help="The history too, the newest first.")
@click.option("--agent", metavar="AGENT", help="Only the questions of this agent.")
@click.option("--limit", type=click.IntRange(1, 200), help="With --all: how many; 50 without it.")
@click.option("--before", metavar="CURSOR", help="With --all: the page before this cursor.")
def command(
    call: Call, question: str | None, with_all: bool, agent: str | None, limit: int | None, before: str | None
) -> None:
    """The questions that wait for you: blocking ones, then the soonest default, then the oldest.

    With QUESTION (an id or its beginning) that one whole, with its history.
    """
    if question is not None and (with_all or agent or limit or before):
        raise wrong_use("With a question there is nothing else to choose.")
    if not with_all and (limit or before):
        raise wrong_use("--limit and --before go with --all.")
    if question is not None:
        call.hub(lambda hub: _show_one(call, hub, question))
    else:
        call.hub(lambda hub: _show_list(call, hub, with_all, agent, limit, before))


async def _show_list(
    call: Call, hub: HubClient, with_all: bool, agent: str | None, limit: int | None, before: str | None
) -> None:
    from controlroom.cli.find import pick
    from controlroom.cli.question_view import render_history, render_open

    fleet = await hub.fleet()
    agent_id = None if agent is None else pick(fleet, agent).id
    page = await hub.questions("all" if with_all else "open", before=before, agent_id=agent_id, limit=limit)
    if call.json:
        call.out.json(page)
        return
    view = await view_of(call, hub, page.questions)
    if view.paused:
        call.out.say(f"The Control Room is paused. Go on with: {call.hint('resume')}", "lamp")
        call.out.say()
    if with_all:
        _say_history(call, page, agent, render_history(page.questions, view))
    else:
        call.out.lines(render_open(page.questions, view))
        if page.questions:
            shown = view.ids[page.questions[0].id]
            call.out.say()
            call.out.say(f"More of one: {call.hint('inbox', shown)}", "meta")
            call.out.say(f"Answer one:  {call.hint('answer', shown, 'OPTION')}", "meta")


def _say_history(call: Call, page: Questions, agent: str | None, lines: list[str]) -> None:
    if not page.questions:
        call.out.say("No agent has asked anything yet.")
    call.out.lines(lines)
    if page.before is not None:
        only = [] if agent is None else ["--agent", agent]
        older = call.hint("inbox", "--all", *only, "--before", page.before)
        call.out.say()
        call.out.say(f"Older: {older}", "meta")


async def _show_one(call: Call, hub: HubClient, said: str) -> None:
    from controlroom.cli.find_question import find_question

    found = await find_question(hub, said)
    if call.json:
        call.out.json(found)
    else:
        await show_card(call, hub, found)


async def show_card(call: Call, hub: HubClient, question: Question) -> None:
    """One question whole, and what can be typed next."""
    from controlroom.cli.question_view import how_to_answer, render_card

    view = await view_of(call, hub, (question,))
    call.out.lines(render_card(question, view, is_whole=True))
    call.out.say()
    for way in how_to_answer(question, question.id, call.hint):
        call.out.say(way, "meta")


async def view_of(call: Call, hub: HubClient, questions: tuple[Question, ...]) -> QuestionView:
    """How these questions are drawn on this terminal."""
    from controlroom.cli.question_view import QuestionView, names_of, short_ids
    from controlroom.client import Refused
    from controlroom.kit.clock import SystemClock

    try:
        paused = (await hub.status()).paused is not None
    except Refused:  # agents may read the questions, and nothing about the room
        paused = False
    return QuestionView(
        now_ms=SystemClock().now_ms(),
        width=call.out.width,
        names=names_of(await hub.fleet()),
        ids=short_ids(one.id for one in questions),
        colour=call.out.colour,
        paused=paused,
    )
