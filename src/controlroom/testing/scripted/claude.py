"""A program in a pane that behaves like Claude Code, with a script instead of a model.

``claude -m controlroom.testing.scripted.claude --scene FILE [--control FIFO] [--resume ID]``: it keeps the
live registry, writes a transcript, draws the alternate screen, takes bracketed pastes and keys, opens dialogs
that answer to digits. It costs nothing, calls nobody, and does nothing by the clock that its scene does not
name.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import os
import signal
import sys
import termios
import tty
from pathlib import Path

from controlroom.testing.scripted.actor import Actor
from controlroom.testing.scripted.keys import KeyReader
from controlroom.testing.scripted.picture import draw
from controlroom.testing.scripted.steps import Scene, decode_command, decode_scene

ENTER, LEAVE = "\x1b[?1049h\x1b[?2004h\x1b[?25l\x1b[?7l", "\x1b[?7h\x1b[?25h\x1b[?2004l\x1b[?1049l"
ESCAPE_ALONE_S = 0.03  # an escape followed by nothing for so long is the Escape key
READ_BYTES = 65536


PROMPT = """
 New MCP server found in this project: sprinkler

   Use this MCP server
   Use this and all future MCP servers in this project
 ❯ Continue without using this MCP server

 Enter to confirm · Esc to cancel"""


class Program:
    """An actor on this terminal."""

    def __init__(self, scene: Scene, config: Path, folder: str, session_id: str, *, is_resumed: bool) -> None:
        self._name = scene.name
        self._actor = Actor(scene, config, folder, self._draw, session_id=session_id, is_resumed=is_resumed)
        self._keys = KeyReader()

    async def run(self, control: Path | None) -> None:
        """Until /exit, a signal, the terminal's end or the command ``quit``."""
        loop = asyncio.get_running_loop()
        saved = termios.tcgetattr(0)
        tty.setraw(0)
        for number in (signal.SIGTERM, signal.SIGHUP):
            loop.add_signal_handler(number, self._actor.over.set)
        loop.add_signal_handler(signal.SIGWINCH, self._draw)
        loop.add_reader(0, self._read)
        if control is not None:
            self._listen(control)
        sys.stdout.write(f"\x1b]0;✳ {self._name}\x07{ENTER}")
        self._draw()
        self._actor.start()
        try:
            await self._actor.over.wait()
        finally:
            session_id = await self._actor.aclose()
            with contextlib.suppress(OSError, termios.error):
                termios.tcsetattr(0, termios.TCSANOW, saved)
                sys.stdout.write(f"{LEAVE}Resume this session with:\nclaude --resume {session_id}\n")
                sys.stdout.flush()

    def _read(self) -> None:
        try:
            data = os.read(0, READ_BYTES)
        except OSError:
            data = b""
        if not data:
            self._actor.over.set()
            return
        self._take(data)
        asyncio.get_running_loop().call_later(ESCAPE_ALONE_S, self._take, None)

    def _take(self, data: bytes | None) -> None:
        events = self._keys.escape() if data is None else self._keys.feed(data)
        for event in events:
            self._actor.take(event)
        if events:
            self._draw()

    def _listen(self, control: Path) -> None:
        """Commands as JSON lines; held open for writing too, so that it never ends."""
        descriptor = os.open(control, os.O_RDWR | os.O_NONBLOCK)
        rest = b""

        def heard() -> None:
            nonlocal rest
            *lines, rest = (rest + os.read(descriptor, READ_BYTES)).split(b"\n")
            for line in lines:
                self._actor.obey(decode_command(line))
            self._draw()

        asyncio.get_running_loop().add_reader(descriptor, heard)

    def _draw(self) -> None:
        try:
            width, height = os.get_terminal_size(0)
        except OSError:
            return
        rows = draw(self._actor.look, width, height)
        sys.stdout.write("".join(f"\x1b[{n};1H\x1b[0m\x1b[K{row}" for n, row in enumerate(rows, 1)))
        sys.stdout.flush()


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--scene", type=Path, required=True)
    parser.add_argument("--control", type=Path)
    parser.add_argument("--session-id", default="")
    parser.add_argument("--resume", default="")
    given = parser.parse_args()
    config, folder = Path(os.environ["CLAUDE_CONFIG_DIR"]), str(Path.cwd())
    if given.resume and not list(config.glob(f"projects/*/{given.resume}.jsonl")):
        sys.exit(f"No conversation found with session ID: {given.resume}")
    scene = decode_scene(given.scene.read_bytes())
    if scene.refuses_in == config.name:
        sys.exit(f"No conversation found with session ID: {given.resume}")
    if scene.asks_in == config.name:
        print(f"\x1b[2J\x1b[H{PROMPT}", flush=True)
        signal.pause()
    program = Program(
        scene,
        config,
        folder,
        given.resume or given.session_id,
        is_resumed=bool(given.resume),
    )
    asyncio.run(program.run(given.control))


if __name__ == "__main__":
    main()
