"""Files for agents: put into ``.controlroom/inbox/`` of the agent's project, and removed after thirty days.

Every step is taken from an open folder to what lies in it, and no link is followed below the project's own
folder: what a hostile project puts there cannot lead a file elsewhere. A file is written under a name of
its own, compared with what was announced, put on the disk, and only then gets its name and its row in the
journal. Done twice, it is one file.

The folder is named in ``.git/info/exclude``, so that nobody commits it by mistake; the person's files are not
changed for that. See gitrepository-layout(5): a worktree shares the file of its repository.
"""

from __future__ import annotations

import contextlib
import errno
import hashlib
import os
import re
import stat
from collections.abc import AsyncIterator, Callable, Iterator
from pathlib import Path
from typing import Final, TypeVar

import structlog

from controlroom.core.attachments import EXCLUDED, INBOX, placed_name, safe_name
from controlroom.core.text import clean_line
from controlroom.kit.clock import Clock
from controlroom.kit.file_threads import FileThreads
from controlroom.node.journal.journal import Journal
from controlroom.node.journal.records import PlacedFile
from controlroom.wire.node import FileOffer

T = TypeVar("T")

_log = structlog.get_logger("inbox")

KEPT_MS: Final = 30 * 24 * 3600 * 1000
LARGEST: Final = 2**32
MAX_DEPTH: Final = 40  # folders up to the repository's root
MAX_BYTES: Final = 4096  # of git's small files
FULL: Final = {errno.ENOSPC, errno.EDQUOT}
_ID: Final = re.compile(r"[a-z]{2,4}_[A-Za-z0-9]{1,64}")  # becomes part of a file's name
_FOLDER: Final = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC


class CannotPlace(Exception):
    """The file was not put there; the text says why, for people."""


class Inbox:
    """All files that were placed on this machine."""

    def __init__(self, journal: Journal, clock: Clock) -> None:
        self._journal = journal
        self._clock = clock
        self._threads = FileThreads("inbox")

    def close(self) -> None:
        self._threads.close()

    async def place(self, folder: str, offer: FileOffer, pieces: AsyncIterator[bytes]) -> str:
        """Put the file there; returns its path. A file of this id that still lies there is left alone.

        Raises CannotPlace, and what reading the pieces raises.
        """
        known = await self._journal.placed_file(offer.id)
        if known is not None and await self._run(lambda: _is_there(known)):
            return known.path
        if not _ID.fullmatch(offer.id):
            raise CannotPlace("This is no id of an upload.")
        if not 0 <= offer.bytes <= LARGEST:
            raise CannotPlace("The file is too large.")
        name = placed_name(offer.id, safe_name(offer.name))
        file = await self._run(lambda: _Writing(folder, name))
        try:
            async for piece in pieces:
                if file.size + len(piece) > offer.bytes:
                    raise CannotPlace(f"{offer.name} is larger than announced.")
                await self._run(lambda: file.write(piece))  # noqa: B023 - awaited at once
            if (file.size, file.sha256) != (offer.bytes, offer.sha256):
                raise CannotPlace(f"{offer.name} did not come whole.")
            path = await self._run(file.finish)
        finally:
            await self._run(file.close)
        placed = PlacedFile(
            id=offer.id, path=path, bytes=offer.bytes, placed_ms=self._clock.now_ms(), agent_id=offer.agent_id
        )
        await self._journal.add_placed(placed)
        return path

    async def find(self, upload_id: str) -> PlacedFile | None:
        """The file that was placed under this id, while it lies there."""
        known = await self._journal.placed_file(upload_id)
        return known if known is not None and await self._run(lambda: _is_there(known)) else None

    async def sweep(self) -> None:
        """Remove files that were placed more than thirty days ago."""
        for placed in await self._journal.placed_before(self._clock.now_ms() - KEPT_MS):
            try:
                await self._run(lambda: _remove(placed))  # noqa: B023 - awaited at once
            except CannotPlace as error:  # a disk that is away now may be back later
                _log.info("a file stays", path=clean_line(placed.path), error=str(error))
                continue
            await self._journal.forget_placed(placed.id)

    async def _run(self, job: Callable[[], T]) -> T:
        try:
            return await self._threads.run(job)
        except TimeoutError:
            raise CannotPlace("The disk of the agent's project does not answer.") from None
        except OSError as error:
            if error.errno in FULL:
                raise CannotPlace("The disk of the agent's project is full.") from None
            what = error.strerror or "it failed"
            raise CannotPlace(f"The agent's project cannot take files: {what}.") from None


class _Writing:
    """One file on its way into an inbox. All of it is work for a thread and raises OSError."""

    def __init__(self, folder: str, name: str) -> None:
        self.size = 0
        self._name = name
        self._part = f".{name}.part"
        self._sha256 = hashlib.sha256()
        root = os.path.realpath(folder)
        if any(ord(character) < 32 or character == "`" for character in root):
            raise CannotPlace("The name of the agent's folder has characters that cannot be told to it.")
        with contextlib.ExitStack() as stack:
            place = _open_folder(root, None)
            stack.callback(os.close, place)
            _exclude(root)
            for part in INBOX:
                place = _private_folder(part, place)
                stack.callback(os.close, place)
            self._place = os.dup(place)
        self._path = "/".join((root.rstrip("/"), *INBOX, name))
        with contextlib.suppress(FileNotFoundError):  # what an earlier try left
            os.unlink(self._part, dir_fd=self._place)
        flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
        try:
            self._fd = os.open(self._part, flags, 0o600, dir_fd=self._place)
        except OSError:
            os.close(self._place)
            raise

    @property
    def sha256(self) -> str:
        return self._sha256.hexdigest()

    def write(self, piece: bytes) -> None:
        view = memoryview(piece)
        while view:
            view = view[os.write(self._fd, view) :]
        self._sha256.update(piece)
        self.size += len(piece)

    def finish(self) -> str:
        """Put it on the disk under its name; returns its path."""
        os.fsync(self._fd)
        os.rename(self._part, self._name, src_dir_fd=self._place, dst_dir_fd=self._place)
        os.fsync(self._place)
        return self._path

    def close(self) -> None:
        """Close it, and remove it unless it was finished."""
        os.close(self._fd)
        with contextlib.suppress(FileNotFoundError):
            os.unlink(self._part, dir_fd=self._place)
        os.close(self._place)


