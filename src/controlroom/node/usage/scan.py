"""Reads what is new in all transcripts: answers go into the journal, limits become readings.

The first round may read gigabytes: it goes piece by piece in a thread, keeps what it has after each piece,
and says how far it is. A round in which nothing was written costs one stat for each file.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from datetime import UTC, datetime, tzinfo

import structlog

from controlroom.core.text import clean_line
from controlroom.core.tokens import Answer, Bucket
from controlroom.core.usage import Reading, Source, wrote_here
from controlroom.node.journal.usage import FileMark, UsageJournal
from controlroom.node.profiles import Profile
from controlroom.node.usage.files import (
    PIECE_BYTES,
    Listed,
    Piece,
    is_read,
    listing,
    read_piece,
    unread_bytes,
)
from controlroom.node.usage.identity import Identity
from controlroom.node.usage.told import ToldLimits
from controlroom.wire.usage import ReadingProgress

_log = structlog.get_logger("usage")

_SOURCES: Mapping[str, Source] = {"claude": "transcript", "codex": "rollout"}
SESSION_SHOWN = 100
MOST_TOGETHER = 256  # files of one transaction
_Owners = Mapping[str, tuple[Identity, int]]


class Seen:
    """Limits of one round, with the account that wrote each of them."""

    def __init__(self) -> None:
        self.readings: list[Reading] = []
        self.paid: dict[str, tuple[int, bool]] = {}  # account id → when, and whether paid usage was used


class Scanner:
    """Reads transcripts. ``progress`` is None when everything was read."""

    def __init__(self, journal: UsageJournal, zone: Callable[[], tzinfo]) -> None:
        self._journal = journal
        self._zone = zone
        self._marks: dict[str, FileMark] = {}
        self.progress: ReadingProgress | None = None

    async def load(self) -> None:
        self._marks = {mark.path: mark for mark in await self._journal.files()}

    async def round(
        self, profiles: Sequence[Profile], owners: _Owners, said: Callable[[], Awaitable[None]]
    ) -> Seen:
        """Read what is new. ``owners``: the account of each profile, and since when it is that one. ``said``
        is called when ``progress`` moved. Raises DatabaseTrouble; what was read until then is kept."""
        seen = Seen()
        files = await asyncio.to_thread(lambda: [file for each in profiles for file in listing(each)])
        todo_at_first = [file for file in files if not is_read(file, self._marks.get(file.path))]
        total = sum(unread_bytes(file, self._marks.get(file.path)) for file in todo_at_first)
        twins = _sizes(files)
        done, todo = 0, deque(todo_at_first)
        try:
            while todo:
                self.progress = ReadingProgress(done=min(done, total), total=total)
                await said()
                batch = self._batch(todo)
                pieces = await asyncio.to_thread(_read_all, batch)
                await self._journal.take(
                    [answer for file, piece in pieces for answer in self._answers(file, piece)],
                    [piece.mark for _, piece in pieces],
                )
                for file, piece in pieces:
                    self._marks[file.path] = piece.mark
                    self._take_limits(file, piece, owners, twins, seen)
                    done += piece.size
                    if not piece.is_end:
                        todo.appendleft(file)
        finally:
            self.progress = None
        await said()
        return seen

    def _batch(self, todo: deque[Listed]) -> list[tuple[Listed, FileMark | None]]:
        """The next files, together about one piece: a large one alone, many small ones at once."""
        batch: list[tuple[Listed, FileMark | None]] = []
        size = 0
        while todo and size < PIECE_BYTES and len(batch) < MOST_TOGETHER:
            file = todo.popleft()
            mark = self._marks.get(file.path)
            size += unread_bytes(file, mark)
            batch.append((file, mark))
        return batch

    def _answers(self, file: Listed, piece: Piece) -> list[Answer]:
        zone = self._zone()
        return [
            Answer(
                told.key,
                Bucket(
                    _day(told.at_ms, zone),
                    told.model,
                    file.profile.id,
                    clean_line(told.session_id or file.session_id, SESSION_SHOWN),
                ),
                told.tokens,
            )
            for told in piece.answers
        ]

    def _take_limits(
        self,
        file: Listed,
        piece: Piece,
        owners: _Owners,
        twins: Mapping[str, Sequence[tuple[str, int]]],
        seen: Seen,
    ) -> None:
        owned = owners.get(file.profile.id)
        if owned is None or not piece.limits:
            return
        owner, since_ms = owned
        sizes = [size for profile_id, size in twins.get(_name(file), ()) if profile_id != file.profile.id]
        for limits in piece.limits:
            if limits.at_ms < since_ms or not wrote_here(
                limits.end,
                twin_sizes=sizes,
                first_size=piece.mark.first_size,
                creator=piece.mark.creator,
                account_uuid=owner.organisation_uuid,
            ):
                continue
            seen.readings += _readings(owner, limits, _SOURCES[file.profile.kind])
            if limits.paid is not None:
                known = seen.paid.get(owner.id)
                if known is None or known[0] <= limits.at_ms:
                    seen.paid[owner.id] = (limits.at_ms, limits.paid)


def _read_all(batch: Sequence[tuple[Listed, FileMark | None]]) -> list[tuple[Listed, Piece]]:
    """One piece of each file; one that cannot be read is left for the next round. Blocks."""
    pieces = []
    for file, mark in batch:
        try:
            piece = read_piece(file, mark)
        except OSError as error:
            _log.warning("a transcript cannot be read", error=error.strerror, kind=file.profile.kind)
            continue
        if piece.skipped:
            _log.info("rows of a transcript cannot be read", rows=piece.skipped, kind=file.profile.kind)
        pieces.append((file, piece))
    return pieces


def _readings(owner: Identity, limits: ToldLimits, source: Source) -> list[Reading]:
    return [
        Reading(
            account_id=owner.id,
            length_minutes=window.length_minutes,
            taken_at_ms=limits.at_ms,
            source=source,
            scope=window.scope,
            used_pct=window.used_pct,
            resets_at_ms=window.resets_at_ms,
        )
        for window in limits.windows
    ]


def _name(file: Listed) -> str:
    """What copies of one file are called in every profile."""
    return f"{file.profile.kind}/{file.session_id}/{file.path.rpartition('/')[2]}"


def _sizes(files: Iterable[Listed]) -> dict[str, list[tuple[str, int]]]:
    """By name: in which profiles it lies, and how long it is there."""
    found: dict[str, list[tuple[str, int]]] = {}
    for file in files:
        found.setdefault(_name(file), []).append((file.profile.id, file.size))
    return found


def _day(at_ms: int, zone: tzinfo) -> str:
    """The machine's own day; a row without a time that can be is of no day."""
    if at_ms <= 0:
        return ""
    try:
        return datetime.fromtimestamp(at_ms / 1000, UTC).astimezone(zone).strftime("%Y-%m-%d")
    except (OverflowError, OSError, ValueError):
        return ""
