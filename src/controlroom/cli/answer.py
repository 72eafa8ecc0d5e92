"""``controlroom answer``: answer a question, or the prompt that an agent waits at.

A question has an id for its life: it is asked for by that, and the first answer wins. A prompt has none that
a person types. The worst that could happen there is an answer to a prompt that nobody saw. So: the id of the
prompt that was shown goes with the answer and the hub refuses when another one is open; an answer typed after
a look is refused when the prompt has changed since; at a terminal an unseen prompt is shown first; what is
risky needs more. For the same reason an agent's name never stands for its question.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from controlroom.cli.command import Call, asked_argument
from controlroom.cli.command import command as declare
from controlroom.cli.errors import CliError, wrong_use

if TYPE_CHECKING:
    from controlroom.client import HubClient
    from controlroom.wire.model import Agent, DialogOption, WaitingFor

CHANGED = "The prompt changed. Nothing was sent."


@declare(
    "answer",
    examples="""
    controlroom answer q_3fa9 1
    controlroom answer q_3fa9 "Only this year's" --text "but tell me when it is done"
    controlroom answer q_3fa9 --text "Ask the accountant first"
    controlroom answer orchard
    controlroom answer orchard "No"
    """,
)
@asked_argument()
@click.argument("option", metavar="[OPTION]", required=False)
@click.option("--text", "words", help="Words of your own; with OPTION both arrive in one message.")
@click.option("--waiting-id", help="Id of the prompt you mean (from fleet --json); refused when it changed.")
@click.option("--yes", is_flag=True, help="Answer without being asked, also what is lasting or risky.")
def command(
    call: Call, asked: str, option: str | None, words: str | None, waiting_id: str | None, yes: bool
) -> None:
    """Answer a question, or the prompt an agent waits at.

    QUESTION is an id of the inbox, or its beginning with q_. AGENT is a name: then it is the prompt in its
    terminal. OPTION is the key or the whole label of an option; several with commas where it takes them.
    Without it the question or prompt is shown whole.
    """
    from controlroom.cli.find_question import PREFIX

    if not asked.startswith(PREFIX):
        call.hub(lambda hub: _answer(call, hub, asked, option, words, waiting_id, yes))
    elif waiting_id is not None:
        raise wrong_use("--waiting-id belongs to a prompt; a question has its own id.")
    else:
        from controlroom.cli.answer_question import answer_question

        call.hub(lambda hub: answer_question(call, hub, asked, option, words))


async def _answer(
    call: Call,
    hub: HubClient,
    said: str,
    option: str | None,
    words: str | None,
    waiting_id: str | None,
    yes: bool,
) -> None:
    from controlroom.cli import text
    from controlroom.cli.find import pick
    from controlroom.kit.clock import new_id
    from controlroom.wire.client import AnswerDialog

    agent = pick(await hub.fleet(), said)
    waiting = agent.waiting_for
    if waiting is None:
        raise CliError(
            f"{text.line(agent.name, 60)} waits at no prompt now. Nothing was sent."
            f"{await _open_questions(call, hub, agent)}",
            "changed",
        )
    if option is None and words is None:
        _show(call, agent, waiting, with_json=True)
        return
    if waiting_id is not None and waiting_id != waiting.id:
        raise CliError(f"{CHANGED} Look again: {call.hint('answer', agent.name)}", "changed")
    chosen = _chosen(waiting, option)
    _check_seen(call, agent, waiting, chosen, words, waiting_id, yes)
    request = AnswerDialog(
        request_id=new_id("req"),
        waiting_id=waiting.id,
        option=",".join(entry.key for entry in chosen) or None,
        text=words,
    )
    done = await hub.answer(agent.id, request)
    if call.json:
        call.out.json(done)
    else:
        detail = f" {text.line(done.detail, 300)}" if done.detail else ""
        call.out.say(f"Answered {_in_words(chosen, words)}.{detail}")


async def _open_questions(call: Call, hub: HubClient, agent: Agent) -> str:
    """Where its questions are, for somebody who meant one; "" when it has none."""
    asked = (await hub.questions(agent_id=agent.id)).questions
    if not asked:
        return ""
    if len(asked) == 1:
        return f" It has a question: {call.hint('answer', asked[0].id)}"
    return f" It has {len(asked)} questions: {call.hint('inbox', '--agent', agent.name)}"


def _chosen(waiting: WaitingFor, option: str | None) -> list[DialogOption]:
    from controlroom.cli.dialog_view import choose

    return [] if option is None else choose(waiting, option)


def _show(call: Call, agent: Agent, waiting: WaitingFor, *, with_json: bool) -> None:
    from controlroom.cli.dialog_view import how_to_answer, render_dialog
    from controlroom.cli.seen import note_seen
    from controlroom.kit.clock import SystemClock

    note_seen(call.home.path, agent.id, waiting.id)
    if with_json and call.json:
        call.out.json(waiting)
        return
    call.out.lines(render_dialog(agent, waiting, SystemClock().now_ms(), call.out.width, call.out.colour))
    if with_json:
        call.out.say()
        for entry in how_to_answer(agent, waiting, call.hint):
            call.out.say(entry, "meta")


def _check_seen(
    call: Call,
    agent: Agent,
    waiting: WaitingFor,
    chosen: list[DialogOption],
    words: str | None,
    waiting_id: str | None,
    yes: bool,
) -> None:
    """Raise unless this very prompt was seen, and unless what is risky is really meant."""
    from controlroom.cli.confirm import can_ask, confirm, confirm_by_typing
    from controlroom.cli.seen import last_seen

    is_asking = can_ask() and not call.json and not yes
    seen = waiting_id or last_seen(call.home.path, agent.id)
    if seen is not None and seen != waiting.id and not yes:
        if not call.json:
            _show(call, agent, waiting, with_json=False)
            call.out.say()
        raise CliError(f"{CHANGED} This prompt is a new one; answer it if you mean it.", "changed")
    risky = [option for option in chosen if option.risky]
    if seen is None and is_asking:
        _show(call, agent, waiting, with_json=False)
        call.out.say()
        if not risky and not confirm(f"Answer {_in_words(chosen, words)}?"):
            raise CliError("Nothing was sent.", "failed")
    if not risky or yes:
        return
    if not is_asking:
        raise wrong_use(
            f"{_in_words(risky, None)} is lasting or risky. Nothing was sent; add --yes if you mean it."
        )
    wanted = risky[0].label.strip()
    if not confirm_by_typing(f"{_in_words(risky, None)} is lasting or risky.", wanted):
        raise CliError("Nothing was sent.", "failed")


def _in_words(chosen: list[DialogOption], words: str | None) -> str:
    from controlroom.cli import text

    parts = [f"“{text.line(option.label, 200)}”" for option in chosen]
    if words is not None:
        parts.append(f"“{text.line(words, 200)}”")
    return ", ".join(parts)
