"""Carries a session's files from one profile to another: copies, verifies, and can be called again.

Theory. The source is only read. In the target everything is written beside its place first, under a name
that no agent looks for (*staging*); only when all of it is on disk and verified it gets its names, one rename
each, the session's own history last (*placing*). What lay there before keeps a second name until the move is
over, so every moment can be taken back. After a kill the next call takes the half back and begins anew
(``carry_memory``). Which copy of a file wins is decided in ``core.moves``.
"""

from __future__ import annotations

import asyncio
import errno
import os
import shutil
import threading
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path, PurePath
from typing import NamedTuple, TypeVar

import msgspec
import structlog

from controlroom.core import moves
from controlroom.core.moves import Fate, Pair, Refused
from controlroom.core.text import clean_line
from controlroom.kit.copied_file import BLOCK, common_bytes, copy_file, sync_all
from controlroom.node.acts import carry_memory
from controlroom.node.acts.carry_memory import Memory, Placed
from controlroom.node.agents.moving import Belongings, Owning, Piece
from controlroom.node.agents.transcripts import rows_from

_log = structlog.get_logger("carrying")
T = TypeVar("T")
_Going = Callable[[], None]

LONGEST_S = 600.0  # a session of some GB on a slow disk; beyond, the agent has stood still for too long
STOPS_WITHIN_S = 15.0  # a disk that hangs never notices


class CannotCarry(Exception):
    """The session is not in the target, which is as it was before; the text says why, for people."""


class Carried(msgspec.Struct, frozen=True):
    """What was done. ``text``: a sentence or more for the receipt. ``backups``: paths of what it replaced."""

    text: str
    files: int = 0
    backups: tuple[str, ...] = ()


async def carry(owning: Owning, session_id: str, source: str, target: str, memory: Path) -> Carried:
    """Bring everything that a session owns into the target profile. Nothing may write to it meanwhile.

    ``memory``: a file of this one carrying in a private folder; with it the same call goes on after a kill at
    any moment, and ``take_back`` undoes what was left half done. It stays until ``forget``. The source is
    never changed. Raises CannotCarry.
    """
    return await _in_thread(
        lambda going: _Carrying(owning, session_id, Path(source), Path(target), memory, going).carry()
    )


async def take_back(memory: Path) -> None:
    """Leave the target as it was before ``carry``, after a kill or a failure of what came after. Idempotent;
    nothing happens without a memory. A file that somebody wrote to since stays as it is. Raises CannotCarry
    when the target cannot be reached; it can be tried again then."""
    await _in_thread(lambda _: _take_back(memory))


async def forget(memory: Path) -> None:
    """The move is over: what only taking back would need goes away. Idempotent, and never raises: what cannot
    be removed now only takes room."""
    await _in_thread(lambda _: _forget(memory))


async def _in_thread(job: Callable[[_Going], T]) -> T:
    """Run it where it may block. Raises CannotCarry when it lasts too long, and what it raises. When nobody
    waits any more it stops at its next block and takes back what it did, before this ends."""
    stopped = threading.Event()

    def going() -> None:
        if stopped.is_set():
            raise _Stopped

    threads = ThreadPoolExecutor(1, thread_name_prefix="carrying")
    future = threads.submit(job, going)
    threads.shutdown(wait=False)
    try:
        async with asyncio.timeout(LONGEST_S):
            return await asyncio.wrap_future(future)
    except (TimeoutError, asyncio.CancelledError) as error:
        stopped.set()
        with suppress(TimeoutError):
            async with asyncio.timeout(STOPS_WITHIN_S):  # what it says of being stopped is for nobody
                await asyncio.gather(asyncio.wrap_future(future), return_exceptions=True)
        if isinstance(error, asyncio.CancelledError):
            raise
        raise CannotCarry(f"The files were not copied within {round(LONGEST_S / 60)} minutes.") from None


class _Stopped(Exception):
    """Whoever waited does not wait any more."""


class _Job(NamedTuple):
    """One file of the session, and what becomes of it."""

    piece: Piece
    source: Path
    to: Path
    stamp: tuple[int, int]  # size and change of the source when it was looked at
    pair: Pair
    fate: Fate


