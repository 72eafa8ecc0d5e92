"""How a command is declared: every one takes ``--json``, ``--home``, ``--hub`` and gets a ``Call``.

Everything heavy (asyncio, aiohttp, rich) is imported when a command runs, not when it is declared, so that
``controlroom --help`` and shell completion stay quick.
"""

from __future__ import annotations

import functools
import os
import shlex
import sys
from collections.abc import Callable, Coroutine
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from controlroom.cli.home import home_of, where_of
from controlroom.cli.out import Out

if TYPE_CHECKING:
    from controlroom.client import HubClient
    from controlroom.kit.home import Home

T = TypeVar("T")
Decorator = Callable[[Callable[..., None]], Callable[..., None]]

READY = "Control Room is ready at "

_HOME_HELP = "Data folder of the control room (also CONTROLROOM_HOME)."
_HUB_HELP = "A control room elsewhere that you logged in to (also CONTROLROOM_HUB)."
_JSON_HELP = "Print JSON, for scripts."


class Call:
    """One run of a command: which control room, and how to print."""

    def __init__(self, home: Path | None, hub: str | None, as_json: bool) -> None:
        self.home: Home = home_of(home)
        self.json = as_json
        self._chosen = (home, hub)
        self.out = Out()

    def hint(self, *words: str) -> str:
        """A command of this control room as the person can type it here, safe to print and to paste."""
        from controlroom.cli import text
        from controlroom.kit.home import Home, default_path

        is_set = os.environ.get("CONTROLROOM_HOME") == str(self.home.path)
        home = Home(default_path()) if is_set else self.home
        return f"{home.command_prefix} {shlex.join(text.line(word, 400) for word in words)}"

    @property
    def has_terminal(self) -> bool:
        """Whether a full-screen picture can be shown and keys can be read."""
        return self.out.is_terminal and sys.stdin.isatty()

    def say_at_once(self, line: str) -> None:
        """One line of a long-running command, seen at once; scripts get the address only, as JSON.

        A reader that has gone does not end the command: it goes on without a word.
        """
        try:
            if not self.json:
                self.out.say(line)
            elif line.startswith(READY):
                self.out.json_line({"url": line.removeprefix(READY)})
            self.out.flush()
        except BrokenPipeError:
            mute()

    def connected(self) -> HubClient:
        """``async with call.connected() as hub``."""
        from controlroom.client import HubClient

        return HubClient(where_of(*self._chosen))

    def hub(self, work: Callable[[HubClient], Coroutine[Any, Any, T]]) -> T:
        """Run ``work`` with a connection to the hub. Raises CannotReach, Refused, ClientError."""
        import asyncio

        async def connected() -> T:
            async with self.connected() as hub:
                return await work(hub)

        return asyncio.run(connected())


def mute() -> None:
    """Nobody reads our output any more: nothing can be said, and Python must not try at exit."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)


def home_option() -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    return click.option("--home", type=click.Path(path_type=Path, file_okay=False), help=_HOME_HELP)


def hub_option() -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    return click.option("--hub", metavar="NAME", help=_HUB_HELP)


def json_option() -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    return click.option("--json", "as_json", is_flag=True, help=_JSON_HELP)


def command(
    name: str, *, examples: str = "", cls: type[click.Command] = click.Command
) -> Callable[[Callable[..., None]], click.Command]:
    """Declare a command; ``examples`` stand as they are at the end of its help."""

    def declare(work: Callable[..., None]) -> click.Command:
        @functools.wraps(work)
        def run(as_json: bool, home: Path | None, hub: str | None, **params: object) -> None:
            whole = click.get_current_context().find_root().params
            home, hub = home or whole.get("home"), hub or whole.get("hub")
            work(Call(home, hub, as_json or bool(whole.get("as_json"))), **params)

        epilog = f"\b\nExamples:\n{_indented(examples)}" if examples else None
        settings = {"help_option_names": ["-h", "--help"]}  # also when it runs without the root command
        return click.command(name, cls=cls, epilog=epilog, context_settings=settings)(
            home_option()(hub_option()(json_option()(run)))
        )

    return declare


def agent_argument() -> Decorator:
    """The argument AGENT: a name, an id, or the beginning of one that fits a single agent."""
    return click.argument("agent", metavar="AGENT", shell_complete=_complete_agent)


def question_argument(*, required: bool = True) -> Decorator:
    """The argument QUESTION: an id, or the beginning of one that fits a single question."""
    metavar = "QUESTION" if required else "[QUESTION]"
    return click.argument("question", metavar=metavar, required=required, shell_complete=_complete_question)


def undoable_argument() -> Decorator:
    """The argument OPERATION or QUESTION of ``undo``."""
    return click.argument("undoable", metavar="OPERATION|QUESTION", shell_complete=_complete_question)


def asked_argument() -> Decorator:
    """The argument AGENT or QUESTION."""
    return click.argument("asked", metavar="AGENT|QUESTION", shell_complete=_complete_asked)


def _complete_asked(ctx: click.Context, param: click.Parameter, begun: str) -> list[Any]:
    return [*_complete_agent(ctx, param, begun), *_complete_question(ctx, param, begun)]


def _complete_question(ctx: click.Context, _param: click.Parameter, begun: str) -> list[Any]:
    from controlroom.cli.completion import questions_for

    whole = ctx.find_root().params
    home, hub = (ctx.params.get(name) or whole.get(name) for name in ("home", "hub"))
    return questions_for(home, hub, begun, is_open=ctx.info_name not in ("undo", "reopen"))


def _complete_agent(ctx: click.Context, _param: click.Parameter, begun: str) -> list[Any]:
    from controlroom.cli.completion import agents_for

    whole = ctx.find_root().params
    home, hub = (ctx.params.get(name) or whole.get(name) for name in ("home", "hub"))
    return agents_for(home, hub, begun)


def _indented(text: str) -> str:
    return "\n".join(f"  {entry.strip()}" for entry in text.strip().splitlines())
