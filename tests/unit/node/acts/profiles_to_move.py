"""Config folders with sessions as Claude Code writes them, and what stands in a folder to compare."""

from __future__ import annotations

import errno
import json
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from unittest.mock import patch

SESSION = "5109abef-1111-4222-8333-444455556666"
SLUG = "-home-kim-orchard"
OLD_NS = 1_700_000_000_123_456_789
"""A time long ago: what was made just now is younger."""

_CHANGES = ("write", "replace", "rename", "link", "unlink", "mkdir", "rmdir", "utime", "fsync", "fchmod")


def said(number: int) -> str:
    """A row in which a person says something."""
    message = {"role": "user", "content": f"Water tree {number}, please."}
    return json.dumps({"type": "user", "uuid": f"u{number}", "message": message}) + "\n"


def mark(word: str) -> str:
    """A row without talk, as opening and closing a session writes them."""
    return json.dumps({"type": "mode", "mode": word}) + "\n"


def write(path: Path, text: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    return path


def transcript(profile: Path, slug: str = SLUG) -> Path:
    return profile / "projects" / slug / f"{SESSION}.jsonl"


def full_profile(profile: Path, rows: int = 5, helpers: tuple[str, ...] = ("a1", "b2")) -> Path:
    """A session with helpers, a checkpoint and a plan, everything old; and things that are not its own."""
    named = {"type": "attachment", "attachment": {"planFilePath": f"{profile}/plans/green.md"}}
    plan = json.dumps(named, separators=(",", ":"))
    write(transcript(profile), "".join(said(number) for number in range(rows)) + plan + "\n")
    for helper in helpers:
        write(profile / "projects" / SLUG / SESSION / "subagents" / f"agent-{helper}.jsonl", said(77))
        write(profile / "projects" / SLUG / SESSION / "subagents" / f"agent-{helper}.meta.json", "{}")
    write(profile / "file-history" / SESSION / "c3@v1", "before")
    write(profile / "plans" / "green.md", "# Green")
    write(profile / "plans" / "other.md", "# Other")
    write(profile / "projects" / SLUG / "another.jsonl", said(1))
    write(profile / ".credentials.json", "never read")
    make_old(profile)
    return profile


def make_old(top: Path) -> None:
    for folder, _, names in os.walk(top, topdown=False):
        for name in names:
            os.utime(Path(folder, name), ns=(OLD_NS, OLD_NS))
        os.utime(folder, ns=(OLD_NS, OLD_NS))


def times(top: Path) -> dict[str, int]:
    """When each file and folder changed."""
    return {str(path.relative_to(top)): path.stat().st_mtime_ns for path in top.rglob("*")}


def standing(top: Path) -> dict[str, tuple[object, ...]]:
    """Everything in a folder: contents, rights and times."""
    found: dict[str, tuple[object, ...]] = {}
    for folder, _, names in os.walk(top):
        for path in (Path(folder), *(Path(folder, name) for name in names)):
            status = path.lstat()
            content = path.read_bytes() if path.is_file() else b""
            found[str(path.relative_to(top))] = (content, oct(status.st_mode), status.st_mtime_ns)
    return found


def names(top: Path) -> set[str]:
    """All files in a folder."""
    return {str(path.relative_to(top)) for path in top.rglob("*") if path.is_file()}


class Killed(BaseException):
    """The process is gone: nothing that would still run can change anything."""


@contextmanager
def killed_at(change: int) -> Iterator[list[str]]:
    """Let everything from this change of the disk on not happen, as after ``kill -9``. Gives the changes."""
    done: list[str] = []

    def refuse() -> None:
        raise Killed

    with _counted(done, lambda: refuse() if len(done) >= change else None), _suppressed():
        yield done


@contextmanager
def full_disk(change: int) -> Iterator[None]:
    """Let this one write find the disk full."""
    done: list[str] = []
    real = os.write

    def write(fd: int, data: bytes) -> int:
        done.append("write")
        if len(done) == change + 1:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        return real(fd, data)

    with patch("os.write", write):
        yield


@contextmanager
def _suppressed() -> Iterator[None]:
    try:
        yield
    except Killed:
        pass


@contextmanager
def _counted(done: list[str], before: Callable[[], None]) -> Iterator[None]:
    def counted(name: str, real: Callable[..., object]) -> Callable[..., object]:
        def call(*args: object, **given: object) -> object:
            before()
            done.append(name)
            return None if name == "fsync" else real(*args, **given)  # slow, and no process sees it

        return call

    patches = [patch(f"os.{name}", counted(name, getattr(os, name))) for name in _CHANGES]
    for each in patches:
        each.start()
    try:
        yield
    finally:
        for each in patches:
            each.stop()
