"""What a conversation of Codex owns in a CODEX_HOME (codex.md section 4).

Its rollout; those of the conversations that it was forked from, because a fork holds no history of its own
and names its parent's bytes; and those of its helpers, and of theirs. The databases are derived: a home that
has the rollouts fills its own.
"""

from __future__ import annotations

import os
from collections.abc import Collection, Iterator, Mapping
from pathlib import Path

import msgspec

from controlroom.node.agents.codex.launching import environment_of
from controlroom.node.agents.codex.mapping import created_ms
from controlroom.node.agents.codex.protocol import (
    AgentText,
    HelperMessage,
    ItemCompleted,
    SessionMeta,
    ToolCall,
    UserText,
    decode,
)
from controlroom.node.agents.codex.rollouts import Rollouts, rollout_id
from controlroom.node.agents.moving import Belongings, Piece
from controlroom.node.agents.transcripts import Row

CLOCK_MS = 3_600_000  # ids hold the machine's time, which may have been set back before a helper began
_OTHER_ACCOUNT = "created with a different ChatGPT account or workspace"
_VARIABLE = "CODEX_HOME"
_NO_PARENT = "missing source rollout"

takes_name_along = False  # a database of the home holds it


def belongings(profile: str, session_id: str) -> Belongings:
    """See ``Moving.belongings``."""
    home = Rollouts(Path(profile))
    path = home.find(session_id, 0.0)
    if path is None:
        return Belongings()
    own = {session_id: path}
    for id, helper in _helpers(home, session_id):
        home.remember(helper)
        own[id] = helper
    bases: dict[str, int] = {}
    missing: list[str] = []
    for helper in own.values():
        _add_bases(home, home.meta(helper), bases, missing)
    pieces = [_piece(home.home, path, history=id) for id, path in own.items()]
    pieces += [
        _piece(home.home, base, history=id, base_bytes=needed)
        for id, needed in bases.items()
        if id not in own and (base := home.find(id, 0.0)) is not None
    ]
    return Belongings(pieces=tuple(pieces), missing=tuple(missing))


def histories(profile: str, session_ids: Collection[str]) -> Mapping[str, Piece]:
    """See ``Moving.histories``."""
    home = Rollouts(Path(profile))
    return {id: _piece(home.home, path, history=id) for id, path in home.find_all(session_ids).items()}


def is_talk(row: bytes) -> bool:
    """See ``Moving.is_talk``."""
    try:
        payload = decode(Row(0, len(row), row)).payload
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
        return False
    return isinstance(payload, ItemCompleted | UserText | AgentText | ToolCall | HelperMessage)


def variables(profile: str) -> dict[str, str | None]:
    """See ``Moving.variables``: the usual home is chosen by leaving the variable out."""
    return {_VARIABLE: environment_of(profile).get(_VARIABLE)}


def refusal(words: str) -> str:
    """See ``Moving.refusal``. A screen cuts long lines in the middle of words."""
    said = "".join(words.split())
    if "".join(_OTHER_ACCOUNT.split()) in said:
        return (
            "Codex refuses to go on with this conversation under another ChatGPT account:"
            " it resumes with the account that began it."
        )
    if "".join(_NO_PARENT.split()) in said:
        return "Codex did not find the conversation that this one was forked from."
    return ""


def _piece(home: Path, path: Path, *, history: str, base_bytes: int | None = None) -> Piece:
    folder = str(path.parent.relative_to(home))
    return Piece(folder=folder, name=path.name, history=history, base_bytes=base_bytes)


def _add_bases(home: Rollouts, meta: SessionMeta | None, bases: dict[str, int], missing: list[str]) -> None:
    """The conversations that one begins with, with how much of each is needed, nearest first."""
    while meta is not None and (base := meta.history_base) is not None and base.thread_id:
        is_known = base.thread_id in bases  # then what it begins with itself is there too
        bases[base.thread_id] = max(bases.get(base.thread_id, 0), base.end_byte_offset)
        if is_known:
            return
        path = home.find(base.thread_id, 0.0)
        if path is None:
            missing.append(f"the conversation {base.thread_id}, from which it was forked")
            return
        meta = home.meta(path)


def _helpers(home: Rollouts, session_id: str) -> Iterator[tuple[str, Path]]:
    """The helpers of a conversation, and theirs: they began later, and each names who began it."""
    began: dict[str, list[tuple[str, Path]]] = {}
    for path in _rollouts_since(home.home, created_ms(session_id) - CLOCK_MS):
        meta, id = home.meta(path), rollout_id(path.name)
        if id is not None and meta is not None and meta.is_helper and meta.parent_thread_id:
            began.setdefault(meta.parent_thread_id, []).append((id, path))
    todo = [session_id]
    while todo:  # each is taken out of ``began`` once, so this ends
        for id, path in began.pop(todo.pop(), []):
            yield id, path
            todo.append(id)


def _rollouts_since(home: Path, since_ms: int) -> Iterator[Path]:
    """Rollouts of conversations that began then or later, whatever folder of the home they lie in."""
    for top in ("sessions", "archived_sessions"):
        for folder, _, names in os.walk(home / top):
            for name in sorted(names):
                id = rollout_id(name)
                if id is not None and created_ms(id) >= since_ms:
                    yield Path(folder, name)
