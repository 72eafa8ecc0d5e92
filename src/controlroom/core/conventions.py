"""The conventions that agents are told in their instruction file, and how they get in and out of it.

Theory. What we write stands between two marker lines and nowhere else. The first marker holds all that is
needed to take it out again so that every other byte is as it was: how many line ends were put before it, or
that the file was made for it. It also holds a digest of what we wrote, so that a hand that changed it since
is seen. Anything but one whole pair of markers is left alone and said: a guess could lose the person's text.

Texts are those of the file, with its own line ends; undecodable bytes may stand in them as surrogates.

Source: spec 002 section 5; the forms are those that ``core.blocks`` and ``core.question_block`` read.
"""

from __future__ import annotations

import difflib
import hashlib
import re
from collections.abc import Mapping, Sequence
from typing import Literal

import msgspec

VERSION = 2
MADE = "made"  # as ``joint``: the file was made for the block

AgentKind = Literal["claude", "codex"]


class InstructionFile(msgspec.Struct, frozen=True):
    """Where one kind of agent reads its instructions: ``name`` in the folder that ``variable`` names, else in
    ``folder`` of the person's home. ``override``: a file that is read in its place. ``most_bytes``: what
    stands behind is not read."""

    name: str
    variable: str
    folder: str
    override: str | None = None
    most_bytes: int | None = None


FILES: Mapping[AgentKind, InstructionFile] = {
    "claude": InstructionFile("CLAUDE.md", "CLAUDE_CONFIG_DIR", ".claude"),
    "codex": InstructionFile(
        "AGENTS.md", "CODEX_HOME", ".codex", override="AGENTS.override.md", most_bytes=32 * 1024
    ),
}

_TEXT = """\
## Agent Control Room: how you reach the person

One person follows many agents, often from a phone, and may be away for hours. The forms below reach them.
Write a form at the start of a line of your own reply; quoted or inside a code fence it does not count.

**A question** that only the person can decide: first do everything that does not depend on it, then end your
reply with

```
Question for Founder: Shall the old invoices move too?
- All of them: takes about 20 minutes, the old table can go
- Only this year's: the old table stays readable (recommended)
Default: I move only this year's by 18:00
Context: The new table is live since this morning.
Doc: https://docs.example/invoices
```

- Each option says what happens when it is chosen. `Context` and `Doc` may be left out. One block a question.
- The time: `18:00`, `tomorrow 09:00`, `2026-12-31 18:00 UTC`, `90 min`; without a zone it is this machine's.
- `Blocking: yes` takes the place of `Default: ...` when nothing may happen without the person: logins, money,
  public posts, deleting what cannot be brought back. Then wait; never decide it yourself.
- The answer comes as a message. "Use your default" means that nobody answered in time. "Skipped" means that
  nobody decided: that is no approval.

**It settled itself?** The question in the same words, a colon, and why:

```
Resolved for Founder: Shall the old invoices move too?: The clean-up deleted them.
```

**Where you are**, when nobody has to act: this line as your entire reply.

```
Status: 3 of 9 packages are done
```

**Work that is finished:**

```
Result: The import is twice as fast.
Changed: import.py and its tests
Checked: 214 tests, one run with the real file
Not done: the old format
Look at: docs/import.md
```

**From a script, or without ending your turn:** this prints the answer.

```
{command} ask "Shall the old invoices move too?" --option "All: 20 minutes" --option "None: they stay \
(recommended)" --default "None" --by "90 min" --wait
```

Exit status: 0 answered, 4 use your default, 5 skipped (no approval), 6-9 closed without an answer, 10 still
open after `--timeout SECONDS`. `--blocking` takes the place of `--default` and `--by`.

**Shared hardware.** Other agents work on this machine. Start every browser, and every heavy job (simulations,
large builds, whole test suites), through its queue; it waits for its turn, then runs the command:

```
{command} lock browser -- npx playwright test
{command} slot heavy -- make simulations
```

The exit status is the command's own. 75 comes with `--timeout SECONDS` or `--no-wait`: no turn came, nothing
was run.
"""

_BEGIN = "<!-- controlroom conventions: begin"
_END = "<!-- controlroom conventions: end -->"
_NOTE = (
    '<!-- Written by "controlroom conventions install", taken out by "remove". Changes in here are lost. -->'
)
_BEGIN_LINE = re.compile(
    rf"{re.escape(_BEGIN)} version=(?P<version>\d{{1,6}}) sum=(?P<sum>[0-9a-f]{{8}})"
    rf" joint=(?P<joint>[0-2]|{MADE}) -->"
)
_BY_HAND = "Put it right by hand, or take the markers out; nothing was changed."
_LINE = re.compile(r"[^\n]*\n|[^\n]+")
_BLANK_END = re.compile(r"(\r?\n)(\r?\n)\Z")


class BrokenMarkers(Exception):
    """The markers in the file are not one whole pair; the text is a sentence that says what to do."""


class Block(msgspec.Struct, frozen=True, kw_only=True):
    """What stands in a file: ``text[start:end]`` is ours, with the line end behind the last marker."""

    start: int
    end: int
    version: int
    joint: str
    body: str
    is_edited: bool


def conventions(command: str) -> str:
    """The text for agents. ``command`` is how they call the control room."""
    return f"{_NOTE}\n{_TEXT.replace('{command}', command)}"


def find(text: str) -> Block | None:
    """The block in a file's text, None when there is none. Raises BrokenMarkers."""
    begins: list[tuple[int, int, str]] = []
    ends: list[tuple[int, int]] = []
    at = 0
    for line in _LINE.findall(text):
        words = line.strip().lstrip("\ufeff")
        if _BEGIN in words:
            begins.append((at, at + len(line), words))
        elif _END in words:
            if words != _END:
                raise BrokenMarkers(f"Other text stands in the line of the end marker. {_BY_HAND}")
            ends.append((at, at + len(line)))
        at += len(line)
    if not begins and not ends:
        return None
    return _block(text, begins, ends)


def _block(text: str, begins: Sequence[tuple[int, int, str]], ends: Sequence[tuple[int, int]]) -> Block:
    if len(begins) > 1 or len(ends) > 1:
        raise BrokenMarkers(f"The conventions stand in it more than once. {_BY_HAND}")
    if not begins:
        raise BrokenMarkers(f"It has the end marker of the conventions without the begin. {_BY_HAND}")
    if not ends:
        raise BrokenMarkers(f"It has the begin marker of the conventions without the end. {_BY_HAND}")
    start, inner, words = begins[0]
    if ends[0][0] < inner:
        raise BrokenMarkers(f"The end marker of the conventions stands before the begin. {_BY_HAND}")
    said = _BEGIN_LINE.fullmatch(words)
    if said is None:
        raise BrokenMarkers(f"The begin marker of the conventions is damaged. {_BY_HAND}")
    if text.startswith("\ufeff") and start == 0:
        start = 1
    body = text[inner : ends[0][0]].replace("\r\n", "\n")
    return Block(
        start=start,
        end=ends[0][1],
        version=int(said["version"]),
        joint=said["joint"],
        body=body,
        is_edited=_sum(body) != said["sum"],
    )


def install(text: str | None, body: str) -> str:
    """The file's text with the conventions in it, an older block replaced where it stands.

    ``text`` None: there is no file yet. Raises BrokenMarkers.
    """
    if text is None:
        return _written(body, MADE, "\n")
    ending = _line_end(text)
    found = find(text)
    if found is not None:
        return text[: found.start] + _written(body, found.joint, ending) + text[found.end :]
    joint = 0
    if text.strip("\ufeff") and not _BLANK_END.search(text):
        joint = 1 if text.endswith("\n") else 2
    return text + ending * joint + _written(body, str(joint), ending)


def remove(text: str) -> str | None:
    """The file's text without the conventions, every other byte as it was before they came.

    None: nothing is left of a file that was made for them. Raises BrokenMarkers.
    """
    found = find(text)
    if found is None:
        return text
    head, tail = text[: found.start], text[found.end :]
    if found.joint in ("1", "2") and (blank := _BLANK_END.search(head)):
        head = head[: blank.start(2 if found.joint == "1" else 1)]
    if tail and head.strip("\ufeff") and not head.endswith("\n"):
        head += _line_end(text)  # what was written below must not join the last line
    if not head and not tail and found.joint == MADE:
        return None
    return head + tail


def difference(before: str | None, after: str | None, name: str) -> list[str]:
    """What changes, as the lines of a unified diff; outside text."""
    old, new = ("" if text is None else text for text in (before, after))
    return [
        line.rstrip("\n")
        for line in difflib.unified_diff(
            _LINE.findall(old),
            _LINE.findall(new),
            "(no file)" if before is None else name,
            "(no file)" if after is None else name,
        )
    ]


def _written(body: str, joint: str, ending: str) -> str:
    begin = f"{_BEGIN} version={VERSION} sum={_sum(body)} joint={joint} -->"
    return f"{begin}\n{body}{_END}\n".replace("\n", ending)


def _sum(body: str) -> str:
    return hashlib.sha256(body.encode("utf-8", "surrogateescape")).hexdigest()[:8]


def _line_end(text: str) -> str:
    """The one that most lines of a text have. Behind a lone CR no LF may follow: it would become a part."""
    if text.endswith("\r"):
        return "\r\n"
    return "\r\n" if text.count("\r\n") * 2 > text.count("\n") else "\n"
