"""``controlroom keys``: press keys in an agent's pane, for what no command covers."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from controlroom.cli.command import Call, agent_argument
from controlroom.cli.command import command as declare
from controlroom.cli.errors import CliError, wrong_use

if TYPE_CHECKING:
    from controlroom.client import HubClient


@declare(
    "keys",
    examples="""
    controlroom keys orchard Escape
    controlroom keys orchard Down Down Enter
    controlroom keys orchard C-u
    """,
)
@agent_argument()
@click.argument("keys", metavar="KEY...", nargs=-1, required=True)
@click.option("--seen-revision", help="Revision of the screen you saw (screen --json); needed at a prompt.")
def command(call: Call, agent: str, keys: tuple[str, ...], seen_revision: str | None) -> None:
    """Press keys in an agent's pane.

    KEY is one character or a name such as Enter, Escape, Tab, BTab, Up, PageDown, F1, C-c, M-b. Messages go
    with send, answers with answer: they look before they press.
    """
    from controlroom.core.keys import parse_keys

    try:
        parse_keys(keys)
    except ValueError as error:
        raise wrong_use(str(error)) from None
    call.hub(lambda hub: _press(call, hub, agent, keys, seen_revision))


async def _press(
    call: Call, hub: HubClient, said: str, keys: tuple[str, ...], seen_revision: str | None
) -> None:
    from controlroom.cli import text
    from controlroom.cli.find import pick
    from controlroom.kit.clock import new_id
    from controlroom.wire.client import PressKeys

    agent = pick(await hub.fleet(), said)
    name = text.line(agent.name, 60)
    if agent.waiting_for is not None and seen_revision is None:
        seen_revision = await _look_first(call, hub, agent.id, name, keys)
    done = await hub.keys(
        agent.id, PressKeys(request_id=new_id("req"), keys=keys, seen_revision=seen_revision)
    )
    if call.json:
        call.out.json(done)
    else:
        call.out.say(f"Pressed {' '.join(keys)} in {name}.")


async def _look_first(call: Call, hub: HubClient, agent_id: str, name: str, keys: tuple[str, ...]) -> str:
    """Show the screen with its prompt and ask; the revision of what was shown. Raises when nobody can say."""
    from controlroom.cli.confirm import can_ask, confirm
    from controlroom.cli.mirror_view import safe_row

    if call.json or not can_ask():
        raise CliError(
            f"{name} shows a prompt; a key would answer it. Nothing was pressed. "
            f"Use {call.hint('answer', name)}, or pass the revision from screen --json as --seen-revision.",
            "changed",
        )
    screen = await hub.screen(agent_id)
    rows = screen.ansi if call.out.colour else screen.rows
    call.out.lines(safe_row(row, call.out.colour) for row in rows)
    call.out.say()
    if not confirm(f"{name} shows a prompt. Press {' '.join(keys)} there?"):
        raise CliError("Nothing was pressed.", "failed")
    return screen.revision
