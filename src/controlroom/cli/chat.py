"""``controlroom chat``: an agent's conversation; ``--follow`` goes on with what is new."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from controlroom.cli.command import Call, agent_argument
from controlroom.cli.command import command as declare
from controlroom.cli.errors import wrong_use

if TYPE_CHECKING:
    from controlroom.client import HubClient


@declare(
    "chat",
    examples="""
    controlroom chat orchard
    controlroom chat orchard --follow
    controlroom chat orchard --limit 200 | less -R
    controlroom chat orchard --json | jq -r '.items[] | select(.kind == "assistant") | .text'
    """,
)
@agent_argument()
@click.option("--follow", "-f", is_flag=True, help="Go on with what is new; Ctrl-C leaves.")
@click.option("--limit", type=click.IntRange(1, 500), default=50, show_default=True, help="How many items.")
@click.option("--before", metavar="CURSOR", help="The page before this cursor (printed above a page).")
def command(call: Call, agent: str, follow: bool, limit: int, before: str | None) -> None:
    """Read an agent's conversation."""
    if follow and before:
        raise wrong_use("--follow and --before do not go together.")
    call.hub(lambda hub: _read(call, hub, agent, follow, limit, before))


async def _read(call: Call, hub: HubClient, said: str, follow: bool, limit: int, before: str | None) -> None:
    from controlroom.cli.chat_view import ChatPrinter, ChatView
    from controlroom.cli.find import pick
    from controlroom.kit.clock import SystemClock

    agent = pick(await hub.fleet(), said)
    page = await hub.agent_items(agent.id, before=before, limit=limit)
    if follow:
        from controlroom.cli.chat_follow import follow_chat

        await follow_chat(call, hub, agent, page)
        return
    if call.json:
        call.out.json(page)
        return
    out = call.out
    view = ChatView(name=agent.name, now_ms=SystemClock().now_ms(), width=out.width, colour=out.colour)
    if page.before is not None:
        out.say(f"Older: {call.hint('chat', agent.name, '--before', page.before)}", "meta")
    out.lines(ChatPrinter(view).lines(page.items))
    if not page.items:
        out.say("No words yet.", "meta")
    if page.skipped:
        rows = "row was" if page.skipped == 1 else "rows were"
        out.say(f"{page.skipped} damaged or unknown {rows} left out.", "meta")