class _Carrying:
    """One carrying; everything blocks."""

    def __init__(
        self, owning: Owning, session_id: str, source: Path, target: Path, memory: Path, going: _Going
    ) -> None:
        self._owning = owning
        self._session_id = session_id
        self._source = source
        self._target = target
        self._path = memory
        self._going = going
        self._lies_in = ("", "")  # the session's folder in the source, and in the target
        self._there: Mapping[str, Piece] = {}  # histories that the target has already, by session

    def carry(self) -> Carried:
        """See ``carry``."""
        try:
            known = carry_memory.load(self._path)
            if known is not None and known.is_in_place():
                return _carried(known)
            _take_back(self._path)  # an earlier call got only half way
            return self._carry()
        except Refused as error:
            raise CannotCarry(str(error)) from None
        except _Stopped:
            raise CannotCarry("It was stopped while it copied. Nothing was changed.") from None
        except OSError as error:
            raise CannotCarry(f"{_why(error)} The target is as it was.") from None

    def _carry(self) -> Carried:
        if not self._target.is_dir():
            raise Refused("The folder of the target profile is gone. Nothing was changed.")
        if self._source.exists() and self._source.samefile(self._target):
            return Carried("Both profiles are the same folder, so nothing was copied.")
        belongings = self._owning.belongings(str(self._source), self._session_id)
        if belongings.missing:
            raise Refused(f"It is not whole: {belongings.missing[0]}, is missing. Nothing was changed.")
        jobs = self._jobs(belongings)
        memory = self._memory(jobs)
        carry_memory.save(self._path, memory)
        try:
            self._stage(jobs, memory)
            self._is_still_the_same(jobs, belongings)
            memory = msgspec.structs.replace(memory, phase="placing")
            carry_memory.save(self._path, memory)
            self._place(memory, belongings)
            memory = msgspec.structs.replace(memory, phase="done")
            carry_memory.save(self._path, memory)
        except (OSError, Refused, _Stopped):
            _take_back(self._path)
            raise
        return _carried(memory)

    # ---- looking ---------------------------------------------------------------------------------------

    def _jobs(self, belongings: Belongings) -> tuple[_Job, ...]:
        pieces = [piece for piece in belongings.pieces if not carry_memory.is_ours(piece.name)]
        if pieces:
            ids = {piece.history for piece in pieces if piece.history}
            self._there = self._owning.histories(str(self._target), ids)
            there = self._there.get(self._session_id)
            own = pieces[0].folder
            self._lies_in = (own, own if there is None else there.folder)
        jobs = [self._job(piece) for piece in pieces]
        pairs = tuple(job.pair for job in jobs)
        fates = moves.plan(pairs)
        moves.has_room(pairs, fates, shutil.disk_usage(self._target).free)
        return tuple(job._replace(fate=fate) for job, fate in zip(jobs, fates, strict=True))

    def _job(self, piece: Piece) -> _Job:
        self._going()
        source, to = self._source / piece.path, self._target / self._path_there(piece)
        status = source.stat()
        # What others build on may belong to an agent that lives and goes on writing.
        size = status.st_size if piece.base_bytes is None else _row_start(source, status.st_size)
        pair = Pair(
            name=piece.name,
            source_size=size,
            is_history=bool(piece.history),
            base_bytes=piece.base_bytes,
        )
        if os.path.lexists(to):
            pair = self._compared(pair, source, to)
        return _Job(piece, source, to, (status.st_size, status.st_mtime_ns), pair, "leave")

    def _path_there(self, piece: Piece) -> str:
        """A history goes where the target has its own copy; what lies beside the session's goes along."""
        there = self._there.get(piece.history)
        if there is not None:
            return there.path
        return piece.path if piece.history else self._moved(piece.path)

    def _moved(self, path: str) -> str:
        here, there = self._lies_in
        return there + path.removeprefix(here) if here and path.startswith(f"{here}/") else path

    def _compared(self, pair: Pair, source: Path, to: Path) -> Pair:
        if source.samefile(to):
            return msgspec.structs.replace(pair, target_size=pair.source_size, is_one_file=True)
        common = min(common_bytes(source, to, self._going), pair.source_size)
        pair = msgspec.structs.replace(pair, target_size=to.stat().st_size, common=common)
        if not pair.is_history or pair.is_equal:
            return pair
        return msgspec.structs.replace(
            pair, source_talk=self._talk_behind(source, common), target_talk=self._talk_behind(to, common)
        )

    def _talk_behind(self, path: Path, common: int) -> int:
        """How many rows with talk stand behind the last row that ends in the common bytes."""
        count = 0
        with path.open("rb") as file:
            for row in rows_from(file, _row_start(path, common)):
                self._going()
                count += self._owning.is_talk(row.data)
        return count

    # ---- writing ---------------------------------------------------------------------------------------

    def _memory(self, jobs: tuple[_Job, ...]) -> Memory:
        """What will be done."""
        written = [job for job in jobs if moves.is_written(job.fate)]
        if written[:1] == list(jobs[:1]):
            written = [*written[1:], written[0]]  # the session's own history last
        files = tuple(
            Placed(
                to=str(job.to),
                size=job.pair.source_size,
                old="" if job.fate == "copy" else str(carry_memory.free_name(job.to)),
                is_backup=job.fate == "replace",
            )
            for job in written
        )
        made: dict[str, None] = {}
        times: dict[str, tuple[int, int]] = {}
        for parent in {Path(file.to).parent for file in files}:
            chain = (parent, *parent.parents)
            new = [folder for folder in chain if not folder.exists()]
            made |= dict.fromkeys(str(folder) for folder in reversed(new))
            there = chain[len(new)]
            status = there.stat()
            times[str(there)] = (status.st_atime_ns, status.st_mtime_ns)
        pairs, fates = tuple(job.pair for job in jobs), tuple(job.fate for job in jobs)
        return Memory(
            phase="staging",
            files=files,
            made=tuple(made),
            times=times,
            text=moves.told(pairs, fates, sum(file.is_backup for file in files)),
        )

    def _stage(self, jobs: tuple[_Job, ...], memory: Memory) -> None:
        """Write everything beside its place."""
        for folder in memory.made:
            Path(folder).mkdir(mode=0o700, exist_ok=True)
        sources = {str(job.to): job.source for job in jobs}
        for file in memory.files:
            copied = copy_file(sources[file.to], Path(file.staged), most=file.size, going=self._going)
            if copied.size != file.size:
                raise _written_to()
        self._going()
        sync_all(Path(file.staged) for file in memory.files)

    def _is_still_the_same(self, jobs: tuple[_Job, ...], belongings: Belongings) -> None:
        """Nothing may have been written while it was copied. Raises Refused."""
        for job in jobs:
            status = job.source.stat()
            if job.piece.base_bytes is None and (status.st_size, status.st_mtime_ns) != job.stamp:
                raise _written_to()
        if self._owning.belongings(str(self._source), self._session_id).pieces != belongings.pieces:
            raise _written_to()

    def _place(self, memory: Memory, belongings: Belongings) -> None:
        for file in memory.files:
            self._going()
            carry_memory.put_in_place(file)
        written = {str(Path(file.to).parent) for file in memory.files}
        self._keep_times(memory, belongings, written)
        sync_all(map(Path, {*written, *(str(Path(made).parent) for made in memory.made)}))
        for file in memory.files:
            if Path(file.to).stat().st_size != file.size:
                raise OSError(errno.EIO, "A copy is not whole")

    def _keep_times(self, memory: Memory, belongings: Belongings, written: set[str]) -> None:
        """Give folders the times of those in the source: a young one says that something happened."""
        parents = {str(parent) for piece in belongings.pieces for parent in PurePath(piece.path).parents}
        for folder in sorted({*parents, *belongings.folders}, reverse=True):
            to = str(self._target / self._moved(folder))
            if to in memory.made or (folder in belongings.folders and to in written):
                status = (self._source / folder).stat()
                os.utime(to, ns=(status.st_atime_ns, status.st_mtime_ns))


