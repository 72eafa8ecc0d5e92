"""Recordings of the real program (see ``tests/fixtures/codex/README.md``) as the parsers take them."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from pathlib import Path

from controlroom.core.screen import Cursor, Frame, frame_from_capture
from controlroom.node.agents.codex.protocol import Decoded, Entry, decode_all
from controlroom.node.agents.codex.rollouts import rollout_id
from controlroom.node.agents.codex.session import Session
from controlroom.node.agents.transcripts import Row, rows_from

FIXTURES = Path(__file__).parents[4] / "fixtures" / "codex"
ROLLOUTS = tuple(sorted(FIXTURES.glob("sessions*/*/*/*/*.jsonl")))
SCREENS = tuple(sorted(path.stem for path in FIXTURES.glob("screens*/*.ansi")))
_TITLES: dict[str, str] = json.loads((FIXTURES / "screens" / "titles.json").read_text())
_FRAMES = json.loads((FIXTURES / "screens-0.171.0-more" / "frames.json").read_text())


def rollout(name: str) -> Path:
    """A rollout by the time in its name ("11-07-30"), with its folder where that is not ``sessions``."""
    folder, _, time = name.rpartition("/")
    found = [path for path in ROLLOUTS if path.parts[-5] == (folder or "sessions") and time in path.name]
    (path,) = found
    return path


def session_id(path: Path) -> str:
    found = rollout_id(path.name)
    assert found is not None
    return found


def rows(path: Path) -> list[Row]:
    with path.open("rb") as file:
        return list(rows_from(file, 0))


def decoded(path: Path) -> Decoded:
    return decode_all(rows(path))


def entries(name: str) -> tuple[Entry, ...]:
    found = decoded(rollout(name))
    assert found.skipped == 0
    return found.entries


def session(name: str) -> Session:
    """All that the file says at its end."""
    found = Session(session_id(rollout(name)))
    found.feed(entries(name))
    return found


def written(*lines: dict[str, object]) -> tuple[Entry, ...]:
    """Entries of rows that a test makes up: ordinals and times are added."""
    made, offset = [], 0
    for ordinal, line in enumerate(lines):
        row = {"timestamp": f"2026-11-30T11:00:{ordinal:02d}.000Z", "ordinal": ordinal, **line}
        data = json.dumps(row).encode()
        made.append(Row(offset, offset + len(data) + 1, data))
        offset += len(data) + 1
    found = decode_all(made)
    assert found.skipped == 0
    return found.entries


def event(kind: str, /, **fields: object) -> dict[str, object]:
    return {"type": "event_msg", "payload": {"type": kind, **fields}}


def item(kind: str, /, *, turn_id: str = "t1", **fields: object) -> dict[str, object]:
    return event("item_completed", turn_id=turn_id, item={"type": kind, "id": f"{kind}-1", **fields})


def said(text: str) -> dict[str, object]:
    return item("AgentMessage", content=[{"type": "Text", "text": text}])


def response(kind: str, /, *, turn_id: str = "t1", **fields: object) -> dict[str, object]:
    meta = {"internal_chat_message_metadata_passthrough": {"turn_id": turn_id}}
    return {"type": "response_item", "payload": {"type": kind, **fields, **meta}}


def frame(name: str, *, title: str | None = None) -> Frame:
    """A recorded screen, such as ``exec-approval-80x24``."""
    (path,) = FIXTURES.glob(f"screens*/{name}.ansi")
    size = re.search(r"-(\d+)x(\d+)$", name)
    assert size is not None
    about = _FRAMES.get(name, {"cursor": [0, 0, False], "title": _TITLES.get(name, "")})
    row, column, visible = about["cursor"]
    return frame_from_capture(
        path.read_bytes(),
        width=int(size[1]),
        height=int(size[2]),
        cursor=Cursor(row, column, visible),
        alternate=not name.startswith(("after-quit", "no-daemon-after-quit", "resume-account", "old-")),
        title=about["title"] if title is None else title,
    )


def drawn(rows: Sequence[str], *, title: str = "", cursor: Cursor | None = None, height: int = 24) -> Frame:
    """A screen made of these rows, at the bottom; rows may hold SGR codes."""
    lines = [*[""] * (height - len(rows)), *rows]
    return frame_from_capture(
        "\n".join(lines).encode(),
        width=100,
        height=height,
        cursor=cursor or Cursor(0, 0, False),
        alternate=True,
        title=title,
    )
