"""``controlroom service``: let the machine's own service manager run the control room."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

import click

from controlroom.cli.command import Call
from controlroom.cli.command import command as declare
from controlroom.cli.errors import CliError, wrong_use

if TYPE_CHECKING:
    from controlroom.app import service


@declare(
    "service",
    examples="""
    controlroom service install
    controlroom service install --yes -- --tailscale
    controlroom service status
    controlroom service uninstall
    """,
)
@click.argument("what", type=click.Choice(["install", "uninstall", "status"]))
@click.argument("up_options", nargs=-1, type=click.UNPROCESSED, metavar="[-- OPTIONS OF up]")
@click.option("--yes", is_flag=True, help="Do it without asking.")
@click.option("--show", is_flag=True, help="With install: only print what would be written.")
def command(call: Call, what: str, up_options: tuple[str, ...], yes: bool, show: bool) -> None:
    """Let systemd or launchd run the control room for you.

    It becomes a service of your own user: systemd on Linux, launchd on macOS. "install" shows the file
    first and asks. Shells that devices opened go on when the service ends; nothing is changed outside your
    own user.
    """
    from controlroom.app import service

    if what != "install" and (up_options or show):
        raise wrong_use("Options of up and --show belong to: controlroom service install")
    try:
        plan = service.plan(call.home, _checked(up_options), os.environ, sys.platform)
        if what == "status":
            _status(call, plan)
        elif what == "uninstall":
            was_there = service.uninstall(plan)
            gone = "It is gone." if was_there else "No service is installed for this data folder."
            _tell(call, {"path": str(plan.path), "removed": was_there}, gone)
        else:
            _install(call, plan, yes=yes, only_show=show)
    except service.ServiceError as error:
        raise CliError(f"{error}.") from None


def _install(call: Call, plan: service.Plan, *, yes: bool, only_show: bool) -> None:
    from controlroom.app import service
    from controlroom.cli.confirm import can_ask, confirm

    commands = [" ".join(words) for words in plan.start]
    if call.json and only_show:
        call.out.json({"path": str(plan.path), "text": plan.text, "commands": commands})
        return
    if not call.json:
        call.out.say(f"{plan.path}:")
        call.out.say("")
        call.out.lines([f"    {line}" for line in plan.text.splitlines()])
        call.out.say("")
        call.out.say("then:")
        call.out.lines([f"    {line}" for line in commands])
    if only_show:
        return
    if not yes:
        if not can_ask():
            raise wrong_use("Say --yes to install it without being asked.")
        if not confirm("Write this file and start the service?"):
            call.out.say("Nothing was changed.")
            return
    service.install(plan)
    _tell(
        call, {"path": str(plan.path), "name": plan.name}, f"{plan.name} is installed and runs.", plan.notes
    )


def _status(call: Call, plan: service.Plan) -> None:
    from controlroom.app import service

    is_installed = plan.path.exists()
    runs = is_installed and service.is_running(plan)
    if not is_installed:
        words = "No service is installed for this data folder."
    else:
        words = f"{plan.name} is installed ({plan.path}) and {'runs' if runs else 'does not run now'}."
    _tell(call, {"path": str(plan.path), "installed": is_installed, "running": runs}, words)


def _tell(call: Call, said: Mapping[str, object], words: str, notes: tuple[str, ...] = ()) -> None:
    if call.json:
        call.out.json(said)
        return
    call.out.say(words)
    call.out.lines(list(notes))


def _checked(up_options: tuple[str, ...]) -> list[str]:
    """The options of ``up`` as a service can use them: understood now, and with absolute paths."""
    from controlroom.cli.up import command as up

    with up.make_context("controlroom up", list(up_options)) as context:
        given = context.params
    words: list[str] = []
    for name in ("port", "host", "tailscale", "cert", "key", "plain_http", "public"):
        if context.get_parameter_source(name) is not click.core.ParameterSource.COMMANDLINE:
            continue
        flag, value = f"--{name.replace('_', '-')}", given[name]
        if isinstance(value, Path):
            words += [flag, str(value.absolute())]
        else:
            words += [flag] if value is True else [flag, str(value)]
    return words
