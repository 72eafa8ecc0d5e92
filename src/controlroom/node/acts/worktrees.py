"""Git worktrees for new agents: each on a new branch, remembered as ours, and removed only when clean.

What we made is written down before git is asked to make it, so after a kill the same call completes it, and
nothing of a person's is ever taken for ours. A branch is never removed with a worktree: its commits stay.
"""

from __future__ import annotations

import asyncio
import hashlib
import os
import shutil
from collections.abc import Iterable
from pathlib import Path

import msgspec

from controlroom.core.moves import size
from controlroom.core.text import clean_line
from controlroom.kit.child import Child
from controlroom.kit.secrets_file import write_private

GIT_S = 120.0  # a large checkout on a slow disk
MOST_BYTES = 4 * 1024 * 1024  # some ten thousand worktrees, or files that are not committed
_PASSED_ON = ("PATH", "HOME", "USER", "LOGNAME", "SHELL", "TMPDIR", "XDG_CONFIG_HOME")
LONGEST_WORDS = 300


class CannotMake(Exception):
    """There is no worktree; the text says why, for people."""


class Worktree(msgspec.Struct, frozen=True, kw_only=True):
    """One that we made, or were about to make. ``inside``: the agent's folder in it, "" = its top."""

    operation: str
    repository: str
    path: str
    branch: str
    inside: str = ""

    @property
    def folder(self) -> str:
        return str(Path(self.path, self.inside)) if self.inside else self.path


class _Ran(msgspec.Struct, frozen=True):
    code: int
    out: str
    err: str


class _Heard:
    """What git said so far. ``is_cut``: its output goes on behind the end. Errors are cut in silence."""

    def __init__(self) -> None:
        self.parts = {1: bytearray(), 2: bytearray()}
        self.is_cut = False

    def take(self, fd: int, data: bytes) -> None:
        room = MOST_BYTES - len(self.parts[fd])
        self.parts[fd] += data[:room]
        self.is_cut |= fd == 1 and len(data) > room


