"""What another process's terminal does with what is typed."""

from __future__ import annotations

import os
import pty
import termios
import tty
from collections.abc import Iterator
from pathlib import Path

import pytest

from controlroom.kit.tty import LFLAG, echoes


@pytest.fixture
def terminal() -> Iterator[int]:
    ours, theirs = pty.openpty()
    yield theirs
    os.close(theirs)
    os.close(ours)


def switch(descriptor: int, *, echo: bool) -> None:
    modes = termios.tcgetattr(descriptor)
    modes[LFLAG] = modes[LFLAG] | termios.ECHO if echo else modes[LFLAG] & ~termios.ECHO
    termios.tcsetattr(descriptor, termios.TCSANOW, modes)


def test_a_shell_echoes_and_a_password_prompt_does_not(terminal: int) -> None:
    path = os.ttyname(terminal)
    assert echoes(path) is True
    switch(terminal, echo=False)
    assert echoes(path) is False
    switch(terminal, echo=True)
    assert echoes(path) is True


def test_a_program_that_reads_single_keys_is_no_password_prompt(terminal: int) -> None:
    tty.setraw(terminal)
    assert echoes(os.ttyname(terminal)) is None


def test_what_is_no_terminal_of_ours_is_not_known(tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.touch()
    for path in ("", "/dev/null", "/dev/pts/999999", "/dev/pts/x\0y", str(file)):
        assert echoes(path) is None


def test_looking_leaves_the_terminal_alone(terminal: int) -> None:
    before = termios.tcgetattr(terminal)
    assert echoes(os.ttyname(terminal)) is True
    assert termios.tcgetattr(terminal) == before
    assert not has_controlling_terminal() or os.ttyname(terminal) != os.ctermid()


def has_controlling_terminal() -> bool:
    try:
        os.close(os.open("/dev/tty", os.O_RDWR | os.O_NOCTTY))
    except OSError:
        return False
    return True
