"""The data folder: private, with one control room in it at a time."""

from __future__ import annotations

import contextlib
import errno
import fcntl
import os
import shlex
import shutil
import sys
from pathlib import Path
from types import TracebackType

LONGEST_SOCKET = 100  # bytes; sockaddr_un ends at 108 on Linux, at 104 on macOS


class HomeError(Exception):
    """The data folder cannot be used; the text is one line for people."""


class HomeInUse(HomeError):
    """Another control room runs on this folder."""


def default_path() -> Path:
    """The data folder when nobody names one: the usual place for a program's data."""
    import platformdirs

    return platformdirs.user_data_path("controlroom")


def _program() -> str:
    """``controlroom`` when PATH finds this installation, else its path; a checkout has its own script."""
    ours = Path(sys.executable).with_name("controlroom")
    found = shutil.which("controlroom")
    if found is not None and Path(found).resolve() == ours.resolve():
        return "controlroom"
    script = ours.parent.parent.parent / "controlroom"
    if not script.is_file():
        return str(ours) if ours.is_file() else "controlroom"
    return "./controlroom" if script.parent == Path.cwd() else str(script)


class Home:
    """Where things lie in a data folder."""

    def __init__(self, path: Path) -> None:
        self.path = path

    @property
    def socket(self) -> Path:
        return self.path / "control.sock"

    @property
    def config(self) -> Path:
        return self.path / "config.toml"

    @property
    def log(self) -> Path:
        return self.path / "log" / "control-room.log"

    @property
    def command_prefix(self) -> str:
        """How a person types a command for this control room in another terminal, opened in this folder."""
        words = [_program(), *([] if self.path == default_path() else ["--home", str(self.path)])]
        return shlex.join(words)

    def database(self, name: str) -> Path:
        return self.path / f"{name}.sqlite"

    def prepare(self) -> None:
        """Make the folder, or make it private. Raises HomeError."""
        length = len(os.fsencode(self.socket))
        if length > LONGEST_SOCKET:
            raise HomeError(
                f"The data folder {self.path} is too deep: its socket path has {length} bytes and the system "
                f"allows {LONGEST_SOCKET}. Choose a shorter one with --home or CONTROLROOM_HOME."
            )
        if self.path in {Path("/"), Path.home()}:
            raise HomeError(f"The data folder cannot be {self.path} itself. Name a folder of its own in it.")
        try:
            self.path.mkdir(mode=0o700, parents=True, exist_ok=True)
            if self.path.stat().st_mode & 0o077:
                self.path.chmod(0o700)
            self.log.parent.mkdir(mode=0o700, exist_ok=True)
        except OSError as error:
            raise HomeError(f"The data folder {self.path} cannot be used: {error.strerror}.") from None


class HomeLock:
    """Held while a control room runs on the folder; the kernel drops it with the process, however it ends."""

    def __init__(self, home: Home) -> None:
        self._path = home.path / "lock"
        self._home = home
        self._file = -1

    def __enter__(self) -> HomeLock:
        try:
            file = os.open(self._path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        except OSError as error:
            raise HomeError(
                f"The data folder {self._home.path} cannot be written to: {error.strerror}."
            ) from None
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            owner = os.pread(file, 20, 0).decode(errors="replace").strip()
            os.close(file)
            if error.errno not in {errno.EWOULDBLOCK, errno.EACCES}:
                raise HomeError(f"{self._path} cannot be locked: {error.strerror}.") from None
            who = f" (process {owner})" if owner.isdigit() else ""
            raise HomeInUse(
                f"A control room already runs on {self._home.path}{who}. "
                "Use it, stop it, or choose another folder with --home."
            ) from None
        # Only for the message above: the lock itself is the kernel's. A full disk must not stop the start.
        with contextlib.suppress(OSError):
            os.ftruncate(file, 0)
            os.pwrite(file, f"{os.getpid()}\n".encode(), 0)
        self._file = file
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        os.close(self._file)
