"""The git branch of a folder, read from git's own files without starting git."""

from __future__ import annotations

import os
from pathlib import Path

MAX_DEPTH = 40
MAX_BYTES = 4096


LOOK_AGAIN_MS = 30_000
"""Where a folder's repository begins, and whether it has one, is looked for again after this time."""


class Branches:
    """Branch names, read again only when the HEAD file changed."""

    def __init__(self) -> None:
        self._heads: dict[str, tuple[int, str | None]] = {}  # folder: when looked for, its HEAD
        self._names: dict[str, tuple[int, str | None]] = {}  # HEAD: its time, its branch

    def of(self, folder: str, now_ms: int) -> str | None:
        """The branch checked out in the repository that holds ``folder``; None outside a repository or
        without a branch (detached)."""
        if not folder:
            return None
        looked, head = self._heads.get(folder, (None, None))
        if looked is None or not 0 <= now_ms - looked < LOOK_AGAIN_MS:
            head = _find_head(Path(folder))
            self._heads[folder] = (now_ms, head)
        if head is None:
            return None
        try:
            changed = os.stat(head).st_mtime_ns  # noqa: PTH116 - asked every second for every agent
            if (known := self._names.get(head)) is not None and known[0] == changed:
                return known[1]
            with open(head, "rb") as file:  # noqa: PTH123
                line = file.read(MAX_BYTES).decode(errors="replace").strip()
        except OSError:
            self._heads.pop(folder, None)
            return None
        name = line.removeprefix("ref: refs/heads/") if line.startswith("ref: refs/heads/") else None
        self._names[head] = (changed, name)
        return name


def _find_head(folder: Path) -> str | None:
    """The HEAD file of the repository or worktree around ``folder`` (gitrepository-layout(5))."""
    for place in [folder, *folder.parents][:MAX_DEPTH]:
        dot_git = place / ".git"
        try:
            if dot_git.is_dir():
                return str(dot_git / "HEAD")
            if dot_git.is_file():
                with dot_git.open("rb") as file:
                    line = file.read(MAX_BYTES).decode(errors="replace").strip()
                if line.startswith("gitdir: "):
                    return str(place / line.removeprefix("gitdir: ") / "HEAD")
                return None
        except OSError:
            return None
    return None
