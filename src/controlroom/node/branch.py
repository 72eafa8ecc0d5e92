"""The git branch of a folder, read from git's own files without starting git."""

from __future__ import annotations

from pathlib import Path

MAX_DEPTH = 40
MAX_BYTES = 4096


class Branches:
    """Branch names, read again only when the HEAD file changed."""

    def __init__(self) -> None:
        self._heads: dict[str, Path | None] = {}
        self._names: dict[Path, tuple[int, str | None]] = {}

    def of(self, folder: str) -> str | None:
        """The branch checked out in the repository that holds ``folder``; None outside a repository or
        without a branch (detached)."""
        if not folder:
            return None
        if folder not in self._heads or self._heads[folder] is None:
            self._heads[folder] = _find_head(Path(folder))
        head = self._heads[folder]
        if head is None:
            return None
        try:
            changed = head.stat().st_mtime_ns
            if (known := self._names.get(head)) is not None and known[0] == changed:
                return known[1]
            with head.open("rb") as file:
                line = file.read(MAX_BYTES).decode(errors="replace").strip()
        except OSError:
            self._heads.pop(folder, None)
            return None
        name = line.removeprefix("ref: refs/heads/") if line.startswith("ref: refs/heads/") else None
        self._names[head] = (changed, name)
        return name


def _find_head(folder: Path) -> Path | None:
    """The HEAD file of the repository or worktree around ``folder`` (gitrepository-layout(5))."""
    for place in [folder, *folder.parents][:MAX_DEPTH]:
        dot_git = place / ".git"
        try:
            if dot_git.is_dir():
                return dot_git / "HEAD"
            if dot_git.is_file():
                with dot_git.open("rb") as file:
                    line = file.read(MAX_BYTES).decode(errors="replace").strip()
                if line.startswith("gitdir: "):
                    return (place / line.removeprefix("gitdir: ")) / "HEAD"
                return None
        except OSError:
            return None
    return None
