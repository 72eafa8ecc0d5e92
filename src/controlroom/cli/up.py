"""``controlroom up``: run the control room here, in the foreground."""

from __future__ import annotations

import os

import click

from controlroom.cli.command import Call
from controlroom.cli.command import command as declare
from controlroom.cli.errors import FAILED, CliError, wrong_use

LOOPBACK = ("127.0.0.1", "localhost", "::1")


@declare(
    "up",
    examples="""
    controlroom up
    controlroom --home ~/second-room up --port 0
    """,
)
@click.option("--port", type=click.IntRange(0, 65535), help="Port of the web page; 0 takes any free one.")
@click.option(
    "--host", default="127.0.0.1", show_default=True, help="Address to listen at; this machine only."
)
def command(call: Call, port: int | None, host: str) -> None:
    """Run the control room: hub and node in one process, in the foreground.

    It finds the agents in your tmux panes by itself and changes nothing about them. Ctrl-C ends it; your
    agents go on.
    """
    if host not in LOOPBACK:
        raise wrong_use(f"--host {host}: only this machine can connect so far; use 127.0.0.1.")

    import asyncio

    import controlroom.kit.log  # noqa: F401 - first: it imports structlog without what makes it slow
    from controlroom.app.up import run
    from controlroom.kit.home import HomeError
    from controlroom.kit.http import PortTaken
    from controlroom.kit.schema import SchemaTooNew
    from controlroom.kit.settings import SettingsError, load_settings
    from controlroom.kit.sql import DatabaseTrouble

    try:
        settings = load_settings(call.home.config, os.environ)
        chosen = settings.door.port if port is None else port
        status = asyncio.run(run(call.home, settings, port=chosen, say=call.say_at_once))
    except SettingsError as error:
        raise wrong_use(str(error)) from None
    except (HomeError, PortTaken, SchemaTooNew, DatabaseTrouble) as error:
        raise CliError(str(error)) from None
    if status:
        raise click.exceptions.Exit(FAILED)
