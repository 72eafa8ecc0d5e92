"""A text file of the person's, changed without losing anything: what was read is what is replaced.

Links are followed, so that the file behind them is changed and the link stays. The new text comes in one
step (a file beside it, then a rename) with the mode and, as far as we may, the owner of the old one.
"""

from __future__ import annotations

import contextlib
import os
import stat
from pathlib import Path

import msgspec

MOST_BYTES = 1 << 20  # instruction files have some kilobytes


class CannotEdit(Exception):
    """The file cannot or must not be changed; the text is a sentence for people. Nothing was changed."""


class EditedFile(msgspec.Struct, frozen=True):
    """``path`` is where it really lies. ``text`` None: there is no such file yet. Bytes that are not UTF-8
    stand in it as surrogates, and come back as they were."""

    path: Path
    text: str | None
    mode: int = 0


def open_edited(path: Path) -> EditedFile:
    """Read a file that shall be changed. Raises CannotEdit."""
    try:
        real = path.resolve(strict=path.is_symlink())
        status = real.stat()
    except FileNotFoundError:
        if path.is_symlink():
            raise CannotEdit(f"{path} is a link to a file that does not exist.") from None
        return _missing(path)
    except (OSError, RuntimeError) as error:  # RuntimeError: links in a circle, before Python 3.13
        raise CannotEdit(f"{path} cannot be read: {_reason(error)}.") from None
    if not stat.S_ISREG(status.st_mode):
        raise CannotEdit(f"{real} is not a file.")
    if status.st_size > MOST_BYTES:
        raise CannotEdit(f"{real} has more than {MOST_BYTES // 1024} KiB: that is no file of instructions.")
    try:
        data = real.read_bytes()
    except OSError as error:
        raise CannotEdit(f"{real} cannot be read: {_reason(error)}.") from None
    if b"\0" in data:
        raise CannotEdit(f"{real} is not a UTF-8 text.")
    return EditedFile(real, _decoded(data), stat.S_IMODE(status.st_mode))


def save_edited(file: EditedFile, text: str | None) -> None:
    """Write the new text, or remove the file (None). Raises CannotEdit, also when it changed since it was
    read."""
    _check_writable(file)
    if open_edited(file.path).text != file.text:
        raise CannotEdit(f"{file.path} was changed meanwhile. Look again; nothing was written.")
    try:
        if text is None:
            file.path.unlink(missing_ok=True)
        else:
            _replace(file, text.encode("utf-8", "surrogateescape"))
    except OSError as error:
        raise CannotEdit(f"{file.path} cannot be written: {_reason(error)}.") from None


def _missing(path: Path) -> EditedFile:
    folder = path.parent
    if not folder.is_dir():
        raise CannotEdit(f"There is no folder {folder}.")
    return EditedFile(folder.resolve() / path.name, None)


def _check_writable(file: EditedFile) -> None:
    """A rename would also replace a file that its owner made read-only."""
    if file.text is not None and (not file.mode & 0o222 or not os.access(file.path, os.W_OK)):
        raise CannotEdit(f"{file.path} is read-only. Nothing was changed.")
    if not os.access(file.path.parent, os.W_OK | os.X_OK):
        raise CannotEdit(f"The folder {file.path.parent} is read-only. Nothing was changed.")


def _replace(file: EditedFile, data: bytes) -> None:
    scratch = file.path.with_name(f".{file.path.name}.{os.getpid()}.new")
    is_new = file.text is None
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
    descriptor = os.open(scratch, flags, 0o666 if is_new else 0o600)
    try:
        with os.fdopen(descriptor, "wb") as out:
            out.write(data)
            if not is_new:
                owner = file.path.stat()
                with contextlib.suppress(PermissionError):  # ours by right of the folder; others may not give
                    os.fchown(out.fileno(), owner.st_uid, owner.st_gid)
                os.fchmod(out.fileno(), file.mode)
            out.flush()
            os.fsync(out.fileno())
        scratch.replace(file.path)
    except BaseException:
        with contextlib.suppress(OSError):
            scratch.unlink()
        raise


def _decoded(data: bytes) -> str:
    return data.decode("utf-8", "surrogateescape")


def _reason(error: Exception) -> str:
    return (error.strerror if isinstance(error, OSError) else None) or "its links lead in a circle"
