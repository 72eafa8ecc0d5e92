"""Codex's tool calls for people: what ran, on one line, with its input, result and file changes.

Newer models work in "code mode": the call is JavaScript (``await tools.exec_command({...})``) and what really
ran follows as CommandExecution and FileChange items; older ones name the command in the call. Pure.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping

import msgspec

from controlroom.core.text import clean_line
from controlroom.node.agents.codex.protocol import ThreadItem, ToolCall
from controlroom.wire.model import Change, ToolState

_CODE_CALL = re.compile(r"\btools\.([A-Za-z_]\w*)\s*\(")
_CODE_COMMAND = re.compile(
    r"""["']?\b(?:cmd|command)["']?\s*:\s*("(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'|`[^`]*`)"""
)
_CODE_PATCH = re.compile(r"""apply_patch\s*\(\s*("(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'|`[^`]*`)""")
_STDOUT_FILE = re.compile(r"^[AMD] (.+)$", re.MULTILINE)
_PATCH_FILE = re.compile(r"^\*\*\* (Add|Update|Delete) File: (.+)$", re.MULTILINE)
_EXIT_CODE = re.compile(r"(?:Process exited with code|Exit code:|\"exit_code\":) ?(-?\d+)")
_REFUSED = re.compile(
    r"^(?:aborted by user|rejected by user|exec command rejected|patch rejected)", re.IGNORECASE
)
_FAILED = re.compile(r"^(?:failed to |unsupported call|Script failed|Error\b|execution error)")
_SHELLS = frozenset(
    {"exec_command", "shell", "shell_command", "local_shell", "container.exec", "unified_exec"}
)
_TITLE_LIMIT = 160


class Told(msgspec.Struct, frozen=True):
    """A call or what ran, for people. ``input`` is whole; limits are the chat's business."""

    name: str
    title: str
    input: str


def tell_call(call: ToolCall) -> Told:
    """What a call row says, before anything ran."""
    arguments = _arguments(call)
    if call.name == "exec" and call.input:
        return _tell_code(call.input)
    if call.name in _SHELLS or call.action is not None:
        command = readable_command(arguments.get("cmd", arguments.get("command")))
        return _shell(command or call.arguments)
    if call.name == "apply_patch":
        patch = arguments.get("input")
        return _patch(patch if isinstance(patch, str) else call.input or call.arguments)
    return _other(call, arguments)


def tell_item(item: ThreadItem) -> Told:
    """What an item says that has run."""
    match item.type:
        case "CommandExecution":
            return _shell(readable_command(item.command))
        case "FileChange":
            return Told("apply_patch", _line(files_title(changes(item), _verbs(item))), "")
        case "McpToolCall" | "DynamicToolCall":
            name = f"{item.server}.{item.tool}" if item.server else item.tool
            return Told(name, _line(name), _json(item.arguments))
        case "WebSearch":
            return Told("web_search", _line(f"Web search: {item.query or ''}"), "")
        case "ImageView":
            return Told("view_image", _line(f"Image: {item.path or ''}"), "")
    return Told(item.type, _line(item.type), "")


def readable_command(command: object) -> str:
    """``["/bin/bash", "-lc", "ls"]`` is ``ls`` to a person."""
    if isinstance(command, str):
        return command
    if isinstance(command, list) and all(isinstance(part, str) for part in command):
        if len(command) == 3 and command[1] in ("-lc", "-c"):
            return str(command[2])
        return " ".join(command)
    return ""


def item_state(item: ThreadItem) -> ToolState:
    if item.status == "declined":
        return "refused"
    if item.status == "failed" or item.exit_code not in (None, 0) or item.error is not None:
        return "failed"
    return "done"


def output_state(output: str) -> ToolState:
    """From the text that went back to the model, when nothing better says how it ended."""
    if _REFUSED.match(output):
        return "refused"
    code = _EXIT_CODE.search(output[:400])
    if _FAILED.match(output) or (code is not None and code[1] != "0"):
        return "failed"
    return "done"


def item_output(item: ThreadItem) -> str:
    if item.type == "CommandExecution":
        return item.aggregated_output or ""
    if item.type == "FileChange":
        return item.stderr or ""
    return _json(item.error if item.error is not None else item.result)


