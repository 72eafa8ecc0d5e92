"""``controlroom operations``: what was done to agents, how far it is, why and by whom."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from controlroom.cli.command import Call
from controlroom.cli.command import command as declare

if TYPE_CHECKING:
    from controlroom.client import HubClient


@declare(
    "operations",
    examples="""
    controlroom operations
    controlroom operations --follow
    controlroom operations --json | jq -r '.operations[] | select(.state == "failed") | .error.text'
    """,
)
@click.option("--limit", type=click.IntRange(1, 500), default=20, show_default=True, help="How many.")
@click.option("--follow", is_flag=True, help="Then say each change as it happens, until Ctrl-C.")
def command(call: Call, limit: int, follow: bool) -> None:
    """The log of operations, the newest last: states, steps, why and by whom, and how to undo."""
    call.hub(lambda hub: _show(call, hub, limit, follow))


async def _show(call: Call, hub: HubClient, limit: int, follow: bool) -> None:
    from controlroom.cli.operation_acts import view_of
    from controlroom.cli.operation_view import render_all

    page = await hub.newest_operations(limit=limit)
    if call.json and not follow:
        call.out.json(page)
        return
    if call.json:
        for operation in page.operations:
            call.out.json_line(operation)
    else:
        if not page.operations:
            call.out.say("Nothing was done to any agent yet.")
        call.out.lines(render_all(page.operations, await view_of(call, hub)))
    call.out.flush()
    if follow:
        last = page.operations[-1].seq if page.operations else 0
        await _follow(call, hub, last)


async def _follow(call: Call, hub: HubClient, after: int) -> None:
    """Changes behind a ``seq``, also those that were missed over a break of the connection."""
    from controlroom.cli.operation_acts import view_of
    from controlroom.cli.operation_view import headline, news
    from controlroom.wire.client import EventFrame, Welcome
    from controlroom.wire.operation import Operation

    told: dict[str, Operation] = {}
    async with hub.live() as live:
        async for frame in live:
            is_news = isinstance(frame, EventFrame) and frame.name == "operation.changed"
            if not is_news and not isinstance(frame, Welcome):
                continue
            view = await view_of(call, hub)
            for operation in (await hub.operations(after)).operations:
                after = operation.seq
                if call.json:
                    call.out.json_line(operation)
                    continue
                call.out.say(headline(operation, view))
                call.out.lines(f"  {row}" for row in news(told.get(operation.id), operation))
                told[operation.id] = operation
            call.out.flush()
