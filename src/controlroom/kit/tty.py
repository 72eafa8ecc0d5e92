"""What the terminal of another process is set to, read without becoming part of it."""

from __future__ import annotations

import os
import termios
from typing import Final

LFLAG: Final = 3  # the place of the local modes in what tcgetattr gives


def echoes(path: str) -> bool | None:
    """Whether the terminal repeats what is typed into it.

    False: a line is read without being shown, as programs ask for passwords (ICANON is on, ECHO is off).
    None when it cannot be known: there is no such terminal, it is not ours to read, or its program reads
    single keys and draws them itself (ICANON is off: editors, agents, and ssh, behind which another
    machine's terminal decides).

    The terminal is opened for a moment: O_NOCTTY keeps it from becoming ours, O_NONBLOCK from waiting.
    """
    if not path.startswith("/dev/"):
        return None
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NOCTTY | os.O_NONBLOCK | os.O_CLOEXEC)
    except (OSError, ValueError):
        return None
    try:
        modes: int = termios.tcgetattr(descriptor)[LFLAG]
    except termios.error:  # not a terminal
        return None
    finally:
        os.close(descriptor)
    if modes & termios.ECHO:
        return True
    return False if modes & termios.ICANON else None
