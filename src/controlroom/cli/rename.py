"""``controlroom rename``: give an agent another name."""

from __future__ import annotations

import click

from controlroom.cli.command import Call, agent_argument
from controlroom.cli.command import command as declare
from controlroom.cli.operation_acts import operate, why_option


@declare("rename", examples='controlroom rename orchard "pear tree" --why "There are two orchards"')
@agent_argument()
@click.argument("name", metavar="NAME")
@why_option()
def command(call: Call, agent: str, name: str, why: str) -> None:
    """Give an agent another name, and its window too.

    No name that the agent gives itself replaces it. A window that holds other panes keeps its name.
    """
    from controlroom.wire.operation import OperationArgs

    operate(call, "rename", agent, why, OperationArgs(name=name))