def changes(item: ThreadItem) -> tuple[Change, ...]:
    """Added and removed lines of each file, named as the patch named it (below the working directory)."""
    named = _STDOUT_FILE.findall(item.stdout or "")
    found = []
    for path, delta in item.changes.items():
        added = removed = 0
        if delta.unified_diff is not None:
            lines = delta.unified_diff.split("\n")
            added = sum(line.startswith("+") and not line.startswith("+++ ") for line in lines)
            removed = sum(line.startswith("-") and not line.startswith("--- ") for line in lines)
        elif delta.content is not None:
            count = len(delta.content.splitlines())
            added, removed = (0, count) if delta.type == "delete" else (count, 0)
        short = next((name for name in named if path.endswith("/" + name)), path)
        found.append(Change(path=clean_line(short, 1000), added=added, removed=removed))
    return tuple(found)


def files_title(files: Iterable[Change], verbs: Iterable[str]) -> str:
    """``Edit src/a.py`` or ``Edit src/a.py and 2 more``."""
    paths = [change.path for change in files]
    verb = next(iter(verbs), "Edit")
    if not paths:
        return verb
    return f"{verb} {paths[0]}" + (f" and {len(paths) - 1} more" if len(paths) > 1 else "")


def _verbs(item: ThreadItem) -> list[str]:
    return [{"add": "Add", "delete": "Delete"}.get(delta.type, "Edit") for delta in item.changes.values()]


def _shell(command: str) -> Told:
    first = next((line for line in command.split("\n") if line.strip()), "")
    return Told("exec_command", _line(f"Shell: {first.strip()}"), command)


def _patch(patch: str) -> Told:
    files = [(verb, path.strip()) for verb, path in _PATCH_FILE.findall(patch)]
    verbs = [verb.replace("Update", "Edit") for verb, _ in files]
    named = [Change(path=path, added=0, removed=0) for _, path in files]
    return Told("apply_patch", _line(files_title(named, verbs)), patch)


def _tell_code(source: str) -> Told:
    """The command or patch in a code-mode call, as far as it is written out; else the code itself."""
    patch = _CODE_PATCH.search(source)
    if patch is not None and (text := _literal(patch[1])):
        return _patch(text)
    used = _CODE_CALL.findall(source)
    commands = [text for match in _CODE_COMMAND.finditer(source) if (text := _literal(match[1]))]
    if commands and "exec_command" in used:
        return _shell("\n".join(commands))
    names = list(dict.fromkeys(used))
    return Told(names[0] if names else "exec", _line("Code: " + (", ".join(names) or "JavaScript")), source)


def _literal(quoted: str) -> str:
    """The text of a JavaScript string literal, "" when it needs JavaScript to be known."""
    if quoted.startswith("`"):
        return "" if "${" in quoted else quoted[1:-1]
    if quoted.startswith("'"):
        quoted = '"' + quoted[1:-1].replace("\\'", "'").replace('"', '\\"') + '"'
    try:
        text = json.loads(quoted)
    except ValueError:
        return ""
    return text if isinstance(text, str) else ""


def _other(call: ToolCall, arguments: Mapping[str, object]) -> Told:
    title = call.name
    if call.name == "update_plan" and isinstance(steps := arguments.get("plan"), list):
        finished = sum(isinstance(step, dict) and step.get("status") == "completed" for step in steps)
        title = f"Plan: {finished} of {len(steps)} steps done"
    elif call.name.startswith("request_user_input") and isinstance(asked := arguments.get("questions"), list):
        first = asked[0] if asked and isinstance(asked[0], dict) else {}
        title = f"Question: {first.get('question') or first.get('title') or ''}"
    elif call.name == "spawn_agent":
        title = f"Helper: {arguments.get('task_name') or ''}"
    return Told(call.name or "tool", _line(title or "tool"), call.input or call.arguments)


def _arguments(call: ToolCall) -> dict[str, object]:
    if isinstance(call.action, dict):
        return dict(call.action)
    try:
        found = json.loads(call.arguments) if call.arguments else {}
    except (ValueError, RecursionError):
        return {}
    return found if isinstance(found, dict) else {}


def _json(value: object) -> str:
    if value is None:
        return ""
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def _line(text: str) -> str:
    return clean_line(text, _TITLE_LIMIT)
