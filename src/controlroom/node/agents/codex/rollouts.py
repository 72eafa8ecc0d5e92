"""Codex's files in one profile: finding rollouts by id, names of conversations, following a session.

``<home>/sessions/YYYY/MM/DD/rollout-<local time>-<id>.jsonl`` and, flat, ``<home>/archived_sessions/``.
Copies may lie under any date. ``session_index.jsonl`` holds the names (the newest line of an id wins).
Nothing is ever written here, and reading changes no file.
"""

from __future__ import annotations

import asyncio
import os
import re
from collections.abc import Collection, Iterator
from datetime import UTC, datetime, timedelta
from itertools import islice
from pathlib import Path

import msgspec

from controlroom.core.text import clean_line
from controlroom.node.agents.codex.mapping import Thread, created_ms
from controlroom.node.agents.codex.protocol import SessionMeta, decode, decode_all
from controlroom.node.agents.codex.session import Session
from controlroom.node.agents.transcripts import Row, Tail, rows_back, rows_from

ROLLOUT = re.compile(r"^rollout-.+-([0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12})\.jsonl$")
LOCK = re.compile(r"^([0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12})\.lock$")
MISSING_S = 5.0  # an id without a file is not searched again for so long
NAMES_S = 0.5
MAX_DAYS = 60  # of a process that has run for longer, new conversations are not looked for
MAX_FOLDERS = 20_000  # day folders of one search; more is no profile
TURN_SEARCH_BYTES = 256 * 1024 * 1024  # back to the start of the running turn; beyond, the turn stays unknown
_TURN_MARKS = (b'"task_started"', b'"task_complete"', b'"turn_aborted"')
MAX_ANCESTORS = 16


def rollout_id(name: str) -> str | None:
    """The session id in a rollout's file name."""
    found = ROLLOUT.match(name)
    return found[1] if found is not None else None


class Followed(msgspec.Struct):
    """One rollout that is read as it grows."""

    tail: Tail
    session: Session
    skipped: int = 0
    problem: str = ""  # why it could not be read lately
    is_missing: bool = False


