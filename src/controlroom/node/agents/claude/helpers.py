"""The helpers (subagents) of one session: ``<session>/subagents/agent-<id>.jsonl`` and ``.meta.json``."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import msgspec

from controlroom.node.agents.claude.protocol import RowDecoder
from controlroom.node.agents.claude.turns import Call, Standing
from controlroom.node.agents.transcripts import Stamp, decode_rows, last_rows, stamp

TAIL_ROWS, TAIL_BYTES = 60, 1024 * 1024
MAX_META_BYTES = 64 * 1024
MAX_HELPERS = 50  # files looked into for an open call; more never run at once


class Meta(msgspec.Struct, frozen=True):
    finished: bool | None = None


class Helpers:
    """Reads helper files only when asked, each again only when it was written."""

    def __init__(self, transcript: Path) -> None:
        self._folder = transcript.with_suffix("") / "subagents"
        self._finished: set[str] = set()
        self._calls: dict[Path, tuple[Stamp, tuple[Call, ...]]] = {}

    def still_running(self, ids: Iterable[str]) -> int:
        """How many of these helpers have not written that they are finished."""
        return sum(not self._is_finished(each) for each in ids)

    def open_calls(self) -> tuple[Call, ...]:
        """Tool calls of helpers that have no result: one of them may be what a dialog asks about."""
        try:
            files = sorted(self._folder.glob("agent-*.jsonl"), key=lambda path: -path.stat().st_mtime_ns)
        except OSError:
            return ()
        return tuple(call for path in files[:MAX_HELPERS] for call in self._open_in(path))

    def _is_finished(self, helper_id: str) -> bool:
        if helper_id in self._finished:
            return True
        if not helper_id.isalnum():
            return False
        path = self._folder / f"agent-{helper_id}.meta.json"
        try:
            if path.stat().st_size > MAX_META_BYTES:
                return False
            meta = msgspec.json.decode(path.read_bytes(), type=Meta)
        except (OSError, msgspec.MsgspecError):
            return False
        if meta.finished:
            self._finished.add(helper_id)
        return bool(meta.finished)

    def _open_in(self, path: Path) -> tuple[Call, ...]:
        try:
            now = stamp(path)
            if now is None:
                return ()
            known = self._calls.get(path)
            if known is None or known[0] != now:
                with path.open("rb") as file:
                    rows = last_rows(file, TAIL_ROWS, TAIL_BYTES).rows
                standing = Standing(is_helper=True)
                standing.feed(decode_rows(RowDecoder(), rows).rows)
                known = (now, standing.calls)
                self._calls[path] = known
        except OSError:
            return ()
        return known[1]
