"""The files of sessions: where they lie, and the standing of those that are looked at every second."""

from __future__ import annotations

import re
from collections.abc import Collection
from pathlib import Path

from controlroom.node.agents.claude.helpers import Helpers
from controlroom.node.agents.claude.protocol import RowDecoder
from controlroom.node.agents.claude.turns import Standing
from controlroom.node.agents.transcripts import NOTHING_NEW, Tail, cursor, decode_rows

_SESSION_ID = re.compile(r"[0-9A-Za-z][0-9A-Za-z_-]{7,63}")
_OTHER = re.compile(r"[^A-Za-z0-9]")
_LONG_SLUG = 200  # longer names are cut there and get a hash that we do not know
SEARCH_EVERY = 30  # looks for a session that has no file yet, between searches of all folders


def slug(folder: str) -> str:
    """The name of a working directory's folder of sessions. It cannot be turned back."""
    return _OTHER.sub("-", folder)


def is_session_id(text: str) -> bool:
    """Could be one: it becomes part of a path."""
    return _SESSION_ID.fullmatch(text) is not None


class SessionFiles:
    """Finds transcripts by session id. A resumed session goes on in the folder where it began, and older
    versions spelled folders otherwise, so every folder is looked into once, then remembered."""

    def __init__(self) -> None:
        self._known: dict[tuple[str, str], Path] = {}
        self._missed: dict[tuple[str, str], int] = {}

    def find(self, profile: str, session_id: str, folder: str = "") -> Path | None:
        """The transcript; None when there is none. Raises OSError when a folder cannot be read.

        With the ``folder`` where a living agent works this is asked every second: a file that does not
        exist yet will appear there, so all folders are searched now and then only.
        """
        if not is_session_id(session_id):
            return None
        key = (profile, session_id)
        known = self._known.get(key)
        if known is not None and known.exists():
            return known
        projects, name = Path(profile) / "projects", f"{session_id}.jsonl"
        path: Path | None = projects / slug(folder)[:_LONG_SLUG] / name if folder else None
        if path is None or not path.exists():
            missed = self._missed.get(key, 0) if folder and known is None else 0
            path = self._search(projects, name) if missed % SEARCH_EVERY == 0 else None
            self._missed[key] = missed + 1
        if path is not None:
            self._known[key] = path
            self._missed.pop(key, None)
        return path

    def _search(self, projects: Path, name: str) -> Path | None:
        try:
            found = [path for each in projects.iterdir() if (path := each / name).exists()]
        except FileNotFoundError:
            return None
        return max(found, key=lambda path: path.stat().st_size, default=None)


class SessionBook:
    """The sessions of living agents, so that each look reads only what is new."""

    def __init__(self) -> None:
        self.files = SessionFiles()
        self._sessions: dict[Path, Session] = {}
        self._looked_at: dict[tuple[str, str], Session] = {}  # by profile and session id

    def get(self, profile: str, session_id: str | None, folder: str = "") -> Session | None:
        """None when the session has no file (yet). Raises OSError when a folder cannot be read."""
        path = self.files.find(profile, session_id, folder) if session_id else None
        if path is None:
            return None
        if path not in self._sessions:
            self._sessions[path] = Session(path)
        return self._sessions[path]

    async def look(self, profile: str, session_id: str | None, folder: str = "") -> Session | None:
        """The session, brought up to date. None when it has no file; one that was there and went away is
        searched for once. Raises OSError when a folder or the file cannot be read."""
        if session_id is None:
            return None
        session = self._looked_at.get((profile, session_id))
        if session is not None:
            await session.look()  # one stat, in the usual case that nothing was written
            if not session.is_missing:
                return session
            del self._looked_at[profile, session_id]
        session = self.get(profile, session_id, folder)
        if session is None:
            return None
        await session.look()
        if session.is_missing:
            return None
        self._looked_at[profile, session_id] = session
        return session

    def keep_only(self, wanted: Collection[Path]) -> None:
        """Forget sessions that no living agent is in."""
        self._sessions = {path: session for path, session in self._sessions.items() if path in wanted}
        self._looked_at = {key: session for key, session in self._looked_at.items() if session.path in wanted}


class Session:
    """One session that an agent is in: its tail and where it stands."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.helpers = Helpers(path)
        self.standing = Standing()
        self.mark = ""  # the cursor behind the last row that a chat could show
        self.is_missing = False
        self.changes = 0  # grows with every look that saw something new
        self._tail = Tail(path)
        self._decoder = RowDecoder()
        self._marked = -1

    def is_unchanged(self) -> bool:
        """Nothing was written since the last look. Raises OSError when that cannot be seen."""
        return self._tail.is_unchanged()

    async def look(self) -> None:
        """Read what is new. Raises OSError when the file cannot be read; the standing then stays."""
        batch = await self._tail.poll_async()
        self.is_missing = batch.missing
        if batch is NOTHING_NEW and self.standing.chat_end == self._marked:
            return
        self.changes += 1
        if batch.reset:
            self.standing, self._marked = Standing(), -1
        if batch.rows:
            decoded = decode_rows(self._decoder, batch.rows)
            self.standing.feed(decoded.rows, decoded.skipped)
        if self.standing.chat_end != self._marked and not batch.missing:
            with self.path.open("rb") as file:
                self.mark = cursor(file, self.standing.chat_end)
            self._marked = self.standing.chat_end
