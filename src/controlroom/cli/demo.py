"""``controlroom demo``: a few scripted agents and a control room of their own, gone without a trace after."""

from __future__ import annotations

import asyncio

import click

from controlroom.cli.command import Call
from controlroom.cli.command import command as declare
from controlroom.cli.errors import FAILED, CliError


@declare("demo", examples="controlroom demo")
@click.option(
    "--port", type=click.IntRange(0, 65535), default=0, help="Port of the web page; any free one else."
)
def command(call: Call, port: int) -> None:
    """See the whole thing with a few scripted agents.

    They run in a tmux server, home and config folder of their own; no model is called, and nothing of yours
    is read or changed. Ctrl-C ends everything and removes it.
    """
    from controlroom.testing.scripted.demo import DemoError, run_demo

    try:
        status = asyncio.run(run_demo(port=port, say=call.say_at_once))
    except DemoError as error:
        raise CliError(str(error)) from None
    if status:
        raise click.exceptions.Exit(FAILED)
