"""From what went wrong to one sentence, a code and an exit status. No traceback ever reaches a person.

Exit status: 0 done, 1 failed, 2 wrong use, 3 the hub cannot be reached, 130 stopped with Ctrl-C.
"""

from __future__ import annotations

from typing import NamedTuple

DONE, FAILED, WRONG_USE, UNREACHABLE, INTERRUPTED, BROKEN_PIPE = 0, 1, 2, 3, 130, 141


class CliError(Exception):
    """A command cannot go on. ``text`` is one clear sentence that says what to do."""

    def __init__(self, text: str, code: str = "failed", status: int = FAILED) -> None:
        super().__init__(text)
        self.text = text
        self.code = code
        self.status = status


def wrong_use(text: str) -> CliError:
    return CliError(text, "bad_request", WRONG_USE)


class Trouble(NamedTuple):
    """What a person or a script is told."""

    code: str
    text: str
    status: int


def trouble_of(error: Exception) -> Trouble:
    """The one place where exceptions become words."""
    import click

    if isinstance(error, ExceptionGroup):  # tasks of one command: the first to fail says why
        return trouble_of(error.exceptions[0])
    if isinstance(error, CliError):
        return Trouble(error.code, error.text, error.status)
    if isinstance(error, click.UsageError):
        return Trouble("bad_request", _usage(error), WRONG_USE)
    if isinstance(error, click.ClickException):
        return Trouble("failed", error.format_message(), FAILED)
    return _from_client(error) or Trouble(
        "failed",
        f"controlroom itself is broken here ({type(error).__name__}: {str(error)[:200]}). "
        "Run it again with CONTROLROOM_DEBUG=1 and report what it prints.",
        FAILED,
    )


def _from_client(error: Exception) -> Trouble | None:
    from controlroom.client import CannotReach, ClientError, Refused

    if isinstance(error, CannotReach):
        return Trouble("offline", str(error), UNREACHABLE)
    if isinstance(error, Refused):
        return Trouble(error.code, error.text, WRONG_USE if error.code == "bad_request" else FAILED)
    if isinstance(error, ClientError):
        return Trouble("failed", str(error), FAILED)
    return None


def _usage(error: object) -> str:
    import click

    assert isinstance(error, click.UsageError)
    said = error.format_message().rstrip(".")
    path = error.ctx.command_path if error.ctx else "controlroom"
    return f"{said}{'' if said.endswith('?') else '.'} See: {path} --help"
