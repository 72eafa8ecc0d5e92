"""The transcripts of profiles, and reading of one what is new since it was read last.

A file is read from where it was left, as long as it is the same one: its inode, its size, and the bytes
before that place tell. Anything else is read from its beginning again, which counts nothing twice. All of it
blocks.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO, NamedTuple

import msgspec

from controlroom.node.agents.codex.rollouts import rollout_id
from controlroom.node.agents.transcripts import anchor, rows_from
from controlroom.node.journal.usage import FileMark
from controlroom.node.profiles import Profile
from controlroom.node.usage.claude_rows import ClaudeRows
from controlroom.node.usage.codex_rows import CodexRows
from controlroom.node.usage.told import ReadsRows, ToldAnswer, ToldLimits

PIECE_BYTES = 8 * 1024 * 1024  # read in one go; then others may have the thread, and progress shows
MOST_DEEP = 6  # folders below a profile's; sessions lie at most four deep
_ROOTS = {"claude": ("projects",), "codex": ("sessions", "archived_sessions")}


class Listed(NamedTuple):
    """One transcript as it lies there now."""

    path: str
    profile: Profile
    session_id: str
    inode: int
    size: int
    mtime_ns: int


class Piece(NamedTuple):
    """What one reading gave, and the mark to keep. ``skipped``: rows that could not be read."""

    mark: FileMark
    answers: list[ToldAnswer]
    limits: list[ToldLimits]
    skipped: int
    size: int  # bytes that were read
    is_end: bool


def listing(profile: Profile) -> list[Listed]:
    """All transcripts of a profile, helpers' too, the oldest written first."""
    found = []
    for root in _ROOTS[profile.kind]:
        for entry in _files(os.path.join(profile.real, root), 0):  # noqa: PTH118 - thousands of them
            session_id = _session_of(profile.kind, entry.path)
            if not session_id:
                continue
            try:
                status = entry.stat()
            except OSError:
                continue
            found.append(
                Listed(entry.path, profile, session_id, status.st_ino, status.st_size, status.st_mtime_ns)
            )
    found.sort(key=lambda each: each.mtime_ns)
    return found


def _files(folder: str, depth: int) -> Iterator[os.DirEntry[str]]:
    try:
        with os.scandir(folder) as entries:
            for entry in entries:
                if entry.is_dir(follow_symlinks=False):
                    if depth < MOST_DEEP:
                        yield from _files(entry.path, depth + 1)
                elif entry.name.endswith(".jsonl") and entry.is_file():
                    yield entry
    except OSError:
        return  # it went away, or is not ours to read


def _session_of(kind: str, path: str) -> str:
    """The session of a file, "" when it is no transcript. A helper's belongs to the session it helps."""
    name = Path(path).name
    if kind == "codex":
        return rollout_id(name) or ""
    if name.startswith("agent-") and "/subagents/" in path:
        return Path(path.rpartition("/subagents/")[0]).name
    return name.removesuffix(".jsonl")


def is_read(file: Listed, mark: FileMark | None) -> bool:
    """Nothing was written since it was read."""
    return (
        mark is not None
        and (mark.inode, mark.size, mark.mtime_ns) == (file.inode, file.size, file.mtime_ns)
        and mark.offset >= 0
    )


def unread_bytes(file: Listed, mark: FileMark | None) -> int:
    """About how much of a file is to be read."""
    if is_read(file, mark):
        return 0
    if mark is None or mark.inode != file.inode or mark.offset > file.size:
        return file.size
    return file.size - mark.offset


def read_piece(file: Listed, mark: FileMark | None) -> Piece:
    """Read on for about ``PIECE_BYTES``. Raises OSError."""
    with Path(file.path).open("rb") as opened:
        start = 0
        reader: ReadsRows = _reader(file, b"")
        first_size = file.size
        if mark is not None and _goes_on(opened, file, mark):
            start, first_size = mark.offset, mark.first_size
            reader = _reader(file, mark.memory)
        answers: list[ToldAnswer] = []
        limits: list[ToldLimits] = []
        skipped, end, is_end = 0, start, True
        for row in rows_from(opened, start, file.size):
            end = row.end
            try:
                told = reader.feed(row.data, row.end)
            except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
                skipped += 1
                continue
            answers += told.answers
            if told.limits is not None:
                limits.append(told.limits)
            if end - start >= PIECE_BYTES:
                is_end = False
                break
        made = FileMark(
            path=file.path,
            profile_id=file.profile.id,
            session_id=file.session_id,
            inode=file.inode,
            # Only a file that was read to its end is known as it lies there.
            size=file.size if is_end else -1,
            mtime_ns=file.mtime_ns if is_end else -1,
            offset=end,
            anchor=anchor(opened, end),
            first_size=first_size,
            creator=reader.creator,
            memory=reader.memory(),
        )
    return Piece(made, answers, limits, skipped, end - start, is_end)


def _goes_on(opened: BinaryIO, file: Listed, mark: FileMark) -> bool:
    """Whether it is the file that was read before, perhaps with more behind it."""
    if mark.inode != file.inode or mark.offset > file.size:
        return False
    return anchor(opened, mark.offset) == mark.anchor


def _reader(file: Listed, memory: bytes) -> ReadsRows:
    if file.profile.kind == "codex":
        return CodexRows(file.session_id, memory)
    return ClaudeRows(file.session_id)
