"""``controlroom up``: one node and one hub in one process, until it is told to end."""

from __future__ import annotations

import asyncio
import contextlib
import os
import shlex
import signal
import socket
from collections.abc import Callable
from pathlib import Path

from controlroom.app.doors import Doors, DoorWish
from controlroom.app.parts import drivers, multiplexers
from controlroom.app.room import Room
from controlroom.app.tailscale import TailscaleError
from controlroom.core.starts import Starts
from controlroom.core.text import clean_line
from controlroom.kit.clock import SystemClock
from controlroom.kit.health import HealthBoard
from controlroom.kit.home import Home, HomeLock
from controlroom.kit.log import log_to_file
from controlroom.kit.process import ProcProcesses
from controlroom.kit.settings import Settings
from controlroom.kit.sql import DatabaseTrouble
from controlroom.kit.supervise import Tasks
from controlroom.node.node import Node, UsageWish
from controlroom.node.usage import status_lines
from controlroom.wire.device import Invitation

Say = Callable[[str], None]
Show = Callable[[Invitation], None]

FIRST_LOOK_S = 3.0
"""How long the start waits for the first look at the agents before it says what it found."""


NAME_SHOWN = 60  # characters of an agent's name


async def run(home: Home, settings: Settings, wish: DoorWish, *, say: Say, show: Show | None) -> int:
    """Serve until SIGINT, SIGTERM or SIGHUP. ``say`` prints for the person, ``show`` an invitation (None:
    nobody looks). Returns the exit status.

    Raises HomeError, HomeInUse, DatabaseTrouble, SchemaTooNew, PortTaken and CertificateError, each with a
    sentence.
    """
    home.prepare()
    async with contextlib.AsyncExitStack() as stack:
        stack.enter_context(HomeLock(home))
        log_to_file(home.log, settings.log.level)
        clock = SystemClock()
        health = HealthBoard(clock)
        doors = Doors.opened(wish, settings.door, clock=clock, health=health)
        stack.push_async_callback(doors.aclose)
        node = Node(
            database=home.database("node"),
            name=socket.gethostname(),
            multiplexers=multiplexers(settings, clock, health),
            drivers=drivers(settings, health),
            processes=ProcProcesses(),
            clock=clock,
            health=health,
            starts=Starts(models=settings.agents.models, flags=settings.agents.flags),
            usage=UsageWish(
                settings,
                home.path / status_lines.FOLDER,
                Path.home() if settings.profiles.search else None,
                os.environ,
            ),
        )
        stack.push_async_callback(node.aclose)
        await node.start()
        room = Room(node=node, doors=doors, home=home, settings=settings, clock=clock, health=health)
        stack.push_async_callback(room.aclose)
        await room.start()
        ended = _told_to_end()  # before anybody is told that it runs: from now on an end is a clean one
        say(f"Control Room is ready at {doors.url}")
        welcome = Tasks("welcome")
        stack.push_async_callback(welcome.aclose)
        welcome.start("words", _welcome(node, room, doors, home, health, say, show))
        await ended.wait()
        say("Closing. Your agents go on.")
    return 0


async def _welcome(
    node: Node, room: Room, doors: Doors, home: Home, health: HealthBoard, say: Say, show: Show | None
) -> None:
    await _say_what_next(node, home, health, say)
    try:
        url = await doors.publish()
        if url is not None:
            say(f"In your tailnet: {url}/app/")
    except TailscaleError as error:
        say(f"Trouble: Tailscale does not publish the door: {error}.")
    if doors.is_in_the_clear:
        say("Plain HTTP: whoever is in that network can read and change what devices send.")
    if await room.has_devices():
        return
    if show is None:  # a code does not belong into a log
        say(f"No device is paired yet. To let one in: {home.command_prefix} pair")
        return
    try:
        show(await room.first_invitation())
    except (ValueError, DatabaseTrouble) as error:
        say(f"No device can be paired now: {error}.")


async def _say_what_next(node: Node, home: Home, health: HealthBoard, say: Say) -> None:
    snapshot = await node.api.snapshot(-1, FIRST_LOOK_S)
    living = [agent for agent in snapshot.agents if agent.activity != "gone"] if snapshot else []
    command = home.command_prefix
    for item in health.items:
        say(clean_line(f"Trouble: {item.title}", 400))
        if item.do != item.title:
            say(f"    {clean_line(item.do, 400)}")
    if living:
        names = ", ".join(clean_line(agent.name, NAME_SHOWN) for agent in living[:5])
        more = f" and {len(living) - 5} more" if len(living) > 5 else ""
        say(f"Found {len(living)} agent{'s' if len(living) != 1 else ''}: {names}{more}.")
        first = shlex.quote(living[0].name) if _can_be_typed(living[0].name) else living[0].id
    else:
        say("No agent runs yet. Start one in any tmux pane, for example:")
        say("    tmux new -s work claude")
        say("or see the whole thing with scripted agents:")
        say(f"    {command} demo")
        first = "NAME"
    say("In a second terminal:")
    hints = {
        "fleet --watch": "all agents, live",
        f"chat {first} --follow": "one conversation",
        f'send {first} "…" --wait': "a message that provably arrives",
    }
    width = max(map(len, hints))
    for typed, meaning in hints.items():
        say(f"    {command} {typed:<{width}}  {meaning}")


def _can_be_typed(name: str) -> bool:
    return clean_line(name, NAME_SHOWN) == name and not name.startswith("-")


def _told_to_end() -> asyncio.Event:
    """Set by SIGINT, SIGTERM and SIGHUP."""
    ended = asyncio.Event()
    loop = asyncio.get_running_loop()
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        loop.add_signal_handler(number, ended.set)
    return ended
