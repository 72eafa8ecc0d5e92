"""``controlroom send``: hand an agent a message; *delivered* only when the agent's own file shows it."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Literal, cast

import click

from controlroom.cli.command import Call, agent_argument
from controlroom.cli.command import command as declare
from controlroom.cli.errors import FAILED, CliError, wrong_use

if TYPE_CHECKING:
    from controlroom.client import HubClient
    from controlroom.wire.client import SendMessage
    from controlroom.wire.model import Message

POLL_S = 0.3  # a local call of a millisecond; a person sees no difference to an event
PATIENCE_S = 30.0  # how long a restart of the control room may take while we wait
_ON_DRAFT = ("wait", "after", "replace")
OPEN_STATES = ("accepted", "sending")


@declare(
    "send",
    examples="""
    controlroom send orchard "Please go on with the report"
    controlroom send orchard --wait "Run the tests"
    git diff | controlroom send orchard -
    controlroom send orchard --command "/compact"
    """,
)
@agent_argument()
@click.argument("text", metavar="TEXT")
@click.option("--wait", is_flag=True, help="Wait until it is delivered; exit status 0 only then.")
@click.option("--timeout", type=click.FloatRange(min=0), metavar="SECONDS", help="Wait at most so long.")
@click.option("--now", is_flag=True, help="While it works too, in the agent's own way (it queues or steers).")
@click.option(
    "--command", "as_command", is_flag=True, help="A leading / or ! is meant as the agent's command."
)
@click.option(
    "--on-draft",
    type=click.Choice(_ON_DRAFT),
    default="wait",
    show_default=True,
    help="What to do with a half-written text in the agent's input line.",
)
@click.option("--id", "message_id", help="Id of the message: the same id twice is one message.")
def command(
    call: Call,
    agent: str,
    text: str,
    wait: bool,
    timeout: float | None,
    now: bool,
    as_command: bool,
    on_draft: str,
    message_id: str | None,
) -> None:
    """Send an agent a message, and know whether it arrived.

    TEXT is the message, or - to read it from standard input.
    """
    from controlroom.kit.clock import new_id
    from controlroom.wire.client import SendMessage

    if timeout is not None and not wait:
        raise wrong_use("--timeout goes with --wait.")
    message = SendMessage(
        id=message_id or new_id("msg"),
        text=_whole_text(text),
        when="now" if now else "idle",
        send_as="command" if as_command else "text",
        on_draft=cast(Literal["wait", "after", "replace"], on_draft),
    )
    call.hub(lambda hub: _send(call, hub, agent, message, wait, timeout))


def _whole_text(said: str) -> str:
    """The argument, or all of standard input; an empty message is wrong use."""
    if said == "-":
        said = sys.stdin.buffer.read().decode(errors="replace")
    if not said.strip():
        raise wrong_use("The message is empty.")
    return said


async def _send(
    call: Call, hub: HubClient, said: str, message: SendMessage, wait: bool, timeout: float | None
) -> None:
    from controlroom.cli.find import pick

    agent = pick(await hub.fleet(), said)
    await hub.send(agent.id, message)
    stored = await hub.message(message.id)
    if not wait:
        if call.json:
            call.out.json(stored)
        else:
            call.out.say(f"{_words(stored)} ({stored.id})")
        return
    final = await _follow(call, hub, stored, timeout)
    if call.json:
        call.out.json(final)
    if final.state != "delivered":
        raise click.exceptions.Exit(FAILED)


async def _follow(call: Call, hub: HubClient, message: Message, timeout: float | None) -> Message:
    """Say each change until the message has reached its end. Raises CliError when the time is up."""
    import asyncio

    from controlroom.client import CannotReach

    loop = asyncio.get_running_loop()
    ends_at = None if timeout is None else loop.time() + timeout
    reached_at = loop.time()
    said = ""
    while True:
        words = _words(message)
        if words != said and not call.json:
            call.out.say(words)
            call.out.flush()
        said = words
        if message.state not in OPEN_STATES:
            return message
        if ends_at is not None and loop.time() >= ends_at:
            raise CliError(
                f"Not delivered after {timeout:g} s. It stays in the queue as {message.id} "
                "and goes out at the first moment it can.",
                "offline" if message.held and message.held.code == "offline" else "busy",
            )
        await asyncio.sleep(POLL_S)
        try:
            message = await hub.message(message.id)
            reached_at = loop.time()
        except CannotReach:  # a restart loses nothing; say so only when it stays away
            if loop.time() - reached_at > PATIENCE_S:
                raise


def _words(message: Message) -> str:
    from controlroom.cli.chat_view import delivery_words
    from controlroom.wire.model import Delivery

    words = delivery_words(
        Delivery(id=message.id, state=message.state, held=message.held, detail=message.detail)
    )
    if message.state == "accepted" and message.held is None:
        return "Accepted, sends at the first moment it can"
    return words
