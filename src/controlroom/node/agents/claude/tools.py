"""How a tool call of Claude Code is shown: title, input, output, outcome, changed files. Pure."""

from __future__ import annotations

import re
from collections.abc import Mapping

import msgspec

from controlroom.core.text import clean_line, strip_controls
from controlroom.node.agents.claude.protocol import HELPER_TOOLS, Block, Row, content_text, plain
from controlroom.wire.model import Change, ToolState

TOOL_LIMIT = 4_000  # characters of input and of output
LINE = 1_000  # characters of a text whose first line becomes a title
_ESCAPES = re.compile(r"\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)?|[@-Z\\-_])")
_REJECTED = "The user doesn't want to proceed with this tool use"
_FILE_TOOLS = frozenset({"Read", "Edit", "MultiEdit", "Write", "NotebookEdit"})
_TELLING = ("command", "pattern", "url", "query", "skill", "description", "prompt", "path")

Arguments = Mapping[str, object]


class Clipped(msgspec.Struct, frozen=True):
    """A text for people, cut to its limit."""

    text: str
    cut: bool = False


class Outcome(msgspec.Struct, frozen=True):
    """What a tool's result row says. ``running``: it was only started (a helper in the background)."""

    tool_use_id: str
    state: ToolState
    output: Clipped
    changes: tuple[Change, ...] = ()
    helper_id: str | None = None  # the helper that goes on in the background


def clip(text: str, limit: int) -> Clipped:
    """At most ``limit`` characters, without terminal codes and control characters."""
    shorter = text[: limit * 2]  # a megabyte is cut before it is searched
    clean, _ = strip_controls(_ESCAPES.sub("", shorter))
    return Clipped(clean[:limit], cut=len(clean) > limit or len(shorter) < len(text))


def arguments(block: Block) -> Arguments:
    found = plain(block.input)
    return found if isinstance(found, dict) else {}


def title(name: str, given: Arguments, folder: str | None) -> str:
    """One line for people: "Bash: git status", "Edit src/a.py", "Agent: Count pears"."""
    if name in _FILE_TOOLS:
        path = _word(given, "file_path") or _word(given, "notebook_path")
        return clean_line(f"{name} {_shorter(path, folder)}")
    if name in HELPER_TOOLS:
        return clean_line(f"{name}: {_word(given, 'description')}")
    if name == "AskUserQuestion":
        return clean_line(f"Question: {next(iter(questions(given)), '').partition(chr(10))[0]}")
    if name == "ExitPlanMode":
        return "Plan"
    if name == "TodoWrite":
        todos = given.get("todos")
        return f"Todos: {len(todos) if isinstance(todos, list) else 0}"
    shown = name
    if name.startswith("mcp__"):
        shown = ": ".join(name.removeprefix("mcp__").split("__", 1))
    told = next((word for key in _TELLING if (word := _word(given, key).strip())), "")
    return clean_line(f"{shown}: {clip(told, LINE).text.partition(chr(10))[0]}" if told else shown)


def shown_input(name: str, given: Arguments, limit: int = TOOL_LIMIT) -> Clipped | None:
    """What the tool was asked to do, as a person would read it."""
    if not given:
        return None
    if name == "Bash":
        text = _word(given, "command")
    elif name == "Write":
        text = _word(given, "content")
    elif name == "Edit":
        text = _edit(given, limit)
    elif name == "MultiEdit":
        edits = given.get("edits")
        text = (
            "\n\n".join(_edit(e, limit) for e in edits if isinstance(e, dict))
            if isinstance(edits, list)
            else ""
        )
    elif name == "ExitPlanMode":
        text = _word(given, "plan")
    elif name == "AskUserQuestion":
        text = "\n\n".join(questions(given))
    elif name in HELPER_TOOLS:
        text = _word(given, "prompt")
    elif name == "Read":
        return None
    else:
        text = msgspec.json.format(msgspec.json.encode(given), indent=2).decode(errors="replace")
    return clip(text, limit) if text else None


def questions(given: Arguments) -> list[str]:
    """Each question of a picker with its options."""
    asked = given.get("questions")
    found = []
    for one in asked if isinstance(asked, list) else []:
        if not isinstance(one, dict):
            continue
        options = one.get("options")
        lines = [_word(one, "question")]
        for option in options if isinstance(options, list) else []:
            if isinstance(option, dict):
                lines.append(f"- {_word(option, 'label')}")
        found.append("\n".join(lines))
    return found


def outcome(row: Row, block: Block) -> Outcome | None:
    """What a ``tool_result`` block and its row tell of the call."""
    if block.tool_use_id is None:
        return None
    result = plain(row.tool_use_result)
    told = result if isinstance(result, dict) else {}
    text = content_text(block.content)
    if told.get("status") == "async_launched":
        helper = told.get("agentId")
        return Outcome(
            block.tool_use_id, "running", Clipped(""), helper_id=helper if isinstance(helper, str) else None
        )
    answers = told.get("answers")
    if isinstance(answers, dict) and answers:
        text = "\n".join(f"{question} → {answer}" for question, answer in answers.items())
    state: ToolState = "done"
    if row.tool_denial_kind is not None or text.startswith(_REJECTED):
        state = "refused"
    elif block.is_error:
        state = "failed"
    changed = changes(told, row.cwd) if state == "done" else ()
    return Outcome(block.tool_use_id, state, clip(text, TOOL_LIMIT), changed)


def changes(told: Arguments, folder: str | None) -> tuple[Change, ...]:
    """The file that an edit changed, with lines added and removed."""
    path = told.get("filePath")
    patch = told.get("structuredPatch")
    if not isinstance(path, str) or not isinstance(patch, list):
        return ()
    added = removed = 0
    for hunk in patch:
        lines = hunk.get("lines") if isinstance(hunk, dict) else None
        for line in lines if isinstance(lines, list) else []:
            if isinstance(line, str):
                added += line.startswith("+")
                removed += line.startswith("-")
    content = told.get("content")
    if not patch and told.get("type") == "create" and isinstance(content, str):
        added = len(content.splitlines())
    return (Change(path=clean_line(_shorter(path, folder), 500), added=added, removed=removed),)


def _edit(given: Arguments, limit: int) -> str:
    old = [f"- {line}" for line in _word(given, "old_string")[: limit * 2].splitlines()]
    new = [f"+ {line}" for line in _word(given, "new_string")[: limit * 2].splitlines()]
    return "\n".join([*old, *new])


def _word(given: Arguments, key: str) -> str:
    found = given.get(key)
    return found if isinstance(found, str) else ""


def _shorter(path: str, folder: str | None) -> str:
    """The path as seen from the working directory."""
    return path.removeprefix(f"{folder.rstrip('/')}/") if folder else path
