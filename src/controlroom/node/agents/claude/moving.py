"""What a session of Claude Code owns in a config folder (claude-code.md sections 2 and 5).

The transcript, the folder of its id beside it (helpers, its given name, large results), the checkpoints of
files that it edited, and the plan files that it names. The memory of a project, the list of typed prompts and
all settings belong to the profile; the live registry and the login are never touched.
"""

from __future__ import annotations

import mmap
import os
import re
from collections.abc import Collection, Iterator, Mapping
from pathlib import Path

import msgspec

from controlroom.node.agents.claude.launching import environment_of
from controlroom.node.agents.claude.protocol import (
    SYNTHETIC,
    Message,
    RowDecoder,
    content_text,
    is_typed,
    loose,
)
from controlroom.node.agents.claude.sessions import SessionFiles
from controlroom.node.agents.moving import Belongings, Piece

_PLAN = re.compile(rb'"(?:planFilePath|filePath|file_path)":"[^"\n]*/plans/([^"/\\\n]{1,200}\.md)"')
_PLAN_MARK = b"/plans/"
_BEFORE, _BEHIND = 4_200, 210  # a path and its key before the mark, a file's name behind it
_VARIABLE = "CLAUDE_CONFIG_DIR"

takes_name_along = True  # a row of the transcript


def belongings(profile: str, session_id: str) -> Belongings:
    """See ``Moving.belongings``."""
    root, own = Path(profile), _history(profile, session_id)
    if own is None:
        return Belongings()
    pieces, folders = [own], []
    for base, below in ((own.folder, session_id), ("", f"file-history/{session_id}")):
        for within, name in _tree(root / base, below):
            if name:
                pieces.append(Piece(folder=base, name=f"{within}/{name}"))
            else:
                folders.append(f"{base}/{within}" if base else within)
    pieces += [
        Piece(folder="", name=f"plans/{name}")
        for name in sorted(_plans_named_in(root / own.path))
        if (path := root / "plans" / name).is_file() and not path.is_symlink()
    ]
    return Belongings(pieces=tuple(pieces), folders=tuple(folders))


def histories(profile: str, session_ids: Collection[str]) -> Mapping[str, Piece]:
    """See ``Moving.histories``; no session owns that of another."""
    found = {id: _history(profile, id) for id in session_ids}
    return {id: piece for id, piece in found.items() if piece is not None}


def _history(profile: str, session_id: str) -> Piece | None:
    transcript = SessionFiles().find(profile, session_id)
    if transcript is None:
        return None
    folder = str(transcript.parent.relative_to(profile))
    return Piece(folder=folder, name=transcript.name, history=session_id)


def _tree(base: Path, below: str) -> Iterator[tuple[str, str]]:
    """All folders of a tree (with the name "") and the regular files in them, relative to ``base``. Links are
    left out: what they lead to is not the session's. A tree that is not there is empty."""
    try:
        entries = sorted(os.scandir(base / below), key=lambda entry: entry.name)
    except (FileNotFoundError, NotADirectoryError):
        return
    yield below, ""
    for entry in entries:
        if entry.is_dir(follow_symlinks=False):
            yield from _tree(base, f"{below}/{entry.name}")
        elif entry.is_file(follow_symlinks=False):
            yield below, entry.name


def is_talk(row: bytes) -> bool:
    """See ``Moving.is_talk``."""
    if b'"user"' not in row and b'"assistant"' not in row:
        return False
    try:
        decoded = RowDecoder().decode(row)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
        return False
    message = loose(decoded.message, Message)
    if decoded.type == "user":
        return is_typed(decoded, content_text(message.content))
    return decoded.type == "assistant" and message.model not in (None, SYNTHETIC)


def variables(profile: str) -> dict[str, str | None]:
    """See ``Moving.variables``: the usual folder is chosen by leaving the variable out."""
    return {_VARIABLE: environment_of(profile).get(_VARIABLE)}


def refusal(words: str) -> str:
    """See ``Moving.refusal``."""
    if "No conversation found with session ID" in " ".join(words.split()):
        return "Claude Code did not find the session in the target profile."
    return ""


def _plans_named_in(transcript: Path) -> set[str]:
    if transcript.stat().st_size == 0:
        return set()
    with transcript.open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as data:
        return {name.decode(errors="replace") for name in _plan_names(data)}


def _plan_names(data: mmap.mmap) -> Iterator[bytes]:
    at = data.find(_PLAN_MARK)
    while at >= 0:
        for found in _PLAN.finditer(data[max(0, at - _BEFORE) : at + len(_PLAN_MARK) + _BEHIND]):
            yield found[1]
        at = data.find(_PLAN_MARK, at + 1)
