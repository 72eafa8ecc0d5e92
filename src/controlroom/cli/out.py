"""What commands print and where: people's lines, JSON for scripts, errors on stderr."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Iterable
from typing import TextIO

from controlroom.cli.palette import Role, paint


class Out:
    """Standard output of one command: whether it is a terminal, its width, and whether it takes colour."""

    def __init__(self, stream: TextIO | None = None) -> None:
        self._stream = stream or sys.stdout
        self.is_terminal = self._stream.isatty()
        self.colour = self.is_terminal and takes_colour(os.environ)

    @property
    def width(self) -> int:
        return shutil.get_terminal_size((80, 24)).columns

    def say(self, line: str = "", role: Role = "plain") -> None:
        """One line that is safe to print (outside text goes through ``cli.text`` first)."""
        self._stream.write(paint(line, role, self.colour) + "\n")

    def lines(self, lines: Iterable[str]) -> None:
        self._stream.writelines(f"{line}\n" for line in lines)

    def raw(self, data: str) -> None:
        self._stream.write(data)

    def json(self, value: object) -> None:
        """One JSON value; indented for a person who looks, one line for a program."""
        import msgspec

        encoded = msgspec.json.encode(value)
        if self.is_terminal:
            encoded = msgspec.json.format(encoded, indent=2)
        self._stream.write(encoded.decode() + "\n")
        self._stream.flush()

    def json_line(self, value: object) -> None:
        """One JSON value of a stream, always on one line."""
        import msgspec

        self._stream.write(msgspec.json.encode(value).decode() + "\n")
        self._stream.flush()

    def flush(self) -> None:
        self._stream.flush()


def takes_colour(environ: os._Environ[str] | dict[str, str]) -> bool:
    """Whether colour may be used: not with NO_COLOR (any value, https://no-color.org), nor TERM=dumb."""
    return not environ.get("NO_COLOR") and environ.get("TERM", "") not in ("", "dumb")