def _take_back(path: Path) -> None:
    """See ``take_back``."""
    try:
        known = carry_memory.load(path)
        if known is not None:
            carry_memory.take_back(known)
            path.unlink()
    except OSError as error:
        raise CannotCarry(f"The target could not be put back as it was: {_why(error)}") from None


def _forget(path: Path) -> None:
    """See ``forget``."""
    try:
        known = carry_memory.load(path)
        if known is not None:
            carry_memory.tidy(known)
        path.unlink(missing_ok=True)
    except OSError as error:
        _log.warning("what a move left behind could not be removed", error=repr(error))


def _written_to() -> Refused:
    return Refused("Something still writes to the session. Nothing was changed.")


def _carried(memory: Memory) -> Carried:
    return Carried(memory.text, len(memory.files), memory.backups)


def _row_start(path: Path, before: int) -> int:
    """Where the row begins that a position lies in: behind the last line end before it."""
    with path.open("rb") as file:
        while before > 0:
            begin = max(0, before - BLOCK)
            file.seek(begin)
            found = file.read(before - begin).rfind(b"\n")
            if found >= 0:
                return begin + found + 1
            before = begin
    return 0


def _why(error: OSError) -> str:
    """What is wrong with files, for people."""
    name = Path(error.filename).name if isinstance(error.filename, str) else ""
    which = clean_line(name, 100) or "A file"
    if error.errno in (errno.ENOSPC, errno.EDQUOT):
        return "The disk of the target is full."
    if error.errno in (errno.EROFS, errno.EACCES, errno.EPERM):
        return f"{which} cannot be read or written ({error.strerror})."
    if error.errno == errno.ENOENT:
        return f"{which} went away meanwhile."
    return f"{which} could not be copied ({clean_line(error.strerror or str(error), 200)})."
