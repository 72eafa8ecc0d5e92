"""``controlroom interrupt``: end the turn an agent is in."""

from __future__ import annotations

from typing import TYPE_CHECKING

from controlroom.cli.command import Call, agent_argument
from controlroom.cli.command import command as declare

if TYPE_CHECKING:
    from controlroom.client import HubClient


@declare("interrupt", examples="controlroom interrupt orchard")
@agent_argument()
def command(call: Call, agent: str) -> None:
    """End the turn an agent is in. Nothing is pressed while a prompt is open."""
    call.hub(lambda hub: _interrupt(call, hub, agent))


async def _interrupt(call: Call, hub: HubClient, said: str) -> None:
    from controlroom.cli import text
    from controlroom.cli.find import pick
    from controlroom.kit.clock import new_id
    from controlroom.wire.client import Interrupt

    agent = pick(await hub.fleet(), said)
    done = await hub.interrupt(agent.id, Interrupt(request_id=new_id("req")))
    if call.json:
        call.out.json(done)
    else:
        detail = f" {text.line(done.detail, 300)}" if done.detail else ""
        call.out.say(f"Interrupted {text.line(agent.name, 60)}.{detail}")
