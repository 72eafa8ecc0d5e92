"""``controlroom ask``: ask the person by command, and wait for the answer.

Exit status, besides the usual ones (1 failed, 2 wrong use, 3 the control room cannot be reached):

====  ===========================================================
0     asked; with --wait: answered, and the answer was printed
4     its time was over: use your default (printed)
5     skipped: nobody decided, and this is no approval
6     dismissed
7     resolved: it is settled or out of date
8     superseded: a newer question took its place
9     expired: nobody can answer it any more
10    still open when the time of --timeout was over
====  ===========================================================
"""

from __future__ import annotations

import sys
from collections.abc import Mapping
from typing import TYPE_CHECKING

import click

from controlroom.cli.command import Call
from controlroom.cli.command import command as declare
from controlroom.cli.errors import wrong_use

if TYPE_CHECKING:
    from controlroom.client import HubClient
    from controlroom.wire.question import AskQuestion, Question, QuestionState

STILL_OPEN = 10
ENDS: Mapping[QuestionState, int] = {
    "answered": 0,
    "default": 4,
    "skipped": 5,
    "dismissed": 6,
    "resolved": 7,
    "superseded": 8,
    "expired": 9,
}
LONGEST_WAIT_S = 25  # of one request; a line in between that forgets quiet connections does not matter then
PATIENCE_S = 120.0  # how long a restart of the control room may take while we wait
PAUSE_S = 0.3  # between two requests, when one is answered or fails at once


@declare(
    "ask",
    examples="""
    controlroom ask "Shall the old invoices move too?" -o "All: 20 minutes" -o "None (recommended)" --wait
    controlroom ask "Ship it now?" -o Yes -o No --default No --by "90 min" --wait --timeout 100
    controlroom ask "May I buy the licence?" --blocking --context "It costs 40 euros a year."
    controlroom ask "Which name?" --agent orchard --json
    """,
)
@click.argument("question", metavar="QUESTION")
@click.option(
    "-o",
    "--option",
    "options",
    multiple=True,
    metavar="TEXT",
    help='"NAME: what happens", and (recommended).',
)
@click.option("--multi", is_flag=True, help="Several options may be chosen.")
@click.option("--default", metavar="TEXT", help="What you do when nobody answers in time.")
@click.option("--by", metavar="TIME", help="When: 18:00, tomorrow 09:00, 2026-12-31 18:00 UTC, 90 min.")
@click.option("--blocking", is_flag=True, help="Only the person may decide; no default is used.")
@click.option("--context", metavar="TEXT", help="One or two sentences.")
@click.option("--doc", metavar="LINK", help="Where the options are laid out.")
@click.option("--agent", metavar="AGENT", help="Who asks; in an agent's pane it is that agent.")
@click.option("--wait", is_flag=True, help="Wait until it is closed, and print the answer.")
@click.option("--timeout", type=click.FloatRange(min=0), metavar="SECONDS", help="Wait at most so long.")
@click.option("--id", "question_id", help="Id of the question: the same id twice is one question.")
def command(
    call: Call,
    question: str,
    options: tuple[str, ...],
    multi: bool,
    default: str | None,
    by: str | None,
    blocking: bool,
    context: str | None,
    doc: str | None,
    agent: str | None,
    wait: bool,
    timeout: float | None,
    question_id: str | None,
) -> None:
    """Ask the person something, and wait for the answer.

    QUESTION is the question, or - to read it from standard input. It stays open when the waiting ends; the
    answer then comes as a message.

    \b
    Exit status with --wait:
      0  answered: the chosen name, and below it what the person wrote
      4  its time was over: use your default (printed)
      5  skipped: nobody decided, and this is no approval
      6  dismissed              7  resolved: settled or out of date
      8  a newer one asks it    9  nobody can answer it any more
     10  still open after --timeout
    """
    from controlroom.core.question_block import choices
    from controlroom.kit.clock import new_id
    from controlroom.wire.question import AskQuestion, QuestionOption

    if timeout is not None and not wait:
        raise wrong_use("--timeout goes with --wait.")
    if by is not None and default is None:
        raise wrong_use("--by goes with --default.")
    if multi and len(options) < 2:
        raise wrong_use("--multi needs two options at least.")
    found = choices([_checked(option) for option in options])
    if len({one.label.casefold() for one in found}) < len(found):
        raise wrong_use("Two options have the same name.")
    asked = AskQuestion(
        id=question_id or new_id("q"),
        question=_whole_text(question),
        options=tuple(
            QuestionOption(key=one.key, label=one.label, what=one.what or None, recommended=one.recommended)
            for one in found
        ),
        multi=multi,
        default=default,
        by=by,
        blocking=blocking,
        context=context,
        doc=doc,
    )
    call.hub(lambda hub: _ask(call, hub, asked, agent, wait, timeout))