def _open_folder(path: str, place: int | None) -> int:
    try:
        return os.open(path, _FOLDER, dir_fd=place)
    except OSError as error:
        if error.errno in {errno.ELOOP, errno.ENOTDIR}:
            raise CannotPlace(f"{clean_line(path)} in the agent's project is a link or no folder.") from None
        if error.errno == errno.ENOENT and place is None:
            raise CannotPlace("The agent's project folder is not there.") from None
        raise


def _private_folder(name: str, place: int) -> int:
    """Open a folder of ours in an open folder; made when it is not there, and private."""
    with contextlib.suppress(FileExistsError):
        os.mkdir(name, 0o700, dir_fd=place)
    folder = _open_folder(name, place)
    status = os.fstat(folder)
    try:
        if status.st_uid != os.geteuid():
            raise CannotPlace(f"{name} in the agent's project belongs to somebody else.")
        if stat.S_IMODE(status.st_mode) != 0o700:
            os.fchmod(folder, 0o700)
    except BaseException:
        os.close(folder)
        raise
    return folder


@contextlib.contextmanager
def _inbox_of(path: str) -> Iterator[int]:
    """The open inbox of a placed file, reached without following a link below the project's folder."""
    root = path.rsplit("/", len(INBOX) + 1)[0] or "/"
    with contextlib.ExitStack() as stack:
        place = _open_folder(root, None)
        stack.callback(os.close, place)
        for part in INBOX:
            place = _open_folder(part, place)
            stack.callback(os.close, place)
        yield place


def _is_there(placed: PlacedFile) -> bool:
    """Whether it lies there as a regular file of its size."""
    try:
        with _inbox_of(placed.path) as place:
            status = os.stat(placed.path.rpartition("/")[2], dir_fd=place, follow_symlinks=False)
    except (OSError, CannotPlace):
        return False
    return stat.S_ISREG(status.st_mode) and status.st_size == placed.bytes


def _remove(placed: PlacedFile) -> None:
    """Remove a placed file, and the folders when they are empty then. What is gone already is fine."""
    root = placed.path.rsplit("/", len(INBOX) + 1)[0] or "/"
    with contextlib.suppress(FileNotFoundError, NotADirectoryError):
        try:
            with _inbox_of(placed.path) as place:
                os.unlink(placed.path.rpartition("/")[2], dir_fd=place)
        except CannotPlace:
            return  # its folder is gone, or somebody put something else there: nothing of ours
        with contextlib.suppress(OSError):  # not empty
            Path(root, *INBOX).rmdir()
            Path(root, INBOX[0]).rmdir()


# ---- git ------------------------------------------------------------------------------------------------


def _exclude(root: str) -> None:
    """Name our folder in the ``info/exclude`` of the repository around ``root``, once. Trouble is no reason
    to refuse a file: then it can be seen as an untracked file."""
    try:
        git = _git_folder(Path(root))
        if git is not None:
            _add_line(git)
    except (OSError, UnicodeError) as error:
        _log.info("the inbox is not named in git's exclude file", folder=clean_line(root), error=str(error))


def _git_folder(root: Path) -> Path | None:
    """The folder that has ``info/exclude`` for this place: the common one of a worktree."""
    for place in [root, *root.parents][:MAX_DEPTH]:
        dot_git = place / ".git"
        if dot_git.is_symlink():
            return None
        if dot_git.is_dir():
            return dot_git if (dot_git / "HEAD").is_file() else None
        if dot_git.is_file():
            said = _small(dot_git)
            if not said.startswith("gitdir: "):
                return None
            git = (place / said.removeprefix("gitdir: ")).resolve()
            return _common(git, dot_git) if (git / "HEAD").is_file() else None
    return None


def _common(git: Path, dot_git: Path) -> Path | None:
    """The common folder of a worktree that names our ``.git`` file in turn; of a submodule its own."""
    if not (git / "commondir").is_file():
        return git
    if Path(_small(git / "gitdir")).resolve() != dot_git.resolve():
        return None  # it claims to be a worktree, and the repository knows of none here
    common = (git / _small(git / "commondir")).resolve()
    return common if (common / "HEAD").is_file() else None


def _small(path: Path) -> str:
    with path.open("rb") as file:
        return file.read(MAX_BYTES).decode().strip()


def _add_line(git: Path) -> None:
    with contextlib.ExitStack() as stack:
        place = os.open(git, _FOLDER)
        stack.callback(os.close, place)
        with contextlib.suppress(FileExistsError):
            os.mkdir("info", 0o777, dir_fd=place)
        info = os.open("info", _FOLDER, dir_fd=place)
        stack.callback(os.close, info)
        flags = os.O_RDWR | os.O_APPEND | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC
        file = os.open("exclude", flags, 0o666, dir_fd=info)
        stack.callback(os.close, file)
        if not stat.S_ISREG(os.fstat(file).st_mode):
            return
        text = os.pread(file, 2**20, 0)
        if EXCLUDED.encode() in (line.strip() for line in text.split(b"\n")):
            return
        gap = b"" if not text or text.endswith(b"\n") else b"\n"
        os.write(file, gap + EXCLUDED.encode() + b"\n")
