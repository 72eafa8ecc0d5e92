"""``controlroom up``: run the control room here, in the foreground."""

from __future__ import annotations

import os
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import click

from controlroom.cli.command import Call
from controlroom.cli.command import command as declare
from controlroom.cli.errors import FAILED, CliError, wrong_use

if TYPE_CHECKING:
    from controlroom.wire.device import Invitation


@declare(
    "up",
    examples="""
    controlroom up
    controlroom up --tailscale
    controlroom up --host 192.168.1.5 --cert room.pem --key room.key
    controlroom --home ~/second-room up --port 0
    """,
)
@click.option("--port", type=click.IntRange(0, 65535), help="Port for devices; 0 takes any free one.")
@click.option(
    "--host",
    default="127.0.0.1",
    show_default=True,
    metavar="ADDRESS",
    help="Let devices connect at this address of yours too.",
)
@click.option("--tailscale", is_flag=True, help="Let the devices of your tailnet in, by tailscale serve.")
@click.option("--cert", type=click.Path(path_type=Path), help="Certificate (PEM) for HTTPS.")
@click.option("--key", type=click.Path(path_type=Path), help="Its key (PEM).")
@click.option("--plain-http", is_flag=True, help="Allow HTTP without encryption in your own network.")
@click.option("--public", is_flag=True, help="Allow an address that the whole Internet can reach.")
def command(
    call: Call,
    port: int | None,
    host: str,
    tailscale: bool,
    cert: Path | None,
    key: Path | None,
    plain_http: bool,
    public: bool,
) -> None:
    """Run the control room: hub, node and doors in one process, in the foreground.

    It finds the agents in your tmux and Herdr panes by itself and changes nothing about them. Ctrl-C ends it;
    your agents go on. "controlroom service install" makes it start with your session instead.
    """
    import asyncio

    import controlroom.kit.log  # noqa: F401 - first: it imports structlog without what makes it slow
    from controlroom.app.certificate import CertificateError
    from controlroom.app.doors import DoorWish, WrongDoor
    from controlroom.app.up import run
    from controlroom.kit.home import HomeError
    from controlroom.kit.http import PortTaken
    from controlroom.kit.schema import SchemaTooNew
    from controlroom.kit.settings import SettingsError, load_settings
    from controlroom.kit.sql import DatabaseTrouble

    try:
        settings = load_settings(call.home.config, os.environ)
        wish = DoorWish(
            port=settings.door.port if port is None else port,
            host=host,
            is_public=public,
            plain_http=plain_http,
            cert=cert,
            key=key,
            with_tailscale=tailscale,
        )
        show = partial(_show, call) if call.out.is_terminal and not call.json else None
        status = asyncio.run(run(call.home, settings, wish, say=call.say_at_once, show=show))
    except SettingsError as error:
        raise wrong_use(str(error)) from None
    except WrongDoor as error:
        raise wrong_use(f"{error}.") from None
    except CertificateError as error:
        raise CliError(f"The door's certificate cannot be used: {error}.") from None
    except (HomeError, PortTaken, SchemaTooNew, DatabaseTrouble) as error:
        raise CliError(str(error)) from None
    if status:
        raise click.exceptions.Exit(FAILED)


def _show(call: Call, invitation: Invitation) -> None:
    """The invitation for the first device. When only this machine can come, no phone needs a QR code."""
    import msgspec

    from controlroom.cli.pair import render_invitation

    if all(link.startswith("http://localhost:") for link in invitation.links):
        invitation = msgspec.structs.replace(invitation, qr=None, relay_link=None)
    call.say_at_once("")
    call.say_at_once("No device is paired yet. To let the first one in:")
    call.say_at_once("")
    for line in render_invitation(invitation, call.out.width, call.out.colour):
        call.say_at_once(line)
