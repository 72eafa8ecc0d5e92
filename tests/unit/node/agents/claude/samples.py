"""Recordings of the real program (see ``tests/fixtures/claude/README.md``) as the parsers take them."""

from __future__ import annotations

from pathlib import Path

from controlroom.core.screen import Cursor, Frame, frame_from_capture
from controlroom.node.agents.claude.protocol import Row, RowDecoder
from controlroom.node.agents.transcripts import Row as FileRow
from controlroom.node.agents.transcripts import decode_rows, rows_from

FIXTURES = Path(__file__).parents[4] / "fixtures" / "claude"
SCREENS = tuple(sorted(path.stem for path in (FIXTURES / "screens").glob("*.ansi")))
TRANSCRIPTS = tuple(sorted(path.name for path in (FIXTURES / "transcripts").iterdir()))


def frame(name: str) -> Frame:
    """A recorded screen, such as ``80x24-permission-bash``."""
    width, height = (int(part) for part in name.split("-")[0].split("x"))
    raw = (FIXTURES / "screens" / f"{name}.ansi").read_bytes()
    return frame_from_capture(raw, width=width, height=height, cursor=Cursor(0, 0), alternate=True)


def drawn(*rows: str, width: int = 80, height: int = 24, alternate: bool = True) -> Frame:
    """A screen made of these rows, at the bottom."""
    lines = [*[""] * (height - len(rows)), *rows]
    raw = "\n".join(lines).encode()
    return frame_from_capture(raw, width=width, height=height, cursor=Cursor(0, 0), alternate=alternate)


def transcript(name: str) -> Path:
    """The main file of a recorded session."""
    (path,) = (FIXTURES / "transcripts" / name).glob("*.jsonl")
    return path


def placed(name: str) -> list[tuple[FileRow, Row]]:
    """All rows of a recorded session with their places."""
    with transcript(name).open("rb") as file:
        found = decode_rows(RowDecoder(), rows_from(file, 0))
    assert found.skipped == 0
    return list(found.rows)


def rows(name: str) -> list[Row]:
    return [row for _, row in placed(name)]