class Worktrees:
    """Those that this node made. ``memory``: a private folder with one file for each."""

    def __init__(self, memory: Path) -> None:
        self._memory = memory

    async def make(self, operation: str, folder: str, branch: str) -> Worktree:
        """A worktree of the repository around ``folder``, beside it, on a new branch from what is checked out
        there. The same operation again gives the same one. Raises CannotMake."""
        known = await asyncio.to_thread(self._of_operation, operation)
        if known is None:
            known = await self._planned(operation, folder, branch)
            await asyncio.to_thread(self._remember, known)
        if not await self._is_whole(known):
            await self._git(known.repository, "worktree", "remove", "--force", "--force", known.path)
            await self._git(known.repository, "worktree", "prune")
            has_branch = await self._has_branch(known.repository, known.branch)
            words = (known.path, known.branch) if has_branch else ("-b", known.branch, known.path)
            made = await self._git(known.repository, "worktree", "add", *words)
            if made.code:
                await asyncio.to_thread(self._forget, known)
                raise CannotMake(f"git could not make the worktree: {_said(made)}")
        return known

    async def restore(self, folder: str) -> bool:
        """Make one of ours again that was removed when its agent was closed. False when it is none of ours.
        Raises CannotMake."""
        known = await asyncio.to_thread(self._around, folder)
        if known is None:
            return False
        made = await self._git(known.repository, "worktree", "add", known.path, known.branch)
        if made.code:
            raise CannotMake(f"git could not make its worktree again: {_said(made)}")
        return True

    async def remove(self, folder: str, worked_in: Iterable[str] = ()) -> str:
        """Remove the worktree in which an agent worked, if it is ours and holds nothing that is not
        committed. ``worked_in``: folders of agents that live. Says what became of it, "" when it is none of
        ours."""
        known = await asyncio.to_thread(self._around, folder)
        if known is None or not Path(known.path).exists():
            return ""
        try:
            why = await self._removed(known, worked_in)
        except CannotMake as error:
            why = str(error)
        if why:
            return f"Its worktree {known.path} stays: {why}"
        return f"Its worktree was clean and is removed; the branch {known.branch} stays."

    async def give_up(self, operation: str) -> None:
        """The start failed: its worktree and branch go away if nothing was done there."""
        known = await asyncio.to_thread(self._of_operation, operation)
        if known is None:
            return
        await self.remove(known.path)
        if not Path(known.path).exists():
            await self._git(known.repository, "branch", "--delete", known.branch)
            await asyncio.to_thread(self._forget, known)

    async def _removed(self, worktree: Worktree, worked_in: Iterable[str]) -> str:
        """Why it is not; "" when it is. Raises CannotMake."""
        if any(Path(each).is_relative_to(worktree.path) for each in worked_in):
            return "another agent works in it."
        status = await self._git(worktree.path, "status", "--porcelain", "--ignored")
        if status.code:
            return _said(status)
        if status.out:
            return "it holds files that are not committed."
        removed = await self._git(worktree.repository, "worktree", "remove", worktree.path)
        return _said(removed) if removed.code else ""

    # ---- git -------------------------------------------------------------------------------------------

    async def _planned(self, operation: str, folder: str, branch: str) -> Worktree:
        """What would be made. Raises CannotMake when a person has to do something first."""
        top = await self._git(folder, "rev-parse", "--show-toplevel")
        inside = await self._git(folder, "rev-parse", "--show-prefix")
        if top.code or inside.code:
            raise CannotMake(f"{folder} is not in a git repository.")
        checked = await self._git(folder, "check-ref-format", "--branch", branch)
        if checked.code or branch.startswith("-"):
            raise CannotMake(f"git knows no branches called {clean_line(branch, 100)!r}.")
        repository = top.out.rstrip("\n")
        if await self._has_branch(repository, branch):
            raise CannotMake(f"There is a branch {branch} already: choose another name.")
        path = Path(repository).with_name(f"{Path(repository).name}-{branch.replace('/', '-')}")
        if os.path.lexists(path):
            raise CannotMake(f"{path} is there already: choose another name for the branch.")
        return Worktree(
            operation=operation,
            repository=repository,
            path=str(path),
            branch=branch,
            inside=inside.out.strip("\n/"),
        )

    async def _has_branch(self, repository: str, branch: str) -> bool:
        found = await self._git(repository, "show-ref", "--verify", "--quiet", f"refs/heads/{branch}")
        return found.code == 0

    async def _is_whole(self, worktree: Worktree) -> bool:
        """git has finished making it. One that a kill left half has a lock of git's own. Raises CannotMake
        when git does not say: what is not known to be half made is not removed."""
        if not Path(worktree.path, ".git").is_file():
            return False
        listed = await self._git(worktree.repository, "worktree", "list", "--porcelain")
        if listed.code:
            raise CannotMake(f"git could not list its worktrees: {_said(listed)}")
        entry = next(
            (text for text in listed.out.split("\n\n") if text.startswith(f"worktree {worktree.path}\n")), ""
        )
        return f"branch refs/heads/{worktree.branch}" in entry.splitlines() and "\nlocked" not in entry

    async def _git(self, folder: str, *words: str) -> _Ran:
        """One command. What it cannot do is in the result; raises CannotMake when git does not answer in
        time, or says too much to be read."""
        program = shutil.which("git")
        if program is None:
            raise CannotMake("git is not in PATH.")
        environment = {name: os.environ[name] for name in _PASSED_ON if name in os.environ}
        environment |= {"LC_ALL": "C.UTF-8", "GIT_TERMINAL_PROMPT": "0", "GIT_OPTIONAL_LOCKS": "0"}
        heard = _Heard()
        try:
            child = await Child.spawn((program, *words), environment, heard.take, folder=Path(folder))
        except OSError as error:
            return _Ran(-1, "", error.strerror or "it cannot be run")
        try:
            child.close_input()
            async with asyncio.timeout(GIT_S):
                await child.finished()
        except TimeoutError:
            child.kill_group()
            raise CannotMake(f"git {words[0]} did not answer within {GIT_S:g} seconds.") from None
        finally:
            await child.aclose()
        if heard.is_cut:
            raise CannotMake(f"git {words[0]} said more than {size(MOST_BYTES)}.")
        out, err = (bytes(heard.parts[fd]).decode(errors="replace") for fd in (1, 2))
        return _Ran(-1 if child.code is None else child.code, out, err)

    # ---- what is remembered ----------------------------------------------------------------------------

    def _all(self) -> list[Worktree]:
        found = []
        for path in sorted(self._memory.glob("*.json")):
            try:
                found.append(msgspec.json.decode(path.read_bytes(), type=Worktree))
            except (OSError, msgspec.MsgspecError):
                continue
        return found

    def _of_operation(self, operation: str) -> Worktree | None:
        return next((each for each in self._all() if each.operation == operation), None)

    def _around(self, folder: str) -> Worktree | None:
        """Ours in which this folder lies."""
        return next((each for each in self._all() if Path(folder).is_relative_to(each.path)), None)

    def _remember(self, worktree: Worktree) -> None:
        try:
            self._memory.mkdir(mode=0o700, parents=True, exist_ok=True)
            write_private(self._file(worktree), msgspec.json.encode(worktree))
        except OSError as error:
            raise CannotMake(f"It cannot be remembered ({error.strerror}).") from None

    def _forget(self, worktree: Worktree) -> None:
        self._file(worktree).unlink(missing_ok=True)

    def _file(self, worktree: Worktree) -> Path:
        return self._memory / f"{hashlib.sha256(worktree.path.encode()).hexdigest()[:16]}.json"


def _said(ran: _Ran) -> str:
    return clean_line(ran.err.strip().removeprefix("fatal: "), LONGEST_WORDS) or "it did not say why."
