"""Which conversation a Codex process in a pane shows (codex.md section 3). Pure.

Without the background server the process holds the files of its own conversations open: exact, but an old
one stays open for minutes after ``/new`` or a fork, and helpers have files of their own. With it nothing the
process holds names the thread; then the title, the server's own list, the command line and, last, the folder
say it. What is not certain carries its reason.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

import msgspec

ThreadStatus = Literal["notLoaded", "idle", "systemError", "active", "unknown"]


class Thread(msgspec.Struct, frozen=True, kw_only=True):
    """A conversation as its names and its server describe it."""

    id: str
    name: str = ""
    folder: str = ""
    path: str = ""
    status: ThreadStatus = "unknown"
    is_waiting: bool = False  # for an approval or an answer
    created_ms: int = 0
    has_file: bool = True  # False: nothing has been said in it


class Shown(msgspec.Struct, frozen=True):
    """The conversation that a pane shows; ``session_id`` None: none yet, or not known. ``is_harmless``: what
    is uncertain is only whether it shows a newer one in which nothing has been said."""

    session_id: str | None
    uncertain: str = ""
    is_harmless: bool = False


LAST_MS = 250_000_000_000_000  # in the year 9892: calendars end soon after


def created_ms(session_id: str) -> int:
    """The ids are UUIDv7: their first 48 bits are the creation time. 0 for any other id, which holds none."""
    digits = session_id.replace("-", "")[:12]
    try:
        found = int(digits, 16)
    except ValueError:
        return 0
    return found if found < LAST_MS else 0


def shown_by_own_files(open_threads: Sequence[Thread], title_thread: str, project: str) -> Shown:
    """Of the conversations that a process without server holds open (helpers left out)."""
    if len(open_threads) == 1:
        return Shown(open_threads[0].id)
    if title_thread:
        named = _named(open_threads, title_thread, project)
    else:  # a conversation gets its name with the first message
        named = [thread for thread in open_threads if not thread.name and not thread.has_file]
    if len(named) == 1:
        return Shown(named[0].id)
    newest = max(named or open_threads, key=lambda thread: created_ms(thread.id))
    return Shown(newest.id, "Several conversations are open in this process; this is the newest.")


def shown_by_folder(begun: Sequence[Thread], asked_for: str | None) -> Shown:
    """Of the conversations that began in its folder since it started: all that is known of a process which
    hides what it holds (0.60)."""
    if len(begun) == 1:
        return Shown(begun[0].id, "Taken from its folder and start time; the process hides its files.")
    if begun:
        return Shown(None, "Several conversations began in its folder since it started.")
    if asked_for is not None:
        return Shown(asked_for, "Taken from its command line; the process hides its files.")
    return Shown(None)


def shown_by_server(
    threads: Sequence[Thread] | None,
    known: Sequence[Thread],
    *,
    title_thread: str,
    project: str,
    folder: str,
    asked_for: str | None,
    before: str | None,
    started_ms: int,
    is_silent: bool = True,
) -> Shown:
    """Of the threads that the background server has loaded; ``threads`` None: it does not answer, then
    ``known`` (all conversations of the profile) has to do.

    ``asked_for`` is the id on the command line, ``before`` what this pane's title named at an earlier look.
    ``is_silent``: the server should have answered by now.
    """
    candidates = [t for t in threads if t.status != "notLoaded"] if threads is not None else list(known)
    doubt = "The background server does not answer; taken from the title." if is_silent else ""
    doubt = "" if threads is not None else doubt
    if title_thread:
        named = _named(candidates, title_thread, project)
        if len(named) == 1:
            return Shown(named[0].id, doubt)
        for id in (before, asked_for):
            if any(thread.id == id for thread in named):
                return Shown(id, doubt)
        in_folder = [thread for thread in named if thread.folder == folder]
        if in_folder:
            newest = max(in_folder, key=lambda thread: created_ms(thread.id))
            return Shown(newest.id, "Several conversations have the name in its title; this is the newest.")
    elif before is not None or asked_for is None:
        return Shown(None)  # a title without a name: nothing has been said yet (at the start, after /new)
    if asked_for is not None:
        doubt = "Taken from its command line; its title does not say so."
        return Shown(
            asked_for, doubt, not title_thread and _is_only_one(candidates, asked_for, folder, started_ms)
        )
    since = [t for t in candidates if t.folder == folder and created_ms(t.id) >= started_ms - 2_000]
    if len(since) == 1:
        return Shown(since[0].id, "Taken from its folder and start time; its title does not name it.")
    return Shown(None, "Which conversation it shows cannot be told: its title does not name one.")


def _is_only_one(threads: Sequence[Thread], id: str, folder: str, started_ms: int) -> bool:
    """Whether this conversation is loaded and has no name yet, and no other has begun here since."""
    begun = [t.id for t in threads if t.folder == folder and created_ms(t.id) >= started_ms - 2_000]
    return any(t.id == id and not t.name for t in threads) and set(begun) <= {id}


def _named(threads: Sequence[Thread], title_thread: str, project: str) -> list[Thread]:
    wanted = _plain(title_thread)
    return [
        thread
        for thread in threads
        if thread.name
        and _same_name(_plain(thread.name), wanted)
        and (not project or not thread.folder or thread.folder.rstrip("/").rpartition("/")[2] == project)
    ]


def _same_name(name: str, title: str) -> bool:
    """Long names are cut in titles."""
    return name == title or (title.endswith("…") and len(title) > 8 and name.startswith(title[:-1].rstrip()))


def _plain(name: str) -> str:
    return " ".join(name.split())
