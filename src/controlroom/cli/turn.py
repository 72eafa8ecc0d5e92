"""What ``lock`` and ``slot`` share: draw a ticket, wait in the queue, become the command.

Exit status, besides the command's own: 2 wrong use, 75 no turn in time (nothing was run), 126 and 127 the
command cannot be run, as in shells.
"""

from __future__ import annotations

import errno
import os
import re
import shutil
import signal
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from functools import cached_property, partial
from pathlib import Path
from typing import TYPE_CHECKING, Final, NoReturn

import click

from controlroom.cli.command import Call, Decorator
from controlroom.cli.errors import CliError, wrong_use

if TYPE_CHECKING:
    from controlroom.core.turns import Standing, Ticket, TurnKind
    from controlroom.kit.turns import Turn, Turns

NOT_IN_TIME: Final = 75  # EX_TEMPFAIL of sysexits.h: try again later
CANNOT_RUN: Final = 126
NO_COMMAND: Final = 127

LOOK_EVERY_S: Final = 0.2
ANSWER_S: Final = 1.0  # longer than this nobody waits for a name
COMMAND: Final = "controlroom.command"


class TurnCommand(click.Command):
    """Everything behind ``--`` is another command's and is not looked at."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        ours, theirs = args, None
        if "--" in args:
            at = args.index("--")
            ours, theirs = args[:at], tuple(args[at + 1 :])
        ctx.meta[COMMAND] = theirs
        return super().parse_args(ctx, ours)

    def collect_usage_pieces(self, ctx: click.Context) -> list[str]:
        return [*filter(None, super().collect_usage_pieces(ctx)), "[-- COMMAND...]"]


def turn_options() -> Decorator:
    """``--timeout``, ``--no-wait`` and the place where a command without ``--`` is noticed."""

    def add(work: Callable[..., None]) -> Callable[..., None]:
        work = click.argument("stray", nargs=-1, metavar="")(work)
        work = click.option("--no-wait", is_flag=True, help="Give up at once when it is not free.")(work)
        return click.option(
            "--timeout",
            type=click.FloatRange(min=0),
            metavar="SECONDS",
            help="Give up after so long; without it, wait for as long as it takes.",
        )(work)

    return add


def theirs(stray: Sequence[str]) -> tuple[str, ...] | None:
    """The command behind ``--``; None when only a look is wanted. Raises CliError."""
    found: tuple[str, ...] | None = click.get_current_context().meta.get(COMMAND)
    if stray:
        raise wrong_use(f"Write -- before the command: -- {' '.join(stray)[:200]}.")
    if found == ():
        raise wrong_use("No command stands behind --.")
    return found


def checked_name(name: str) -> str:
    from controlroom.core.turns import NAME_PATTERN

    if not re.fullmatch(NAME_PATTERN, name):
        raise wrong_use(f"{name[:60]!r} is no name: use a-z, 0-9, - and _, at most 40.")
    return name


def show(call: Call, kind: TurnKind, limits: Mapping[str, int | None]) -> None:
    """Who has each of these locks or slots, and who waits."""
    from controlroom.cli.turn_view import render_queue
    from controlroom.kit.clock import SystemClock
    from controlroom.kit.turns import TurnsError

    rows, lines, people = [], [], People(call)
    for name, limit in limits.items():
        turns = turns_of(call, kind, name)
        try:
            tickets = turns.look()
        except TurnsError as error:
            raise CliError(str(error)) from None
        rows.append({"kind": kind, "name": name, "limit": limit or 1, "tickets": tickets})
        now_ms = SystemClock().now_ms()
        left = partial(people.left, turns)
        lines += render_queue(name, limit, tickets, now_ms, people.who, left)
    if call.json:
        call.out.json(rows)
    else:
        call.out.lines(lines)


def turns_of(call: Call, kind: TurnKind, name: str) -> Turns:
    from controlroom.kit.clock import SystemClock
    from controlroom.kit.turns import Turns

    return Turns(folder_of(call, kind) / name, SystemClock())


def folder_of(call: Call, kind: TurnKind) -> Path:
    return call.home.path / f"{kind}s"


def run_in_turn(
    call: Call,
    kind: TurnKind,
    name: str,
    command: Sequence[str],
    *,
    limit: int,
    timeout: float | None,
    no_wait: bool,
) -> NoReturn:
    """Wait for a turn and become the command. Returns never; raises CliError."""
    from controlroom.kit.home import HomeError
    from controlroom.kit.process import ProcProcesses
    from controlroom.kit.turns import TurnsError

    program = _program(command[0])
    turns = turns_of(call, kind, name)
    try:
        call.home.prepare()
        if not turns.is_ours(turns.look(), ProcProcesses()):
            turn = turns.draw(_ticket(command))
            try:
                _wait(Wait(call, kind, name, limit), turns, turn, 0.0 if no_wait else timeout)
                turn.hand_on()
            except BaseException:
                turn.leave()
                raise
    except (TurnsError, HomeError) as error:
        raise CliError(str(error)) from None
    _become(program, command)


def _program(word: str) -> str:
    found = shutil.which(word)
    if found is None:
        is_there = "/" in word and Path(word).exists()
        why = "cannot be run" if is_there else "is not a command here"
        raise CliError(
            f"{word[:200]} {why}; nothing was run.", "not_found", CANNOT_RUN if is_there else NO_COMMAND
        )
    return found


def _ticket(command: Sequence[str]) -> Ticket:
    """Who we are, for others who wait. Of the command only the program's name: arguments may hold secrets."""
    from controlroom.core.turns import Ticket
    from controlroom.kit.clock import SystemClock
    from controlroom.kit.process import ProcProcesses
    from controlroom.kit.turns import pid_space

    pid = os.getpid()
    return Ticket(
        number=0,
        pid=pid,
        started=ProcProcesses().start_of(pid) or "",
        program=Path(command[0]).name[:100],
        folder=_folder()[:400],
        space=pid_space(),
        since_ms=SystemClock().now_ms(),
        server=os.environ.get("TMUX", "").split(",")[0][:400],
        pane=os.environ.get("TMUX_PANE", "")[:40],
    )