def _checked(option: str) -> str:
    if not option.strip():
        raise wrong_use("An option is empty.")
    return option.strip()


def _whole_text(said: str) -> str:
    if said == "-":
        said = sys.stdin.buffer.read().decode(errors="replace")
    if not said.strip():
        raise wrong_use("The question is empty.")
    return said.strip()


async def _ask(
    call: Call, hub: HubClient, asked: AskQuestion, agent: str | None, wait: bool, timeout: float | None
) -> None:
    import msgspec

    from controlroom.cli.find import pick

    if agent is not None:
        asked = msgspec.structs.replace(asked, agent_id=pick(await hub.fleet(), agent).id)
    question = await _filed(hub, asked)
    if not call.json:
        for note in _notes(asked, question):
            print(note, file=sys.stderr, flush=True)
    if not wait:
        if call.json:
            call.out.json(question)
        else:
            call.out.say(question.id)
        return
    if not call.json:
        print(f"Asked as {question.id}. Waiting for the person.", file=sys.stderr, flush=True)
    question = await _closed(hub, question, timeout)
    if question.state != "open":
        question = await hub.question(question.id)  # it is read: else it would be typed into the pane too
    if call.json:
        call.out.json(question)
    else:
        _say(call, question)
    status = STILL_OPEN if question.state == "open" else ENDS[question.state]
    if status:
        raise click.exceptions.Exit(status)


async def _filed(hub: HubClient, asked: AskQuestion) -> Question:
    from controlroom.client import Refused

    try:
        return await hub.ask(asked)
    except Refused as refused:
        if refused.code == "bad_request" and refused.text.startswith("agent_id:"):
            raise wrong_use("Say who asks: --agent NAME. In an agent's own pane it is known.") from None
        raise


def _notes(asked: AskQuestion, question: Question) -> list[str]:
    """What became of it that whoever asks may not expect."""
    from controlroom.cli import text

    found = []
    if question.blocking and not asked.blocking:
        default = "" if question.default is None else " Its default is not used."
        found.append(f"Only the person may decide this. {question.blocking_why or ''}{default}")
    elif question.default is not None and question.default.problem:
        found.append(question.default.problem)
    found += [question.problem] if question.problem else []
    return [text.line(note, 500) for note in found]


async def _closed(hub: HubClient, question: Question, timeout: float | None) -> Question:
    """The question when it is closed, or when the time is up. A restart of the hub loses nothing."""
    import asyncio

    from controlroom.client import CannotReach

    loop = asyncio.get_running_loop()
    ends_at = None if timeout is None else loop.time() + timeout
    reached_at = loop.time()
    while question.state == "open":
        left = LONGEST_WAIT_S if ends_at is None else min(LONGEST_WAIT_S, ends_at - loop.time())
        if left <= 0:
            break
        began_at = loop.time()
        try:
            question = await hub.question(question.id, wait_s=max(1, int(left)))
            reached_at = loop.time()
        except CannotReach:
            if loop.time() - reached_at > PATIENCE_S:
                raise
        if question.state == "open" and loop.time() - began_at < PAUSE_S:
            await asyncio.sleep(PAUSE_S)
    return question


def _say(call: Call, question: Question) -> None:
    """The answer on standard output, alone; everything else as a sentence on standard error."""
    from controlroom.cli import text
    from controlroom.cli.question_view import chosen_labels, state_words

    if question.state == "answered":
        call.out.lines(text.line(label, 2_000) for label in chosen_labels(question))
        if question.answer is not None and question.answer.text:
            call.out.say(text.block(question.answer.text))
        return
    if question.state == "default" and question.default is not None:
        call.out.say(text.line(question.default.text, 5_000))
    if question.state == "open":
        words = f"Still open as {question.id}; the answer comes as a message."
    else:
        words = _ENDED.get(question.state) or f"{state_words(question)}."
    print(words, file=sys.stderr, flush=True)


_ENDED: Mapping[QuestionState, str] = {
    "default": "Its time was over: use your default.",
    "skipped": "Skipped: nobody decided, and this is no approval.",
}
