"""The entry point ``controlroom``: commands by name, loaded when asked for; errors as one sentence."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from importlib import import_module
from pathlib import Path

import click

from controlroom.cli.command import home_option, hub_option, json_option, mute
from controlroom.cli.errors import BROKEN_PIPE, DONE, INTERRUPTED, trouble_of

PROGRAM, COMPLETE = "controlroom", "_CONTROLROOM_COMPLETE"

COMMANDS: dict[str, str] = {
    "up": "Run the control room: hub and node in one process, in the foreground.",
    "status": "What runs here, and what is wrong with it.",
    "fleet": "All agents: what needs you first, then the others.",
    "chat": "Read an agent's conversation.",
    "send": "Send an agent a message, and know whether it arrived.",
    "inbox": "The questions that wait for you, and how others were closed.",
    "answer": "Answer a question, or the prompt an agent waits at.",
    "skip": "Close a question without deciding it; the agent is told so.",
    "dismiss": "Close a question; the agent is told nothing.",
    "undo": "Take back an operation; or a skip, a dismissal, an answer not typed.",
    "reopen": "Open a question again that was closed without you.",
    "ask": "Ask the person something, and wait for the answer.",
    "interrupt": "End the turn an agent is in.",
    "screen": "Print an agent's screen as it is now.",
    "watch": "Watch an agent's screen live; watching changes nothing.",
    "keys": "Press keys in an agent's pane.",
    "start": "Start a new agent of a KIND (claude, codex) in a FOLDER.",
    "restart": "Start an agent again with its session.",
    "fresh": "Start an agent again with a new session and a new chat.",
    "stop": "End an agent; its pane and chat stay.",
    "close": "End an agent once it is idle, remove its pane, and take it off the list.",
    "rename": "Give an agent another name.",
    "move": "Take an agent to another PROFILE, with its session.",
    "operations": "The log of operations, the newest last.",
    "usage": "What accounts have left, and what agents used.",
    "profiles": "The config folders of agents, and whose they are.",
    "statusline": "Stand in front of your Claude Code status line, and keep what it is told.",
    "policy": "Say for each agent which account it should be on now, and why.",
    "notifications": "What you were told lately, and why; quiet hours, snooze and switches.",
    "pause": "Pause what happens by itself: defaults and the checker.",
    "resume": "Go on after a pause.",
    "pair": "Let a phone, a browser or another computer in.",
    "glance": "Tokens of widgets: they show what needs you and what is used, and can do nothing.",
    "devices": "See paired devices; revoke, rename or extend one.",
    "login": "Use a control room on another computer from here.",
    "lock": "Run a command while nobody else has its lock, such as browser.",
    "slot": "Run a command while few enough others have its slot, such as heavy.",
    "conventions": "Tell agents in their instruction file how they ask you.",
    "service": "Let systemd or launchd run the control room for you.",
    "doctor": "Check what the control room needs, and say the fix.",
    "demo": "See the whole thing with a few scripted agents.",
    "completion": "Print the completion script for your shell.",
}
"""Every command with its one line of help; ``controlroom.cli.<name>`` holds it as ``command``."""


class Root(click.Group):
    """Loads a command's module only when that command is used."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, name: str) -> click.Command | None:
        if name not in COMMANDS:
            return None
        found = import_module(f"controlroom.cli.{name}").command
        assert isinstance(found, click.Command)
        return found

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl(list(COMMANDS.items()))

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        name = args[0]
        if name not in COMMANDS and not name.startswith("-"):
            import difflib

            near = difflib.get_close_matches(name, COMMANDS, n=1)
            hint = f" Did you mean {near[0]}?" if near else ""
            raise click.UsageError(f"There is no command {name!r}.{hint}", ctx)
        return super().resolve_command(ctx, args)


def _version(ctx: click.Context, _param: click.Parameter, asked: bool) -> None:
    if asked and not ctx.resilient_parsing:
        from controlroom import __version__

        click.echo(f"controlroom {__version__}")
        ctx.exit()


@click.group(
    PROGRAM,
    cls=Root,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
    epilog="\b\nExamples:\n"
    "  controlroom up                     start it, in a terminal of its own\n"
    "  controlroom fleet --watch          all agents, live\n"
    '  controlroom send orchard "Go on"   a message to one of them\n'
    "\b\nExit status: 0 done, 1 failed, 2 wrong use, 3 the control room cannot be reached.",
)
@home_option()
@hub_option()
@json_option()
@click.option(
    "--version", is_flag=True, expose_value=False, is_eager=True, callback=_version, help="Print it."
)
def root(home: Path | None, hub: str | None, as_json: bool) -> None:
    """One private place to watch, talk to, answer and steer your long-running agents.

    AGENT is an agent's name or id, or the beginning of one.
    """


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the command line and leave with its exit status."""
    sys.exit(run(sys.argv[1:] if arguments is None else arguments))


def run(arguments: Sequence[str]) -> int:
    """The exit status of one command line; everything that goes wrong is said in one sentence."""
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="replace")  # a terminal that is not UTF-8 gets question marks
    try:
        if asked := os.environ.get(COMPLETE):
            from click.shell_completion import shell_complete

            return shell_complete(root, {}, PROGRAM, COMPLETE, asked)
        # Not root.main(): that one has its own opinion about Ctrl-C and closed pipes.
        with root.make_context(PROGRAM, list(arguments) or ["--help"]) as context:
            root.invoke(context)
        sys.stdout.flush()
    except click.exceptions.Exit as leave:
        return leave.exit_code
    except (KeyboardInterrupt, click.Abort):
        return INTERRUPTED
    except BrokenPipeError:
        mute()
        return BROKEN_PIPE
    except Exception as error:  # the edge: from here on only sentences
        if os.environ.get("CONTROLROOM_DEBUG"):
            raise
        ours = arguments[: arguments.index("--")] if "--" in arguments else arguments
        return _tell(error, "--json" in ours)
    return DONE


def _tell(error: Exception, as_json: bool) -> int:
    trouble = trouble_of(error)
    try:
        sys.stdout.flush()
        if as_json:
            import msgspec

            said = msgspec.json.encode({"code": trouble.code, "text": trouble.text}).decode()
        else:
            said = f"controlroom: {trouble.text}"
        print(said, file=sys.stderr)
    except BrokenPipeError:
        mute()
        return BROKEN_PIPE
    return trouble.status


if __name__ == "__main__":
    main()
