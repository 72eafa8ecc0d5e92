"""How Claude Code is started again, and which of its start-up prompts are known.

What an agent was started with is kept, but for what chooses the session and for the first prompt: a prompt
that stands on the command line would be sent a second time. Flags that are not known are taken to have one
value when a word follows that is no flag.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from controlroom.core.facts import Dialog
from controlroom.kit.process import Process
from controlroom.node.agents.claude.processes import arguments_of
from controlroom.node.agents.launching import Command, known_option

PROGRAM = "claude"

_SESSION_WITH_VALUE = frozenset({"--session-id"})
_SESSION_MAYBE_VALUE = frozenset({"--resume", "-r"})
_SESSION_ALONE = frozenset({"--continue", "-c", "--fork-session"})
_ALONE = frozenset(
    {
        *("--dangerously-skip-permissions", "--allow-dangerously-skip-permissions", "--verbose"),
        *("--ide", "--strict-mcp-config", "--bare", "--chrome", "--no-chrome", "--brief"),
        *("--disable-slash-commands", "--exclude-dynamic-system-prompt-sections"),
    }
)
_MANY = frozenset(
    {
        *("--add-dir", "--allowedTools", "--allowed-tools", "--disallowedTools", "--disallowed-tools"),
        *("--mcp-config", "--betas", "--tools", "--plugin-dir", "--file"),
    }
)


def new_command(model: str, flags: tuple[str, ...] = ()) -> Command:
    """Claude Code as it is found in PATH."""
    return Command(PROGRAM, (PROGRAM, *(("--model", model) if model else ()), *flags))


def same_command(process: Process) -> Command:
    """The same program with the same flags, its session left open. A program whose file was replaced by an
    update is looked for anew by the name it was called with."""
    arguments = tuple(arguments_of(process))
    own = process.argv[: len(process.argv) - len(arguments)] or (PROGRAM,)
    is_there = bool(process.exe) and not process.exe.endswith(" (deleted)")
    return Command(process.exe if is_there else own[0], (*own, *kept_words(arguments)))


def environment_of(profile: str) -> dict[str, str]:
    """The variable that chooses a profile. The usual one is chosen by leaving it out: named, the same folder
    would keep its settings elsewhere."""
    is_usual = not profile or Path(profile) == Path.home() / ".claude"
    return {} if is_usual else {"CLAUDE_CONFIG_DIR": profile}


def kept_words(arguments: Sequence[str]) -> tuple[str, ...]:
    """The arguments without the session's and without a first prompt."""
    kept: list[str] = []
    rest = list(arguments)
    while rest:
        word = rest.pop(0)
        name, equals, _ = word.partition("=")
        if word == "--":
            break  # what follows is the prompt
        if not word.startswith("-"):
            continue
        if name in _SESSION_ALONE:
            continue
        if name in _SESSION_WITH_VALUE or name in _SESSION_MAYBE_VALUE:
            if not equals and rest and not rest[0].startswith("-"):
                rest.pop(0)
            continue
        kept.append(word)
        if equals or name in _ALONE:
            continue
        while rest and not rest[0].startswith("-"):
            kept.append(rest.pop(0))
            if name not in _MANY:
                break
    return tuple(kept)


_SAME_FOLDER = (("Quick safety check", "Yes, I trust this folder"),)
_ANYTIME = (("Resume from summary", "Resume full session as-is"),)


def safe_option(dialog: Dialog, *, is_again: bool) -> str | None:
    """See ``Launching.safe_option``. The trust prompt is known only for a folder in which the same agent has
    just run; the one about a long session keeps the session as it is."""
    return known_option(dialog, (*_ANYTIME, *(_SAME_FOLDER if is_again else ())))
