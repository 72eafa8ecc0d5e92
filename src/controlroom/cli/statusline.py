"""``controlroom statusline -- COMMAND``: keeps what a status line is told, and runs the person's own one."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import click

from controlroom.cli.command import Call
from controlroom.cli.command import command as declare

LONGEST_S = 30.0  # the agent gives up on a status line long before


@declare(
    "statusline",
    examples="""
    controlroom statusline -- ~/.claude/my-status.sh
    "statusLine": {"type": "command", "command": "controlroom statusline -- ~/.claude/my-status.sh"}
    """,
)
@click.argument("words", metavar="[-- COMMAND...]", nargs=-1, type=click.UNPROCESSED)
def command(call: Call, words: tuple[str, ...]) -> None:
    """Stand in front of your Claude Code status line, and keep what it is told about limits.

    Claude Code gives its status line what the account has left: no login is read for it, and nothing is
    asked. COMMAND is your own status line; it gets the same input and its output is shown. Whatever goes
    wrong here is silent, so that the status line is never in the way.
    """
    data = sys.stdin.buffer.read()
    _keep(call, data)
    if not words:
        return
    # One word that is no program's path is a line for the shell, as it stood in settings.json.
    is_line = len(words) == 1 and not Path(words[0]).is_file()
    arguments = ["/bin/sh", "-c", words[0]] if is_line else list(words)
    try:
        done = subprocess.run(arguments, input=data, timeout=LONGEST_S, check=False)
    except (OSError, subprocess.TimeoutExpired):
        raise click.exceptions.Exit(1) from None
    raise click.exceptions.Exit(done.returncode if 0 <= done.returncode < 256 else 1)


def _keep(call: Call, data: bytes) -> None:
    import msgspec

    from controlroom.kit.clock import SystemClock
    from controlroom.node.usage import status_lines

    try:
        folder = status_lines.folder_of(data) or os.environ.get("CLAUDE_CONFIG_DIR") or "~/.claude"
        spool = call.home.path / status_lines.FOLDER
        if call.home.path.is_dir():  # without a control room here there is nobody to keep it for
            status_lines.keep(spool, str(Path(folder).expanduser()), data, SystemClock().now_ms())
    except (OSError, ValueError, msgspec.MsgspecError):
        return
