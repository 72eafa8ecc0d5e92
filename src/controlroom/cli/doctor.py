"""``controlroom doctor``: check what the control room needs, and say the fix."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Sequence
from typing import TYPE_CHECKING

import click

from controlroom.cli.command import Call
from controlroom.cli.command import command as declare
from controlroom.cli.errors import FAILED

if TYPE_CHECKING:
    from controlroom.app.doctor_check import Check
    from controlroom.cli.palette import Role

LAMPS: dict[str, tuple[str, Role]] = {"ok": ("✓", "good"), "note": ("·", "meta"), "wrong": ("▲", "fault")}

PASTE = "No text, title or path of yours is in this: it can be pasted into a report as it is."


@declare(
    "doctor",
    examples="""
    controlroom doctor --json | jq '.[] | select(.state == "wrong")'
    controlroom doctor --herdr
    """,
)
@click.option(
    "--herdr",
    "is_herdr",
    is_flag=True,
    help="Try each call that we use at your Herdr servers: opens one tab in each, and closes it again.",
)
def command(call: Call, is_herdr: bool) -> None:
    """Check what the control room needs, and say the fix. It only looks.

    The exit status is 1 when something is wrong.
    """
    from controlroom.app.doctor import checks, herdr_report

    found = asyncio.run((herdr_report if is_herdr else checks)(call.home, os.environ))
    if call.json:
        call.out.json(found)
    else:
        call.out.lines(render_checks(found, call.out.width, call.out.colour))
        if is_herdr:
            call.out.say(PASTE)
    if any(check.state == "wrong" for check in found):
        raise click.exceptions.Exit(FAILED)


def render_checks(found: Sequence[Check], width: int, colour: bool) -> list[str]:
    """One line for each finding, and below it what to do."""
    from controlroom.cli import text
    from controlroom.cli.look import compose

    names = max((len(check.name) for check in found), default=0)
    indent = names + 4
    lines: list[str] = []
    for check in found:
        lamp, role = LAMPS[check.state]
        first, *rest = text.wrap(text.line(check.text, 600), width - indent)
        lines.append(
            compose(
                [(f"{lamp} ", role), (f"{check.name:<{names}}  ", "meta"), (first, "plain")], width, colour
            )
        )
        lines += [" " * indent + entry for entry in rest]
        if check.fix:
            fix = text.wrap(text.line(check.fix, 600), width - indent - 2)
            lines += [
                compose([(" " * indent + ("→ " if n == 0 else "  ") + entry, "name")], width, colour)
                for n, entry in enumerate(fix)
            ]
    wrong = sum(check.state == "wrong" for check in found)
    verdict = "Nothing is wrong." if not wrong else f"{wrong} thing{'s' * (wrong != 1)} to put right."
    return [*lines, "", verdict]
