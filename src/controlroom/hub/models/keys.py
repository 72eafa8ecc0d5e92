"""The key of a model: from a private file, or from a variable of the environment. Read for each call, so that
a new one works at once; kept nowhere else."""

from __future__ import annotations

import os
import re
import stat
from collections.abc import Mapping
from pathlib import Path

from controlroom.hub.models.base import NeedsLogin
from controlroom.kit.files import NotRegular, open_regular, read_at

LONGEST = 4096
_KEY = re.compile(r"[\x21-\x7e]{1,4096}")


class KeySource:
    """``file`` is read when ``variable`` names none. Relative files lie in the data folder."""

    def __init__(self, folder: Path, file: str, variable: str, environment: Mapping[str, str]) -> None:
        self._file = folder / Path(file).expanduser() if file else None
        self._variable = variable
        self._environment = environment

    def read(self) -> str | None:
        """The key, None when there is none. Raises NeedsLogin for one that cannot be used."""
        if self._variable:
            value = self._environment.get(self._variable, "").strip()
            if not value:
                raise NeedsLogin(f"The variable {self._variable} (checker.key_env) is not set.")
            return _checked(value, f"The variable {self._variable}")
        if self._file is None:
            return None
        try:
            text = _private_text(self._file)
        except FileNotFoundError:
            return None
        except NotRegular:
            raise NeedsLogin(f"{self._file} is no ordinary file, so no key is read from it.") from None
        except OSError as error:
            raise NeedsLogin(f"{self._file} cannot be read: {error.strerror}.") from None
        return _checked(text.strip(), str(self._file))


def _private_text(path: Path) -> str:
    opened = open_regular(str(path))
    try:
        status = os.fstat(opened.fd)
        if status.st_mode & (stat.S_IRWXG | stat.S_IRWXO):
            raise NeedsLogin(f"{path} can be read by others, so its key is not used: chmod 600 {path}")
        if status.st_uid not in (os.getuid(), 0):
            raise NeedsLogin(f"{path} belongs to another user, so its key is not used.")
        return read_at(opened.fd, 0, LONGEST + 2).decode("utf-8", errors="replace")
    finally:
        os.close(opened.fd)


def _checked(text: str, where: str) -> str:
    if not text:
        raise NeedsLogin(f"{where} is empty.")
    if _KEY.fullmatch(text) is None:
        raise NeedsLogin(f"{where} holds no key: one line of letters, digits and marks is expected.")
    return text
