"""A random secret in a private file: made once, read again later."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable
from pathlib import Path


def read_or_make(path: Path, fresh: Callable[[], bytes], *, shortest: int) -> bytes:
    """The secret of ``path``; a file that is missing or has fewer than ``shortest`` bytes gets a fresh one.

    The file is 0600 and appears whole or not at all. Raises OSError.
    """
    try:
        secret = path.read_bytes()
    except FileNotFoundError:
        secret = b""
    if len(secret) >= shortest:
        if path.stat().st_mode & 0o077:
            path.chmod(0o600)
        return secret
    secret = fresh()
    write_private(path, secret)
    return secret


def write_private(path: Path, data: bytes) -> None:
    """Put a file there that only its owner can read; it appears whole or not at all. Raises OSError."""
    number, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")  # mkstemp makes it 0600
    try:
        with os.fdopen(number, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        Path(name).replace(path)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise
