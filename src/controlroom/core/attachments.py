"""Files that go with a message: what they are called, what they are, and how the agent is told of them.

The agent gets paths, in a fixed form behind the person's own text. No line of it is a bare path: Claude Code
takes a pasted line that is nothing but the path of a picture for a picture dropped on it, and what then
stands in its file is not what was typed. The name of a placed file begins with its upload's id, so that a
chat finds the files again in the agent's own file, whoever reads it.

Sizes are bytes.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from typing import Final, NamedTuple

from controlroom.core.media import ANY_TYPE, image_type
from controlroom.core.text import clean_line

INBOX: Final = (".controlroom", "inbox")
"""The folders, in the agent's own folder, in which its files are put."""

EXCLUDED: Final = f"{INBOX[0]}/"
"""The line of ``.git/info/exclude`` that keeps them out of commits."""

MOST: Final = 10  # files of one message
LONGEST_NAME: Final = 80  # characters; with the id in front it is far below the 255 bytes of a file system
HEADING: Final = "Attached files:"

_LINE: Final = re.compile(
    r"- `(?P<path>[^`\n]*/\.controlroom/inbox/(?P<id>[a-z]{2,4}_[A-Za-z0-9]+)-(?P<name>[^`/\n]+))`"
    r" \((?P<type>[a-z0-9!#$&^_.+/-]+), (?P<size>[0-9.]+ [kM]?B)\)"
)
_NOT_IN_NAMES: Final = re.compile(r"[^\w.+()-]+")


class Placed(NamedTuple):
    """A file as the agent is told of it."""

    path: str
    type: str
    bytes: int


class Told(NamedTuple):
    """A file as a text names it."""

    id: str
    name: str
    type: str


def safe_name(said: str | None) -> str:
    """A file name that every shell, every prompt and every file system takes as it is.

    Letters of all scripts stay; blanks and all else become ``-``. It never begins with a dot or a dash.
    """
    text = unicodedata.normalize("NFC", clean_line((said or "").replace("\\", "/").rpartition("/")[2], 400))
    name = _NOT_IN_NAMES.sub("-", text).strip("-").lstrip(".-")
    stem, dot, ending = name.rpartition(".")
    if dot and stem and len(ending) <= 12:
        stem = stem[: LONGEST_NAME - len(ending) - 1].rstrip("-.")
        name = f"{stem or 'file'}.{ending}"
    name = _fits(name[:LONGEST_NAME])
    return name or "file"


def _fits(name: str) -> str:
    """Not more than 180 bytes, cut between characters."""
    return name.encode()[:180].decode(errors="ignore")


def type_of(head: bytes) -> str:
    """What a file is by its first bytes; nothing that it says of itself counts."""
    image = image_type(head)
    if image is not None:
        return image
    if head.startswith(b"%PDF-"):
        return "application/pdf"
    if head.startswith((b"PK\x03\x04", b"PK\x05\x06")):
        return "application/zip"
    return "text/plain" if _is_text(head) else ANY_TYPE


def _is_text(head: bytes) -> bool:
    if b"\0" in head:
        return False
    try:
        head.decode()
    except UnicodeDecodeError as error:
        return error.start >= len(head) - 3 > 0  # a character that was cut at the end of the head
    return True


def size_text(size: int) -> str:
    """A size for people and agents: ``812 B``, ``24 kB``, ``3.1 MB``."""
    if size < 1000:
        return f"{size} B"
    if size < 999_500:
        return f"{round(size / 1000)} kB"
    return f"{size / 1_000_000:.1f} MB"


def placed_name(upload_id: str, name: str) -> str:
    """What a file is called in the inbox."""
    return f"{upload_id}-{name}"


def typed_text(text: str, files: Sequence[Placed]) -> str:
    """What is typed: the person's own text, then the files. Without files it is the text."""
    if not files:
        return text
    lines = [f"- `{file.path}` ({file.type}, {size_text(file.bytes)})" for file in files]
    block = "\n".join([HEADING, *lines])
    own = text.rstrip()
    return f"{own}\n\n{block}" if own else block


def split_typed(text: str) -> tuple[str, tuple[Told, ...]]:
    """The person's own text and the files, of a text that ``typed_text`` made; else the text as it is."""
    at = text.rfind(HEADING)
    if at < 0 or (at > 0 and text[at - 1] != "\n"):
        return text, ()
    lines = text[at + len(HEADING) :].strip().split("\n")
    if not 0 < len(lines) <= MOST:
        return text, ()
    files = []
    for line in lines:
        match = _LINE.fullmatch(line.strip())
        if match is None:
            return text, ()
        files.append(Told(match["id"], match["name"], match["type"]))
    return text[:at].rstrip(), tuple(files)
