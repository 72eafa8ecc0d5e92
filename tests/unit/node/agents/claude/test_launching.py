"""How Claude Code is started again, and which start-up prompts are answered without a person."""

from __future__ import annotations

from pathlib import Path

import pytest

from controlroom.core.facts import Dialog, Option
from controlroom.kit.process import Process
from controlroom.node.agents.claude.launching import environment_of, kept_words, safe_option, same_command

ID = "0d1f3a52-6c7b-4e8d-9f10-a1b2c3d4e5f6"


@pytest.mark.parametrize(
    ("words", "kept"),
    [
        ((), ()),
        (("--resume", ID), ()),
        (("-r", ID, "--model", "opus"), ("--model", "opus")),
        (("--resume", "--verbose"), ("--verbose",)),
        ((f"--session-id={ID}", "--verbose"), ("--verbose",)),
        (("--continue", "--fork-session"), ()),
        (("Please begin",), ()),
        (("--model", "opus", "Please begin"), ("--model", "opus")),
        (("--dangerously-skip-permissions", "Please begin"), ("--dangerously-skip-permissions",)),
        (("--add-dir", "/a", "/b", "--verbose"), ("--add-dir", "/a", "/b", "--verbose")),
        (("--model=opus", "Please begin"), ("--model=opus",)),
        (("--unheard", "value", "Please begin"), ("--unheard", "value")),
        (("--verbose", "--", "--resume is a word of the prompt"), ("--verbose",)),
    ],
)
def test_flags_are_kept_and_session_and_prompt_are_not(words: tuple[str, ...], kept: tuple[str, ...]) -> None:
    assert kept_words(words) == kept
    assert kept_words(kept) == kept


def process(exe: str, *argv: str) -> Process:
    return Process(pid=7, ppid=1, name="claude", exe=exe, argv=argv, start="1", started_at_ms=0, uid=0)


def test_the_same_program_is_started_under_the_name_it_had() -> None:
    command = same_command(process("/opt/claude/versions/2.1", "claude", "--verbose", "-r", ID))
    assert (command.program, command.words) == ("/opt/claude/versions/2.1", ("claude", "--verbose"))


def test_a_script_of_a_runtime_is_kept() -> None:
    script = "/lib/node_modules/@anthropic-ai/claude-code/cli.js"
    command = same_command(process("/usr/bin/node", "node", script, "--resume", ID))
    assert (command.program, command.words) == ("/usr/bin/node", ("node", script))


def test_a_program_that_was_replaced_is_looked_for_anew() -> None:
    command = same_command(process("/opt/claude/versions/2.1 (deleted)", "claude"))
    assert command.program == "claude"


def test_only_another_profile_is_named() -> None:
    assert environment_of("") == environment_of(str(Path.home() / ".claude")) == {}
    assert environment_of("/srv/two") == {"CLAUDE_CONFIG_DIR": "/srv/two"}


def prompt(text: str, *labels: str, kind: str = "startup") -> Dialog:
    options = tuple(Option(str(number), label) for number, label in enumerate(labels))
    return Dialog(kind="startup" if kind == "startup" else "permission", text=text, options=options)


TRUST = prompt(
    "Accessing workspace:\n/srv/pears\nQuick safety check: is this your project?",
    "No, exit",
    "Yes, I trust this folder",
)
LONG = prompt(
    "Resume from summary?", "Resume from summary (instant, recommended)", "Resume full session as-is"
)


def test_the_folder_is_trusted_only_for_an_agent_that_has_just_run_there() -> None:
    assert safe_option(TRUST, is_again=True) == "1"
    assert safe_option(TRUST, is_again=False) is None


def test_a_long_session_is_kept_as_it_is() -> None:
    assert safe_option(LONG, is_again=True) == safe_option(LONG, is_again=False) == "1"


@pytest.mark.parametrize(
    "dialog",
    [
        prompt("WARNING: running in Bypass Permissions mode", "No, exit", "Yes, I accept"),
        prompt("Detected a custom API key in your environment", "Yes", "No (recommended)"),
        prompt("New MCP server found in this project: pears", "Use this MCP server", "Continue without"),
        prompt("Quick safety check", "No, exit", "Yes, I trust this folder and all below"),
        prompt("Quick safety check", "Yes, I trust this folder", "Yes, I trust this folder"),
        prompt("Something new", "Yes, I trust this folder"),
        prompt("Quick safety check", "No, exit", "Yes, I trust this folder", kind="permission"),
    ],
)
def test_lesson_startup_prompts(dialog: Dialog) -> None:
    """Spec 11: a short list of exact options is chosen from; every other prompt waits for a person."""
    assert safe_option(dialog, is_again=True) is None
