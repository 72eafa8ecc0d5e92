"""What ``skip``, ``dismiss``, ``undo`` and ``reopen`` have in common: one act on one question."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from controlroom.cli.command import Decorator

if TYPE_CHECKING:
    from controlroom.cli.command import Call
    from controlroom.client import HubClient
    from controlroom.client.hub import QuestionAct
    from controlroom.wire.question import Question


def why_option() -> Decorator:
    return click.option("--why", metavar="TEXT", help="Why; it stands in the question's history.")


def act_on(call: Call, act: QuestionAct, said: str, why: str | None) -> None:
    """Do it, and say how the question stands now. Raises Refused when somebody else was first."""
    call.hub(lambda hub: _act(call, hub, act, said, why))


async def _act(call: Call, hub: HubClient, act: QuestionAct, said: str, why: str | None) -> None:
    from controlroom.cli.find_question import find_question
    from controlroom.kit.clock import new_id
    from controlroom.wire.question import CloseQuestion

    found = await find_question(hub, said)
    done = await hub.close_question(found.id, act, CloseQuestion(request_id=new_id("req"), why=why))
    if call.json:
        call.out.json(done)
    else:
        call.out.say(outcome(call, act, done))


def outcome(call: Call, act: QuestionAct, done: Question) -> str:
    """What became of it, and how it is taken back."""
    from controlroom.cli import text

    asked = f"“{text.line(done.question, 120)}”"
    match act:
        case "skip":
            told = "The agent is told that nobody decided."
            return f"Skipped: {asked}. {told} Take it back: {call.hint('undo', done.id)}"
        case "dismiss":
            return f"Dismissed: {asked}. Nothing is typed. Take it back: {call.hint('undo', done.id)}"
    if done.state == "open":
        return f"Open again: {asked}"
    return f"It is being taken back: {asked}"
