"""``controlroom notifications``: what you were told or not, and why; and what you want to be told."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from controlroom.cli.command import Call
from controlroom.cli.command import command as declare
from controlroom.cli.errors import CliError, wrong_use

if TYPE_CHECKING:
    from controlroom.client import HubClient
    from controlroom.wire.notification import Notification, PatchNotificationSettings

SHOWN = 20


@declare(
    "notifications",
    examples="""
    controlroom notifications
    controlroom notifications explain
    controlroom notifications explain orchard
    controlroom notifications explain ntf_3fa9
    controlroom notifications settings
    controlroom notifications settings quiet=22:00-07:30 finished=off
    controlroom notifications settings orchard=blocking
    controlroom notifications snooze 2h
    controlroom notifications snooze 30m orchard
    controlroom notifications snooze end
    controlroom notifications test
    """,
)
@click.argument(
    "what",
    type=click.Choice(["list", "explain", "settings", "snooze", "test"]),
    default="list",
    metavar="[WHAT]",
)
@click.argument("words", nargs=-1, metavar="[WORDS]...")
@click.option("--limit", type=click.IntRange(1, 200), default=SHOWN, help=f"How many; {SHOWN} without it.")
def command(call: Call, what: str, words: tuple[str, ...], limit: int) -> None:
    """What you were told lately, or would have been.

    WHAT is list (without it), explain, settings, snooze or test.

    explain says of each thing that may be worth a notification why it was sent or not, and what became of it
    on each device: all of the newest, or those about an AGENT, a question or a notification (an id or its
    beginning).

    settings shows or sets: question, waiting, finished, trouble (off, on, always: also in quiet hours);
    only_blocking (yes, no); quiet (hours, or nothing); previews (none, words, all: what a locked screen
    shows); AGENT (all, blocking, off).

    snooze holds everything for a time, or what is about one AGENT; end ends it.

    test sends a test to all devices and services, and says what came of it.
    """
    match what:
        case "settings":
            call.hub(lambda hub: _settings(call, hub, words))
        case "snooze":
            call.hub(lambda hub: _snooze(call, hub, words))
        case "test":
            call.hub(lambda hub: _test(call, hub))
        case _:
            if len(words) > 1 or (words and what == "list"):
                raise wrong_use("At most one agent, question or notification, after explain.")
            is_whole = what == "explain"
            call.hub(lambda hub: _list(call, hub, words[0] if words else None, limit, is_whole=is_whole))


async def _test(call: Call, hub: HubClient) -> None:
    from controlroom.cli import text

    tested = await hub.test_notifications()
    if call.json:
        call.out.json(tested)
        return
    call.out.say(f"Handed over: {tested.sent}.")
    for trouble in tested.troubles:
        call.out.say(text.line(trouble, 300))


async def _list(call: Call, hub: HubClient, said: str | None, limit: int, *, is_whole: bool) -> None:
    from controlroom.cli.notifications_view import render_list, render_reasons
    from controlroom.kit.clock import SystemClock

    found = await _found(hub, said, limit)
    if call.json:
        call.out.json(found)
        return
    now_ms = SystemClock().now_ms()
    if not found:
        call.out.say("Nothing was worth a notification yet.")
    elif is_whole:
        call.out.lines(render_reasons(found, now_ms, call.out.width, call.out.colour))
    else:
        call.out.lines(render_list(found, now_ms, call.out.width, call.out.colour))
        call.out.say()
        call.out.say(f"Why: {call.hint('notifications', 'explain', found[0].id[:10])}", "meta")


async def _found(hub: HubClient, said: str | None, limit: int) -> tuple[Notification, ...]:
    """The newest, or those that are meant. Raises CliError."""
    if said is None:
        return (await hub.notifications(limit=limit)).notifications
    if said.startswith("ntf_"):
        newest = (await hub.notifications(limit=200)).notifications
        begun = [one for one in newest if one.id.startswith(said)]
        if not begun:
            raise CliError(f"There is no notification {said[:80]!r} among the newest.", "not_found")
        return tuple([await hub.notification(one.id) for one in begun[:limit]])
    if said.startswith("q_"):
        from controlroom.cli.find_question import find_question

        question = await find_question(hub, said)
        return (await hub.notifications(question_id=question.id, limit=limit)).notifications
    from controlroom.cli.find import pick

    agent = pick(await hub.fleet(), said)
    return (await hub.notifications(agent_id=agent.id, limit=limit)).notifications


async def _settings(call: Call, hub: HubClient, words: tuple[str, ...]) -> None:
    from controlroom.cli.notifications_view import render_settings
    from controlroom.kit.clock import SystemClock

    settings = (
        await hub.set_notifications(await _wish(hub, words)) if words else await hub.notification_settings()
    )
    if call.json:
        call.out.json(settings)
        return
    names = {agent.id: agent.name for agent in (await hub.fleet()).agents}
    call.out.lines(render_settings(settings, names, SystemClock().now_ms(), call.out.width))


async def _wish(hub: HubClient, words: tuple[str, ...]) -> PatchNotificationSettings:
    """What the person typed, as a request. Raises CliError."""
    import msgspec

    from controlroom.cli.find import pick
    from controlroom.wire.notification import PatchNotificationSettings

    values: dict[str, object] = {}
    agents: dict[str, str] = {}
    names = {field.name for field in msgspec.structs.fields(PatchNotificationSettings)} - {"agents"}
    for word in words:
        name, equals, value = word.partition("=")
        if not equals:
            raise wrong_use(f"{word[:80]!r}: write it as name=value, such as finished=off.")
        if name == "only_blocking":
            if value not in ("yes", "no"):
                raise wrong_use("only_blocking is yes or no.")
            values[name] = value == "yes"
        elif name in names:
            values[name] = value
        else:
            agents[pick(await hub.fleet(), name).id] = value
    if agents:
        values["agents"] = agents
    try:
        return msgspec.convert(values, PatchNotificationSettings)
    except msgspec.ValidationError as error:
        raise wrong_use(f"{error}.") from None


async def _snooze(call: Call, hub: HubClient, words: tuple[str, ...]) -> None:
    from controlroom.cli.find import pick
    from controlroom.cli.times import stamp
    from controlroom.core.durations import parse_duration
    from controlroom.kit.clock import SystemClock

    if not 1 <= len(words) <= 2:
        raise wrong_use("snooze wants how long, such as 2h or end, and may be followed by an agent.")
    now_ms = SystemClock().now_ms()
    until_ms = 0
    if words[0] != "end":
        try:
            seconds = parse_duration(words[0])
        except ValueError as error:
            raise wrong_use(f"{error}.") from None
        if seconds == 0:
            raise wrong_use("A snooze has an end; switch a kind off in the settings instead.")
        until_ms = now_ms + seconds * 1000
    agent = pick(await hub.fleet(), words[1]) if len(words) == 2 else None
    settings = await hub.snooze_notifications(until_ms, "" if agent is None else agent.id)
    if call.json:
        call.out.json(settings)
    elif until_ms:
        whom = "everything" if agent is None else f"what is about {agent.name}"
        call.out.say(f"Held until {stamp(until_ms, now_ms)}: {whom}. What still waits then is told.")
    else:
        call.out.say("No longer held.")