class Rollouts:
    """The rollouts of one profile (a CODEX_HOME)."""

    def __init__(self, home: Path) -> None:
        self.home = home
        self._paths: dict[str, Path] = {}
        self._missing: dict[str, float] = {}
        self._ancestors: dict[str, tuple[str, ...]] = {}
        self._followed: dict[Path, Followed] = {}
        self._metas: dict[Path, SessionMeta] = {}
        self._names: dict[str, str] = {}
        self._named_s = float("-inf")
        self._index = Tail(home / "session_index.jsonl", max_rows=5_000, max_bytes=4 * 1024 * 1024)

    # --- finding --------------------------------------------------------------------------------------

    def remember(self, path: Path) -> None:
        """A rollout that was seen open."""
        id = rollout_id(path.name)
        if id is not None:
            self._paths[id] = path

    def unreadable(self) -> str | None:
        """Why the profile's folder cannot be read at all."""
        try:
            os.scandir(self.home).close()
        except FileNotFoundError:
            return None
        except OSError as error:
            return clean_line(error.strerror or type(error).__name__)
        return None

    def cached(self, session_id: str) -> Path | None:
        """The session's file where it was seen last; it may be gone since (``lost``)."""
        return self._paths.get(session_id)

    def lost(self, session_id: str) -> None:
        """Its file is not where it was: search again."""
        self._paths.pop(session_id, None)

    def find(self, session_id: str, now_s: float) -> Path | None:
        """The session's file. Blocks; a search in a large profile takes some milliseconds."""
        known = self._paths.get(session_id)
        if known is not None and known.exists():
            return known
        if now_s - self._missing.get(session_id, float("-inf")) < MISSING_S:
            return None
        for folder in self._likely_first(session_id):
            for path in _rollouts_in(folder):
                if rollout_id(path.name) == session_id:
                    self._paths[session_id] = path
                    self._missing.pop(session_id, None)
                    return path
        self._missing[session_id] = now_s
        return None

    def find_all(self, session_ids: Collection[str]) -> dict[str, Path]:
        """The files of many sessions, each the one that ``find`` would find. Blocks; every folder is listed
        once."""
        wanted: dict[str, list[Path]] = {id: [] for id in session_ids}
        days = islice(_days(self.home / "sessions"), MAX_FOLDERS)
        for folder in (self.home / "archived_sessions", *days):
            for path in _rollouts_in(folder):
                if (id := rollout_id(path.name)) in wanted:
                    wanted[id].append(path)
        found = {}
        for id, paths in wanted.items():
            likely = self._around(id)
            if paths:
                found[id] = min(paths, key=lambda path: _place_in(likely, path.parent))
        return found

    def _around(self, session_id: str) -> list[Path]:
        """The folders of the days around its creation, likely ones first."""
        day = datetime.fromtimestamp(created_ms(session_id) / 1000, UTC)
        return [self.home / "sessions" / f"{day + timedelta(days=by):%Y/%m/%d}" for by in (0, 1, -1)]

    def _likely_first(self, session_id: str) -> Iterator[Path]:
        """The days around its creation, the archive, then all other days, newest first."""
        likely = self._around(session_id)
        yield from likely
        yield self.home / "archived_sessions"
        seen = set(likely)
        for folder in islice(_days(self.home / "sessions"), MAX_FOLDERS):
            if folder not in seen:
                yield folder

    # --- heads and names ------------------------------------------------------------------------------

    def meta(self, path: Path) -> SessionMeta | None:
        """The first row of a rollout; it never changes."""
        known = self._metas.get(path)
        if known is not None:
            return known
        try:
            with path.open("rb") as file:
                row = next(rows_from(file, 0), None)
            payload = decode(row).payload if row is not None else None
        except (OSError, msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
            return None
        if isinstance(payload, SessionMeta):
            self._metas[path] = payload
            return payload
        return None

    def ancestors(self, session_id: str, now_s: float) -> tuple[str, ...]:
        """The conversations it was forked from, nearest first. Blocks."""
        found: list[str] = []
        current = session_id
        while len(found) < MAX_ANCESTORS:
            path = self.find(current, now_s)
            meta = self.meta(path) if path is not None else None
            parent = meta.forked_from_id if meta is not None else None
            if not parent or parent in found or parent == session_id:
                break
            found.append(parent)
            current = parent
        if session_id in self._paths:  # the first row of its file has been read: that never changes
            self._ancestors[session_id] = tuple(found)
        return tuple(found)

    def known_ancestors(self, session_id: str) -> tuple[str, ...] | None:
        """What ``ancestors`` gave; None when it has to be asked."""
        return self._ancestors.get(session_id)

    def names(self, now_s: float) -> dict[str, str]:
        """Names of conversations by id, at most ``NAMES_S`` old."""
        if now_s - self._named_s < NAMES_S:
            return self._names
        self._named_s = now_s
        try:
            batch = self._index.poll()
        except OSError:
            return self._names
        if batch.reset:
            self._names.clear()
        for row in batch.rows:
            try:
                line = _index_line.decode(row.data)
            except (msgspec.MsgspecError, UnicodeDecodeError):
                continue
            self._names[line.id] = clean_line(line.thread_name or "", 1000)
        return self._names

    def named(self, title_thread: str, now_s: float) -> list[Thread]:
        """Conversations with this name that have a file here (helpers left out)."""
        wanted = " ".join(title_thread.split())
        ids = [id for id, name in self.names(now_s).items() if " ".join(name.split()) == wanted]
        return [thread for id in ids[-32:] if (thread := self.thread(id, now_s)) is not None]

    def thread(self, session_id: str, now_s: float) -> Thread | None:
        """A conversation by its file; None without one, and for a helper's."""
        path = self.find(session_id, now_s)
        meta = self.meta(path) if path is not None else None
        if path is None or meta is None or meta.is_helper:
            return None
        return Thread(
            id=session_id,
            name=self.names(now_s).get(session_id, ""),
            folder=meta.cwd,
            path=str(path),
            created_ms=created_ms(session_id),
        )

    def begun_in(self, folder: str, since_ms: int, until_ms: int, now_s: float) -> tuple[Thread, ...]:
        """Conversations that began in a folder since a time (helpers and headless ones left out). Blocks."""
        first = datetime.fromtimestamp(since_ms / 1000, UTC) - timedelta(days=1)
        days = min((until_ms - since_ms) // 86_400_000 + 3, MAX_DAYS)
        found = []
        for by in range(days):
            for path in _rollouts_in(self.home / "sessions" / f"{first + timedelta(days=by):%Y/%m/%d}"):
                id = rollout_id(path.name)
                meta = self.meta(path) if id is not None and created_ms(id) >= since_ms - 2_000 else None
                if id is not None and meta is not None and meta.cwd == folder and not meta.is_headless:
                    self.remember(path)
                    found.append(self.thread(id, now_s))
        return tuple(thread for thread in found if thread is not None)

    # --- following ------------------------------------------------------------------------------------

    async def follow(self, session_id: str, path: Path) -> Followed:
        """The session as its file says now; only what is new is read. Problems are in the result."""
        followed = self._followed.get(path)
        if followed is None:
            followed = self._followed[path] = Followed(Tail(path), Session(session_id))
        try:
            batch = await followed.tail.poll_async()
            rows: tuple[Row, ...] = batch.rows
            if batch.reset and rows and not batch.whole and not _has_turn(rows):
                rows = await asyncio.to_thread(_from_turn_start, path, rows)
        except OSError as error:
            followed.problem = clean_line(error.strerror or type(error).__name__)
            return followed
        followed.problem, followed.is_missing = "", batch.missing
        if batch.reset:
            followed.session.clear()
            followed.skipped = 0
        decoded = decode_all(rows)
        followed.skipped += decoded.skipped
        followed.session.feed(decoded.entries)
        return followed

    def folder(self, session_id: str) -> str:
        """Where a session that is followed works; "" = not known."""
        path = self._paths.get(session_id)
        followed = None if path is None else self._followed.get(path)
        return "" if followed is None else followed.session.folder

    def forget(self, living: set[str]) -> None:
        """Stop following all sessions but these."""
        for path in [path for path, known in self._followed.items() if known.session.id not in living]:
            del self._followed[path]


class _IndexLine(msgspec.Struct):
    id: str
    thread_name: str | None = None


_index_line = msgspec.json.Decoder(_IndexLine)


def _has_turn(rows: tuple[Row, ...]) -> bool:
    return any(mark in row.data[:400] for row in rows for mark in _TURN_MARKS)


def _from_turn_start(path: Path, rows: tuple[Row, ...]) -> tuple[Row, ...]:
    """The same rows and those before them back to the last row that says where a turn began or ended.

    Blocks. Without one (an old file) the rows stay as they are. Only rows that are needed are held.
    """
    earlier: list[Row] = []
    size = 0
    with path.open("rb") as file:
        for row in rows_back(file, rows[0].offset):
            size += len(row.data)
            if size > TURN_SEARCH_BYTES:
                return rows
            if len(row.data) < 100_000:
                earlier.append(row)
            if any(mark in row.data[:400] for mark in _TURN_MARKS):
                return (*reversed(earlier), *rows)
    return rows


def _place_in(folders: list[Path], folder: Path) -> int:
    """Where it stands among these; behind them when it is none."""
    return folders.index(folder) if folder in folders else len(folders)


def _rollouts_in(folder: Path) -> Iterator[Path]:
    try:
        names = sorted((entry.name for entry in folder.iterdir()), reverse=True)
    except OSError:
        return
    for name in names:
        if ROLLOUT.match(name):
            yield folder / name


def _days(sessions: Path) -> Iterator[Path]:
    """All day folders, newest first."""
    for year in _folders(sessions):
        for month in _folders(year):
            yield from _folders(month)


def _folders(folder: Path) -> list[Path]:
    try:
        found = [entry for entry in folder.iterdir() if entry.name.isdigit()]
    except OSError:
        return []
    return sorted(found, reverse=True)
