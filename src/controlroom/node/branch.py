"""The git branch of a folder, read from git's own files without starting git."""

from __future__ import annotations

import os
import stat

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
            head = _find_head(folder)
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


def _find_head(folder: str) -> str | None:
    """The HEAD file of the repository or worktree around ``folder`` (gitrepository-layout(5))."""
    place = folder
    for _ in range(MAX_DEPTH):
        dot_git = os.path.join(place, ".git")  # noqa: PTH118 - a Path costs more than the look, and so below
        try:
            mode = os.stat(dot_git).st_mode  # noqa: PTH116
            if stat.S_ISDIR(mode):
                return f"{dot_git}/HEAD"
            if stat.S_ISREG(mode):
                with open(dot_git, "rb") as file:  # noqa: PTH123
                    line = file.read(MAX_BYTES).decode(errors="replace").strip()
                is_linked = line.startswith("gitdir: ")
                return os.path.join(place, line.removeprefix("gitdir: "), "HEAD") if is_linked else None  # noqa: PTH118
        except (FileNotFoundError, NotADirectoryError):
            pass
        except (OSError, ValueError):
            return None
        above = os.path.dirname(place)  # noqa: PTH120
        if above == place:
            return None
        place = above
    return None
