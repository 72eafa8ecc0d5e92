"""What the commands that operate on agents have in common: ask, follow, and say how it ended."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from controlroom.cli.command import Decorator
from controlroom.cli.errors import FAILED, wrong_use

if TYPE_CHECKING:
    from controlroom.cli.command import Call
    from controlroom.cli.operation_view import OperationView
    from controlroom.client import HubClient
    from controlroom.core.operations import Kind
    from controlroom.wire.operation import AskOperation, Operation, OperationArgs

POLL_S = 0.3
PATIENCE_S = 30.0  # how long a restart of the control room may take while we wait
SHOWN_S = 90.0  # a start takes seconds; what waits longer waits for something, and says so


def why_option() -> Decorator:
    return click.option("--why", metavar="TEXT", required=True, help="Why; it stands in the receipt.")


def when_options() -> Decorator:
    """``--now`` and ``--drop``: without them a working agent is finished first."""

    def add(command: click.decorators.FC) -> click.decorators.FC:
        now = click.option("--now", is_flag=True, help="At once, not when it is idle.")
        drop = click.option(
            "--drop", is_flag=True, help="With --now: drop its running turn, its helpers and an open dialog."
        )
        return now(drop(command))

    return add


def follow_option() -> Decorator:
    return click.option("--no-wait", is_flag=True, help="Do not wait for the end.")


def args_of(now: bool, drop: bool) -> OperationArgs:
    from controlroom.wire.operation import OperationArgs

    if drop and not now:
        raise wrong_use("--drop goes with --now: else nothing has to be dropped.")
    return OperationArgs(when="now" if now else "idle", drop=drop)


def operate(
    call: Call, kind: Kind, said: str, why: str, args: OperationArgs, *, no_wait: bool = False
) -> None:
    """Do it to an agent. Leaves with 1 when it failed."""
    call.hub(lambda hub: _operate(call, hub, kind, said, why, args, no_wait))


async def _operate(
    call: Call, hub: HubClient, kind: Kind, said: str, why: str, args: OperationArgs, no_wait: bool
) -> None:
    import msgspec

    from controlroom.cli.confirm import can_ask, confirm
    from controlroom.cli.find import pick
    from controlroom.kit.clock import new_id
    from controlroom.wire.operation import AskOperation

    agent = pick(await hub.fleet(), said)
    wish = AskOperation(id=new_id("op"), kind=kind, why=why, agent_id=agent.id, args=args)
    ended = await ask_and_follow(call, hub, wish, no_wait=no_wait)
    is_busy = ended.error is not None and ended.error.code == "busy"
    if is_busy and not call.json and can_ask() and confirm("Drop it?"):
        args = msgspec.structs.replace(args, drop=True)
        wish = msgspec.structs.replace(wish, id=new_id("op"), args=args)
        ended = await ask_and_follow(call, hub, wish, no_wait=no_wait)
    leave(ended)


async def ask_and_follow(call: Call, hub: HubClient, wish: AskOperation, *, no_wait: bool) -> Operation:
    """Ask for an operation and tell its steps until it is over."""
    return await follow(call, hub, await hub.operate(wish), no_wait=no_wait)


async def follow(call: Call, hub: HubClient, operation: Operation, *, no_wait: bool) -> Operation:
    """Say each step of an operation. One that waits long is left, with the way to it."""
    import asyncio

    from controlroom.cli.operation_view import headline, news
    from controlroom.client import CannotReach

    view = await view_of(call, hub)
    loop = asyncio.get_running_loop()
    began = reached = loop.time()
    told: Operation | None = None
    while not no_wait:
        if not call.json:
            call.out.lines(news(told, operation))
            call.out.flush()
        told = operation
        if operation.state in ("delivered", "failed") or loop.time() - began > SHOWN_S:
            break
        await asyncio.sleep(POLL_S)
        try:
            operation = await hub.operation(operation.id)
            reached = loop.time()
        except CannotReach:  # a restart loses nothing; say so only when it stays away
            if loop.time() - reached > PATIENCE_S:
                raise
    if call.json:
        call.out.json(operation)
        return operation
    call.out.say(headline(operation, view))
    _say_how_to_go_on(call, operation, view)
    return operation


def _say_how_to_go_on(call: Call, operation: Operation, view: OperationView) -> None:
    from controlroom.cli import text
    from controlroom.cli.operation_view import undo_line

    if operation.error is not None:
        call.out.say(text.line(operation.error.text, 600), "fault")
    elif operation.state in ("queued", "running"):
        call.out.say(f"Follow it:    {call.hint('operations', '--follow')}", "meta")
        call.out.say(f"Take it back: {call.hint('undo', operation.id, '--why', '…')}", "meta")
    elif (undo := undo_line(operation, view)) is not None:
        call.out.say(undo, "meta")


def leave(operation: Operation) -> None:
    if operation.state == "failed":
        raise click.exceptions.Exit(FAILED)


async def view_of(call: Call, hub: HubClient) -> OperationView:
    """How operations are drawn on this terminal."""
    from controlroom.cli.operation_view import OperationView
    from controlroom.kit.clock import SystemClock

    return OperationView(
        now_ms=SystemClock().now_ms(),
        colour=call.out.colour,
        names={agent.id: agent.name for agent in (await hub.fleet()).agents},
        hint=call.hint,
    )