def _folder() -> str:
    try:
        return os.getcwd()  # noqa: PTH109 - a text is wanted
    except OSError:
        return "a folder that is gone"


class Wait:
    """What is said on standard error while we wait: whenever place or holders change."""

    def __init__(self, call: Call, kind: TurnKind, name: str, limit: int) -> None:
        self._call = call
        self._kind = kind
        self.name = name
        self.limit = limit
        self._said: tuple[int, tuple[int, ...]] | None = None

    @property
    def noun(self) -> str:
        from controlroom.cli.turn_view import noun

        return noun(self._kind, self.name, self.limit)

    def tell(self, found: Standing) -> None:
        state = found.position, tuple(ticket.number for ticket in found.holders)
        if state == self._said:
            return
        self._said = state
        if self._call.json:
            self._line_of("waiting", found)
            return
        from controlroom.cli.turn_view import ordinal

        say(f"Waiting for {self.noun}, {ordinal(found.position)} in the queue. {self.holders(found)}")

    def taken(self, found: Standing, waited_s: float) -> None:
        """Its turn has come. Without a wait nothing is said."""
        if self._call.json:
            self._line_of("taken", found)
        elif self._said is not None:
            from controlroom.cli.times import span

            say(f"It is your turn with {self.noun}, after {span(int(waited_s * 1000))}.")

    def holders(self, found: Standing) -> str:
        from controlroom.cli.turn_view import held_by
        from controlroom.kit.clock import SystemClock

        people = People(self._call)
        turns = turns_of(self._call, self._kind, self.name)
        return held_by(found.holders, SystemClock().now_ms(), people.who, partial(people.left, turns))

    def _line_of(self, state: str, found: Standing) -> None:
        import msgspec

        holders = [] if state == "taken" else found.holders
        position = 0 if state == "taken" else found.position
        row = {
            "state": state,
            "kind": self._kind,
            "name": self.name,
            "limit": self.limit,
            "position": position,
            "holders": holders,
        }
        say(msgspec.json.encode(row).decode(), prefix="")


def say(line: str, prefix: str = "controlroom: ") -> None:
    print(f"{prefix}{line}", file=sys.stderr, flush=True)


class People:
    """The names of agents, asked of the control room once, and only if one answers at once."""

    def __init__(self, call: Call) -> None:
        self._call = call

    @cached_property
    def _names(self) -> dict[tuple[str, str], str]:
        if not self._call.home.socket.exists():
            return {}
        import asyncio

        from controlroom.client import ClientError, HubClient

        async def asked() -> dict[tuple[str, str], str]:
            async with asyncio.timeout(ANSWER_S), HubClient(self._call.home.socket) as hub:
                fleet = await hub.fleet()
            present = [agent for agent in fleet.agents if agent.activity != "gone"]
            return {(one.pane.server, one.pane.id): one.name for one in present if one.pane is not None}

        try:
            return asyncio.run(asked())
        except (ClientError, TimeoutError):
            return {}

    def who(self, ticket: Ticket) -> str:
        return self._names.get((ticket.server, ticket.pane), "") if ticket.pane else ""

    def left(self, turns: Turns, ticket: Ticket) -> str:
        """The process that keeps a turn whose own command has ended: ``chrome (process 4400)``."""
        from controlroom.kit.process import ProcProcesses

        processes = ProcProcesses()
        if not ticket.pid or processes.start_of(ticket.pid) == ticket.started:
            return ""
        processes.refresh()
        path = os.path.realpath(turns.path(ticket))
        for process in processes.all():
            if path in processes.open_files(process.pid):
                return f"{process.name} (process {process.pid})"
        return "another process"


def _wait(wait: Wait, turns: Turns, turn: Turn, timeout: float | None) -> None:
    """Until it is our turn. Raises CliError when the time is up."""
    began = time.monotonic()
    while True:
        found = turns.advance(turn, wait.limit)
        waited_s = time.monotonic() - began
        if found.may_go:
            wait.taken(found, waited_s)
            return
        if timeout is not None and waited_s >= timeout:
            within = f"within {timeout:g} s" if timeout else "now"
            raise CliError(
                f"There was no turn with {wait.noun} {within}; nothing was run. {wait.holders(found)}",
                "busy",
                NOT_IN_TIME,
            )
        wait.tell(found)
        left_s = LOOK_EVERY_S if timeout is None else min(LOOK_EVERY_S, max(timeout - waited_s, 0.0))
        time.sleep(left_s)


def _become(program: str, command: Sequence[str]) -> NoReturn:
    """The command in our place: same process, terminal, signals and exit status."""
    sys.stdout.flush()
    sys.stderr.flush()
    for ignored_by_python in (signal.SIGPIPE, signal.SIGXFSZ):
        signal.signal(ignored_by_python, signal.SIG_DFL)
    try:
        os.execv(program, list(command))  # noqa: S606 - no shell is wanted
    except OSError as error:
        if error.errno == errno.ENOEXEC:  # a script without its first line: what execvp(3) does with it
            os.execv("/bin/sh", ["/bin/sh", program, *command[1:]])  # noqa: S606
        raise CliError(f"{command[0][:200]} cannot be run: {error.strerror}.", "failed", CANNOT_RUN) from None
