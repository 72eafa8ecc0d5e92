"""Texts that would be commands, shell lines or lists are made harmless, and nothing else is touched."""

from __future__ import annotations

import pytest

from controlroom.node.agents.codex.harmless import harmless, is_shell_line


@pytest.mark.parametrize(
    ("text", "typed"),
    [
        ("hello", "hello"),
        ("/clear", " /clear"),
        ("/status\nmore", " /status\nmore"),
        ("!rm x", " !rm x"),
        ("#note", " #note"),
        ("@file", " @file "),
        ("$skill", " $skill "),
        ("look at @README.md", "look at @README.md "),
        ("look at\n@README.md", "look at\n@README.md "),
        ("it costs $HOME", "it costs $HOME "),
        ("look at @README.md now", "look at @README.md now"),
        ("mail ada@example.org", "mail ada@example.org"),
        ("a\r\nb\rc\n\n", "a\nb\nc"),
        ("\x1b!rm x", " \x1b!rm x"),
        ("\x07/quit", " \x07/quit"),
        ("see \x1b@x", "see \x1b@x "),
        ("ends in @x ", "ends in @x "),
        ("", ""),
    ],
)
def test_texts(text: str, typed: str) -> None:
    assert harmless(text, "text") == typed


@pytest.mark.parametrize("text", ["/clear", "!ls", "@file", "#note"])
def test_commands_stay(text: str) -> None:
    assert harmless(text, "command") == text
    assert harmless(text + "\r\n", "command") == text


@pytest.mark.parametrize("text", ["!ls", "  !ls", "\n!ls", "\x1b!ls", " \x07 !ls"])
def test_shell_lines_are_known_in_every_disguise(text: str) -> None:
    assert is_shell_line(text) and not is_shell_line("say " + text)
