"""How Codex is started again, and which of its start-up prompts are known (codex.md sections 4 and 5).

What an agent was started with is kept, but for what chooses the conversation, the folder and the worktree,
and for the first prompt with its images: those stand in the conversation by now, and would be sent a second
time. The words of the conversation come first, so that a flag which is not known cannot swallow them.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from controlroom.core.facts import Dialog
from controlroom.kit.process import Process
from controlroom.node.agents.codex.processes import WITH_VALUE
from controlroom.node.agents.launching import Command, Launch, known_option

PROGRAM = "codex"

_ALONE_DROPPED = frozenset({"--last", "--all", "--include-non-interactive", "--worktree"})
_FOLDER = frozenset({"-C", "--cd"})
_IMAGES = frozenset({"-i", "--image"})  # as many files as follow


def resumed(command: Command, environment: dict[str, str], session_id: str, folder: str) -> Launch:
    """With this conversation, in its folder: else Codex asks where the conversation names another."""
    return command.launch(environment, session_id, "--cd", folder, first=("resume", session_id))


def begun(command: Command, environment: dict[str, str]) -> Launch:
    """With a new conversation; its id is known with the first message."""
    return command.launch(environment, None)


def same_command(process: Process) -> Command:
    """The same native program with the same flags; after an update, what lies in its place by now."""
    program = process.exe.removesuffix(" (deleted)")
    return Command(program, (program, *kept_words(process.argv[1:])))


def new_command(model: str, flags: tuple[str, ...] = ()) -> Command:
    """A new agent runs without the background server: what its pane shows and what its process does is then
    certain, its environment is that of its pane, and it ends when it is told to."""
    return Command(PROGRAM, (PROGRAM, "--no-daemon", *(("--model", model) if model else ()), *flags))


def environment_of(profile: str) -> dict[str, str]:
    """The variable that chooses a profile, where it is not the usual one."""
    is_usual = not profile or Path(profile) == Path.home() / ".codex"
    return {} if is_usual else {"CODEX_HOME": profile}


def kept_words(arguments: Sequence[str]) -> tuple[str, ...]:
    """The arguments without the words of the conversation, the folder and the first prompt."""
    kept: list[str] = []
    rest = list(arguments)
    while rest:
        word = rest.pop(0)
        name, equals, _ = word.partition("=")
        if word == "--":
            break  # what follows is the prompt
        if not word.startswith("-") or word == "-" or name in _ALONE_DROPPED:
            continue  # a command, an id or the prompt
        if name in _IMAGES:
            while not equals and rest and not rest[0].startswith("-"):
                rest.pop(0)
            continue
        is_attached = not word.startswith("--") and len(name) > 2  # -C/srv, -mgpt-6
        if name in _FOLDER or (is_attached and word[:2] in _FOLDER | _IMAGES):
            if name in _FOLDER and not equals and rest:
                rest.pop(0)
            continue
        kept.append(word)
        if name in WITH_VALUE and not equals and rest:
            kept.append(rest.pop(0))
    return tuple(kept)


_SAME_FOLDER = (("Trust this folder?", "Trust and continue"),)
_ANYTIME = (
    ("Update available", "Skip"),
    ("Try new model", "Use existing model"),
    ("Working directory · resume", "Use session directory"),
)


def safe_option(dialog: Dialog, *, is_again: bool) -> str | None:
    """See ``Launching.safe_option``. No update is installed and no model is changed; a folder is trusted only
    when the same agent has just run there. Hooks that need review are for a person: left out, they would
    guard nothing."""
    return known_option(dialog, (*_ANYTIME, *(_SAME_FOLDER if is_again else ())), _label)


def _label(shown: str) -> str:
    """Without the folder that some options name behind their words."""
    return shown.partition(" (")[0].strip()
