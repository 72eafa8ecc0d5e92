"""``controlroom glance``: tokens for widgets, which may see what needs the person and nothing else."""

from __future__ import annotations

import click

from controlroom.cli.command import Call
from controlroom.cli.command import command as declare
from controlroom.cli.errors import wrong_use

ARGUMENTS = {"list": 0, "add": 1, "remove": 1}


@declare(
    "glance",
    examples="""
    controlroom glance
    controlroom glance add "Phone widget"
    controlroom glance remove "Phone widget"
    """,
)
@click.argument("what", default="list", type=click.Choice(list(ARGUMENTS)))
@click.argument("name", required=False)
def command(call: Call, what: str, name: str | None) -> None:
    """Tokens of widgets: they show what needs you and what is used, and can do nothing.

    add makes one for this NAME on the hub's own machine and shows it once; remove ends it.
    """
    from controlroom.cli import text

    if (name is not None) != bool(ARGUMENTS[what]):
        raise wrong_use(f"Write: controlroom glance {what}{' NAME' if ARGUMENTS[what] else ''}")
    if what == "add":
        made = call.hub(lambda hub: hub.make_glance_token(name or ""))
        if call.json:
            call.out.json(made)
            return
        call.out.say(f"Token of {text.line(made.name, 60)}, shown only now: {made.token}")
        call.out.say("A widget asks for /api/v1/glance with the header “Authorization: Bearer TOKEN”;")
        call.out.say("a page opens /app/glance#token=TOKEN. See docs/how-to/notifications.md.")
        return
    found = call.hub(lambda hub: hub.glance_tokens())
    if what == "remove":
        chosen = [one.id for one in found.tokens if name in (one.id, one.name)]
        if len(chosen) != 1:
            raise wrong_use(f"There {'is no token' if not chosen else 'are several tokens'} of that name.")
        found = call.hub(lambda hub: hub.remove_glance_token(chosen[0]))
    if call.json:
        call.out.json(found)
        return
    for one in found.tokens:
        call.out.say(f"{one.id}  {text.line(one.name, 60)}  {'used' if one.used_ms else 'never used'}")
    if not found.tokens:
        call.out.say("No widget may look. Make a token: controlroom glance add NAME")
